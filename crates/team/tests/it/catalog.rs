//! Sources and the catalog, with real git repositories and an index on loopback.

use crate::world::{World, files, own};
use serde_json::json;
use skillful_format::digest_bytes;
use skillful_team::{
    Actor, Outbound, Role, Scope, Team,
    catalog::{CatalogInstall, CatalogReport},
    sources::{SourceInput, SourceRecord},
    versions::VersionState,
};
use skillful_testkit::{FileServer, GitServer, Served, has_tool};

crate::on_both!(
    of_three_sources_a_dead_one_hides_no_other_and_nothing_is_written,
    what_is_installed_from_the_catalog_is_in_what_no_user_gets,
    a_change_of_a_script_is_an_update_and_one_that_can_do_more_waits,
    sources_are_checked_when_they_are_saved,
    a_source_or_a_redirect_to_a_private_address_is_refused,
);

/// The same team, which may fetch from this machine.
fn local(team: &Team) -> Team {
    let program_path = std::env::var("PATH").unwrap();
    team.clone().with_outbound(Outbound { private_addresses: true, program_path, ..Default::default() })
}

fn skill(name: &str, more: &str) -> String {
    format!("---\nname: {name}\ndescription: Does {name}. Use when asked.\n{more}---\n\nText.\n")
}

async fn source(team: &Team, admin: &Actor, label: &str, address: &str) -> SourceRecord {
    let input = SourceInput {
        label: Some(label.to_owned()),
        address: address.to_owned(),
        reference: String::new(),
        enabled: true,
    };
    team.create_source(admin, &input).await.unwrap()
}

fn index(name: &str) -> FileServer {
    let tree = files(&[("SKILL.md", &skill(name, ""))]);
    let bytes = skillful_archive::write_tar_gz_bare(&tree).unwrap();
    let text = json!({
        "$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
        "skills": [{ "name": name, "type": "archive", "description": "d", "url": "/a.tar.gz", "digest": digest_bytes(&bytes) }],
    });
    FileServer::with(move |path| match path {
        "/.well-known/agent-skills/index.json" => {
            Served::File("application/json", text.to_string().into_bytes())
        }
        "/a.tar.gz" => Served::File("application/gzip", bytes.clone()),
        _ => Served::Status(404),
    })
}

fn found<'a>(report: &'a CatalogReport, name: &str) -> &'a skillful_team::catalog::CatalogItem {
    report.items.iter().find(|item| item.name == name).unwrap_or_else(|| panic!("{name}: {report:#?}"))
}

fn install(source: &SourceRecord, name: &str, scope: &str) -> CatalogInstall {
    CatalogInstall {
        source_id: source.id.clone(),
        name: name.to_owned(),
        tree: None,
        scope: Some(scope.to_owned()),
        group: None,
    }
}

async fn of_three_sources_a_dead_one_hides_no_other_and_nothing_is_written(world: World) {
    if !has_tool("git") {
        return;
    }
    let team = local(&world.team);
    let (admin, ada) = (world.user("admin", &[Role::OrgAdmin]).await, world.user("ada", &[]).await);
    let git = GitServer::folder(world.folder.path().join("git"));
    std::fs::create_dir_all(world.folder.path().join("git")).unwrap();
    let commit = git.commit(
        "skills.git",
        &[
            ("pdf/SKILL.md", &skill("pdf", "")),
            ("deep/in/notes/SKILL.md", &skill("notes", "")),
            ("README.md", "not a skill"),
        ],
    );
    git.commit("single.git", &[("SKILL.md", &skill("single", ""))]);
    let index = index("from-index");
    source(&team, &admin, "git", &git.url("skills.git")).await;
    source(&team, &admin, "single", &format!("git+{}", git.url("single.git"))).await;
    source(&team, &admin, "index", &index.url()).await;
    let dead = source(&team, &admin, "dead", "http://127.0.0.1:9/gone.git").await;
    let before = team.last_change().await.unwrap();
    let report = team.catalog(&ada, false).await.unwrap();
    let names: Vec<&str> = report.items.iter().map(|item| item.name.as_str()).collect();
    assert_eq!(names, ["from-index", "notes", "pdf", "single"], "{report:#?}");
    assert_eq!(report.errors.len(), 1);
    assert_eq!(report.errors[0].source_id, dead.id);
    assert!(!report.errors[0].message.is_empty());
    let pdf = found(&report, "pdf");
    assert_eq!(pdf.commit.as_deref(), Some(commit.as_str()));
    assert_eq!(pdf.folder.as_deref(), Some("pdf"));
    assert!(pdf.tree.is_some() && pdf.installed.is_none() && !pdf.update_available);
    assert_eq!(team.last_change().await.unwrap(), before, "reading the catalog writes nothing");
    assert_eq!(team.objects().list().await.unwrap().len(), 0);
    // A second request does not ask the sources again; an administrator may.
    let asked = index.asked().len();
    team.catalog(&ada, false).await.unwrap();
    assert_eq!(index.asked().len(), asked);
    team.catalog(&admin, true).await.unwrap();
    assert!(index.asked().len() > asked);
    assert!(team.catalog(&ada, true).await.is_err());
    let checked = team.check_source(&admin, &dead.id).await.unwrap();
    assert!(!checked.error.is_empty() && checked.checked.is_some());
}

