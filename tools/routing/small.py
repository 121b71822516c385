"""Writes the corpora and pools of two sets that nothing was fitted on. Usage: small.py CORPUS WORK

`small_skills.tsv` and `small_requests.tsv` become WORK/small (12 invented libraries, in WORK/small/corpus), `unseen.tsv` becomes
WORK/unseen (samples of CORPUS with 100, 1,000 and all skills). Dump both with `route_numbers`, then `small.py WORK/small OUT`
prints the shares of the small libraries at several thresholds, and `figures.py WORK/unseen OUT` the ranking of the other.
"""
import json
import os
import random
import sys

from figures import THRESHOLD, Dump

here = os.path.dirname(os.path.abspath(__file__))
LEVELS = (THRESHOLD, 0.25, 0.15, 0.02)


def table(name):
    lines = open(f"{here}/{name}.tsv").read().splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


def write(work, judged, pools):
    os.makedirs(work + "/pools", exist_ok=True)
    open(work + "/judged.jsonl", "w").writelines(json.dumps(d) + "\n" for d in judged)
    open(work + "/queries.txt", "w").writelines(d["query"] + "\n" for d in judged)
    for stem, (pool, asked) in pools.items():
        open(f"{work}/pools/{stem}.txt", "w").write("\n".join(sorted(pool)) + "\n")
        open(f"{work}/pools/{stem}.q", "w").write("\n".join(map(str, asked)) + "\n")


def small(work):
    skills = table("small_skills")
    for library, name, description, body in skills:
        folder = f"{work}/corpus/{library}/{name}"
        os.makedirs(folder, exist_ok=True)
        text = f"---\nname: {name}\ndescription: {description}\n---\n{body}\n"
        open(folder + "/SKILL.md", "w").write(text)
    judged, pools = [], {}
    for library, skill, message in table("small_requests"):
        relevant = [] if skill == "-" else [f"{library}/{skill}"]
        pool = [f"{at}/{name}" for at, name, _, _ in skills if at == library]
        pools.setdefault("l" + library, (pool, []))[1].append(len(judged))
        judged.append(dict(id=f"small-{len(judged)}", query=message, relevant=relevant, accept=[], source="small"))
    write(work, judged, pools)


def unseen(corpus, work):
    ids = sorted(os.path.relpath(folder, corpus) for folder, _, files in os.walk(corpus) if "SKILL.md" in files)
    judged = [
        dict(id=f"unseen-{k}", query=query, relevant=[skill], accept=[], source="unseen")
        for k, (skill, query) in enumerate(table("unseen"))
    ]
    targets, pools = [d["relevant"][0] for d in judged], {}

    def save(stem, pool):
        pools[stem] = (pool, [k for k, target in enumerate(targets) if target in pool])

    for seed in range(6):
        rng = random.Random(seed)
        shuffled = rng.sample(targets, len(targets))
        for start in range(0, len(targets), 50):
            chosen = shuffled[start : start + 50]
            rest = [x for x in rng.sample(ids, 100) if x not in chosen]
            save(f"p0100-{seed}{start:03d}", set(chosen + rest[: 100 - len(chosen)]))
    for seed in range(6):
        rest = [x for x in random.Random(seed).sample(ids, 1000) if x not in targets]
        save(f"p1000-{seed}", set(targets + rest[: 1000 - len(targets)]))
    save("pfull", set(ids))
    write(work, judged, pools)


def report(work, out):
    dump, asks, idle, first = Dump(work, out), [], [], []
    for stem in dump.stems():
        found = dump.asked(stem)
        said = {int(row[0]): row[1] for row in dump.gates(stem)}
        for query in map(int, open(f"{work}/pools/{stem}.q")):
            (asks if dump.good[query] else idle).append(float(said.get(query, 0.0)))
            if dump.good[query]:
                first.append(bool(found.get(query)) and found[query][0][1] in dump.good[query])
    for name, values in (("requests", asks), ("messages that ask for nothing", idle)):
        counts = [sum(value >= level for value in values) for level in LEVELS]
        shares = ", ".join(f"from {level} {n} ({n * 100 / len(values):.0f} %)" for level, n in zip(LEVELS, counts))
        print(f"{len(values)} {name}: {shares}")
    print(f"right skill first: {sum(first)}, of those let through: {sum(f and p >= THRESHOLD for f, p in zip(first, asks))}")


if __name__ == "__main__":
    if os.path.isdir(sys.argv[1] + "/pools"):
        report(*sys.argv[1:3])
    else:
        small(sys.argv[2] + "/small")
        unseen(sys.argv[1], sys.argv[2] + "/unseen")
