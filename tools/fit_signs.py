#!/usr/bin/env python3
"""Fits the weights of the audit's signs and writes crates/audit/src/prose/signs/weights.rs.

    cargo run --release -p skillful-audit --example signs -- FOLDER > real.tsv
    cargo run --release -p skillful-audit --example signs -- CASES… > hostile.tsv
    python3 tools/fit_signs.py real.tsv hostile.tsv

FOLDER has real skills, CASES are pairs in the notation of crates/audit/tests/cases. The model is a logistic
regression over signs and combinations of signs with bounds: a sign of harm never counts in favour of a text, and
words of honest texts never count against it. The limits come from real skills that the fit did not see: each third of
them is judged by weights that were fitted without it. Needs numpy and scipy.
"""

import collections
import hashlib
import itertools
import pathlib
import sys

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

BLOCKED, WARNED = 0.004, 0.02  # shares of real skills
HOSTILE_WEIGHT, PENALTY, COMMON = 8, 3.0, 5000
HONEST = ["honest", "asked", "example", "docs"]
ACTS = ["send", "delete", "change", "grant", "spend", "skip", "fake", "say"]
CIRCUMSTANCES = (
    "conceal unasked recipient private key-place admin protection persist registry follow bias mass override "
    "weakcode harm pretext scope data mail account address medical url domain"
).split()


def combinations(signs):
    found = [(sign,) for sign in signs]
    found += list(itertools.product(ACTS, CIRCUMSTANCES))
    found += list(itertools.combinations([c for c in CIRCUMSTANCES if c not in ("account", "address")], 2))
    found += itertools.product(
        ["send", "change", "grant", "spend", "registry", "bias", "follow", "delete", "say"],
        ["recipient", "url"],
        ["scope", "pretext", "conceal", "unasked", "data", "private"],
    )
    found += itertools.product(
        ["change", "delete", "skip", "grant", "spend", "bias", "fake"],
        ["conceal", "unasked"],
        ["scope", "pretext", "data", "protection"],
    )
    found += [
        ("skip", "protection", "pretext"), ("skip", "protection", "scope"), ("grant", "admin", "pretext"),
        ("grant", "admin", "scope"), ("delete", "data", "scope"), ("send", "private", "scope"),
        ("send", "key-place", "scope"), ("fake", "say", "conceal"), ("spend", "unasked", "scope"),
    ]  # fmt: skip
    found += itertools.product(
        HONEST, ["conceal", "recipient", "skip", "delete", "fake", "unasked", "send", "bias"]
    )
    return list(dict.fromkeys(tuple(one) for one in found))


def read(name):
    rows = (line.rstrip("\n").split("\t") for line in open(name, encoding="utf-8"))
    return [(owner, frozenset(signs.split())) for owner, signs, _ in rows if len(signs.split()) >= 2]


class Fit:
    def __init__(self, signs):
        self.features = combinations(sorted(signs))
        self.seen = {}

    def row(self, signs):
        if signs not in self.seen:
            self.seen[signs] = [i for i, f in enumerate(self.features) if signs.issuperset(f)]
        return self.seen[signs]

    def matrix(self, rows):
        ends, at = [0], []
        for signs in rows:
            at += self.row(signs)
            ends.append(len(at))
        return csr_matrix((np.ones(len(at)), at, ends), shape=(len(ends) - 1, len(self.features)))

    def bounds(self):
        for feature in self.features:
            if set(feature) & set(HONEST):
                yield (-3, 0)
            else:
                yield (-1, 4) if len(feature) == 1 else (0, 4)

    def train(self, hostile, real):
        counts = collections.Counter(signs for _, signs in real)
        x = self.matrix([signs for _, signs in hostile] + list(counts))
        y = np.array([1.0] * len(hostile) + [-1.0] * len(counts))
        weight = np.array([HOSTILE_WEIGHT] * len(hostile) + [min(n, COMMON) for n in counts.values()], float)

        def loss(z):
            margin = y * (x @ z[1:] + z[0])
            slope = -weight * y / (1 + np.exp(np.clip(margin, -30, 30)))
            value = (weight * np.logaddexp(0, -margin)).sum() + PENALTY * (z[1:] ** 2).sum() / 2
            return value, np.concatenate([[slope.sum()], x.T @ slope + PENALTY * z[1:]])

        start = np.zeros(len(self.features) + 1)
        limits = [(None, None), *self.bounds()]
        return minimize(loss, start, jac=True, bounds=limits, method="L-BFGS-B", options={"maxiter": 200}).x

    def worst(self, z, rows):
        """The highest sum of each owner."""
        kinds = sorted({signs for _, signs in rows}, key=sorted)
        sums = dict(zip(kinds, self.matrix(kinds) @ z[1:] + z[0]))
        worst = {}
        for owner, signs in rows:
            worst[owner] = max(worst.get(owner, -99.0), sums[signs])
        return worst


def third(owner):
    return int(hashlib.sha256(owner.encode()).hexdigest(), 16) % 3


def main():
    real, hostile = read(sys.argv[1]), read(sys.argv[2])
    fit = Fit(set().union(*(signs for _, signs in real)))
    sums = []
    for part in range(3):
        z = fit.train(hostile, [row for row in real if third(row[0]) != part])
        sums += fit.worst(z, [row for row in real if third(row[0]) == part]).values()
    sums.sort(reverse=True)
    block, warn = (sums[int(len(sums) * share)] for share in (BLOCKED, WARNED))
    z = fit.train(hostile, real)
    found = fit.worst(z, hostile).values()
    print(f"{len(sums)} real skills; limits {block:.2f} and {warn:.2f}")
    print(f"{sum(v >= block for v in found)} of {len(found)} hostile texts above the limit")
    lines = [
        "//! Weights of signs and of their combinations, in hundredths. Written by `tools/fit_signs.py`.",
        "",
        f"pub(super) const BIAS: i32 = {round(z[0] * 100)};",
        f"pub(super) const BLOCK: i32 = {round(block * 100)};",
        f"pub(super) const WARN: i32 = {round(warn * 100)};",
        "",
        "pub(super) const WEIGHTS: &[(&str, i32)] = &[",
    ]
    for feature, weight in zip(fit.features, z[1:]):
        if abs(weight) >= 0.03:
            lines.append(f'    ("{"+".join(feature)}", {round(weight * 100)}),')
    lines.append("];")
    path = pathlib.Path(__file__).parents[1] / "crates/audit/src/prose/signs/weights.rs"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


main()
