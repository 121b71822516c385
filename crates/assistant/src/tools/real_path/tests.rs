use super::*;
use crate::{tool::Reach, tools::path_access::PathRules};
use proptest::prelude::*;
use skillful_runtime::room::Grants;
use std::{collections::BTreeMap, fs, os::unix::fs::symlink};

const WORDS: [&str; 14] = [
    "a",
    "b",
    "..",
    ".",
    "up",
    "skills",
    "deep",
    "self",
    ".agents",
    "skills",
    "new",
    "AGENTS.md",
    "dangling",
    "abs",
];

fn setup(root: &Path) -> PathBuf {
    let root = root.canonicalize().unwrap();
    let work = root.join("home/work");
    for folder in ["home/work/a/b", "home/work/.agents/skills/x", "home/.agents/skills/y", "outside/deep"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    fs::write(work.join("a/file"), "").unwrap();
    for (at, to) in [
        ("up", ".."),
        ("a/up", "../.."),
        ("skills", "../.agents/skills"),
        ("a/skills", "../.agents/skills/x"),
        ("deep", "a/b/../../skills"),
        ("self", "self"),
        ("a/b/abs", root.join("outside").to_str().unwrap()),
        ("dangling", ".agents/skills/none"),
        ("a/dangling", "../none/../.agents/skills/none"),
    ] {
        symlink(to, work.join(at)).unwrap();
    }
    root
}

proptest! {
    #[test]
    fn no_path_counts_for_less_than_where_it_really_leads(words in proptest::collection::vec(0..WORDS.len(), 1..8), rooted in 0..4_u8) {
        let folder = tempfile::tempdir().unwrap();
        let root = setup(folder.path());
        let grants = Grants::default();
        let env = ToolEnvironment {
            folder: root.join("home/work"),
            project: root.join("home/work"),
            home: root.join("home"),
            guarded: vec![root.join("home/.agents/skills"), root.join("home/work/.agents/skills")],
            guarded_names: vec![".agents/skills".into()],
            grants: &grants,
            environment: BTreeMap::new(),
            network: false,
            run: None,
            programs: None,
            search: None,
            cancel: skillful_llm::Cancel::default(),
        };
        let path: Vec<&str> = words.iter().map(|at| WORDS[*at]).collect();
        let word = match rooted {
            0 => format!("~/{}", path.join("/")),
            1 => format!("{}/{}", root.display(), path.join("/")),
            _ => path.join("/"),
        };
        let Ok(found) = resolve_argument(&env, &word) else { return Ok(()) };
        prop_assert!(found.is_absolute());
        // Where the kernel leads to, as far as it goes.
        let whole = match word.strip_prefix("~/") {
            Some(rest) => env.home.join(rest),
            None => env.folder.join(&word),
        };
        // `link/.` names the link itself to us, and nothing to the kernel where the link leads nowhere.
        let whole: PathBuf = whole.components().collect();
        let kernel = match (whole.canonicalize(), whole.parent(), whole.file_name()) {
            (Ok(there), ..) => there,
            (Err(_), Some(parent), Some(name)) if !whole.is_symlink() => match parent.canonicalize() {
                Ok(parent) => parent.join(name),
                Err(_) => return Ok(()),
            },
            _ => return Ok(()),
        };
        prop_assert_eq!(&found, &kernel);
        let rules = PathRules::of(&env);
        let skills = kernel.starts_with(&env.guarded[0]) || kernel.starts_with(&env.guarded[1]);
        if skills {
            prop_assert_eq!(rules.writing(&found).reach, Reach::Guarded);
        }
        if !kernel.starts_with(&env.project) {
            prop_assert!(rules.writing(&found).reach >= Reach::Beyond);
            prop_assert!(skills || rules.reading(&found).reach >= Reach::Beyond);
        }
    }

    #[test]
    fn no_word_is_too_odd_to_be_judged(word in any::<String>()) {
        let grants = Grants::default();
        let env = ToolEnvironment {
            folder: "/nowhere/work".into(),
            project: "/nowhere/work".into(),
            home: "/nowhere".into(),
            guarded: Vec::new(),
            guarded_names: vec![PathBuf::new()],
            grants: &grants,
            environment: BTreeMap::new(),
            network: false,
            run: None,
            programs: None,
            search: None,
            cancel: skillful_llm::Cancel::default(),
        };
        if let Ok(path) = resolve_argument(&env, &word) {
            let rules = PathRules::of(&env);
            let _printed = (rules.reading(&path), rules.writing(&path), display_path(&env, &path));
        }
    }
}
