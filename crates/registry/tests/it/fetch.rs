use crate::fixture::{skill, tree};
use skillful_catalog::disk::write_folder;
use skillful_format::Code;
use skillful_registry::{
    Source,
    fetch::{Bounds, FetchError, Fetched, GitError, Outside, Web, fetch},
    source::Ref,
};
use skillful_testkit::{require_tool, wait_until, write_program};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn outside(&self) -> Outside {
        Outside {
            base: self.folder.path().to_path_buf(),
            home: self.path("home"),
            variables: BTreeMap::from([("PATH".to_owned(), std::env::var("PATH").unwrap_or_default())]),
            scratch: self.path("scratch"),
            bounds: Bounds::default(),
            web: Web::default(),
        }
    }

    fn fetch(&self, text: &str) -> Result<Fetched, FetchError> {
        let source: Source = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        let fetched = fetch(&source, None, &self.outside());
        let left = fs::read_dir(self.path("scratch")).map_or(0, Iterator::count);
        assert_eq!(left, 0, "a fetch left something behind");
        fetched
    }

    /// The address of a repository with what `fill` puts into its folder, committed.
    fn repository(&self, name: &str, fill: impl Fn(&Path)) -> String {
        let folder = self.path(name);
        fs::create_dir_all(&folder).unwrap();
        git(&folder, &["init", "-q", "-b", "main", "."]);
        fill(&folder);
        git(&folder, &["add", "-A", "-f"]);
        git(&folder, &["commit", "-q", "--no-verify", "-m", "x"]);
        format!("file://{}", folder.display())
    }
}

