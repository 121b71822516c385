//! From a key press to a drawn frame over 10,000 skills: prints p50, p99 and the longest.
//!
//! `cargo run --release -p skillful-tui --example latency [FOLDER]`; FOLDER is a folder of skills that replaces the
//! generated ones. The frame goes through the real backend into a counter. The time is that of the thread, so that
//! other processes do not count.

#![expect(clippy::print_stdout, reason = "a program whose result is a table")]

use crossterm::event::KeyCode;
use skillful::{Environment, Options, Workspace};
use skillful_testkit::cpu_time;
use skillful_tui::bench::Bench;
use std::{error::Error, fs, path::Path, time::Duration};

const SKILLS: usize = 10_000;
const WORDS: [&str; 16] = [
    "release",
    "notes",
    "deploy",
    "review",
    "summary",
    "changelog",
    "database",
    "migration",
    "benchmark",
    "report",
    "invoice",
    "pdf",
    "slides",
    "incident",
    "triage",
    "research",
];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let (home, work) = (folder.path().join("home"), folder.path().join("work"));
    fs::create_dir_all(work.join(".git"))?;
    let mut options = Options { trust_project: true, ..Options::default() };
    match std::env::args().nth(1) {
        Some(root) => options.roots.push(Path::new(&root).canonicalize()?),
        None => generate(&home)?,
    }
    let environment = Environment { cwd: work, home, ..Environment::default() };
    let workspace = Workspace::open(environment, options);
    println!("| screen | skills | what | number | p50 | p99 | longest |\n|---|---:|---|---:|---:|---:|---:|");
    for (columns, rows) in [(80, 24), (200, 60)] {
        let mut bench = Bench::new(&workspace, columns, rows)?;
        measure(&mut bench, &format!("{columns}×{rows}"))?;
    }
    Ok(())
}

fn generate(home: &Path) -> std::io::Result<()> {
    for at in 0..SKILLS {
        let agent = [".claude", ".codex", ".agents"][at % 3];
        let word = |step: usize| WORDS[(at / step + at) % WORDS.len()];
        let name = format!("{}-{}-{at}", word(1), word(7));
        let folder = home.join(agent).join("skills").join(&name);
        fs::create_dir_all(&folder)?;
        let lines: String =
            (0..30).map(|line| format!("{}. {} the {}.\n", line + 1, word(line + 2), word(3))).collect();
        let text = format!(
            "---\nname: {name}\ndescription: Helps with {} and {} of {}. Use when a {} is asked for.\n---\n\n# {name}\n\n{lines}",
            word(2),
            word(3),
            word(5),
            word(11)
        );
        fs::write(folder.join("SKILL.md"), text)?;
    }
    Ok(())
}

fn measure(bench: &mut Bench<'_>, screen: &str) -> Result<(), Box<dyn Error>> {
    let (mut all, mut answers) = (Vec::new(), Vec::new());
    let search = |text: &str| -> Vec<KeyCode> {
        let typed = text.chars().map(KeyCode::Char);
        let deleted = text.chars().map(|_| KeyCode::Backspace);
        [KeyCode::Char('/')].into_iter().chain(typed).chain(deleted).chain([KeyCode::Esc]).collect()
    };
    let scripts: [(&str, Vec<KeyCode>); 4] = [
        (
            "move",
            [
                vec![KeyCode::Char('j'); 300],
                vec![KeyCode::PageDown; 200],
                vec![KeyCode::Char('G'), KeyCode::Char('g')],
            ]
            .concat(),
        ),
        (
            "search",
            ["release notes", "e", "migrtn", "state:av deploy", "zzzz", "benchmark the report"]
                .map(search)
                .concat(),
        ),
        ("filter and sort", "ffff!!sss".repeat(10).chars().map(KeyCode::Char).collect()),
        (
            "matrix",
            [
                vec![KeyCode::Char('m')],
                vec![KeyCode::Char('j'); 100],
                "lllhhhdd".chars().map(KeyCode::Char).collect(),
                vec![KeyCode::Esc],
            ]
            .concat(),
        ),
    ];
    for (what, keys) in scripts {
        let mut times = Vec::new();
        for key in keys {
            let (time, pressed) = cpu_time(|| bench.press(key));
            pressed?;
            times.push(time);
            for answer in bench.pending() {
                let (time, taken) = cpu_time(|| bench.answer(answer));
                taken?;
                answers.push(time);
            }
        }
        print(screen, bench.skills(), what, &mut times);
        all.extend(times);
    }
    print(screen, bench.skills(), "answers of workers", &mut answers);
    print(screen, bench.skills(), "**all keys**", &mut all);
    Ok(())
}

fn print(screen: &str, skills: usize, what: &str, times: &mut [Duration]) {
    times.sort_unstable();
    let at =
        |share: usize| times.get((times.len() * share / 100).min(times.len().saturating_sub(1))).copied();
    let ms = |time: Option<Duration>| format!("{:.2} ms", time.unwrap_or_default().as_secs_f64() * 1000.0);
    println!(
        "| {screen} | {skills} | {what} | {} | {} | {} | {} |",
        times.len(),
        ms(at(50)),
        ms(at(99)),
        ms(at(100))
    );
}
