"""Do two raters, or several, say the same of the same items?

Shapes: a table is K x K counts, a row for what the first rater said, a column for the second; several tables are stacked in
front, and every figure then has their shape. NaN where a figure is not defined.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeVar

import numpy as np
import numpy.typing as npt

from skilltrial.stats.interval import Interval

Floats = npt.NDArray[np.float64]
CategoryT = TypeVar("CategoryT", bound=str)

_MOST_UNDEFINED = 0.1
"""Share of resamples without a figure, above which there is no interval."""


def confusion(first: Sequence[CategoryT], second: Sequence[CategoryT], categories: Sequence[CategoryT]) -> Floats:
    """The K x K table of two raters on the same items. Raises ValueError for lengths that differ and unknown categories."""
    places = {category: place for place, category in enumerate(categories)}
    table = np.zeros((len(places), len(places)))
    for one, other in zip(first, second, strict=True):
        if one not in places or other not in places:
            raise ValueError(f"{one!r} or {other!r} is none of {tuple(categories)!r}")
        table[places[one], places[other]] += 1
    return table


def raw_agreement(tables: Floats) -> Floats:
    """The share of items on which the two agree."""
    return _ratio(np.trace(tables, axis1=-2, axis2=-1), _total(tables))


def cohen_kappa(tables: Floats) -> Floats:
    """Agreement beyond what each rater's own shares would give by chance; undefined where chance gives all.

    (p_o - p_e) / (1 - p_e), p_e = sum over k of pi_k(first) pi_k(second). Cohen 1960, *A coefficient of agreement for nominal
    scales*. It falls where nearly all items are of one category, however often the two agree: show it with the table.
    """
    total = _total(tables)
    chance = _ratio((tables.sum(axis=-1) * tables.sum(axis=-2)).sum(axis=-1), total * total)
    return _beyond(raw_agreement(tables), chance)


def gwet_ac1(tables: Floats) -> Floats:
    """Agreement beyond chance, where chance is small if nearly all items are of one category.

    As kappa with p_e = sum of pi_k (1 - pi_k) / (K - 1), pi_k the mean of both raters' shares. Gwet 2008, *Computing inter-rater
    reliability and its variance in the presence of high agreement*.
    """
    shares = _ratio((tables.sum(axis=-1) + tables.sum(axis=-2)) / 2, _total(tables)[..., None])
    chance = (shares * (1 - shares)).sum(axis=-1) / (tables.shape[-1] - 1)
    return _beyond(raw_agreement(tables), chance)


def bootstrap_interval(
    tables: Floats,
    figure: Callable[[Floats], Floats],
    rng: np.random.Generator,
    *,
    level: float = 0.95,
    resamples: int = 2_000,
) -> Interval | None:
    """Percentile interval of a figure of the summed tables, one table a case: cases are drawn again, whole.

    None below two cases, and where more than a tenth of the resamples have no figure: the rest would not be a fair draw.
    """
    n = len(tables)
    if n < 2:  # noqa: PLR2004 - one case does not vary
        return None
    drawn = rng.multinomial(n, np.full(n, 1 / n), size=resamples)
    values = figure(np.tensordot(drawn, tables, axes=1))
    defined = values[~np.isnan(values)]
    if len(defined) < (1 - _MOST_UNDEFINED) * resamples:
        return None
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))


def krippendorff_alpha(
    ratings: Sequence[Sequence[float | None]], *, level: Literal["nominal", "ordinal"] = "nominal"
) -> float | None:
    """Reliability of several raters, a row each, over the same items, a column each; None is a missing cell.

    1 - observed over expected disagreement, of the pairs of values within items. Categories are numbers; `ordinal` counts the
    values that lie between two. Items with fewer than two values say nothing. None where there is no pair, or only one category.
    Krippendorff 2011, *Computing Krippendorff's alpha-reliability*. Raises ValueError for rows of different lengths.
    """
    items = [[value for value in column if value is not None] for column in zip(*ratings, strict=True)]
    items = [values for values in items if len(values) > 1]
    categories = sorted({value for values in items for value in values})
    if len(categories) < 2:  # noqa: PLR2004 - with one category nothing can disagree
        return None
    counts = np.array([[values.count(category) for category in categories] for values in items], dtype=np.float64)
    sizes = counts.sum(axis=1)
    pairs = np.einsum("uc,uk,u->ck", counts, counts, 1 / (sizes - 1)) - np.diag(
        (counts / (sizes - 1)[:, None]).sum(axis=0)
    )
    totals = counts.sum(axis=0)
    distance = _ordinal(totals) if level == "ordinal" else 1 - np.eye(len(categories))
    observed = float((pairs * distance).sum())
    expected = float((np.outer(totals, totals) * distance).sum())
    return 1 - (float(totals.sum()) - 1) * observed / expected


def _ordinal(totals: Floats) -> Floats:
    """Squared distance of two ranks: the values from one to the other, the two themselves by half."""
    middles = np.cumsum(totals) - totals / 2
    return (middles[:, None] - middles[None, :]) ** 2


def _total(tables: Floats) -> Floats:
    return tables.sum(axis=(-2, -1))


def _beyond(agreement: Floats, chance: Floats) -> Floats:
    return _ratio(agreement - chance, 1 - chance)


def _ratio(over: Floats, under: Floats) -> Floats:
    over, under = np.broadcast_arrays(over, under)
    return np.divide(over, under, out=np.full(over.shape, np.nan), where=np.abs(under) > 1e-12)  # noqa: PLR2004 - none on paper
