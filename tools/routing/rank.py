"""Fits the re-ranker and prints weights.rs' RANK. Usage: rank.py WORK OUT

Softmax over the candidates of a request, sources and sizes weigh the same, ridge 60. Checked with the skills in
five folds and with each source left out.
"""
import collections
import hashlib

import numpy as np
from scipy.optimize import minimize

from figures import D, MACRO, figures, load, show

RELATIVE, RIDGE, KEPT = 6, 60.0, 60
WEIGHT = dict.fromkeys(MACRO, 1.0) | {"crosslingual": 0.3}


def fold(query):
    return int(hashlib.md5(min(D[query]["relevant"]).encode()).hexdigest(), 16) % 5


def train(groups):
    groups = [g for g in groups if g[3].any() and not g[3].all() and D[g[1]]["source"] in WEIGHT]
    a = np.zeros((len(groups), KEPT, groups[0][2].shape[1]), np.float32)
    right, there = np.zeros(a.shape[:2], bool), np.zeros(a.shape[:2], bool)
    for i, (_, _, x, y) in enumerate(groups):
        rows = np.arange(len(y))[:KEPT]
        if not y[rows].any():
            rows = np.r_[rows[: KEPT - 1], np.flatnonzero(y)[:1]]
        a[i, : len(rows)], right[i, : len(rows)], there[i, : len(rows)] = x[rows], y[rows], True
    mean, deviation = a[there].mean(0), a[there].std(0) + 1e-6
    a = (a - mean) / deviation
    count = collections.Counter((g[0], D[g[1]]["source"]) for g in groups)
    w = np.array([WEIGHT[D[g[1]]["source"]] / count[(g[0], D[g[1]]["source"])] for g in groups])
    w *= 1000 / w.sum()

    def loss(weights):
        s = np.where(there, a @ weights.astype(np.float32), -1e9)
        e = np.exp(s - s.max(1, keepdims=True))
        good = np.where(right, e, 0)
        value = (w * (np.log(e.sum(1)) - np.log(good.sum(1) + 1e-30))).sum() + RIDGE / 2 * (weights**2).sum()
        slope = e / e.sum(1)[:, None] - good / (good.sum(1)[:, None] + 1e-30)
        return value, np.einsum("nk,nkf->f", (slope * w[:, None]).astype(np.float32), a) + RIDGE * weights

    found = minimize(loss, np.zeros(a.shape[2]), jac=True, method="L-BFGS-B", options=dict(maxiter=150))
    return found.x / deviation


def judge(groups, weights):
    out = []
    for size, query, x, y in groups:
        order = np.argsort(-(x @ weights(query)), kind="stable")
        out.append((size, D[query]["source"], figures(y[order])))
    return out


def read():
    groups = []
    for size, query, x, y in load():
        if size != "0020" and len(y):
            x = x.copy()
            x[:, :RELATIVE] /= np.maximum(x[:, :RELATIVE].max(0), 1e-3)
            groups.append((size, query, x, y))
    return groups


if __name__ == "__main__":
    groups = read()
    folds = {k: train([g for g in groups if fold(g[1]) != k]) for k in range(5)}
    show("five folds", judge(groups, lambda query: folds[fold(query)]))
    without = {s: train([g for g in groups if D[g[1]]["source"] != s]) for s in WEIGHT}
    judged = [g for g in groups if D[g[1]]["source"] in WEIGHT]
    show("source left out", judge(judged, lambda query: without[D[query]["source"]]))
    print("RANK", [round(float(v), 4) for v in train(groups)])