fn git(folder: &Path, args: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"])
        .args(args)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn names(fetched: &Fetched) -> Vec<String> {
    fetched
        .skills
        .iter()
        .map(|found| format!("{} {}", found.name, found.folder.as_ref().map_or(".", |f| f.as_str())))
        .collect()
}

#[test]
fn a_path_gives_one_skill_or_all_below_it() {
    let world = World::new();
    write_folder(&skill("one", "a"), &world.path("lib/one")).unwrap();
    write_folder(&skill("two", "b"), &world.path("lib/deep/two")).unwrap();
    let all = world.fetch("./lib").unwrap();
    assert_eq!(names(&all), ["one one", "two deep/two"]);
    assert_eq!(all.skills[0].tree, skill("one", "a"));
    assert!(all.skills[0].capabilities.iter().any(|one| one.starts_with("brings file scripts/")));
    assert_eq!(names(&world.fetch("./lib/one").unwrap()), ["one ."]);
    assert_eq!(names(&world.fetch("./lib/one/SKILL.md").unwrap()), ["one ."]);
    assert!(matches!(world.fetch("./nothing"), Err(FetchError::Disk { .. })));
    fs::create_dir(world.path("empty")).unwrap();
    assert!(matches!(world.fetch("./empty"), Err(FetchError::NoSkill { .. })));
}

#[test]
fn an_archive_gives_the_same_tree_and_its_own_digest() {
    let world = World::new();
    let one = skill("one", "a");
    for (name, bytes) in [
        ("x.zip", skillful_archive::write_zip(&one, "one")),
        ("x.tar.gz", skillful_archive::write_tar_gz(&one, "one")),
    ] {
        let bytes = bytes.unwrap();
        fs::write(world.path(name), &bytes).unwrap();
        let fetched = world.fetch(&format!("./{name}")).unwrap();
        assert_eq!(fetched.skills[0].tree, one);
        assert_eq!(fetched.skills[0].artefact, Some(skillful_format::digest_bytes(&bytes)));
    }
    fs::write(world.path("bad.zip"), b"PK\x03\x04 no").unwrap();
    assert!(matches!(world.fetch("./bad.zip"), Err(FetchError::Package { .. })));
}

#[test]
fn what_a_skill_never_has_is_skipped_and_reported() {
    let world = World::new();
    write_folder(&skill("one", "a"), &world.path("one")).unwrap();
    fs::write(world.path("secret"), "s").unwrap();
    std::os::unix::fs::symlink(world.path("secret"), world.path("one/leak")).unwrap();
    fs::write(world.path("one/vars.json"), "{}").unwrap();
    let found = world.fetch("./one").unwrap().skills.remove(0);
    assert_eq!(found.tree, skill("one", "a"));
    let codes: Vec<Code> = found.diagnostics.iter().map(|told| told.code).collect();
    assert_eq!(codes, [Code::LinkSkipped, Code::EntrySkipped]);
}

#[test]
fn two_skills_of_one_name_are_refused_rather_than_one_selected() {
    let world = World::new();
    write_folder(&skill("pdf", "a"), &world.path("lib/a")).unwrap();
    write_folder(&skill("PDF", "b"), &world.path("lib/b")).unwrap();
    assert!(matches!(world.fetch("./lib"), Err(FetchError::SameName { .. })));
    // They do not hide the other skills of the source, and each is reported with its folder.
    write_folder(&skill("csv", "c"), &world.path("lib/c")).unwrap();
    let fetched = world.fetch("./lib").unwrap();
    assert_eq!(names(&fetched), ["csv c"]);
    let refused: Vec<_> = fetched.refused.iter().map(|one| one.folder.as_str()).collect();
    assert_eq!(refused, ["a", "b"]);
    assert_eq!(fetched.diagnostics.len(), 2, "{:?}", fetched.diagnostics);
    assert_eq!(names(&world.fetch("./lib#@pdf").unwrap()), ["pdf a"]);
    // A copy with the same bytes is the same skill.
    write_folder(&skill("csv", "c"), &world.path("lib/plugins/c")).unwrap();
    assert_eq!(names(&world.fetch("./lib").unwrap()), ["csv c"]);
    // Names that elsewhere become one and the same stand-in.
    write_folder(&skill("技能", "a"), &world.path("other/a")).unwrap();
    write_folder(&skill("навык", "b"), &world.path("other/b")).unwrap();
    assert_eq!(names(&world.fetch("./other").unwrap()), ["навык b", "技能 a"]);
}

#[test]
fn a_repository_gives_its_skills_with_the_commit() {
    require_tool!("git");
    let world = World::new();
    let address = world.repository("repo", |folder| {
        write_folder(&skill("one", "a"), &folder.join("skills/one")).unwrap();
        write_folder(&skill("two", "b"), &folder.join("skills/two")).unwrap();
        write_folder(&tree(&[("SKILL.md", "inner")]), &folder.join("skills/two/examples/x")).unwrap();
    });
    let head = git(&world.path("repo"), &["rev-parse", "HEAD"]);
    let all = world.fetch(&address).unwrap();
    assert_eq!(names(&all), ["one skills/one", "two skills/two"]);
    assert_eq!(all.skills[0].tree, skill("one", "a"));
    assert_eq!(all.resolved.commit, Some(head));
    assert_eq!(names(&world.fetch(&format!("{address}#@two")).unwrap()), ["two skills/two"]);
    assert_eq!(names(&world.fetch(&format!("{address}#main:skills/one")).unwrap()), ["one skills/one"]);
    let missing = world.fetch(&format!("{address}#@three")).unwrap_err();
    assert!(missing.to_string().contains("one, two"), "{missing}");
    for (part, fault) in [("#:nowhere", "no folder `nowhere`"), ("#no-such-branch", "could not fetch")] {
        let error = world.fetch(&format!("{address}{part}")).unwrap_err().to_string();
        assert!(error.contains(fault), "{error}");
    }
}

#[test]
fn a_branch_a_tag_and_a_commit_are_fetched_and_a_lock_gets_its_commit_again() {
    require_tool!("git");
    let world = World::new();
    let address = world.repository("repo", |folder| {
        write_folder(&skill("one", "old"), &folder.join("one")).unwrap();
    });
    let repo = world.path("repo");
    let old = git(&repo, &["rev-parse", "HEAD"]);
    git(&repo, &["tag", "-a", "v1", "-m", "x"]);
    fs::remove_dir_all(repo.join("one")).unwrap();
    write_folder(&skill("one", "new"), &repo.join("one")).unwrap();
    git(&repo, &["commit", "-q", "-am", "y"]);
    assert_eq!(world.fetch(&address).unwrap().skills[0].tree, skill("one", "new"));
    for reference in ["v1", old.as_str()] {
        let fetched = world.fetch(&format!("{address}#{reference}")).unwrap();
        assert_eq!(fetched.skills[0].tree, skill("one", "old"));
        assert_eq!(fetched.resolved.commit.as_deref(), Some(old.as_str()));
    }
    let pinned = Ref::new(&old).unwrap();
    let again = fetch(&format!("{address}#main").parse().unwrap(), Some(&pinned), &world.outside()).unwrap();
    assert_eq!(again.skills[0].tree, skill("one", "old"));
}

#[test]
fn nothing_of_a_repository_runs_and_its_links_and_submodules_stay_outside() {
    require_tool!("git");
    let world = World::new();
    let marker = world.path("ran");
    let inner = world.repository("inner", |folder| fs::write(folder.join("x"), "x").unwrap());
    let address = world.repository("repo", |folder| {
        write_folder(&skill("one", "a"), &folder.join("one")).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", folder.join("one/leak")).unwrap();
        fs::write(folder.join(".gitattributes"), "* filter=evil\n").unwrap();
        git(folder, &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &inner, "one/sub"]);
    });
    let repo = world.path("repo");
    let touch = format!("touch '{}'", marker.display());
    git(&repo, &["config", "filter.evil.smudge", &touch]);
    for hook in ["post-checkout", "pre-auto-gc", "reference-transaction", "post-index-change"] {
        let file = repo.join(".git/hooks").join(hook);
        write_program(&file, &format!("#!/bin/sh\n{touch}\n"));
    }
    // A user's own configuration has no say either.
    fs::create_dir_all(world.path("home")).unwrap();
    let config = format!("[core]\n\tfsmonitor = {touch}\n[init]\n\ttemplateDir = /nowhere\n");
    fs::write(world.path("home/.gitconfig"), config).unwrap();
    let found = world.fetch(&address).unwrap().skills.remove(0);
    assert_eq!(found.tree, skill("one", "a"));
    let told: Vec<&str> = found.diagnostics.iter().map(|told| told.message.as_str()).collect();
    assert_eq!(
        told,
        [
            "`leak` is a link and not part of the skill",
            "`sub` is another repository and not part of the skill"
        ]
    );
    assert!(!marker.exists(), "a program of the repository ran");
}

