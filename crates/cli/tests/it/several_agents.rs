//! Installing for several agents: the fewest copies that every chosen agent reads exactly once.

use crate::bare;
use skillful_testkit::TestContext;

const AGENTS: [&str; 5] = ["claude-code", "codex", "opencode", "gemini-cli", "cursor"];

/// Every set of one, two and three of the agents.
fn sets() -> Vec<Vec<&'static str>> {
    let all = (1..1usize << AGENTS.len()).filter(|bits| bits.count_ones() <= 3);
    let members = |bits: usize| (0..AGENTS.len()).filter(move |at| bits >> at & 1 == 1).map(|at| AGENTS[at]);
    all.map(|bits| members(bits).collect()).collect()
}

fn add(machine: &TestContext, agents: &[&str], scope: &str) {
    let named: Vec<String> = agents.iter().map(|agent| format!("--agent {agent}")).collect();
    let done = machine.run(&format!("add ./lib {} {scope} --yes", named.join(" ")));
    assert!(done.status.success(), "{agents:?}: {}", machine.tell(&done));
}

/// How often the agent lists the skill `pdf`.
fn listed(machine: &TestContext, agent: &str) -> usize {
    let view = machine.json(&format!("view --agent {agent} --trust-project --json"));
    view["seen"].as_array().unwrap().iter().filter(|skill| skill["name"] == "pdf").count()
}

#[test]
fn every_chosen_agent_lists_a_skill_once_for_every_pair_and_triple() {
    for (scope, most) in [("", 3), ("--global", 2)] {
        for agents in sets().into_iter().filter(|agents| agents.len() <= most) {
            let machine = bare();
            machine.skill("work/lib/pdf", "Reads PDF files.");
            // Gemini CLI loads skills of a project that its user trusts.
            let trusted = serde_json::json!({ machine.work().display().to_string(): "TRUST_FOLDER" });
            machine.file("home/.gemini/trustedFolders.json", trusted.to_string());
            add(&machine, &agents, scope);
            for agent in &agents {
                assert_eq!(listed(&machine, agent), 1, "{agent} of {agents:?} {scope}");
            }
        }
    }
}

#[test]
fn a_folder_that_the_agents_share_gets_the_only_copy_and_a_later_agent_no_second_one() {
    let machine = bare();
    machine.skill("work/lib/pdf", "Reads PDF files.");
    add(&machine, &["codex", "gemini-cli"], "");
    let has = |folder: &str| machine.exists(&format!("work/{folder}/skills/pdf/SKILL.md"));
    assert!(has(".agents") && !has(".codex") && !has(".gemini"));
    add(&machine, &["opencode"], "");
    assert!(!has(".opencode") && !has(".claude"), "OpenCode reads the copy that is there");
    add(&machine, &["claude-code"], "");
    assert!(has(".claude"), "Claude Code reads no shared folder");
    assert_eq!((listed(&machine, "codex"), listed(&machine, "opencode")), (1, 1));
}

#[test]
fn a_copy_for_one_agent_does_not_make_another_list_the_skill_twice() {
    let machine = bare();
    machine.skill("work/lib/pdf", "Reads PDF files.");
    machine.file("work/.codex/skills/.keep", "");
    add(&machine, &["codex", "claude-code", "opencode"], "");
    let has = |folder: &str| machine.exists(&format!("work/{folder}/skills/pdf/SKILL.md"));
    assert!(has(".codex") && has(".claude") && !has(".agents"), "OpenCode would read the shared folder too");
    add(&machine, &["gemini-cli"], "");
    assert!(has(".gemini") && !has(".agents"), "Codex would list the copy of the shared folder too");
}
