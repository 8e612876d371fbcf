"""Does one number go with another among items of the same class?

The sums that this takes can be added over cases, so that `agreement.bootstrap_interval` can draw cases again.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def class_sums(
    x: Sequence[float], y: Sequence[float], classes: Sequence[Hashable], *, order: Sequence[Hashable]
) -> Floats:
    """One row a class of `order`: n and the sums of x, y, x^2, y^2, xy. Raises ValueError for lengths that differ."""
    sums = np.zeros((len(order), 6))
    for one, other, own in zip(x, y, classes, strict=True):
        sums[order.index(own)] += (1, one, other, one * one, other * other, one * other)
    return sums


def within_correlation(sums: Floats) -> Floats:
    """Pearson's correlation of x and y, each less its mean in the class: the partial correlation given the class.

    Shape: classes x 6 as of `class_sums`, several stacked in front. NaN where either does not vary within any class.
    """
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    n = np.maximum(n, 1)
    covariance = (xy - x * y / n).sum(axis=-1)
    spread = (xx - x * x / n).sum(axis=-1) * (yy - y * y / n).sum(axis=-1)
    root: Floats = np.sqrt(np.maximum(spread, 0.0))
    return np.divide(covariance, root, out=np.full(np.shape(root), np.nan), where=root > 1e-9)  # noqa: PLR2004 - none on paper
