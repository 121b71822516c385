use super::RealPaths;
use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

#[test]
fn resolves_every_path_as_the_system_does() -> std::io::Result<()> {
    let place = tempfile::tempdir()?;
    let at = |path: &str| place.path().join(path);
    fs::create_dir_all(at("real/inner"))?;
    fs::write(at("real/inner/SKILL.md"), "")?;
    symlink("real", at("linked"))?;
    symlink("inner/SKILL.md", at("real/file-link"))?;
    symlink("nowhere", at("real/broken"))?;
    symlink("loop", at("loop"))?;
    let paths = [
        "real/inner/SKILL.md",
        "linked/inner/SKILL.md",
        "linked/inner",
        "linked/file-link",
        "linked/broken",
        "linked/../real/inner/SKILL.md",
        "linked/inner/..",
        "loop/SKILL.md",
        "missing/SKILL.md",
        "real/inner/SKILL.md/below",
        "",
    ];
    let mut known = RealPaths::default();
    for path in paths.iter().map(|path| at(path)).chain([PathBuf::from("/"), PathBuf::from("Cargo.toml")]) {
        // Twice: the second answer comes from memory.
        for _ in 0..2 {
            assert_eq!(known.file(&path), fs::canonicalize(&path).ok(), "{}", path.display());
        }
    }
    Ok(())
}

#[test]
fn key_keeps_the_name_of_a_file_that_is_a_link() -> std::io::Result<()> {
    let place = tempfile::tempdir()?;
    let real = place.path().canonicalize()?;
    fs::create_dir(real.join("skill"))?;
    fs::write(real.join("skill/other.md"), "")?;
    symlink("other.md", real.join("skill/SKILL.md"))?;
    symlink("skill", real.join("linked"))?;
    let mut known = RealPaths::default();
    assert_eq!(known.key_of(&real.join("linked/SKILL.md")), real.join("skill/SKILL.md"));
    assert_eq!(known.key_of(Path::new("/nowhere/SKILL.md")), Path::new("/nowhere/SKILL.md"));
    Ok(())
}
