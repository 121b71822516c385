//! With common tools: they read what we write, and we read what they write.

use crate::{SKILL, read, tree};
use skillful_archive::{write_tar_gz, write_zip};
use skillful_format::{Tree, TreeFile, TreePath};
use skillful_testkit::{has_tool, require_tool};
use std::{
    fs,
    io::Write as _,
    process::{Command, Stdio},
};
use tempfile::TempDir;

fn sample() -> Tree {
    tree(&[
        ("SKILL.md", SKILL, false),
        (&format!("{}/{}.md", "long-".repeat(18), "name-".repeat(18)), b"deep", false),
        ("empty", b"", false),
        ("references/guide.md", &b"A guide for those who need one. ".repeat(200), false),
        ("scripts/run.sh", b"#!/bin/sh\nexit 0\n", true),
        ("ä/漢字.txt", "é".as_bytes(), false),
    ])
}

/// Runs Python over our bytes and returns what it printed.
fn python(script: &str, argument: &str, input: &[u8]) -> Vec<u8> {
    let mut child = Command::new("python3")
        .args(["-I", "-c", script, argument])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "python failed for {argument}");
    output.stdout
}

/// Reads an archive with Python and computes the tree digest from the definition.
const DIGEST: &str = r#"
import hashlib, io, sys, tarfile, zipfile
data = io.BytesIO(sys.stdin.buffer.read())
files = {}
if sys.argv[1] == "zip":
    archive = zipfile.ZipFile(data)
    assert archive.testzip() is None
    for info in archive.infolist():
        mode = info.external_attr >> 16
        assert mode in (0o100644, 0o100755) and info.date_time == (1980, 1, 1, 0, 0, 0), info
        files[info.filename] = (mode & 0o111, archive.read(info))
else:
    for info in tarfile.open(fileobj=data, mode="r:gz"):
        assert info.isreg() and info.mtime == 0 and info.uid == info.gid == 0, info
        files[info.name] = (info.mode & 0o111, tarfile.open(fileobj=io.BytesIO(data.getvalue())).extractfile(info.name).read())
lines = b""
for name, (executable, content) in sorted(files.items(), key=lambda item: item[0].encode()):
    folder, path = name.split("/", 1)
    assert folder == "demo"
    lines += f"{hashlib.sha256(content).hexdigest()} {'x' if executable else '-'} {path}\n".encode()
print("sha256:" + hashlib.sha256(lines).hexdigest(), end="")
"#;

#[test]
fn python_reads_ours_and_computes_the_same_digest() {
    require_tool!("python3");
    let tree = sample();
    for (kind, bytes) in
        [("zip", write_zip(&tree, "demo").unwrap()), ("tar", write_tar_gz(&tree, "demo").unwrap())]
    {
        let found = python(DIGEST, kind, &bytes);
        assert_eq!(String::from_utf8(found).unwrap(), tree.digest().to_string(), "{kind}");
    }
}

/// Writes the files of a zip of ours anew, in one of many ways.
const WRITE: &str = r#"
import io, sys, tarfile, zipfile
source = zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read()))
files = [(info.filename, info.external_attr >> 16 & 0o111, source.read(info)) for info in source.infolist()]
out, how = io.BytesIO(), sys.argv[1].split()
class Stream:
    def write(self, data): return out.write(data)
    def flush(self): pass
if how[0] == "zip":
    method = zipfile.ZIP_STORED if "stored" in how else zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(Stream() if "stream" in how else out, "w", method) as archive:
        if "folders" in how:
            for folder in ["demo/", "demo/references/", "demo/scripts/"]:
                archive.writestr(zipfile.ZipInfo(folder), "") if "bare" in how else archive.mkdir(folder)
        for name, executable, content in files:
            info = zipfile.ZipInfo(name, (2024, 5, 6, 7, 8, 10))
            info.external_attr = (0o100755 if executable else 0o100644) << 16
            info.compress_type = method
            archive.writestr(info, content)
        if "comment" in how:
            archive.comment = b"made for a test"
else:
    kind = {"ustar": tarfile.USTAR_FORMAT, "gnu": tarfile.GNU_FORMAT, "pax": tarfile.PAX_FORMAT}[how[1]]
    with tarfile.open(fileobj=out, mode="w|gz" if "stream" in how else "w:gz", format=kind) as archive:
        if "folders" in how:
            for folder in ["demo", "demo/references", "demo/scripts"]:
                info = tarfile.TarInfo(folder)
                info.type, info.mode = tarfile.DIRTYPE, 0o755
                archive.addfile(info)
        for name, executable, content in files:
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(content), 0o755 if executable else 0o644
            info.mtime, info.uid, info.uname = 1700000000.25, 3000000 if "pax" in how else 1000, "somebody"
            archive.addfile(info, io.BytesIO(content))
