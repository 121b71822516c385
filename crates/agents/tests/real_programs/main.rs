//! What the real programs load, compared with the views of their profiles.
//!
//! `tests/peers` asks the programs in small folder trees ("worlds") and writes their answers to `tests/peers/recorded`; here
//! the same trees are built again, and every recorded answer is compared with the view. `tests/peers/differences.toml`
//! names the differences that are wanted. `python3 tests/peers/run.py --record` asks the programs again.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod answers;
mod menu;
mod worlds;

use answers::{Answer, Recorded, SeenByProgram};
use skillful_agents::{Listed, own_folders, view};
use skillful_catalog::{
    Approvals, Catalog, Environment, Inputs, Settings, TrustStore,
    inspect::{all_skill_files, check_files},
};
use skillful_format::{Code, check::PROFILES};
use skillful_profiles::AgentProfiles;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
};
use worlds::{Built, World};

fn peers_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/peers").canonicalize().unwrap()
}

/// The profiles as they are for one world, whose `etc` stands in the place of that of the machine.
fn profiles(all: &AgentProfiles, id: &str, at: &Path) -> AgentProfiles {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../profiles/agents/{id}.toml"));
    let text = fs::read_to_string(file).unwrap();
    let mut agents = all.clone();
    if text.contains("/etc/") {
        agents.add(&text.replace("/etc/", &format!("{}/etc/", at.display()))).unwrap();
    }
    agents
}

/// What we say about a world.
struct Ours {
    /// The skills that the program is said to load.
    seen: BTreeSet<SeenByProgram>,
    /// The files of all skills that Skillful lists, links resolved.
    listed: BTreeSet<PathBuf>,
    /// The places that the list says it did not read, links resolved.
    unread: Vec<PathBuf>,
}

impl Ours {
    /// Whether the list has the file, or says that it did not read its place. `.git` is the one place of which it says
    /// nothing: no repository can bring a file in it.
    fn names(&self, file: &Path) -> bool {
        let is_listed =
            self.listed.contains(file) || file.parent().is_some_and(|folder| self.listed.contains(folder));
        is_listed
            || self.unread.iter().any(|place| file.starts_with(place))
            || file.iter().any(|part| part == ".git")
    }
}

/// The levels below a root that Skillful reads when nothing else is configured.
const LEVELS: usize = 6;

fn ours(all: &AgentProfiles, recorded: &Recorded, world: &World, built: &Built, answer: &Answer) -> Ours {
    let id = all.get(&recorded.peer).unwrap().id.clone();
    let agents = profiles(all, &id, &built.at);
    let variable = |(name, value): (&String, &String)| {
        let value = value.replace("{WORLD}", &built.at.to_string_lossy());
        let is_system = value.starts_with("/etc/");
        (name.clone(), if is_system { format!("{}{value}", built.at.display()) } else { value })
    };
    let environment = Environment {
        cwd: built.at.join(&world.cwd).canonicalize().unwrap(),
        home: built.at.join("home"),
        variables: recorded.env.iter().chain(&answer.env).map(variable).collect(),
        ..Environment::default()
    };
    let mut settings = Settings::default();
    settings.agent_folders = own_folders(&agents, &environment, &settings);
    let trust = TrustStore::default();
    let inputs = Inputs {
        agents: &agents,
        environment: &environment,
        settings: &settings,
        trust: &trust,
        approvals: Approvals::none(),
    };
    let catalog = Catalog::build(inputs);
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let listed =
        catalog.entries.iter().flat_map(|entry| [real(&entry.origin.file), real(&entry.origin.real)]);
    let unread = catalog.diagnostics.iter().filter_map(|one| match (one.code, &one.path) {
        (Code::LinkOutside, Some(path)) => Some(real(path)),
        // It names the first of the deepest folders that were read.
        (Code::DepthLimit, Some(path)) => path.ancestors().nth(LEVELS).map(real),
        _ => None,
    });
    let only_model = world.menu || recorded.only_model;
    let seen = view(agents.get(&id).unwrap(), inputs, &catalog).seen.into_iter();
    let seen = seen.filter(|seen| !only_model || seen.listed == Listed::Model).map(|seen| SeenByProgram {
        path: built.short(&seen.file),
        description: menu::described(&recorded.peer, &seen),
        name: seen.name,
        label: seen.label.unwrap_or_default(),
    });
    Ours { seen: seen.collect(), listed: listed.collect(), unread: unread.collect() }
}

/// The differences that are wanted, by world and case, with their reasons.
fn declared(peer: &str) -> BTreeSet<(String, String)> {
    let text = fs::read_to_string(peers_folder().join("differences.toml")).unwrap();
    let text: toml::Table = text.parse().unwrap();
    let entries = text["difference"].as_array().unwrap().iter();
    let own = entries.filter(|entry| entry["peer"].as_str() == Some(peer));
    own.flat_map(|entry| {
        let world = entry["world"].as_str().unwrap().to_owned();
        let cases = entry["cases"].as_array().unwrap().iter();
        cases.map(move |case| (world.clone(), case.as_str().unwrap().to_owned()))
    })
    .collect()
}

/// Compares what differs with what is declared: neither may have more.
#[track_caller]
fn judge(peer: &str, asked: usize, least: usize, different: &BTreeMap<(String, String), String>) {
    assert!(asked >= least, "{peer} was asked {asked} questions; at least {least} are recorded");
    let declared = declared(peer);
    let unexplained: Vec<_> = different.iter().filter(|(key, _)| !declared.contains(*key)).collect();
    assert!(unexplained.is_empty(), "{} unexplained differences: {unexplained:#?}", unexplained.len());
    let stale: Vec<_> = declared.iter().filter(|key| !different.contains_key(*key)).collect();
    assert!(stale.is_empty(), "declared in differences.toml, but not different: {stale:?}");
}

