"""Makes requests from skills. Usage: mine.py QUERIES.jsonl CORPUS NEW_CORPUS WORK

Many authors quote in the description what a user would say. Those phrases become requests ("mined"), and NEW_CORPUS
holds the skills without them: about 250 repositories, where the judged requests have few. Skills that a judged request
is about are left alone.
"""
import collections
import json
import os
import random
import re
import sys

from figures import repository

queries, corpus, new_corpus, work = sys.argv[1:5]
judged = {x for line in open(queries) for d in [json.loads(line)] for x in d["relevant"] + d["accept"]}
ids = sorted(os.path.relpath(folder, corpus) for folder, _, files in os.walk(corpus) if "SKILL.md" in files)
rng, D, taken = random.Random(5), [], collections.Counter()


def name(skill):
    return re.sub(r".*--", "", skill.split("/")[-1]).lower()


named = collections.defaultdict(list)
for skill in ids:
    named[name(skill)].append(skill)
for skill in ids:
    text = open(f"{corpus}/{skill}/SKILL.md", errors="replace").read()
    head = re.match(r"---\s*\n(.*?)\n---", text, re.S)
    description = head and re.search(r"description:(.+?)(?=\n[\w-]+:|\Z)", head.group(1), re.S)
    if description and skill not in judged:
        quoted = re.findall(r"(?<!\w)[\"“']([^\"“”'\n]{8,90})[\"”'](?!\w)", description.group(1).strip().strip("\"'"))
        phrases = [p.strip(" ,.\\") for p in quoted if 3 <= len(p.split()) <= 14 and p.isascii() and ":" not in p]
        if len(phrases) >= 2 and taken[repository(skill)] < 12:
            taken[repository(skill)] += 1
            for phrase in rng.sample(phrases, 2):
                D.append(dict(id=f"mined-{len(D)}", query=phrase, relevant=[skill], accept=named[name(skill)], source="mined"))
            for phrase in phrases:
                text = re.sub(re.escape(phrase), "", text, flags=re.I)
    os.makedirs(f"{new_corpus}/{skill}", exist_ok=True)
    open(f"{new_corpus}/{skill}/SKILL.md", "w").write(text)

os.makedirs(work + "/pools", exist_ok=True)
open(work + "/judged.jsonl", "w").writelines(json.dumps(d) + "\n" for d in D)
open(work + "/queries.txt", "w").writelines(d["query"] + "\n" for d in D)
targets = sorted({d["relevant"][0] for d in D})
rng.shuffle(targets)


def save(stem, pool):
    asked = [str(i) for i, d in enumerate(D) if d["relevant"][0] in pool]
    open(f"{work}/pools/{stem}.txt", "w").write("\n".join(sorted(pool)) + "\n")
    open(f"{work}/pools/{stem}.q", "w").write("\n".join(asked) + "\n")


for size in (100, 1000):
    half = size // 2
    for k in range(0, len(targets), half):
        save(f"p{size:04d}m-{k // half:02d}", set(targets[k : k + half]) | set(rng.sample(ids, half)))
save("pfull", set(ids))
print(len(D), "requests for", len(targets), "skills of", len(taken), "repositories")
