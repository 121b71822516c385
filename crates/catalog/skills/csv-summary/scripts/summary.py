#!/usr/bin/env python3
"""Summarise a CSV or TSV file as JSON, in one pass and bounded memory.

usage: summary.py FILE [--group [year:|month:|week:|day:]COLUMN] [--value COLUMN] [--where COLUMN=VALUE]...
                  [--top N] [--delimiter C] [--encoding NAME] [--no-header] [--decimal C]
"""

import argparse
import collections
import csv
import datetime
import heapq
import json
import math
import random
import re
import sys

SAMPLE = 20_000  # values of a column that are kept for the median
DISTINCT = 50_000  # values of a column, or rows, that are counted apart
DATES = ("%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y/%m/%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y")
MISSING = {"", "na", "n/a", "nan", "null", "none", "-"}
YES_NO = {"yes", "no", "true", "false", "y", "n"}
csv.field_size_limit(10_000_000)


def number(text, decimal):
    text = text.strip()
    cleaned = re.sub(r"^[$€£]\s*|\s*[%€$£]$", "", text)
    if decimal == ",":
        cleaned = cleaned.replace(".", "").replace(",", ".")
    elif re.fullmatch(r"-?\d{1,3}(,\d{3})+(\.\d+)?", cleaned):
        cleaned = cleaned.replace(",", "")
    if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", cleaned):
        return None
    value = float(cleaned)
    return value if math.isfinite(value) else None


def date(text, known):
    """The date of a text and the form it has; the form that fitted before is tried first."""
    text = text.strip().removesuffix("Z") if hasattr(str, "removesuffix") else text.strip().rstrip("Z")
    if not 8 <= len(text) <= 26 or not text[0].isdigit():
        return None, None
    text = re.sub(r"\.\d+$", "", text) if "T" in text or ":" in text else text
    for form in ([known] if known else []) + [form for form in DATES if form != known]:
        try:
            return datetime.datetime.strptime(text, form), form
        except ValueError:
            continue
    return None, None


class Column:
    def __init__(self, name, decimal):
        self.name, self.decimal = name, decimal
        self.missing = self.count = self.numbers = self.dates = self.booleans = 0
        self.total = 0.0
        self.parts = []  # exact sums, so that a million small values do not drift
        self.least = self.greatest = self.first = self.last = self.form = None
        self.values, self.overflow = collections.Counter(), False
        self.sample, self.random = [], random.Random(0)

    def add(self, text):
        if text.strip().lower() in MISSING:
            self.missing += 1
            return
        self.count += 1
        if text in self.values or len(self.values) < DISTINCT:
            self.values[text] += 1
        else:
            self.overflow = True
        value = number(text, self.decimal)
        if value is not None:
            self.numbers += 1
            self.parts.append(value)
            if len(self.parts) > 4096:
                self.parts = [math.fsum(self.parts)]
            self.least = value if self.least is None else min(self.least, value)
            self.greatest = value if self.greatest is None else max(self.greatest, value)
            if len(self.sample) < SAMPLE:
                self.sample.append(value)
            else:
                at = self.random.randrange(self.numbers)
                if at < SAMPLE:
                    self.sample[at] = value
        elif text.strip().lower() in YES_NO:
            self.booleans += 1
        else:
            when, form = date(text, self.form)
            if when:
                self.dates += 1
                self.form = form
                self.first = when if self.first is None else min(self.first, when)
                self.last = when if self.last is None else max(self.last, when)

    def kind(self):
        for kind, share in (("number", self.numbers), ("date", self.dates), ("yes/no", self.booleans)):
            if self.count and share >= 0.95 * self.count:
                return kind
        return "text" if self.count else "empty"

    def report(self):
        kind = self.kind()
        found = {"name": self.name, "type": kind, "values": self.count, "missing": self.missing}
        found["distinct"] = f"more than {DISTINCT}" if self.overflow else len(self.values)
        if kind == "number":
            total = math.fsum(self.parts)
            ordered = sorted(self.sample)
            middle = len(ordered) // 2
            median = ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
            found.update(
                least=self.least, greatest=self.greatest, mean=total / self.numbers, median=median, sum=total
            )
            if self.numbers > SAMPLE:
                found["median_from_sample"] = SAMPLE
        elif kind == "date":
            found.update(first=self.first.isoformat(), last=self.last.isoformat(), form=self.form)
        if not self.overflow and (kind != "number" or len(self.values) <= 20):
            found["most_frequent"] = [[cut(text), count] for text, count in self.values.most_common(8)]
        return found

    def problems(self):
        kind, found = self.kind(), []
        odd = self.count - {"number": self.numbers, "date": self.dates, "yes/no": self.booleans}.get(kind, self.count)
        if odd:
            examples = heapq.nsmallest(3, (text for text in self.values if self.differs(text, kind)))
            found.append(f"{self.name}: {odd} values are not a {kind}, such as {', '.join(map(cut, examples))}")
        if kind == "text" and self.numbers >= 0.5 * self.count:
            found.append(f"{self.name}: {self.numbers} of {self.count} values are numbers, the rest is text")
        if self.form in ("%m/%d/%Y", "%d/%m/%Y"):
            found.append(f"{self.name}: dates are read as {self.form}; day and month could be the other way round")
        if self.missing and self.missing >= self.count:
            found.append(f"{self.name}: {self.missing} of {self.missing + self.count} values are missing")
        folded = collections.Counter(text.strip().lower() for text in self.values)
        same = [text for text, count in folded.items() if count > 1]
        if kind == "text" and same and len(self.values) < 500:
            found.append(f"{self.name}: {len(same)} values differ only in case or blanks, such as {cut(min(same))}")
        return found

    def differs(self, text, kind):
        if kind == "number":
            return number(text, self.decimal) is None
        if kind == "date":
            return date(text, self.form)[0] is None
        return text.strip().lower() not in YES_NO


