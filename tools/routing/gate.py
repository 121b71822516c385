"""Fits the gate and prints weights.rs' GATE. Usage: gate.py WORK OUT"""
import collections
import hashlib
import sys

import numpy as np
from scipy.optimize import minimize

from figures import D, MACRO, gates, pool_of, size_of, stems

WEIGHT = {"answerable": 1.0, "no-skill": 1.0, "no-skill-hard": 0.5, "nothing": 1.0, "near": 0.02, "stranger": 0.05}
RIDGE, THRESHOLD = 3.0, 0.45

rows = []
for stem in stems():
    pool = pool_of(stem)
    for row in gates(stem):
        d = D[int(row[0])]
        if d["source"] == "trigger-negative":
            kind = "near"
        elif not d["relevant"]:
            kind = d["source"]
        else:
            kind = "answerable" if (set(d["relevant"]) | set(d["accept"])) & pool else "stranger"
        key = hashlib.md5((min(d["relevant"]) if d["relevant"] else d["id"]).encode()).hexdigest()
        rows.append((size_of(stem), kind, d["source"], int(key, 16) % 5, row[2:], d["query"]))
x = np.stack([r[4] for r in rows]).astype(float)
size, kind, source, fold = (np.array([r[i] for r in rows]) for i in range(4))
y = (kind == "answerable").astype(float)
count = collections.Counter(zip(size, kind, np.where(y > 0, source, "")))
share = np.where(y > 0, np.where(source == "keyword", 1 / 20, 1 / 6), 1.0)
w = np.array([WEIGHT[k] / count[(s, k, f if k == "answerable" else "")] for s, k, f in zip(size, kind, source)])
w *= share
w *= 2000 / w.sum()


def train(mask):
    mean, deviation = x[mask].mean(0), x[mask].std(0) + 1e-6
    a = np.c_[(x[mask] - mean) / deviation, np.ones(mask.sum())]

    def loss(v):
        s = a @ v
        value = (w[mask] * np.logaddexp(0, np.where(y[mask] > 0, -s, s))).sum() + RIDGE / 2 * (v[:-1] ** 2).sum()
        return value, a.T @ (w[mask] * (1 / (1 + np.exp(-s)) - y[mask])) + RIDGE * np.r_[v[:-1], 0]

    v = minimize(loss, np.zeros(a.shape[1]), jac=True, method="L-BFGS-B").x
    return v[:-1] / deviation, v[-1] - (v[:-1] * mean / deviation).sum()


p = np.zeros(len(rows))
for k in range(5):
    weights, bias = train(fold != k)
    p[fold == k] = 1 / (1 + np.exp(-(x[fold == k] @ weights + bias)))
for s in sorted(set(size)):
    here = size == s
    passed = {k: (p[here & (kind == k)] >= THRESHOLD).mean() * 100 for k in WEIGHT if (here & (kind == k)).any()}
    macro = np.mean([(p[here & (y > 0) & (source == m)] >= THRESHOLD).mean() * 100 for m in MACRO])
    print(s, f"kept, mean of sources {macro:.1f};", " ".join(f"{k} {v:.1f}" for k, v in passed.items()))
weights, bias = train(np.ones(len(rows), bool))
print("GATE", [round(float(v), 4) for v in weights], "GATE_BIAS", round(float(bias), 4))
if "-v" in sys.argv:
    for i in np.flatnonzero((kind != "answerable") & (kind != "near") & (kind != "stranger") & (p >= THRESHOLD)):
        print(size[i], kind[i], f"{p[i]:.2f}", rows[i][5])
    for i in np.flatnonzero((kind == "answerable") & (p < THRESHOLD) & (size == "0100")):
        print("lost", source[i], f"{p[i]:.2f}", rows[i][5][:160])
