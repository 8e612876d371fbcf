"""What all records share: the sets of the names of their fields."""

from __future__ import annotations

from skilltrial.records.usage import Usage


def test_records_with_the_same_fields_share_one_set() -> None:
    """Whatever the values, and however they were made."""
    one, other = (
        Usage(input_tokens=1, output_tokens=2),
        Usage.model_validate_json('{"output_tokens": 4, "input_tokens": 3}'),
    )
    assert one.model_fields_set is other.model_fields_set
    assert one.model_fields_set == {"input_tokens", "output_tokens"}


def test_a_copy_with_more_fields_has_a_set_of_its_own() -> None:
    """Those that shared it keep theirs."""
    one, other = Usage(input_tokens=1), Usage(input_tokens=3)
    copy = one.model_copy(update={"output_tokens": 2})
    assert copy.model_fields_set == {"input_tokens", "output_tokens"}
    assert one.model_fields_set == other.model_fields_set == {"input_tokens"}
    assert Usage().model_fields_set == set()
