"""Fits the gate and prints weights.rs' GATE. Usage: gate.py WORK OUT [WORK OUT]

Logistic regression; the sign of each weight is fixed. Requests are checked with whole repositories in folds, messages
that ask for nothing in folds and, in brackets, with their whole set left out. "hard-report" and "short-report" are
never trained on.
"""
import collections
import sys

import numpy as np
from scipy.optimize import minimize

from figures import FOLDS, MACRO, THRESHOLD, dumps, fold, size_of

# Ten signals of evidence and two of form speak for a skill, the others against.
FOR, RIDGE = 12, 3.0
WEIGHT = {"answerable": 1.0, "no-skill": 2.0, "no-skill-hard": 1.0, "nothing": 0.7, "hard": 1.3, "near": 0.02, "stranger": 0.05}
SOURCE = dict.fromkeys(MACRO + ["short", "mined"], 1.0) | {"keyword": 0.5, "crosslingual": 1.0}
SMALL = 0.4
SETS = {"no-skill": "dev", "no-skill-hard": "dev", "nothing": "nothing", "hard": "hard"}

rows = []
for dump in dumps():
    for stem in dump.stems():
        pool = dump.pool_of(stem)
        for row in dump.gates(stem):
            d, good = dump.D[int(row[0])], dump.good[int(row[0])]
            kind = "near" if d["source"] == "trigger-negative" else d["source"]
            if d["relevant"]:
                kind = "answerable" if good & pool else "stranger"
            rows.append((size_of(stem), kind, d["source"], fold(d), row[2:], d["query"]))
x = np.stack([r[4] for r in rows]).astype(float)
size, kind, source, folds = (np.array([r[i] for r in rows]) for i in range(4))
sets = np.array([SETS.get(k, "") for k in kind])
y = (kind == "answerable").astype(float)
keys = [(s, k, f if k == "answerable" else "") for s, k, f in zip(size, kind, source)]
count = collections.Counter(keys)
w = np.array([WEIGHT.get(k, 0.0) * (SOURCE.get(f, 0.0) / sum(SOURCE.values()) if f else 1.0) / count[s, k, f] for s, k, f in keys])
w *= np.where(np.char.startswith(size, "l") | np.char.startswith(size, "short"), SMALL, 1.0)
w *= 4000 / w.sum()


def train(mask):
    mask = mask & (w > 0)
    mean, deviation = x[mask].mean(0), x[mask].std(0) + 1e-6
    a = np.c_[(x[mask] - mean) / deviation, np.ones(mask.sum())]

    def loss(v):
        s = a @ v
        value = (w[mask] * np.logaddexp(0, np.where(y[mask] > 0, -s, s))).sum() + RIDGE / 2 * (v[:-1] ** 2).sum()
        return value, a.T @ (w[mask] * (1 / (1 + np.exp(-s)) - y[mask])) + RIDGE * np.r_[v[:-1], 0]

    bounds = [(0, None)] * FOR + [(None, 0)] * (x.shape[1] - FOR) + [(None, None)]
    v = minimize(loss, np.zeros(a.shape[1]), jac=True, method="L-BFGS-B", bounds=bounds).x
    return v[:-1] / deviation, v[-1] - (v[:-1] * mean / deviation).sum()


def passes(mask, weights, bias):
    return 1 / (1 + np.exp(-(x[mask] @ weights + bias)))


p, left_out, fitted = np.zeros(len(rows)), np.zeros(len(rows)), []
for k in range(FOLDS):
    fitted.append(train(folds != k))
    p[folds == k] = passes(folds == k, *fitted[-1])
for s in set(SETS.values()):
    left_out[sets == s] = passes(sets == s, *train(sets != s))
for s in sorted(set(size)):
    here, line = size == s, []
    kept = {f: (p[here & (y > 0) & (source == f)] >= THRESHOLD).mean() * 100 for f in sorted(set(source[here & (y > 0)]))}
    for k in sorted(set(kind[here]) - {"answerable", "near"}):
        mask = here & (kind == k)
        out = f" ({(left_out[mask] >= THRESHOLD).mean() * 100:.1f})" if k in SETS else ""
        line.append(f"{k} {(p[mask] >= THRESHOLD).mean() * 100:.1f}{out}")
    macro = np.mean([kept[m] for m in MACRO if m in kept])
    print(f"{s:9s} kept {macro:.1f}:", " ".join(f"{f} {v:.0f}" for f, v in kept.items()), "|", " ".join(line))
weights = np.array([v for v, _ in fitted])
print("smallest and largest weight over the folds", np.round(weights.min(0), 2), np.round(weights.max(0), 2))
weights, bias = train(np.ones(len(rows), bool))
print("GATE", [round(float(v), 4) for v in weights], "GATE_BIAS", round(float(bias), 4))
if "-v" in sys.argv:
    shown = ("hard", "nothing", "no-skill", "no-skill-hard")
    for i in np.flatnonzero((size == "1000") & np.isin(kind, shown) & (left_out >= THRESHOLD)):
        print(size[i], kind[i], f"{left_out[i]:.2f}", rows[i][5])
    for i in np.flatnonzero((size == "0100") & (kind == "answerable") & (p < THRESHOLD) & (source != "short-report")):
        print("lost", source[i], f"{p[i]:.2f}", rows[i][5][:160])