async fn what_is_installed_from_the_catalog_is_in_what_no_user_gets(world: World) {
    if !has_tool("git") {
        return;
    }
    let team = local(&world.team);
    let admin = world.user("admin", &[Role::OrgAdmin]).await;
    let (ada, rita) = (world.user("ada", &[]).await, world.user("rita", &[Role::Reviewer]).await);
    std::fs::create_dir_all(world.folder.path().join("git")).unwrap();
    let git = GitServer::folder(world.folder.path().join("git"));
    let commit = git.commit("skills.git", &[("pdf/SKILL.md", &skill("pdf", ""))]);
    let kept = source(&team, &admin, "git", &git.url("skills.git")).await;
    let own_one = team.install_from_catalog(&ada, &install(&kept, "pdf", "own")).await.unwrap();
    assert_eq!(own_one.outcome, "installed");
    let stored = own_one.stored;
    assert_eq!((stored.skill.source.as_str(), stored.version.state), ("catalog", VersionState::Pending));
    assert!(stored.skill.source_id.ends_with("skills.git:pdf"), "{}", stored.skill.source_id);
    assert_eq!(stored.skill.source_version, format!("{commit} {}", stored.version.tree));
    let org = team.install_from_catalog(&admin, &install(&kept, "pdf", "org")).await.unwrap();
    assert!(org.stored.proposal.is_some(), "a skill for others waits for a review");
    for user in [&ada, &admin, &rita] {
        assert_eq!(team.effective(user).await.unwrap(), [], "in what no user gets");
    }
    let again = team.install_from_catalog(&ada, &install(&kept, "pdf", "own")).await.unwrap();
    assert_eq!(again.outcome, "already-installed");
    let report = team.catalog(&ada, false).await.unwrap();
    assert!(found(&report, "pdf").installed.is_some());
    // The owner agrees to exactly the files that were shown.
    let id = &stored.skill.id;
    assert!(team.agree(&ada, id, 1, "sha256:other").await.is_err());
    team.agree(&ada, id, 1, &stored.version.tree).await.unwrap();
    let effective = team.effective(&ada).await.unwrap();
    assert!(effective.iter().any(|one| one.skill.id == *id && one.is_on), "{effective:#?}");
    assert!(team.install_from_catalog(&ada, &install(&kept, "pdf", "org")).await.is_err());
    // What was installed stays when its source goes.
    team.delete_source(&admin, &kept.id).await.unwrap();
    assert!(team.skill(&ada, id).await.is_ok());
    assert_eq!(team.catalog(&ada, false).await.unwrap().items, []);
}

async fn a_change_of_a_script_is_an_update_and_one_that_can_do_more_waits(world: World) {
    if !has_tool("git") {
        return;
    }
    let team = local(&world.team);
    let (admin, ada) = (world.user("admin", &[Role::OrgAdmin]).await, world.user("ada", &[]).await);
    std::fs::create_dir_all(world.folder.path().join("git")).unwrap();
    let git = GitServer::folder(world.folder.path().join("git"));
    let script = "#!/bin/sh\necho one\n";
    git.commit(
        "s.git",
        &[("pdf/SKILL.md", &skill("pdf", "allowed-tools: Read\n")), ("pdf/scripts/run.sh", script)],
    );
    let kept = source(&team, &admin, "git", &git.url("s.git")).await;
    let first = team.install_from_catalog(&ada, &install(&kept, "pdf", "own")).await.unwrap().stored;
    let id = first.skill.id;
    team.agree(&ada, &id, 1, &first.version.tree).await.unwrap();
    // Only the text changes: it can do no more than before, so that it is served.
    let text = skill("pdf", "allowed-tools: Read\n").replace("Text.", "Another text.");
    git.commit("s.git", &[("pdf/SKILL.md", &text), ("pdf/scripts/run.sh", script)]);
    team.catalog(&admin, true).await.unwrap();
    let updated = team.install_from_catalog(&ada, &install(&kept, "pdf", "own")).await.unwrap();
    assert_eq!((updated.outcome.as_str(), updated.stored.skill.default_version), ("updated", Some(2)));
    assert!(!found(&team.catalog(&ada, false).await.unwrap(), "pdf").update_available);
    // Only a script changes: the update is shown.
    git.commit("s.git", &[("pdf/SKILL.md", &text), ("pdf/scripts/run.sh", "#!/bin/sh\necho two\n")]);
    team.catalog(&admin, true).await.unwrap();
    let report = team.catalog(&ada, false).await.unwrap();
    assert!(found(&report, "pdf").update_available, "{report:#?}");
    // A tool more.
    let more = skill("pdf", "allowed-tools: Read, Bash(curl:*)\n");
    git.commit("s.git", &[("pdf/SKILL.md", &more), ("pdf/scripts/run.sh", script)]);
    team.catalog(&admin, true).await.unwrap();
    let grown = team.install_from_catalog(&ada, &install(&kept, "pdf", "own")).await.unwrap().stored;
    assert_eq!((grown.version.number, grown.version.state), (3, VersionState::Pending));
    let served = team.effective(&ada).await.unwrap();
    assert_eq!(served[0].version.number, 2, "the old one is served");
    team.agree(&ada, &id, 3, &grown.version.tree).await.unwrap();
    assert_eq!(team.effective(&ada).await.unwrap()[0].version.number, 3);
    assert_eq!(own(&ada), grown.skill.scope);
}

