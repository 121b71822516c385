//! A tree as one file of the content store. The same tree always gives the same bytes, and the reader
//! checks everything: the paths, their order, the sizes, and in the end the digest that is the file's name.
//!
//! ```text
//! skillful tree 1\n
//! <bytes, decimal> <x if executable, else -> <path>\n<the bytes>     once per file, in byte order of the paths
//! ```

use skillful_format::{Limits, Tree, TreeFile, TreePath};

const HEAD: &[u8] = b"skillful tree 1\n";
/// Digits of the largest size, the mark, two blanks and a line feed.
const LINE_EXTRA: u64 = 24;

/// The bytes of a tree.
pub(super) fn write(tree: &Tree) -> Vec<u8> {
    let lines: usize = tree.iter().map(|(path, _)| path.as_str().len() + 24).sum();
    let bytes = usize::try_from(tree.total_bytes()).unwrap_or_default();
    let mut pack = Vec::with_capacity(HEAD.len() + lines + bytes);
    pack.extend_from_slice(HEAD);
    for (path, file) in tree.iter() {
        let mark = if file.executable { 'x' } else { '-' };
        pack.extend_from_slice(format!("{} {mark} {path}\n", file.bytes.len()).as_bytes());
        pack.extend_from_slice(&file.bytes);
    }
    pack
}

/// The most bytes that a pack within the limits has.
pub(super) fn most_bytes(limits: &Limits) -> u64 {
    let line = limits.path_bytes as u64 + LINE_EXTRA;
    HEAD.len() as u64 + limits.total_bytes + limits.files as u64 * line
}

/// The tree of these bytes; what is wrong with them otherwise.
pub(super) fn read(pack: &[u8], limits: &Limits) -> Result<Tree, &'static str> {
    let mut rest = pack.strip_prefix(HEAD).ok_or("it has another head")?;
    let mut tree = Tree::default();
    let mut last: Option<TreePath> = None;
    while !rest.is_empty() {
        let end = rest.iter().position(|byte| *byte == b'\n').ok_or("it ends in a line")?;
        let line = std::str::from_utf8(&rest[..end]).map_err(|_| "a line is not UTF-8")?;
        rest = &rest[end + 1..];
        let mut parts = line.splitn(3, ' ');
        let size = parts.next().and_then(decimal).ok_or("a size is not a number")?;
        let executable = match parts.next() {
            Some("x") => true,
            Some("-") => false,
            _ => return Err("a file has no mark"),
        };
        let path =
            TreePath::new(parts.next().unwrap_or_default(), limits).map_err(|_| "a path is not safe")?;
        if last.as_ref().is_some_and(|last| *last >= path) {
            return Err("its files are out of order");
        }
        let (bytes, behind) = rest.split_at_checked(size).ok_or("it ends in a file")?;
        rest = behind;
        last = Some(path.clone());
        let file = TreeFile { bytes: bytes.to_vec(), executable };
        tree.insert(path, file, limits).map_err(|_| "a file does not fit into a skill")?;
    }
    Ok(tree)
}

/// A number as [`write`] spells it, in one way only.
fn decimal(text: &str) -> Option<usize> {
    let number: usize = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

#[cfg(test)]
mod tests;
