"""Archives with the same bytes for the same files: sorted, owner 0, fixed times."""

from __future__ import annotations

import gzip
import io
import pathlib
import tarfile
import zipfile

Files = dict[str, tuple[bytes, int]]
"""Path in the archive, its bytes and its mode."""


def tar_gz(files: Files, epoch: int, folders: bool = False) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        if folders:
            parents = {str(parent) for path in files for parent in pathlib.PurePosixPath(path).parents} - {"."}
            for parent in sorted(parents):
                entry = header(f"./{parent}/" if not parent.startswith("./") else parent, 0o755, epoch)
                entry.type = tarfile.DIRTYPE
                archive.addfile(entry)
        for path in sorted(files):
            data, mode = files[path]
            entry = header(f"./{path}" if folders else path, mode, epoch)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    squeezed = io.BytesIO()
    with gzip.GzipFile(fileobj=squeezed, mode="wb", compresslevel=9, mtime=epoch, filename="") as out:
        out.write(packed.getvalue())
    return squeezed.getvalue()


def header(name: str, mode: int, epoch: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.mode, entry.mtime, entry.uid, entry.gid, entry.uname, entry.gname = mode, epoch, 0, 0, "root", "root"
    return entry


def zip_file(files: Files, order: list[str] | None = None) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in order or sorted(files):
            data, mode = files[path]
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.external_attr, entry.compress_type = 3, (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return packed.getvalue()


def ar(members: list[tuple[str, bytes]], epoch: int) -> bytes:
    """The container of a Debian package."""
    out = b"!<arch>\n"
    for name, data in members:
        out += f"{name:<16}{epoch:<12}{0:<6}{0:<6}{0o100644:<8o}{len(data):<10}`\n".encode()
        out += data + (b"\n" if len(data) % 2 else b"")
    return out
