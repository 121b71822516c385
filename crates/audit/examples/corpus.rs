//! Audits every skill below a folder and prints counts, the share of blocked skills and the time.
//!
//! `cargo run --release -p skillful-audit --example corpus -- FOLDER [--blocks|--warns|--tsv]`

#![expect(clippy::print_stdout, reason = "an example prints its result")]

use skillful_audit::{Severity, Verdict, audit};
use skillful_format::{Limits, Tree, TreeFile, TreePath};
use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

fn main() {
    let folder = env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let mode = env::args().nth(2).unwrap_or_default();
    let mut skills = Vec::new();
    find(Path::new(&folder), &mut skills);
    skills.sort();
    let mut verdicts: BTreeMap<String, usize> = BTreeMap::new();
    let mut rules: BTreeMap<(Severity, &str), usize> = BTreeMap::new();
    let mut times: Vec<Duration> = Vec::new();
    for skill in &skills {
        let tree = read(skill);
        let start = Instant::now();
        let report = audit(&tree);
        times.push(start.elapsed());
        *verdicts.entry(format!("{:?}", report.verdict)).or_default() += 1;
        let mut seen: Vec<(Severity, &str)> =
            report.findings.iter().map(|f| (f.severity, f.rule.id())).collect();
        seen.sort_unstable();
        seen.dedup();
        for one in seen {
            *rules.entry(one).or_default() += 1;
        }
        let wanted = match mode.as_str() {
            "--blocks" => Some(Severity::Block),
            "--warns" => Some(Severity::Warn),
            _ => None,
        };
        for f in report.findings.iter().filter(|f| Some(f.severity) == wanted) {
            println!("{}/{}:{}\t{}\t{}", skill.display(), f.path, f.line, f.rule.id(), f.evidence);
        }
        if mode == "--tsv" {
            let blocked = report.verdict == Verdict::Blocked;
            println!(
                "{}\t{:?}\t{blocked}\t{}",
                skill.display(),
                report.verdict,
                times.last().map_or(0, Duration::as_micros)
            );
        }
    }
    if mode == "--tsv" {
        return;
    }
    times.sort_unstable();
    let at = |share: usize| {
        times
            .get((times.len() * share / 1000).min(times.len().saturating_sub(1)))
            .copied()
            .unwrap_or_default()
    };
    println!("{} skills: {verdicts:?}", skills.len());
    println!(
        "time per skill: p50 {:?}, p99 {:?}, most {:?}, all {:?}",
        at(500),
        at(990),
        at(1000),
        times.iter().sum::<Duration>()
    );
    for ((severity, rule), count) in rules.iter().rev() {
        println!("{severity:5} {count:6} {rule}");
    }
}

fn find(folder: &Path, skills: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    if folder.join("SKILL.md").is_file() {
        skills.push(folder.to_path_buf());
    }
    for entry in entries.flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            find(&entry.path(), skills);
        }
    }
}

fn read(folder: &Path) -> Tree {
    let mut tree = Tree::default();
    add(folder, "", &mut tree);
    tree
}

fn add(folder: &Path, above: &str, tree: &mut Tree) {
    let limits = Limits::default();
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = format!("{above}{}", entry.file_name().to_string_lossy());
        let path = entry.path();
        if path.is_dir() && !path.join("SKILL.md").exists() {
            add(&path, &format!("{name}/"), tree);
        } else if let (Ok(name), Ok(bytes)) = (TreePath::new(&name, &limits), fs::read(&path)) {
            let _refused = tree.insert(name, TreeFile { bytes, executable: false }, &limits);
        }
    }
}
