//! D3: plugins and marketplaces.

use crate::fixture::{World, only, skill, told_of};
use skillful_catalog::{profile::Scope, settings::TrustMode};
use skillful_format::Code;

fn plugins() -> World {
    let mut world = World::new();
    world.settings.plugins = vec![world.folder("plugins")];
    world
}

fn addresses(world: &World) -> Vec<String> {
    world.build().entries.iter().map(skillful_catalog::Entry::address).collect()
}

#[test]
fn skills_and_commands_of_a_plugin_are_qualified_by_its_name() {
    for folder in [".claude-plugin", ".codex-plugin", ".cursor-plugin"] {
        let world = plugins();
        world.file(&format!("plugins/p/{folder}/plugin.json"), r#"{"name": "tools"}"#);
        world.skill("plugins/p/skills", "deploy");
        world.file("plugins/p/commands/greet.md", "Hello.\n");
        assert_eq!(addresses(&world), ["tools:deploy", "tools:greet"], "{folder}");
        assert_eq!(only(&world.build(), "tools:deploy").origin.scope, Scope::Plugin);
    }
}

#[test]
fn a_plugin_skill_never_collides_with_a_plain_name() {
    let world = plugins();
    world.file("plugins/p/.claude-plugin/plugin.json", r#"{"name": "tools"}"#);
    world.skill("plugins/p/skills", "deploy");
    world.skill("home/.alpha/skills", "deploy");
    assert_eq!(world.winner("deploy"), "home/.alpha/skills/deploy/SKILL.md");
    assert_eq!(world.winner("tools:deploy"), "plugins/p/skills/deploy/SKILL.md");
}

#[test]
fn a_manifest_may_name_each_command_with_its_file() {
    let world = plugins();
    world.file(
        "plugins/p/.claude-plugin/plugin.json",
        r#"{"name": "t", "commands": {"go": {"source": "./more/go.md"}, "out": {"source": "../out.md"}, "bad": 1}}"#,
    );
    world.file("plugins/p/more/go.md", "Go.\n");
    world.file("plugins/out.md", "Out.\n");
    assert_eq!(addresses(&world), ["t:go"]);
}

#[test]
fn a_manifest_may_name_further_folders_and_single_skills() {
    let world = plugins();
    world.file(
        "plugins/p/.claude-plugin/plugin.json",
        r#"{"name": "t", "skills": ["./more", "./one"], "commands": "./calls"}"#,
    );
    world.skill("plugins/p/skills", "usual");
    world.skill("plugins/p/more", "further");
    world.file("plugins/p/one/SKILL.md", skill("one", "a skill itself"));
    world.file("plugins/p/one/examples/SKILL.md", skill("example", "a file of `one`"));
    world.file("plugins/p/calls/go.md", "Go.\n");
    let mut found = addresses(&world);
    found.sort();
    assert_eq!(found, ["t:example", "t:further", "t:go", "t:one", "t:usual"]);
    // What lies in a skill is its own: it is listed, since some agents load it, and not loaded.
    let catalog = world.build();
    let skipped: Vec<String> = catalog
        .entries
        .iter()
        .filter(|entry| entry.origin.skipped.is_some())
        .map(skillful_catalog::Entry::address)
        .collect();
    assert_eq!(skipped, ["t:example"]);
}

#[test]
fn a_marketplace_lists_plugins_at_its_root_and_below() {
    let world = plugins();
    world.file(
        "plugins/m/.claude-plugin/marketplace.json",
        r#"{"name": "market", "plugins": [
            {"name": "whole", "source": "."},
            {"name": "docs", "source": "./", "skills": ["./skills/pdf"]},
            {"name": "inner", "source": "./plugins/x"},
            {"name": "fetched", "source": {"source": "github", "repo": "a/b"}}
        ]}"#,
    );
    world.skill("plugins/m/skills", "pdf");
    world.skill("plugins/m/skills", "xlsx");
    world.skill("plugins/m/plugins/x/skills", "deep");
    let catalog = world.build();
    assert_eq!(catalog.called("inner:deep").count(), 1);
    assert_eq!(catalog.called("fetched:deep").count(), 0);
    // One folder is one skill: `docs` comes first by name and keeps what it lists.
    assert_eq!(addresses(&world), ["docs:pdf", "inner:deep", "whole:xlsx"]);
    assert_eq!(only(&catalog, "docs:pdf").origin.also.len(), 1);
    assert_eq!(told_of(&catalog, Code::PluginManifest), Vec::<&skillful_format::Diagnostic>::new());
}

#[test]
fn the_base_folder_of_a_marketplace_is_read() {
    let world = plugins();
    world.file(
        "plugins/m/.claude-plugin/marketplace.json",
        r#"{"metadata": {"pluginRoot": "./plugins"}, "plugins": [{"name": "x", "source": "x"}]}"#,
    );
    world.skill("plugins/m/plugins/x/skills", "deep");
    assert_eq!(addresses(&world), ["x:deep"]);
}

