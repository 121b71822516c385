"""Fits the re-ranker and prints weights.rs' RANK. Usage: rank.py WORK OUT [WORK OUT]

Softmax over the candidates of a request; sources and sizes weigh the same; no weight may be negative. Checked with
whole repositories in folds and with each source left out.
"""
import collections

import numpy as np
from scipy.optimize import minimize

from figures import FOLDS, MACRO, dumps, figures, fold, show

RELATIVE, RIDGE, KEPT = 5, 150.0, 60
WEIGHT = dict.fromkeys(MACRO + ["mined"], 1.0) | {"crosslingual": 0.3, "short": 0.5}


class Groups:
    def __init__(self, groups):
        self.size, self.d = [g[0] for g in groups], [g[1] for g in groups]
        self.source = np.array([d["source"] for d in self.d])
        self.fold = np.array([fold(d) for d in self.d])
        self.a = np.zeros((len(groups), KEPT, groups[0][2].shape[1]), np.float32)
        self.right, self.there = np.zeros(self.a.shape[:2], bool), np.zeros(self.a.shape[:2], bool)
        for i, (_, _, x, y) in enumerate(groups):
            x = x.copy()
            x[:, :RELATIVE] /= np.maximum(x[:, :RELATIVE].max(0), 1e-3)
            rows = np.arange(len(y))[:KEPT]
            if y.any() and not y[rows].any():
                rows = np.r_[rows[: KEPT - 1], np.flatnonzero(y)[:1]]
            n = len(rows)
            self.a[i, :n], self.right[i, :n], self.there[i, :n] = x[rows], y[rows], True

    def train(self, mask):
        mask = mask & self.right.any(1) & (self.there & ~self.right).any(1) & np.isin(self.source, list(WEIGHT))
        a, right, there = self.a[mask], self.right[mask], self.there[mask]
        mean, deviation = a[there].mean(0), a[there].std(0) + 1e-6
        a = (a - mean) / deviation
        keys = [(self.size[i], self.source[i]) for i in np.flatnonzero(mask)]
        count = collections.Counter(keys)
        w = np.array([WEIGHT[source] / count[size, source] for size, source in keys])
        w *= 1000 / w.sum()

        def loss(weights):
            s = np.where(there, a @ weights.astype(np.float32), -1e9)
            e = np.exp(s - s.max(1, keepdims=True))
            good = np.where(right, e, 0)
            value = (w * (np.log(e.sum(1)) - np.log(good.sum(1) + 1e-30))).sum() + RIDGE / 2 * (weights**2).sum()
            slope = e / e.sum(1)[:, None] - good / (good.sum(1)[:, None] + 1e-30)
            return value, np.einsum("nk,nkf->f", (slope * w[:, None]).astype(np.float32), a) + RIDGE * weights

        start = np.zeros(a.shape[2])
        bounds = [(0, None)] * len(start)
        return minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options=dict(maxiter=100)).x / deviation

    def judge(self, weights):
        out = []
        for i, d in enumerate(self.d):
            score = np.where(self.there[i], self.a[i] @ weights(i), -np.inf)
            order = np.argsort(-score, kind="stable")
            out.append((self.size[i], d["source"], figures(self.right[i][order])))
        return out


if __name__ == "__main__":
    found = []
    for dump in dumps():
        stems = [stem for stem in dump.stems() if stem.startswith("p") and not stem.startswith("p0020")]
        found += [g for g in dump.load(stems) if len(g[3]) and g[1]["source"] != "keyword"]
    groups = Groups(found)
    first = np.eye(groups.a.shape[2])[0]
    show("first stage", groups.judge(lambda i: first))
    folds = [groups.train(groups.fold != k) for k in range(FOLDS)]
    show("folds", groups.judge(lambda i: folds[groups.fold[i]]))
    without = {source: groups.train(groups.source != source) for source in set(groups.source)}
    show("source left out", groups.judge(lambda i: without[groups.source[i]]))
    print("smallest and largest weight over the folds", np.round(np.min(folds, 0), 2), np.round(np.max(folds, 0), 2))
    print("RANK", [round(float(v), 4) for v in groups.train(np.ones(len(found), bool))])