def cut(text):
    text = " ".join(str(text).split())
    return text if len(text) <= 60 else text[:59] + "…"


def key_of(text, unit):
    if unit is None:
        return cut(text) or "(missing)"
    when, _ = date(text, None)
    if when is None:
        return "(no date)"
    if unit == "week":
        year, week, _ = when.isocalendar()
        return f"{year}-W{week:02}"
    return when.strftime({"year": "%Y", "month": "%Y-%m", "day": "%Y-%m-%d"}[unit])


def condition(text):
    found = re.fullmatch(r"(.+?)(!=|=|<|>)(.*)", text, re.DOTALL)
    if not found:
        raise argparse.ArgumentTypeError(f"write COLUMN=VALUE, COLUMN!=VALUE, COLUMN<VALUE or COLUMN>VALUE, not {text!r}")
    return found.groups()


def holds(cell, sign, wanted, decimal):
    left, right = number(cell, decimal), number(wanted, decimal)
    if left is not None and right is not None:
        return {"=": left == right, "!=": left != right, "<": left < right, ">": left > right}[sign]
    left, right = cell.strip().lower(), wanted.strip().lower()
    return {"=": left == right, "!=": left != right, "<": left < right, ">": left > right}[sign]


def encoding_of(path):
    with open(path, "rb") as file:
        start = file.read(1 << 20)
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    try:
        start.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if error.start < len(start) - 4:
            return "latin-1"
    return "utf-8-sig"


def delimiter_of(line, path):
    if path.lower().endswith(".tsv"):
        return "\t"
    counts = {mark: line.count(mark) for mark in ",;\t|"}
    return max(counts, key=counts.get) if any(counts.values()) else ","


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--group")
    parser.add_argument("--value")
    parser.add_argument("--where", action="append", default=[], type=condition)
    parser.add_argument("--top", type=int, default=20)
    parser.add_argument("--delimiter")
    parser.add_argument("--encoding")
    parser.add_argument("--no-header", action="store_true")
    parser.add_argument("--decimal", default=".", choices=[".", ","])
    asked = parser.parse_args()
    try:
        encoding = asked.encoding or encoding_of(asked.file)
        with open(asked.file, newline="", encoding=encoding, errors="replace") as file:
            first = file.readline()
            delimiter = asked.delimiter or delimiter_of(first, asked.file)
            file.seek(0)
            print(json.dumps(summary(csv.reader(file, delimiter=delimiter), asked, encoding, delimiter), indent=1, ensure_ascii=False))
    except (OSError, LookupError, csv.Error) as error:
        raise SystemExit(f"summary.py: {asked.file}: {error}") from None
    return 0