async fn sources_are_checked_when_they_are_saved(world: World) {
    let team = &world.team;
    let (admin, ada) = (world.user("admin", &[Role::OrgAdmin]).await, world.user("ada", &[]).await);
    let input =
        |address: &str| SourceInput { address: address.to_owned(), enabled: true, ..Default::default() };
    for (address, why) in [
        ("/etc/skills", "an https address"),
        ("./skills", "an https address"),
        ("~/skills", "an https address"),
        ("file:///srv/skills.git", "an https address"),
        ("git@github.com:o/r.git", "an https address"),
        ("starter:", "an https address"),
        ("registry:pdf", "an https address"),
        ("https://example.org/a.zip", "not one archive"),
        ("https://user:secret@example.org/r.git", "secret"),
    ] {
        let refused = team.create_source(&admin, &input(address)).await.unwrap_err().to_string();
        assert!(refused.contains(why) || why == "secret" && !refused.contains(why), "{address}: {refused}");
    }
    let kept = team.create_source(&admin, &input("acme/skills")).await.unwrap();
    assert_eq!((kept.address.as_str(), kept.label.as_str()), ("github:acme/skills", "github:acme/skills"));
    let twice = team.create_source(&admin, &input("acme/skills")).await.unwrap_err();
    assert!(twice.to_string().contains("label"), "{twice}");
    let change = SourceInput { reference: "v1".to_owned(), enabled: false, ..input("acme/skills") };
    let changed = team.change_source(&admin, &kept.id, &change).await.unwrap();
    assert_eq!((changed.reference.as_str(), changed.enabled), ("v1", false));
    assert_eq!(team.catalog(&ada, false).await.unwrap().errors, [], "one that is off is not asked");
    assert!(team.create_source(&ada, &input("acme/other")).await.is_err());
    assert!(team.sources(&ada).await.is_err());
    let listed = team.clone().with_outbound(Outbound {
        source_hosts: ["git.example.org".to_owned()].into(),
        ..Default::default()
    });
    let refused = listed.create_source(&admin, &input("acme/third")).await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "`github.com` is not a host that this server may use; it may use git.example.org"
    );
    let entries = team.audit_log(&admin, None, &kept.id, "").await.unwrap();
    assert_eq!(
        entries.iter().map(|entry| entry.action.as_str()).collect::<Vec<_>>(),
        ["source.change", "source.create"]
    );
}

async fn a_source_or_a_redirect_to_a_private_address_is_refused(world: World) {
    let team = &world.team;
    let admin = world.user("admin", &[Role::OrgAdmin]).await;
    let input =
        |address: &str| SourceInput { address: address.to_owned(), enabled: true, ..Default::default() };
    for address in [
        "https://127.0.0.1/skills.git",
        "https://10.0.0.7/skills",
        "https://169.254.169.254/latest",
        "https://[::1]/skills.git",
        "https://[fd00::1]/skills",
        "https://localhost/skills",
        "http://127.0.0.1:8080/skills.git",
    ] {
        let refused = team.create_source(&admin, &input(address)).await.unwrap_err().to_string();
        assert!(refused.contains("private network") || refused.contains("use https"), "{address}: {refused}");
    }
    // An index of an allowed address that leads elsewhere.
    let inside = index("inner");
    let target = inside.url();
    let leads = FileServer::with(move |path| Served::Redirect(format!("{target}{path}")));
    let open = local(team);
    let kept = source(&open, &admin, "leads", &leads.url()).await;
    let report = open.catalog(&admin, false).await.unwrap();
    assert_eq!(report.items, []);
    assert_eq!(report.errors[0].source_id, kept.id);
    assert!(report.errors[0].message.contains("leads to another host"), "{report:#?}");
    assert_eq!(inside.asked(), Vec::<String>::new());
    // What was saved while more was allowed is refused when it is fetched.
    let strict = team.catalog(&admin, true).await.unwrap();
    assert_eq!((strict.items.len(), strict.errors.len()), (0, 1), "{strict:#?}");
    assert!(matches!(own(&admin), Scope::Own(_)));
}