#[test]
fn paths_that_leave_the_plugin_are_refused_with_a_diagnostic() {
    let cases = [
        ("parent", "plugin.json", r#"{"name": "p", "skills": ["../../outside"]}"#),
        ("hidden parent", "plugin.json", r#"{"name": "p", "skills": ["./a/../../../outside"]}"#),
        ("absolute", "plugin.json", r#"{"name": "p", "skills": ["/OUTSIDE"]}"#),
        ("link", "plugin.json", r#"{"name": "p", "skills": ["./linked"]}"#),
        ("command", "plugin.json", r#"{"name": "p", "commands": "../../outside"}"#),
        ("source", "marketplace.json", r#"{"plugins": [{"name": "p", "source": "../../outside"}]}"#),
        ("dotted source", "marketplace.json", r#"{"plugins": [{"name": "p", "source": "./../../outside"}]}"#),
        ("absolute source", "marketplace.json", r#"{"plugins": [{"name": "p", "source": "/OUTSIDE"}]}"#),
        ("linked source", "marketplace.json", r#"{"plugins": [{"name": "p", "source": "./linked"}]}"#),
    ];
    for (what, file, manifest) in cases {
        let world = plugins();
        world.skill("outside", "evil");
        world.skill("outside/skills", "evil-too");
        world.link("plugins/p/linked", "outside");
        let manifest = manifest.replace("/OUTSIDE", world.path("outside").to_str().unwrap());
        world.file(&format!("plugins/p/.claude-plugin/{file}"), manifest);
        let catalog = world.build();
        assert_eq!(catalog.entries.len(), 0, "{what}: {:?}", world.list());
        let told = told_of(&catalog, Code::PluginManifest);
        assert_eq!(told.len(), 1, "{what}: {told:?}");
        assert!(told[0].message.contains("leaves the plugin"), "{what}: {}", told[0].message);
    }
}

#[test]
fn a_manifest_that_cannot_be_used_is_reported_and_the_others_load() {
    let large = vec![b' '; (1 << 20) + 1];
    let cases: [(&str, &[u8]); 4] = [
        ("broken", b"{\"name\": "),
        ("not an object", b"[]"),
        ("not text", b"{\"name\": \"\xff\"}"),
        ("too large", &large),
    ];
    for (what, bytes) in cases {
        let world = plugins();
        world.file("plugins/bad/.claude-plugin/plugin.json", bytes);
        world.skill("plugins/bad/skills", "lost");
        world.file("plugins/good/.claude-plugin/plugin.json", r#"{"name": "good"}"#);
        world.skill("plugins/good/skills", "kept");
        let catalog = world.build();
        assert_eq!(addresses(&world), ["good:kept"], "{what}");
        let told = told_of(&catalog, Code::PluginManifest);
        assert_eq!(told.len(), 1, "{what}");
        assert_eq!(
            told[0].path.as_deref(),
            Some(&*world.path("plugins/bad/.claude-plugin/plugin.json")),
            "{what}"
        );
    }
}

#[test]
fn what_a_manifest_names_and_is_not_there_is_reported() {
    let world = plugins();
    world.file("plugins/p/.claude-plugin/plugin.json", r#"{"name": "p", "skills": ["./nowhere"]}"#);
    world.file(
        "plugins/m/.claude-plugin/marketplace.json",
        r#"{"plugins": [{"name": "q", "source": "./nowhere"}]}"#,
    );
    assert_eq!(told_of(&world.build(), Code::PluginManifest).len(), 2);
}

#[test]
fn a_name_that_cannot_qualify_gives_way_to_the_folders() {
    let long = "x".repeat(65);
    let cases = [("", 0), ("  ", 0), ("a:b", 1), ("a/b", 1), ("a\\nb", 1), (long.as_str(), 1)];
    for (name, told) in cases {
        let world = plugins();
        world.file("plugins/folder/.claude-plugin/plugin.json", format!(r#"{{"name": "{name}"}}"#));
        world.skill("plugins/folder/skills", "deploy");
        assert_eq!(addresses(&world), ["folder:deploy"], "`{name}`");
        assert_eq!(told_of(&world.build(), Code::PluginManifest).len(), told, "`{name}`");
    }
    let world = plugins();
    let (plugin, name) = ("p".repeat(64), "s".repeat(64));
    world.file("plugins/folder/.claude-plugin/plugin.json", format!(r#"{{"name": "{plugin}"}}"#));
    world.skill("plugins/folder/skills", &name);
    assert_eq!(addresses(&world), [format!("{plugin}:{name}")]);
}

#[test]
fn a_repository_that_is_a_plugin_needs_trust_like_any_other() {
    let mut world = World::with(&[("repo/.claude-plugin/plugin.json", r#"{"name": "own"}"#)]);
    world.skill("repo/skills", "deploy");
    assert_eq!(world.list(), ["own:deploy available repo/skills/deploy/SKILL.md"]);
    world.settings.trust = TrustMode::Ask;
    assert_eq!(world.list(), ["own:deploy untrusted repo/skills/deploy/SKILL.md"]);
}

#[test]
fn linked_plugins_are_found_and_cycles_of_links_end() {
    let world = plugins();
    world.file("elsewhere/p/.claude-plugin/plugin.json", r#"{"name": "dev"}"#);
    world.skill("elsewhere/p/skills", "deploy");
    world.link("plugins/dev", "elsewhere/p");
    world.link("plugins/a/loop", "plugins/a");
    world.link("plugins/b/up", "plugins");
    assert_eq!(addresses(&world), ["dev:deploy"]);
}

#[test]
fn plugins_are_found_below_marketplace_and_version_folders() {
    let world = plugins();
    world.file("plugins/cache/market/tools/1.2.3/.claude-plugin/plugin.json", r#"{"name": "tools"}"#);
    world.skill("plugins/cache/market/tools/1.2.3/skills", "deploy");
    assert_eq!(addresses(&world), ["tools:deploy"]);
}
