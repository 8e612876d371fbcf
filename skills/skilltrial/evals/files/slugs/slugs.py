"""Slugs for addresses."""


def slug(title: str) -> str:
    """Lower case, words joined by hyphens."""
    return "-".join(title.lower().split())
