"""Reads what `route_numbers dump` wrote and reports figures. Usage: figures.py WORK OUT"""
import collections
import glob
import json
import os
import sys

import numpy as np

MACRO = ["skillrouter", "paraphrase", "trigger", "evals", "fixtures"]
WORK, OUT = sys.argv[1:3]
D = [json.loads(line) for line in open(WORK + "/judged.jsonl")]
GOOD = [set(d["relevant"]) | set(d["accept"]) for d in D]


def size_of(stem):
    return "full" if stem == "pfull" else stem[1:5]


def pool_of(stem):
    return set(open(f"{WORK}/pools/{stem}.txt").read().split("\n"))


def load():
    """(size, query, features, right) for every answerable request of every pool, best candidate first."""
    groups = []
    for path in sorted(glob.glob(OUT + "/*.ids")):
        stem = os.path.basename(path)[:-4]
        pool = pool_of(stem)
        found = collections.defaultdict(list)
        for row, line in enumerate(open(path)):
            query, skill = line.rstrip("\n").split("\t")
            found[int(query)].append((row, skill))
        rows = sum(map(len, found.values()))
        numbers = np.fromfile(path[:-4] + ".f32", dtype="<f4").reshape(rows, -1)
        for query in map(int, open(f"{WORK}/pools/{stem}.q")):
            if set(D[query]["relevant"]) & pool:
                at = [row for row, _ in found[query]]
                right = np.array([skill in GOOD[query] for _, skill in found[query]], bool)
                groups.append((size_of(stem), query, numbers[at], right))
    return groups


def figures(right):
    ranks = np.flatnonzero(right[:10])
    return (float(right[:1].any()), float(right[:5].any()), 1 / (ranks[0] + 1) if len(ranks) else 0.0)


def show(tag, results):
    """`results`: (size, source, figures)."""
    table = collections.defaultdict(lambda: collections.defaultdict(list))
    for size, source, values in results:
        table[size][source].append(values)
    for size, sources in sorted(table.items()):
        mean = {source: np.mean(values, 0) * 100 for source, values in sources.items()}
        macro = np.mean([mean[s] for s in MACRO if s in mean], 0)
        parts = " ".join(f"{s} {mean[s][0]:.1f}/{mean[s][1]:.0f}" for s in mean if s != "keyword")
        print(f"{tag:16s}{size:5s} Hit@1 {macro[0]:.1f} Hit@5 {macro[1]:.1f} MRR {macro[2]:.1f} | {parts}", flush=True)


if __name__ == "__main__":
    show("as shipped", [(size, D[q]["source"], figures(right)) for size, q, _, right in load()])
