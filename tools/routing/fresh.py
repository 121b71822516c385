"""Lists the pools for `fresh_hard.tsv` and `fresh_short.tsv`, which nothing was fitted on. Usage: fresh.py CORPUS WORK

Then `route_numbers dump CORPUS WORK OUT` and `figures.py WORK OUT`. Do not tune on these lines.
"""
import json
import os
import random
import sys

corpus, work = sys.argv[1:3]
here = os.path.dirname(os.path.abspath(__file__))
ids = sorted(os.path.relpath(folder, corpus) for folder, _, files in os.walk(corpus) if "SKILL.md" in files)
D = []
for line in open(here + "/fresh_hard.tsv").read().splitlines():
    name, query = line.split("\t")
    D.append(dict(id=f"fresh-{len(D)}", query=query, relevant=[], accept=[], source=f"hard-{name}"))
for line in open(here + "/fresh_short.tsv").read().splitlines():
    name, skill, query = line.split("\t")
    D.append(dict(id=f"fresh-{len(D)}", query=query, relevant=[skill], accept=[], source=f"short-{name}"))
targets = list(dict.fromkeys(d["relevant"][0] for d in D if d["relevant"]))
os.makedirs(work + "/pools", exist_ok=True)
open(work + "/judged.jsonl", "w").writelines(json.dumps(d) + "\n" for d in D)
open(work + "/queries.txt", "w").writelines(d["query"] + "\n" for d in D)


def save(stem, pool):
    asked = [str(i) for i, d in enumerate(D) if not d["relevant"] or d["relevant"][0] in pool]
    open(f"{work}/pools/{stem}.txt", "w").write("\n".join(sorted(pool)) + "\n")
    open(f"{work}/pools/{stem}.q", "w").write("\n".join(asked) + "\n")


for seed in range(6):
    rng = random.Random(seed)
    shuffled = rng.sample(targets, len(targets))
    for start in (0, 50):
        save(f"p0100-{seed}{start}", set(shuffled[start : start + 50] + rng.sample(ids, 50)))
for seed in range(4):
    save(f"p1000-{seed}", set(targets + random.Random(seed).sample(ids, 1000 - len(targets))))
save("pfull", set(ids))
