//! Experiments over a corpus of skills. Usage: route dump OUT.
use skillful_format::{Document, Sidecars};
use skillful_select::route::{Index, Skill};
use std::{fs, io::Write, path::Path, time::Instant};

struct Loaded {
    id: String,
    name: String,
    description: String,
    when: String,
    triggers: Vec<String>,
    body: String,
}
fn load(root: &Path) -> Vec<Loaded> {
    let mut out = Vec::new();
    let mut stack = vec![root.to_path_buf()];
    while let Some(dir) = stack.pop() {
        let mut entries: Vec<_> = fs::read_dir(&dir).unwrap().flatten().map(|e| e.path()).collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                stack.push(path);
                continue;
            }
            if path.file_name().unwrap() != "SKILL.md" {
                continue;
            }
            let bytes = fs::read(&path).unwrap();
            let doc = Document::read(&bytes, &Sidecars::default());
            let text = String::from_utf8_lossy(&bytes);
            let id = path.parent().unwrap().strip_prefix(root).unwrap().to_string_lossy().into_owned();
            let folder = id.rsplit('/').next().unwrap().to_owned();
            let body = text.get(doc.body.clone()).unwrap_or(&text).to_owned();
            out.push(Loaded {
                id,
                name: doc.manifest.name.clone().unwrap_or(folder),
                description: doc.manifest.description.clone().unwrap_or_default(),
                when: doc.manifest.when_to_use.clone().unwrap_or_default(),
                triggers: doc.manifest.triggers.clone(),
                body,
            });
        }
    }
    out
}
fn skill(l: &Loaded) -> Skill<'_> {
    Skill {
        id: &l.id,
        name: &l.name,
        description: &l.description,
        when_to_use: &l.when,
        triggers: &l.triggers,
        body: &l.body,
    }
}
/// Tasks file: lines `pool-file<TAB>...`. We read /tmp/rt/pools/*.txt (ids) and /tmp/rt/pools/*.q (query indices), /tmp/rt/queries.txt (one escaped query per line).
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let t = Instant::now();
    let all = load(Path::new("/tmp/corpus"));
    println!("loaded {} in {:?}", all.len(), t.elapsed());
    let by_id: std::collections::HashMap<&str, &Loaded> = all.iter().map(|l| (l.id.as_str(), l)).collect();
    let queries: Vec<String> = fs::read_to_string("/tmp/rt/queries.txt")
        .unwrap()
        .lines()
        .map(|l| l.replace("\\n", "\n").replace("\\r", "\r"))
        .collect();
    let out_dir = &args[2];
    fs::create_dir_all(out_dir).unwrap();
    let mut names: Vec<_> = fs::read_dir("/tmp/rt/pools")
        .unwrap()
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == "txt"))
        .collect();
    names.sort();
    for p in names {
        let pool: Vec<Skill<'_>> =
            fs::read_to_string(&p).unwrap().lines().filter_map(|l| by_id.get(l).map(|l| skill(l))).collect();
        let qs: Vec<usize> =
            fs::read_to_string(p.with_extension("q")).unwrap().lines().map(|l| l.parse().unwrap()).collect();
        let t = Instant::now();
        let index = Index::build(&pool, 2);
        let built = t.elapsed();
        let stem = p.file_stem().unwrap().to_string_lossy().into_owned();
        let mut ids = fs::File::create(format!("{out_dir}/{stem}.ids")).unwrap();
        let mut bin = Vec::new();
        let t = Instant::now();
        for &q in &qs {
            for (id, f) in index.candidates(&queries[q]) {
                writeln!(ids, "{q}\t{id}").unwrap();
                for x in f {
                    bin.extend_from_slice(&x.to_le_bytes());
                }
            }
        }
        if pool.len() > 500 {
            println!(
                "{stem}: {} skills built {built:?}, {} queries {:?}",
                index.len(),
                qs.len(),
                t.elapsed()
            );
        }
        fs::write(format!("{out_dir}/{stem}.f32"), bin).unwrap();
    }
}