/// What a comparison came to.
#[derive(Default)]
struct Compared {
    worlds: usize,
    cases: usize,
    /// What differs, by world and case.
    different: BTreeMap<(String, String), String>,
    /// What the program loads and Skillful does not list.
    silent: BTreeSet<String>,
}

/// Compares the recorded answers of a program in some worlds with its view.
fn compared(peer: &str, is_asked: impl Fn(&str) -> bool) -> Compared {
    let worlds = worlds::read(&peers_folder());
    let recorded = Recorded::read(&peers_folder(), peer);
    let all = AgentProfiles::embedded();
    let mut compared = Compared::default();
    for (name, answer) in recorded.answers.iter().filter(|(name, _)| is_asked(name)) {
        let world = worlds[name].for_root(recorded.root.as_deref());
        let built = world.build();
        let ours = ours(&all, &recorded, &world, &built, answer);
        let theirs = match &answer.seen {
            Some(seen) => seen.clone(),
            None if world.refuses => BTreeSet::new(),
            None => panic!("{peer} gave no answer in {name}: ask it again"),
        };
        for seen in &theirs {
            let file = built.at.join(&seen.path);
            // What a program downloaded is not part of the world.
            if file.canonicalize().is_ok_and(|file| !ours.names(&file)) {
                compared.silent.insert(format!("{name}: {}", seen.path));
            }
        }
        compared.worlds += 1;
        compared.cases += world.cases.len();
        compared.different.extend(worlds::differences(&world, peer, &theirs, &ours.seen));
    }
    compared
}

/// Compares every recorded answer of a program with its view.
#[track_caller]
fn compare(peer: &str, least: usize) {
    let compared = compared(peer, |_| true);
    judge(peer, compared.cases, least, &compared.different);
    let silent = compared.silent;
    assert!(silent.is_empty(), "{peer} loads what Skillful does not list: {silent:#?}");
}

#[test]
fn codex_loads_what_its_view_says() {
    compare("codex", 600);
}

#[test]
fn opencode_loads_what_its_view_says() {
    compare("opencode", 600);
}

#[test]
fn gemini_cli_loads_what_its_view_says() {
    compare("gemini", 600);
}

#[test]
fn claude_code_loads_what_its_view_says() {
    compare("claude", 800);
}

#[test]
fn qwen_code_loads_what_its_view_says() {
    compare("qwen", 480);
}

#[test]
fn pi_loads_what_its_view_says() {
    compare("pi", 480);
}

#[test]
fn github_copilot_loads_what_its_view_says() {
    compare("copilot", 600);
}

#[test]
fn kilo_code_loads_what_its_view_says() {
    compare("kilo", 500);
}

#[test]
fn kimi_code_loads_what_its_view_says() {
    compare("kimi", 500);
}

#[test]
fn goose_loads_what_its_view_says() {
    compare("goose", 480);
}

#[test]
fn mistral_vibe_loads_what_its_view_says() {
    compare("vibe", 480);
}

#[test]
fn continue_loads_what_its_view_says() {
    compare("continue", 500);
}

/// Installed or not, which of several versions, enabled in which settings, marketplaces as sources only.
#[test]
fn plugins_are_as_their_agents_have_them() {
    for (peer, part, least) in
        [("claude", "claude-plugin", 40), ("codex", "codex-plugin", 25), ("gemini", "gemini-extension", 20)]
    {
        let compared = compared(peer, |world| world.starts_with(part));
        assert!(compared.worlds >= least, "{peer} was asked about plugins in {} worlds", compared.worlds);
        assert_eq!(compared.different, BTreeMap::new(), "{peer}");
        assert_eq!(compared.silent, BTreeSet::new(), "{peer}");
    }
}

/// The reference validator and `check --profile spec` accept and reject the same skills.
#[test]
fn the_reference_validator_judges_as_check_does() {
    let worlds = worlds::read(&peers_folder());
    let recorded = Recorded::read(&peers_folder(), "skills-ref");
    let spec = PROFILES.iter().find(|profile| profile.id == "spec").unwrap();
    let (mut asked, mut different) = (0, BTreeMap::new());
    for (name, answer) in &recorded.answers {
        let world = &worlds[name];
        let built = world.build();
        for case in &world.cases {
            let Some(folder) = &case.spec else { continue };
            let (files, _) = all_skill_files(&built.at.join(folder));
            let first = files.first().map(std::slice::from_ref).unwrap_or_default();
            let checked = check_files(first, spec, &|_: &Path| Vec::new(), |_, _| ());
            let ours = checked.first().is_some_and(|(checked, ())| checked.is_accepted());
            let theirs = answer.accepts[&case.name];
            asked += 1;
            if ours != theirs {
                let words = format!("it accepts: {theirs}, we accept: {ours}");
                different.insert((name.clone(), case.name.clone()), words);
            }
        }
    }
    judge("skills-ref", asked, 200, &different);
}

/// A world that was changed, or another version of a program, has to be asked again.
#[test]
fn the_recorded_answers_are_of_these_worlds_and_versions() {
    skillful_testkit::require_tool!("python3");
    let run = Command::new("python3").arg(peers_folder().join("record.py")).output().unwrap();
    assert!(
        run.status.success(),
        "{}{}",
        String::from_utf8_lossy(&run.stdout),
        String::from_utf8_lossy(&run.stderr)
    );
}