#[test]
fn a_skill_that_cannot_be_taken_over_whole_is_refused() {
    require_tool!("git");
    let world = World::new();
    let address = world.repository("repo", |folder| {
        write_folder(&skill("one", "a"), &folder.join("one")).unwrap();
        let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n";
        fs::write(folder.join("one/model.bin"), pointer).unwrap();
    });
    let error = world.fetch(&address).unwrap_err();
    assert!(matches!(&error, FetchError::Unusable { why, .. } if why.contains("model.bin")), "{error}");
    let address = world.repository("clash", |folder| {
        write_folder(&skill("one", "a"), &folder.join("one")).unwrap();
        fs::write(folder.join("one/skill.MD"), "x").unwrap();
    });
    assert!(matches!(world.fetch(&address), Err(FetchError::Unusable { .. })));
    // It does not hide the other skills of its repository.
    let address = world.repository("several", |folder| {
        write_folder(&skill("one", "a"), &folder.join("one")).unwrap();
        fs::write(folder.join("one/skill.MD"), "x").unwrap();
        write_folder(&skill("two", "b"), &folder.join("two")).unwrap();
    });
    let fetched = world.fetch(&address).unwrap();
    assert_eq!(names(&fetched), ["two two"]);
    assert_eq!(fetched.refused[0].folder, "one");
    assert!(matches!(world.fetch(&format!("{address}#@one")), Err(FetchError::Unusable { .. })));
}

#[test]
fn a_fetch_ends_at_its_bounds() {
    require_tool!("git");
    let world = World::new();
    let address = world.repository("repo", |folder| {
        write_folder(&skill("one", "a"), &folder.join("one")).unwrap();
    });
    let source: Source = address.parse().unwrap();
    let with = |bounds| fetch(&source, None, &Outside { bounds, ..world.outside() });
    let many = with(Bounds { files: 2, ..Bounds::default() });
    assert!(matches!(many, Err(FetchError::Git(GitError::TooManyFiles(2)))), "{many:?}");
}

#[test]
fn a_git_that_hangs_or_brings_too_much_is_ended_with_its_children() {
    let world = World::new();
    let programs = world.path("programs");
    let pids = world.path("pids");
    let script = format!(
        "#!/bin/sh\n/bin/sleep 600 &\necho $$ $! > '{}'\nprintf '%05000d' 0 > large\nwait\n",
        pids.display()
    );
    write_program(&programs.join("git"), &script);
    let variables = BTreeMap::from([("PATH".to_owned(), programs.display().to_string())]);
    let with = |bounds| {
        let outside = Outside { bounds, variables: variables.clone(), ..world.outside() };
        fetch(&"file:///x".parse().unwrap(), None, &outside).unwrap_err()
    };
    let slow = with(Bounds { seconds: 2, ..Bounds::default() });
    assert!(matches!(slow, FetchError::Git(GitError::TooSlow { seconds: 2, .. })), "{slow}");
    let large = with(Bounds { seconds: 500, bytes: 1000, ..Bounds::default() });
    assert!(matches!(large, FetchError::Git(GitError::TooLarge(1000))), "{large}");
    for pid in fs::read_to_string(pids).unwrap().split_whitespace() {
        // The system may take a moment over it.
        let is_there = || {
            let state = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            !state.is_empty() && !state.contains(") Z ") && !state.contains(") X ")
        };
        wait_until(&format!("{pid} is gone"), || !is_there());
    }
}
