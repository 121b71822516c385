"""Reads what `route_numbers dump` wrote and reports figures. Usage: figures.py WORK OUT"""
import collections
import glob
import hashlib
import json
import os
import sys

import numpy as np

MACRO = ["skillrouter", "paraphrase", "trigger", "evals", "fixtures"]
FOLDS, THRESHOLD = 10, 0.45


def repository(skill):
    """The repository a skill comes from; collections that mirror others are looked through."""
    parts = skill.split("/")
    if parts[0].startswith("tomevault"):
        return "--".join(parts[-1].split("--")[:2])
    if parts[0].startswith("gabrielmoreira") and len(parts) > 3:
        return parts[3].replace("@", "--")
    if parts[0].startswith("thereisnotime"):
        return parts[2]
    if parts[0].startswith(("AgentWorkers", "zuoguyoupan")):
        return "/".join(parts[:3])
    return parts[0]


def fold(d):
    """The fold of a request: all requests about skills of one repository share it. The two repositories with a source
    of their own are a fold each; a message that asks for nothing has a fold by its id."""
    key = repository(min(d["relevant"])) if d["relevant"] else d["id"]
    if "Salesforce" in key or "skillsbench" in key:
        return 8 + ("skillsbench" in key)
    return int(hashlib.md5(key.encode()).hexdigest(), 16) % (8 if d["relevant"] else FOLDS)


def size_of(stem):
    """The size of a pool: `0100`, `full`; `l0003` and `short0003` for small libraries."""
    if stem.startswith(("l", "short")):
        return stem.split("-")[0]
    return "full" if stem == "pfull" else stem[1:5]


class Dump:
    def __init__(self, work, out):
        self.work, self.out = work, out
        self.D = [json.loads(line) for line in open(work + "/judged.jsonl")]
        self.good = [set(d["relevant"]) | set(d["accept"]) for d in self.D]

    def pool_of(self, stem):
        return set(open(f"{self.work}/pools/{stem}.txt").read().split("\n"))

    def asked(self, stem):
        """The candidates of each request of a pool: {query: [(row, skill)]}."""
        found = collections.defaultdict(list)
        for row, line in enumerate(open(f"{self.out}/{stem}.ids")):
            query, skill = line.rstrip("\n").split("\t")
            found[int(query)].append((row, skill))
        return found

    def gates(self, stem):
        """Rows of query, probability, signals."""
        return np.fromfile(f"{self.out}/{stem}.gate", dtype="<f4").reshape(len(self.asked(stem)), -1)

    def stems(self):
        return sorted(os.path.basename(path)[:-4] for path in glob.glob(self.out + "/*.ids"))

    def load(self, stems):
        """(size, request, features, right) for every answerable request of the pools, best candidate first."""
        for stem in stems:
            pool, found = self.pool_of(stem), self.asked(stem)
            numbers = np.fromfile(f"{self.out}/{stem}.f32", dtype="<f4").reshape(sum(map(len, found.values())), -1)
            for query in map(int, open(f"{self.work}/pools/{stem}.q")):
                if set(self.D[query]["relevant"]) & pool:
                    at = [row for row, _ in found[query]]
                    right = np.array([skill in self.good[query] for _, skill in found[query]], bool)
                    yield size_of(stem), self.D[query], numbers[at], right


def dumps():
    """The dumps that the command line names as pairs of WORK and OUT."""
    paths = [path for path in sys.argv[1:] if not path.startswith("-")]
    return [Dump(*pair) for pair in zip(paths[::2], paths[1::2])]


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
        macro = np.mean([mean[s] for s in MACRO if s in mean] or [np.zeros(4)], 0)
        parts = " ".join(f"{s} {mean[s][0]:.1f}/{mean[s][1]:.0f}" for s in mean if s != "keyword")
        line = " ".join(f"{name} {v:.1f}" for name, v in zip(("Hit@1", "Hit@5", "MRR", "nDCG"), macro))
        print(f"{tag:16s}{size:9s} {line} | {parts}", flush=True)


def show_gate(dump, ask_from=0.15):
    """What the shipped gate lets through, the share of which a classifier would be asked, and how often a near miss
    draws the skill that must not fire."""
    passed = collections.defaultdict(lambda: collections.defaultdict(list))
    for stem in dump.stems():
        pool, found = dump.pool_of(stem), dump.asked(stem)
        said = {int(row[0]): row[1] for row in dump.gates(stem)}
        for query in map(int, open(f"{dump.work}/pools/{stem}.q")):
            d, p = dump.D[query], said.get(query, 0.0)
            through, asked = bool(p >= THRESHOLD), bool(p >= ask_from)
            table = passed[size_of(stem)]
            if dump.good[query] & pool:
                table["kept " + d["source"]].append((through, asked))
            elif d["relevant"]:
                table["for a skill that is not there"].append((through, asked))
            elif d["source"] != "trigger-negative":
                table[d["source"]].append((through, asked))
            elif set(d["not_relevant"]) & pool:
                first = found[query][0][1] in d["not_relevant"] if found.get(query) else False
                table["near miss drawn"].append((first, first))
                table["near miss drawn and let through"].append((first and through, first and asked))
    for size, table in sorted(passed.items()):
        mean = {kind: np.mean(values, 0) * 100 for kind, values in table.items()}
        kept = np.mean([mean["kept " + s] for s in MACRO if "kept " + s in mean] or [np.zeros(2)], 0)
        parts = ", ".join(f"{k} {v[0]:.1f}/{v[1]:.0f}" for k, v in sorted(mean.items()))
        print(f"gate {size}, let through / classifier asked: kept {kept[0]:.1f}/{kept[1]:.0f} | {parts}")


if __name__ == "__main__":
    for dump in dumps():
        groups = dump.load(dump.stems())
        show("as shipped", [(size, d["source"], figures(right)) for size, d, _, right in groups])
        show_gate(dump)
