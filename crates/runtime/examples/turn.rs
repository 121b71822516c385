//! How long composing a turn takes once the catalog is warm: `turn HOME FOLDER [MESSAGE]`.
//!
//! Prints JSON: milliseconds of building the catalog, of opening the index, of composing (least and
//! median of many runs) and of activating each skill (median and 99th of a hundred), by the clock of this process.

#![expect(clippy::print_stdout, reason = "a tool for benches/run.py")]

use skillful_catalog::{AgentProfiles, Catalog, Environment, Inputs, Principal, Settings, TrustStore};
use skillful_render::Budget;
use skillful_route::Router;
use skillful_runtime::{
    Engine, activate,
    compose::{Manner, Ranked, compose},
};
use skillful_select::{
    access::{Asker, Way, admit},
    turn::Turn,
};
use std::{collections::BTreeMap, error::Error, path::PathBuf, time::Instant};

const ROUNDS: usize = 101;
/// Times that each skill is activated; the least counts.
const LOADS: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let home = PathBuf::from(words.next().ok_or("usage: turn HOME FOLDER [MESSAGE]")?);
    let cwd = PathBuf::from(words.next().ok_or("usage: turn HOME FOLDER [MESSAGE]")?);
    let message = words.next().unwrap_or_else(|| "turn my notes into the weekly report".to_owned());
    let cache = tempfile::tempdir()?;
    let environment = Environment { cwd, home, system: "linux".to_owned(), ..Environment::default() };
    let settings = Settings { cache: Some(cache.path().to_path_buf()), ..Settings::default() };
    let (agents, trust, principal) = (AgentProfiles::embedded(), TrustStore::default(), Principal::default());
    let build = || {
        Catalog::build(Inputs {
            agents: &agents,
            environment: &environment,
            settings: &settings,
            trust: &trust,
            approvals: skillful_catalog::Approvals::none(),
        })
    };
    build();
    let start = Instant::now();
    let catalog = build();
    let built = start.elapsed();
    drop(Router::open(&catalog, Some(cache.path())));
    let start = Instant::now();
    let (router, _) = Router::open(&catalog, Some(cache.path()));
    let opened = start.elapsed();
    let names = BTreeMap::new();
    let engine = Engine::new(&catalog, Asker::new(&principal, &environment), &settings, &names);
    let turn = Turn { message: message.clone(), folder: environment.cwd.clone(), ..Turn::default() };
    let rank = |menu: &[usize]| {
        let (order, relevant) = router.rank(&message, menu);
        Ranked { order, relevant }
    };
    let manner = Manner { rank: &rank, ..Manner::plain(None, Budget::default()) };
    let mut times = Vec::with_capacity(ROUNDS);
    let mut tokens = 0;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        tokens = compose(&engine, &turn, &manner).tokens();
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    let mut loads = Vec::new();
    for proof in (0..catalog.entries.len()).filter_map(|at| admit(&catalog, at, engine.asker, Way::Load).ok())
    {
        let mut least = f64::MAX;
        for _ in 0..LOADS {
            let start = Instant::now();
            let activated = activate(&engine, &proof, "now please");
            least = least.min(start.elapsed().as_secs_f64() * 1e3);
            drop(activated);
        }
        loads.push(least);
    }
    loads.sort_by(f64::total_cmp);
    let load = |share: usize| loads.get((loads.len() * share / 100).min(loads.len().saturating_sub(1)));
    println!(
        "{}",
        serde_json::json!({
            "skills": catalog.entries.len(),
            "catalog": built.as_secs_f64() * 1e3,
            "index": opened.as_secs_f64() * 1e3,
            "compose": { "least": times[0], "median": times[ROUNDS / 2] },
            "tokens": tokens,
            "activate": { "median": load(50), "most": load(99) },
        })
    );
    Ok(())
}
