"""What the program is made of, as CycloneDX 1.5."""

from __future__ import annotations

import json
import pathlib
import subprocess
import tomllib


def write(root: pathlib.Path, version: str, target: str) -> bytes:
    words = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", target]
    metadata = json.loads(subprocess.run(words, cwd=root, check=True, capture_output=True, text=True).stdout)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    start = next(one["id"] for one in metadata["packages"] if one["name"] == "skillful-cli" and one["source"] is None)
    reached, waiting = set(), [start]
    while waiting:
        current = waiting.pop()
        if current in reached:
            continue
        reached.add(current)
        waiting += linked(nodes[current])
    locked = tomllib.loads((root / "Cargo.lock").read_text(encoding="utf-8"))["package"]
    checksums = {(one["name"], one["version"]): one.get("checksum") for one in locked}

    def reference(package: dict) -> str:
        return f"pkg:cargo/{package['name']}@{package['version']}"

    components = []
    for package in sorted((packages[one] for one in reached - {start}), key=reference):
        component = {"type": "library", "bom-ref": reference(package), "name": package["name"], "version": package["version"]}
        component["purl"] = reference(package)
        if package["license"]:
            component["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
        checksum = checksums.get((package["name"], package["version"]))
        if checksum:
            component["hashes"] = [{"alg": "SHA-256", "content": checksum}]
        components.append(component)
    dependencies = [
        {"ref": reference(packages[one]), "dependsOn": sorted({reference(packages[below]) for below in linked(nodes[one])})}
        for one in sorted(reached, key=lambda one: reference(packages[one]))
    ]
    bom = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": reference(packages[start]),
                "name": "skillful",
                "version": version,
                "licenses": [{"expression": "MIT OR Apache-2.0"}],
            }
        },
        "components": components,
        "dependencies": dependencies,
    }
    return json.dumps(bom, indent=1).encode() + b"\n"


def linked(node: dict) -> list[str]:
    """Dependencies that end up in the program; not those of tests and build scripts."""
    return [one["pkg"] for one in node["deps"] if any(kind["kind"] is None for kind in one["dep_kinds"])]
