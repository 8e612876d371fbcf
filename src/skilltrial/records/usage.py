"""What models were asked for and took."""

from __future__ import annotations

from skilltrial.records.record import Record


class Usage(Record):
    """Tokens of a trial over all requests, sub-agents too. None is unknown, never zero.

    `input_tokens` excludes what was read from or written to a cache.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    requests: int | None = None
    told_total: int | None = None
    """All tokens together, where another tool's files tell no more."""

    @property
    def total_tokens(self) -> int | None:
        """Input, output and cache tokens together, or as told; None where neither is known."""
        if self.told_total is not None:
            return self.told_total
        if self.input_tokens is None or self.output_tokens is None:
            return None
        return self.input_tokens + self.output_tokens + (self.cache_read_tokens or 0) + (self.cache_write_tokens or 0)
