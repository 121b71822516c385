//! Runs routing over a corpus of skills, for fitting and for timing; `tools/routing/README.md` explains the use.
//!
//! - `route_numbers dump CORPUS WORK OUT`: for each pool `WORK/pools/NAME.txt` (ids) with `NAME.q` (numbers of
//!   lines in `WORK/queries.txt`) writes `OUT/NAME.ids`, `.f32` (features) and `.gate` (probability and signals);
//!   the bodies of a pool whose name begins with `short` are cut after 400 bytes
//!   With `SIMILAR` (`dump CORPUS WORK OUT SIMILAR`) the lines `query TAB id TAB cosine` of `SIMILAR/NAME.tsv` are the similarities of
//!   another stage: each candidate has one more feature, and each gate one more signal, the largest
//! - `route_numbers embed CORPUS WORK MODEL COUNT`: measures the CPU time and the memory of a local model (feature
//!   `local-model`) over the names and descriptions of so many skills, and over the requests
//! - `route_numbers bench CORPUS WORK SIZE…`: measures the time of building, searching, reopening and updating

#![expect(clippy::print_stdout, clippy::cast_precision_loss, reason = "a tool for one's own terminal")]

use skillful_format::{Document, Sidecars};
use skillful_route::ranking::{Extra, Index, Settings, Skill};
use std::{
    collections::HashMap,
    error::Error,
    fs,
    io::{BufWriter, Write},
    path::Path,
    time::{Duration, Instant},
};

/// Bytes of a body that are kept in a pool of short skills.
const SHORT_BODY: usize = 400;

const USAGE: &str = "usage: route_numbers dump CORPUS WORK OUT [SIMILAR] | embed CORPUS WORK MODEL COUNT | bench CORPUS WORK SIZE…";

type Result<T> = std::result::Result<T, Box<dyn Error>>;

struct Loaded {
    id: String,
    name: String,
    description: String,
    when_to_use: String,
    triggers: Vec<String>,
    body: String,
}

impl Loaded {
    fn skill(&self) -> Skill<'_> {
        Skill {
            id: &self.id,
            name: &self.name,
            description: &self.description,
            when_to_use: &self.when_to_use,
            triggers: &self.triggers,
            body: &self.body,
        }
    }

    /// The skill with at most so many bytes of its body.
    fn with_body(&self, most: usize) -> Skill<'_> {
        Skill { body: &self.body[..self.body.floor_char_boundary(most)], ..self.skill() }
    }
}

fn load(root: &Path) -> Result<Vec<Loaded>> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.ends_with("SKILL.md") {
                let bytes = fs::read(&path)?;
                let text = String::from_utf8_lossy(&bytes);
                let document = Document::read(&bytes, &Sidecars::default());
                let id = folder.strip_prefix(root)?.to_string_lossy().into_owned();
                let last = id.rsplit('/').next().unwrap_or_default().to_owned();
                let manifest = document.manifest;
                found.push(Loaded {
                    id,
                    name: manifest.name.unwrap_or(last),
                    description: manifest.description.unwrap_or_default(),
                    when_to_use: manifest.rare.when_to_use.clone().unwrap_or_default(),
                    triggers: manifest.triggers,
                    body: text.get(document.body).unwrap_or(&text).to_owned(),
                });
            }
        }
    }
    found.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(found)
}

/// The similarities of each request, from a file that another stage wrote.
fn similarities(file: &Path) -> Result<HashMap<usize, Vec<(String, f32)>>> {
    let mut found: HashMap<usize, Vec<(String, f32)>> = HashMap::new();
    for line in fs::read_to_string(file)?.lines() {
        let mut parts = line.split('\t');
        let (Some(query), Some(id), Some(cosine)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(format!("`{line}` is not a similarity").into());
        };
        found.entry(query.parse()?).or_default().push((id.to_owned(), cosine.parse()?));
    }
    Ok(found)
}

fn dump(
    skills: &[Loaded],
    queries: &[String],
    work: &Path,
    out: &Path,
    similar: Option<&Path>,
) -> Result<()> {
    let by_id: HashMap<&str, &Loaded> = skills.iter().map(|skill| (skill.id.as_str(), skill)).collect();
    fs::create_dir_all(out)?;
    for entry in fs::read_dir(work.join("pools"))? {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "txt") {
            continue;
        }
        let ids = fs::read_to_string(&path)?;
        let is_short = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("short"));
        let length = if is_short { SHORT_BODY } else { usize::MAX };
        let pool: Vec<Skill<'_>> =
            ids.lines().filter_map(|id| by_id.get(id)).map(|skill| skill.with_body(length)).collect();
        let index = Index::build(&pool, 2);
        let target = out.join(path.file_stem().unwrap_or_default());
        let stem = path.file_stem().unwrap_or_default().to_owned();
        let similar =
            similar.map(|folder| similarities(&folder.join(stem).with_extension("tsv"))).transpose()?;
        let mut names = BufWriter::new(fs::File::create(target.with_extension("ids"))?);
        let (mut features, mut gate) = (Vec::new(), Vec::new());
        for line in fs::read_to_string(path.with_extension("q"))?.lines() {
            let number: usize = line.parse()?;
            let own = similar.as_ref().and_then(|similar| similar.get(&number)).map(Vec::as_slice);
            let own: Vec<(&str, f32)> =
                own.unwrap_or_default().iter().map(|(id, cosine)| (id.as_str(), *cosine)).collect();
            let extra = Extra { similar: &own, ..Extra::default() };
            let Some(numbers) = queries.get(number).and_then(|query| index.numbers(query, &extra)) else {
                continue;
            };
            gate.extend([number as f32, numbers.served]);
            gate.extend(numbers.gate);
            let least = own.iter().map(|(_, cosine)| *cosine).reduce(f32::min).unwrap_or_default();
            let cosines: HashMap<&str, f32> = own.iter().copied().collect();
            if similar.is_some() {
                gate.push(numbers.similar.unwrap_or_default());
            }
            for (id, values) in numbers.candidates {
                writeln!(names, "{number}\t{id}")?;
                features.extend(values);
                if similar.is_some() {
                    features.push(cosines.get(id.as_str()).map_or(0.0, |cosine| cosine - least));
                }
            }
        }
        let bytes = |values: Vec<f32>| values.into_iter().flat_map(f32::to_le_bytes).collect::<Vec<u8>>();
        fs::write(target.with_extension("f32"), bytes(features))?;
        fs::write(target.with_extension("gate"), bytes(gate))?;
    }
    Ok(())
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let started = Instant::now();
    let result = work();
    (result, started.elapsed())
}

