//! What an agent loads is the same whether its files are opened for it or were opened for the catalog.

use super::*;

#[test]
fn every_agent_reads_a_file_that_was_opened_before_as_it_reads_the_file() {
    let long = format!("---\nname: long\ndescription: {}\n---\nText.\n", "word ".repeat(300));
    let texts = [
        ("plain", "---\nname: plain\ndescription: One.\n---\n# Title\n\nText.\n"),
        ("other", "---\nname: another\ndescription: Two.\nhide: true\n---\nText.\n"),
        ("bare", "# Title\n\nText.\n"),
        ("empty", ""),
        ("nothing", "---\n---\nname: x\ndescription: y\n---\n"),
        ("without", "---\nname: without\n---\n# The first line\n\nThe second.\n"),
        ("blank", "---\nname: blank\ndescription: \"\"\n---\nThe first line.\n"),
        ("listed", "---\nname: listed\ndescription: [a]\n---\nThe first line.\n"),
        ("windows", "---\r\nname: windows\r\ndescription: Three.\r\n---\r\nText.\r\n"),
        ("return", "---\nname: return\ndescription: Four.\n---\nText.\rMore.\n"),
        ("mark", "\u{feff}---\nname: mark\ndescription: Five.\n---\nText.\n"),
        ("spaces", "--- \nname: spaces\ndescription: Six.\n---\t\nText.\n"),
        ("quoted", "---\nname: quoted\ndescription: \"a\n---\n  b\"\n---\nText.\n---\nMore.\n"),
        ("twice", "---\nname: twice\n---\n---\ndescription: Seven.\n---\nText.\n"),
        ("rules", "---\nname: rules\n---x\ndescription: Eight.\n---\nText.\n"),
        ("inside", "---\nname: inside\ndescription: a --- b\n---\nText.\n"),
        ("broken", "---\nname: broken\ndescription: Use: it\n---\nText.\n"),
        ("worse", "---\nname: [worse\ndescription: \"x\n---\nText.\n"),
        ("open", "---\nname: open\ndescription: Nine.\n"),
        ("script", "---js\n({name: 'script'})\n---\nText.\n"),
        ("end", "---\nname: end\ndescription: Ten.\n---"),
        ("long", long.as_str()),
    ];
    let mut files: Vec<(String, String)> = Vec::new();
    for root in ["home/.agents/skills", "home/.claude/skills", "home/.gemini/skills", "work/.agents/skills"] {
        files
            .extend(texts.iter().map(|(name, text)| (format!("{root}/{name}/SKILL.md"), (*text).to_owned())));
        for path in [".hidden/a", "plain/references/inner", "node_modules/b", "group/c", "group/d/e/f"] {
            files.push((format!("{root}/{path}/SKILL.md"), skill("deep")));
        }
        files.push((format!("{root}/lower/skill.md"), skill("lower")));
        files.push((format!("{root}/both/SKILL.md"), skill("both")));
        files.push((format!("{root}/both/agents/openai.yaml"), "interface:\n  display_name: B\n".to_owned()));
        files.push((format!("{root}/flat.md"), skill("flat")));
        files.push((format!("{root}/SKILL.md"), skill("root")));
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let world = world(&files);
    let root = world.root().join("home/.agents/skills");
    fs::create_dir(root.join("bytes")).unwrap();
    fs::write(root.join("bytes/SKILL.md"), b"---\nname: bytes\ndescription: \xff\n---\n").unwrap();
    std::os::unix::fs::symlink(root.join("plain"), root.join("linked")).unwrap();
    std::os::unix::fs::symlink(&root, root.join("group/cycle")).unwrap();
    fs::create_dir(root.join("file-link")).unwrap();
    std::os::unix::fs::symlink(root.join("plain/SKILL.md"), root.join("file-link/SKILL.md")).unwrap();
    for agent in AgentProfiles::embedded().iter() {
        // Compares both ways.
        let view = world.view(&agent.id);
        assert!(!view.seen.is_empty() || !view.unseen.is_empty(), "{}", agent.id);
    }
}
