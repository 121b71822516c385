use super::*;
use Reach::{Beyond, Guarded, Machine, Nothing, Project};

fn rules() -> PathRules {
    let paths = |all: &[&str]| all.iter().map(PathBuf::from).collect();
    PathRules {
        project: Some("/home/me/work".into()),
        readable: paths(&["/data/in"]),
        writable: paths(&["/data/out"]),
        guarded: paths(&["/home/me/.agents/skills", "/home/me/work/.agents/skills"]),
        names: guarded_names(&crate::project::guarded_names(&skillful_catalog::AgentProfiles::embedded())),
        home: "/home/me".into(),
    }
}

#[test]
fn reach_depends_on_the_real_path() {
    for (path, reading, writing) in [
        ("/home/me/work", Nothing, Project),
        ("/home/me/work/src/a.rs", Nothing, Project),
        ("/home/me/workshop/a.rs", Beyond, Machine),
        ("/home/me/notes", Beyond, Machine),
        ("/", Beyond, Machine),
        ("/etc/passwd", Beyond, Machine),
        ("/data/in/x", Nothing, Machine),
        ("/data/out/x", Nothing, Project),
        ("/home/me/.agents/skills/x/SKILL.md", Nothing, Guarded),
        ("/home/me/work/.agents/skills", Nothing, Guarded),
        ("/home/me/work/.AGENTS/Skills/x", Nothing, Guarded),
        ("/home/me/work/.agents/\u{17f}kills/x", Nothing, Guarded),
        ("/home/me/work/.agents/sk\u{200d}ills/x", Nothing, Guarded),
        ("/home/me/work/deep/er/.claude/commands/x.md", Nothing, Guarded),
        ("/home/me/work/agents/other", Nothing, Project),
        ("/home/me/work/skills/x", Nothing, Project),
        ("/elsewhere/.agents/skills/x", Beyond, Guarded),
        ("/home/me/work/AGENTS.md", Nothing, Guarded),
        ("/home/me/work/sub/claude.MD", Nothing, Guarded),
        ("/home/me/work/.cursorrules", Nothing, Guarded),
        ("/home/me/work/.git/hooks/pre-commit", Nothing, Guarded),
        ("/home/me/work/.git/config", Nothing, Guarded),
        ("/home/me/work/.git", Nothing, Guarded),
        ("/home/me/work/.git/commondir", Nothing, Guarded),
        ("/home/me/work/sub/.git/hooks/post-checkout", Nothing, Guarded),
        ("/home/me/work/.claude/settings.json", Nothing, Guarded),
        ("/home/me/work/.claude/settings.local.json", Nothing, Guarded),
        ("/home/me/work/.mcp.json", Nothing, Guarded),
        ("/home/me/work/.vscode/tasks.json", Nothing, Guarded),
        ("/home/me/work/.vscode/settings.json", Nothing, Guarded),
        ("/home/me/work/.idea/workspace.xml", Nothing, Guarded),
        ("/home/me/work/.envrc", Guarded, Guarded),
        ("/home/me/work/.husky/pre-commit", Nothing, Guarded),
        ("/home/me/work/.devcontainer/devcontainer.json", Nothing, Guarded),
        ("/home/me/work/.github/copilot-instructions.md", Nothing, Guarded),
        ("/home/me/work/.github/workflows/ci.yml", Nothing, Project),
        ("/home/me/work/.windsurfrules", Nothing, Guarded),
        ("/home/me/work/opencode.json", Nothing, Guarded),
        ("/home/me/work/.gitignore", Nothing, Project),
        ("/home/me/work/.gitattributes", Nothing, Project),
        ("/home/me/work/.git/COMMIT_EDITMSG", Nothing, Guarded),
        ("/home/me/work/.env", Guarded, Machine),
        ("/home/me/work/.env.production", Guarded, Machine),
        ("/home/me/work/.env.example", Nothing, Project),
        ("/home/me/work/certs/a.PEM", Guarded, Machine),
        ("/home/me/.ssh/id_ed25519.pub", Guarded, Machine),
        ("/home/me/work/id_rsa", Guarded, Machine),
        ("/data/in/.aws/config", Guarded, Machine),
        ("/home/me/.agents/skills/x/.env", Guarded, Guarded),
    ] {
        let path = Path::new(path);
        let found = (rules().reading(path).reach, rules().writing(path).reach);
        assert_eq!(found, (reading, writing), "{}", path.display());
    }
}

#[test]
fn a_wider_reach_has_a_reason() {
    let why = |path: &str| rules().writing(Path::new(path)).why;
    assert_eq!(why("/home/me/work/AGENTS.md"), Some("it instructs agents"));
    assert_eq!(why("/home/me/work/a"), None);
    assert_eq!(rules().reading(Path::new("/home/me/work/.env")).why, Some("it may hold keys"));
}

#[test]
fn the_kernels_own_paths_are_known() {
    assert!(is_kernel(Path::new("/proc/1/environ")) && is_kernel(Path::new("/dev/null")));
    assert!(!is_kernel(Path::new("/process")));
}
