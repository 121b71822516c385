//! Prints the signs of every passage of skills, for `tools/fit_signs.py`.
//!
//! `cargo run --release -p skillful-audit --example signs -- FOLDER|CASES…`

#![expect(clippy::print_stdout, reason = "an example prints its result")]

use skillful_audit::{case, signs};
use std::{collections::BTreeSet, env, fs, path::Path};

fn main() {
    for argument in env::args().skip(1) {
        let path = Path::new(&argument);
        if path.is_dir() {
            folder(path);
        } else {
            for one in case::pairs(&fs::read_to_string(path).unwrap_or_default()) {
                let of = |text: &str| {
                    let tree = case::tree(text);
                    tree.skill_file().map(|(_, file)| signs(&file.bytes)).unwrap_or_default()
                };
                let honest: BTreeSet<String> = of(&one.twin).into_iter().map(|(text, _)| text).collect();
                for (text, names) in of(&one.hostile).iter().filter(|(text, _)| !honest.contains(text)) {
                    print(&format!("{argument}:{}", one.name), text, names);
                }
            }
        }
    }
}

fn folder(path: &Path) {
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            folder(&path);
        } else if path.file_name().is_some_and(|name| name == "SKILL.md") {
            for (text, names) in signs(&fs::read(&path).unwrap_or_default()) {
                print(&path.display().to_string(), &text, &names);
            }
        }
    }
}

fn print(owner: &str, text: &str, names: &[&str]) {
    println!("{owner}\t{}\t{}", names.join(" "), text.replace(['\n', '\t', '\r'], " "));
}