def summary(rows, asked, encoding, delimiter):
    head = next(rows, None)
    if head is None:
        raise SystemExit(f"summary.py: {asked.file} is empty")
    names = [f"column {at}" for at in range(1, len(head) + 1)] if asked.no_header else [cell.strip() for cell in head]

    def at(name):
        if name not in names:
            raise SystemExit(f"summary.py: no column {name!r}; columns: {', '.join(map(cut, names))}")
        return names.index(name)

    unit, group = None, asked.group
    if group and group not in names and group.split(":", 1)[0] in ("year", "month", "week", "day"):
        unit, group = group.split(":", 1)
    group_at = at(group) if group else None
    value_at = at(asked.value) if asked.value else None
    wanted = [(at(name), sign, value) for name, sign, value in asked.where]
    columns = [Column(name, asked.decimal) for name in names]
    groups, lengths, seen = {}, collections.Counter(), set()
    total = kept = duplicates = not_numbers = 0
    for row in ([head] if asked.no_header else []), rows:
        for cells in row:
            if not cells:
                continue
            total += 1
            if len(cells) != len(names):
                lengths[len(cells)] += 1
                cells = (cells + [""] * len(names))[: len(names)]
            if not all(holds(cells[index], sign, value, asked.decimal) for index, sign, value in wanted):
                continue
            kept += 1
            if len(seen) < DISTINCT * 10:
                mark = hash(tuple(cells))
                duplicates += mark in seen
                seen.add(mark)
            if group_at is None:
                for column, cell in zip(columns, cells):
                    column.add(cell)
                continue
            found = groups.setdefault(key_of(cells[group_at], unit), {"rows": 0, "parts": [], "count": 0, "least": None, "greatest": None})
            found["rows"] += 1
            if value_at is not None:
                value = number(cells[value_at], asked.decimal)
                if value is None:
                    not_numbers += 1
                    continue
                found["count"] += 1
                found["parts"].append(value)
                if len(found["parts"]) > 4096:
                    found["parts"] = [math.fsum(found["parts"])]
                found["least"] = value if found["least"] is None else min(found["least"], value)
                found["greatest"] = value if found["greatest"] is None else max(found["greatest"], value)
    problems = [f"{count} rows have {length} cells instead of {len(names)}" for length, count in lengths.most_common(3)]
    if duplicates:
        problems.append(f"{duplicates} rows are exact duplicates")
    repeated = [name for name, count in collections.Counter(names).items() if count > 1]
    if repeated:
        problems.append(f"columns with the same name: {', '.join(map(cut, repeated))}")
    if not_numbers:
        problems.append(f"{not_numbers} rows have no number in {asked.value}")
    answer = {"file": asked.file, "encoding": encoding, "delimiter": delimiter, "rows": total}
    if wanted:
        answer["rows_kept"] = kept
    if group_at is None:
        for column in columns:
            problems += column.problems()
        answer["columns"] = [column.report() for column in columns]
    else:
        answer["groups"] = grouped(groups, unit, value_at is not None, asked.top)
        answer["groups_in_all"] = len(groups)
    answer["problems"] = problems
    return answer


def grouped(groups, unit, has_value, top):
    def entry(item):
        key, found = item
        line = {"group": key, "rows": found["rows"]}
        if has_value:
            total = math.fsum(found["parts"])
            line.update(sum=total, mean=total / found["count"] if found["count"] else None)
            line.update(least=found["least"], greatest=found["greatest"])
        return line

    lines = [entry(item) for item in groups.items()]
    lines.sort(key=(lambda line: line["group"]) if unit else (lambda line: (-(line.get("sum") or line["rows"]), line["group"])))
    return lines[-top:] if unit else lines[:top]


if __name__ == "__main__":
    sys.exit(main())
