"""Draws sub-libraries and lists the requests to run on each. Usage: pools.py QUERIES.jsonl CORPUS WORK

Half of every sub-library are skills that some request is about, half are drawn from the corpus. Requests made
of skill names ("keyword") are added for the gate only: it must not learn that short requests are small talk.
`hard.tsv` (messages that ask for nothing) and `short.tsv` (short requests) are split line by line: the even lines are
for tuning ("hard", "short"), the odd lines for the report only ("hard-report", "short-report").
"""
import json
import os
import random
import sys

queries, corpus, work = sys.argv[1:4]
D = [json.loads(line) for line in open(queries)]
ids = sorted(os.path.relpath(folder, corpus) for folder, _, files in os.walk(corpus) if "SKILL.md" in files)
known = set(ids)
answerable = [i for i, d in enumerate(D) if d["relevant"]]
targets = list(dict.fromkeys(r for i in answerable for r in D[i]["relevant"] if r in known))

rng = random.Random(11)
for k, target in enumerate(rng.sample(targets, min(300, len(targets)))):
    name = target.split("/")[-1].split("--")[-1].replace("-", " ").replace("_", " ")
    if len(name.split()) > 1:
        query = name if k % 2 else "help me with " + name
        D.append(dict(id=f"keyword-{k}", query=query, relevant=[target], accept=[], source="keyword"))
# Messages that ask for nothing, written for training alone; the judged ones stay a test.
for k, line in enumerate(open(os.path.join(os.path.dirname(__file__), "nothing.txt")).read().splitlines()):
    D.append(dict(id=f"nothing-{k}", query=line, relevant=[], accept=[], source="nothing"))
here = os.path.dirname(__file__)
for k, line in enumerate(open(here + "/hard.tsv").read().splitlines()):
    source = "hard-report" if k % 2 else "hard"
    D.append(dict(id=f"hard-{k}", query=line.split("\t")[1], relevant=[], accept=[], source=source))
for k, line in enumerate(open(here + "/short.tsv").read().splitlines()):
    skill, query = line.split("\t")
    source = "short-report" if k % 2 else "short"
    D.append(dict(id=f"short-{k}", query=query, relevant=[skill], accept=[], source=source))
    targets.append(skill)
answerable = [i for i, d in enumerate(D) if d["relevant"]]
others = [i for i, d in enumerate(D) if not d["relevant"]]

os.makedirs(work + "/pools", exist_ok=True)
with open(work + "/judged.jsonl", "w") as out:
    out.writelines(json.dumps(d) + "\n" for d in D)
with open(work + "/queries.txt", "w") as out:
    for d in D:
        line = d["query"].replace("\r", "").replace("\n", "\\n").replace("\u2028", " ").replace("\x85", " ")
        out.write(line + "\n")


def save(name, pool, asked):
    open(f"{work}/pools/{name}.txt", "w").write("\n".join(pool) + "\n")
    open(f"{work}/pools/{name}.q", "w").write("\n".join(map(str, asked)) + "\n")


def draw(size, most, tag, strangers):
    shuffled = targets[:]
    rng.shuffle(shuffled)
    half = size // 2
    for p in range(min(most, -(-len(shuffled) // half))):
        chosen = shuffled[p * half : (p + 1) * half]
        chosen += rng.sample([t for t in shuffled if t not in chosen], half - len(chosen))
        rest = [x for x in rng.sample(ids, size) if x not in set(chosen)][: size - half]
        pool = set(chosen) | set(rest)
        asked = [i for i in answerable if pool & set(D[i]["relevant"])]
        strange = [i for i in answerable if not pool & (set(D[i]["relevant"]) | set(D[i]["accept"]))]
        save(f"{tag}-{p:02d}", sorted(pool), asked + others + rng.sample(strange, strangers))


for seed, letter in enumerate("abc"):
    rng = random.Random(seed)
    draw(100, 34, "p0100" + letter, 40 if seed == 0 else 0)
    draw(1000, 4, "p1000" + letter, 0)
draw(20, 30, "p0020", 40)


def draw_small(size, draws, name):
    """Small libraries: a few skills that some request is about, the others at random."""
    plain = [i for i in others if D[i]["source"] != "trigger-negative"]
    for p in range(draws):
        pool = set(rng.sample(targets, max(1, size // 3)))
        pool |= set(rng.sample([x for x in ids if x not in pool], size - len(pool)))
        asked = [i for i in answerable if pool & set(D[i]["relevant"])]
        save(f"{name}-{p:03d}", sorted(pool), asked + rng.sample(plain, 80))


for size, draws in ((3, 300), (5, 240), (10, 120), (20, 60)):
    draw_small(size, draws, f"l{size:04d}")
    draw_small(size, draws, f"short{size:04d}")
save("pfull", ids, answerable + others)
