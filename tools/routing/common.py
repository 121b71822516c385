"""Counts how common words are in skills and prints common.rs' table. Usage: common.py CORPUS [SKIP]

Needs snowballstemmer. Folders whose path contains SKIP are left out: mirrors that add a text of their own to every
skill would make its words look common.
"""
import collections
import os
import re
import sys
import textwrap

import snowballstemmer

LEVELS = [600, 500, 400, 300, 250, 200, 160, 130, 100, 80, 60, 50, 40, 30, 25, 20, 15, 12, 10]
corpus, skip = sys.argv[1], (sys.argv[2:] or ["\0"])[0]
stemmer, stems = snowballstemmer.stemmer("english"), {}
skills, forms, seen = 0, collections.Counter(), collections.Counter()
for folder, _, files in os.walk(corpus):
    if "SKILL.md" in files and skip not in folder:
        text = open(folder + "/SKILL.md", errors="replace").read(40000).lower()
        words = set(re.findall(r"[a-z][a-z0-9]+", re.sub(r"(?m)^\s*[\w-]+:", " ", text)))
        skills += 1
        forms.update(words)
        for word in words:
            if word not in stems:
                stems[word] = stemmer.stemWord(word)
        seen.update({stems[word] for word in words})
form = {}
for word, count in sorted(forms.items(), key=lambda item: (-item[1], item[0])):
    form.setdefault(stems[word], word)
groups = collections.defaultdict(list)
for stem, count in seen.items():
    level = next((level for level in LEVELS if count * 1000 >= level * skills), None)
    if level:
        groups[level].append(form[stem])
for level in LEVELS:
    print(f"={level} \\")
    for line in textwrap.wrap(" ".join(sorted(groups[level])), 108):
        print(line, "\\")
