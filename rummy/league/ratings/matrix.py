"""The little linear algebra that a fit needs: symmetric positive definite matrices as lists of rows."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from operator import mul

Matrix = list[list[float]]
Row = Sequence[float]


def zeros(size: int) -> Matrix:
    """A square matrix of zeros."""
    return [[0.0] * size for _ in range(size)]


def cholesky(matrix: Sequence[Row]) -> Matrix:
    """The lower triangle L with L Lᵀ = *matrix*, in rows that end at the diagonal. Raises `ValueError`."""
    lower: Matrix = []
    for i, row in enumerate(matrix):
        made: list[float] = []
        for j in range(i):
            made.append((row[j] - sum(map(mul, made, lower[j]))) / lower[j][j])
        made.append(sqrt(row[i] - sum(map(mul, made, made))))
        lower.append(made)
    return lower


def solved(lower: Sequence[Row], right: Row) -> list[float]:
    """x with L Lᵀ x = *right*."""
    size = len(right)
    found: list[float] = []
    for row, value in zip(lower, right, strict=True):
        found.append((value - sum(map(mul, row, found))) / row[-1])
    for i in range(size - 1, -1, -1):
        found[i] = (found[i] - sum(lower[k][i] * found[k] for k in range(i + 1, size))) / lower[i][i]
    return found


def inverse(matrix: Sequence[Row]) -> Matrix:
    """The inverse of *matrix*. Raises `ValueError`."""
    lower = cholesky(matrix)
    size = len(lower)
    columns: Matrix = []  # Of the inverse of L, each from its diagonal on.
    for j in range(size):
        column = [1 / lower[j][j]]
        for i in range(j + 1, size):
            column.append(-sum(map(mul, lower[i][j:], column)) / lower[i][i])
        columns.append(column)
    made = zeros(size)
    for i in range(size):
        for j in range(i + 1):
            made[i][j] = made[j][i] = sum(map(mul, columns[i], columns[j][i - j :]))
    return made


def sandwich(bread: Sequence[Row], filling: Sequence[Row]) -> Matrix:
    """*bread* · *filling* · *bread*, both symmetric."""
    half = [[sum(map(mul, row, other)) for other in filling] for row in bread]
    made = zeros(len(half))
    for i, row in enumerate(half):
        for j in range(i + 1):
            made[i][j] = made[j][i] = sum(map(mul, row, bread[j]))
    return made
