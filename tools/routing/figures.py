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
    """The size of a pool: `0100`, `full`; `l0003` and `short0003` for small libraries."""
    if stem.startswith(("l", "short")):
        return stem.split("-")[0]
    return "full" if stem == "pfull" else stem[1:5]


def pool_of(stem):
    return set(open(f"{WORK}/pools/{stem}.txt").read().split("\n"))


def asked(path):
    """The candidates of each request of a pool: {query: [(row, skill)]}."""
    found = collections.defaultdict(list)
    for row, line in enumerate(open(path)):
        query, skill = line.rstrip("\n").split("\t")
        found[int(query)].append((row, skill))
    return found


def gates(stem):
    """Rows of query, probability, signals."""
    return np.fromfile(f"{OUT}/{stem}.gate", dtype="<f4").reshape(len(asked(f"{OUT}/{stem}.ids")), -1)


def stems():
    return sorted(os.path.basename(path)[:-4] for path in glob.glob(OUT + "/*.ids"))


def load():
    """(size, query, features, right) for every answerable request of every pool, best candidate first."""
    groups = []
    for stem in stems():
        pool, found = pool_of(stem), asked(f"{OUT}/{stem}.ids")
        numbers = np.fromfile(f"{OUT}/{stem}.f32", dtype="<f4").reshape(sum(map(len, found.values())), -1)
        for query in map(int, open(f"{WORK}/pools/{stem}.q")):
            if set(D[query]["relevant"]) & pool:
                at = [row for row, _ in found[query]]
                right = np.array([skill in GOOD[query] for _, skill in found[query]], bool)
                groups.append((size_of(stem), query, numbers[at], right))
    return groups


def figures(right, wanted=1):
    """Hit@1, Hit@5, MRR@10, nDCG@10; `wanted` right answers are in the pool."""
    ranks = np.flatnonzero(right[:10])
    gain = (1 / np.log2(ranks + 2)).sum() / (1 / np.log2(np.arange(min(max(wanted, len(ranks)), 10)) + 2)).sum()
    return (float(right[:1].any()), float(right[:5].any()), 1 / (ranks[0] + 1) if len(ranks) else 0.0, gain)


def show(tag, results):
    """`results`: (size, source, figures)."""
    table = collections.defaultdict(lambda: collections.defaultdict(list))
    for size, source, values in results:
        table[size][source].append(values)
    for size, sources in sorted(table.items()):
        mean = {source: np.mean(values, 0) * 100 for source, values in sources.items()}
        macro = np.mean([mean[s] for s in MACRO if s in mean], 0)
        parts = " ".join(f"{s} {mean[s][0]:.1f}/{mean[s][1]:.0f}" for s in mean if s != "keyword")
        line = " ".join(f"{name} {v:.1f}" for name, v in zip(("Hit@1", "Hit@5", "MRR", "nDCG"), macro))
        print(f"{tag:16s}{size:5s} {line} | {parts}", flush=True)


def show_gate(threshold=0.45):
    """What the shipped gate lets through, and how often a near miss draws the skill that must not fire."""
    passed = collections.defaultdict(lambda: collections.defaultdict(list))
    for stem in stems():
        pool, found = pool_of(stem), asked(f"{OUT}/{stem}.ids")
        said = {int(row[0]): row[1] >= threshold for row in gates(stem)}
        for query in map(int, open(f"{WORK}/pools/{stem}.q")):
            d, through = D[query], bool(said.get(query, False))
            table = passed[size_of(stem)]
            if GOOD[query] & pool:
                table["kept " + d["source"]].append(through)
            elif d["relevant"]:
                table["for a skill that is not there"].append(through)
            elif d["source"] != "trigger-negative":
                table[d["source"]].append(through)
            elif set(d["not_relevant"]) & pool:
                first = found[query][0][1] in d["not_relevant"] if found.get(query) else False
                table["near miss drawn"].append(first)
                table["near miss drawn and let through"].append(first and through)
    for size, table in sorted(passed.items()):
        mean = {kind: np.mean(values) * 100 for kind, values in table.items()}
        kept = np.mean([mean["kept " + s] for s in MACRO if "kept " + s in mean])
        print(f"gate {size} kept {kept:.1f} | " + ", ".join(f"{k} {v:.1f}" for k, v in sorted(mean.items())))


if __name__ == "__main__":
    show("as shipped", [(size, D[q]["source"], figures(right)) for size, q, _, right in load()])
    show_gate()