sys.stdout.buffer.write(out.getvalue())
"#;

#[test]
fn we_read_what_python_writes() {
    require_tool!("python3");
    let tree = sample();
    let ours = write_zip(&tree, "demo").unwrap();
    for how in [
        "zip",
        "zip stored",
        "zip folders",
        "zip folders bare",
        "zip stream",
        "zip stream folders",
        "zip comment",
        "tar ustar",
        "tar gnu",
        "tar gnu folders",
        "tar pax",
        "tar pax folders",
        "tar pax stream",
    ] {
        let package = read(&python(WRITE, how, &ours)).unwrap_or_else(|refused| panic!("{how}: {refused}"));
        assert_eq!(package.tree, tree, "{how}");
        assert_eq!(package.folder.as_deref(), Some("demo"), "{how}");
    }
}

/// A folder with the sample in it, for tools that need one.
fn unpacked() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for (path, file) in sample().iter() {
        let path = root.join("demo").join(path.as_str());
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &file.bytes).unwrap();
        #[cfg(unix)]
        if file.executable {
            use std::os::unix::fs::PermissionsExt as _;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
    }
    folder
}

fn own((path, file): (&TreePath, &TreeFile)) -> (TreePath, TreeFile) {
    (path.clone(), file.clone())
}

#[test]
#[cfg(unix)]
fn we_read_what_tar_and_zip_write() {
    let folder = unpacked();
    let root = folder.path();
    let run = |script: &str| {
        let script = format!("set -e; umask 022; export LC_ALL=C.UTF-8; {script}");
        let output = Command::new("sh").args(["-c", &script]).current_dir(root).output().unwrap();
        assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    let mut scripts = Vec::new();
    if has_tool("tar") {
        scripts.extend([
            "tar -cz demo",
            "tar -cz --format=gnu demo",
            "tar -cz --format=pax demo",
            "tar -cz --format=ustar demo",
            "tar -cz -b 1 demo",
            "cd demo; tar -cz .",
            "cd demo; tar -cz *",
            "tar -c demo > a.tar; gzip -c a.tar",
            "tar -c demo > a.tar; gzip -9 -k -f a.tar; cat a.tar.gz",
        ]);
    }
    if has_tool("zip") {
        scripts.extend([
            "rm -f a.zip; zip -qr a.zip demo; cat a.zip",
            "rm -f a.zip; zip -qrX9 a.zip demo; cat a.zip",
            "rm -f a.zip; zip -qrD0 a.zip demo; cat a.zip",
            "cd demo; rm -f ../a.zip; zip -qr ../a.zip .; cat ../a.zip",
            "zip -qr - demo | cat",
        ]);
    }
    let ascii: Vec<_> = sample().iter().filter(|(path, _)| path.as_str().is_ascii()).map(own).collect();
    for script in scripts {
        // Builds of `zip` differ in whether they mark names as UTF-8, so it gets none beyond ASCII.
        if script.contains("zip -q") {
            let _absent = fs::remove_dir_all(root.join("demo/ä"));
        }
        let package = read(&run(script)).unwrap_or_else(|refused| panic!("{script}: {refused}"));
        let found: Vec<_> =
            package.tree.iter().filter(|(path, _)| path.as_str().is_ascii()).map(own).collect();
        assert_eq!(found, ascii, "{script}");
        assert_eq!(package.tree.len() == sample().len(), !script.contains("zip -q"), "{script}");
    }
}

#[test]
#[cfg(unix)]
fn tar_and_unzip_read_ours() {
    let folder = unpacked();
    let root = folder.path();
    fs::write(root.join("ours.zip"), write_zip(&sample(), "demo").unwrap()).unwrap();
    fs::write(root.join("ours.tar.gz"), write_tar_gz(&sample(), "demo").unwrap()).unwrap();
    let unpackers = [
        (
            "tar",
            "mkdir t && cd t && tar -xzf ../ours.tar.gz && diff -r demo ../demo && test -x demo/scripts/run.sh",
        ),
        (
            "unzip",
            "mkdir z && cd z && unzip -q ../ours.zip && diff -r demo ../demo && test -x demo/scripts/run.sh",
        ),
    ];
    for (tool, script) in unpackers.into_iter().filter(|(tool, _)| has_tool(tool)) {
        let output = Command::new("sh")
            .args(["-c", script])
            .env("LC_ALL", "C.UTF-8")
            .current_dir(root)
            .output()
            .unwrap();
        assert!(output.status.success(), "{tool}: {}", String::from_utf8_lossy(&output.stderr));
    }
}