/// CPU time of this process so far, all threads; zero on systems without `/proc/self/stat`.
fn processor_time() -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields).split_whitespace();
    // User and system time in hundredths of a second.
    let hundredths: u64 = fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(hundredths * 10)
}

fn bench(skills: &[Loaded], queries: &[String], size: usize) -> Result<()> {
    let ids: Vec<String> = (0..size).map(|at| format!("{}#{at}", skills[at % skills.len()].id)).collect();
    let pool: Vec<Skill<'_>> =
        ids.iter().zip(skills.iter().cycle()).map(|(id, skill)| Skill { id, ..skill.skill() }).collect();
    let before = processor_time();
    let (mut index, built) = timed(|| Index::build(&pool, 2));
    let spent = processor_time().saturating_sub(before);
    // The best of five runs, because the machine is shared.
    let settings = Settings::default();
    let best =
        |query: &String| (0..5).map(|_| timed(|| index.route(query, &settings)).1).min().unwrap_or_default();
    let mut times: Vec<Duration> = queries.iter().map(best).collect();
    times.sort_unstable();
    let bytes = index.to_bytes(2);
    let size_in_bytes = bytes.len();
    let (opened, opening) = timed(|| Index::from_bytes(bytes));
    let mut updates: Vec<Duration> =
        pool.iter().take(100).map(|skill| timed(|| index.update(skill)).1).collect();
    updates.sort_unstable();
    let at = |times: &[Duration], hundredth: usize| times[(times.len() - 1) * hundredth / 100];
    println!(
        "{} skills: built {built:?} ({spent:?} of processor time), {} MB, opened {opening:?}, query p50 {:?} p99 {:?}, update p50 {:?} p99 {:?}",
        opened?.len(),
        size_in_bytes / 1_000_000,
        at(&times, 50),
        at(&times, 99),
        at(&updates, 50),
        at(&updates, 99),
    );
    Ok(())
}

/// Largest memory of this process so far, in MB; zero on systems without `/proc/self/status`.
#[cfg(feature = "local-model")]
fn memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.unwrap_or_default() / 1_000
}

#[cfg(feature = "local-model")]
fn embed(skills: &[Loaded], queries: &[String], model: &Path, count: usize) -> Result<()> {
    use skillful_route::{Embed, LocalModel};
    let (before, start) = (memory(), processor_time());
    let model = LocalModel::open(model)?;
    let opened = processor_time().saturating_sub(start);
    let heads: Vec<String> = skills
        .iter()
        .step_by((skills.len() / count.max(1)).max(1))
        .take(count)
        .map(|skill| format!("{}: {}", skill.name, skill.description))
        .collect();
    for (what, texts) in [("skill", heads), ("request", queries.iter().take(count).cloned().collect())] {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let start = processor_time();
        model.embed(&texts, Duration::from_hours(1)).map_err(|error| error.message)?;
        let spent = processor_time().saturating_sub(start) / u32::try_from(texts.len().max(1))?;
        println!("{} texts: {spent:?} of processor time for each {what}", texts.len());
    }
    println!(
        "model opened in {opened:?} of processor time, memory {before} MB before, {} MB at most",
        memory()
    );
    Ok(())
}

#[cfg(not(feature = "local-model"))]
fn embed(_: &[Loaded], _: &[String], _: &Path, _: usize) -> Result<()> {
    Err("build it with --features local-model".into())
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, command, corpus, work, rest @ ..] = arguments.as_slice() else {
        return Err(USAGE.into());
    };
    let skills = load(Path::new(corpus))?;
    let text = fs::read_to_string(Path::new(work).join("queries.txt"))?;
    let queries: Vec<String> = text.lines().map(|line| line.replace("\\n", "\n")).collect();
    match (command.as_str(), rest) {
        ("dump", [out]) => dump(&skills, &queries, Path::new(work), Path::new(out), None),
        ("dump", [out, similar]) => {
            dump(&skills, &queries, Path::new(work), Path::new(out), Some(Path::new(similar)))
        }
        ("embed", [model, count]) => embed(&skills, &queries, Path::new(model), count.parse()?),
        ("bench", sizes) => sizes.iter().try_for_each(|size| bench(&skills, &queries, size.parse()?)),
        _ => Err(USAGE.into()),
    }
}
