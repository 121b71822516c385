//! The program as a person sees it: exit code, standard output and standard error of real runs.

#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]

mod agent_settings;
mod agents_rules;
mod ask;
mod assistant;
mod assistant_terminal;
mod attack_faces;
mod attack_files;
mod attack_hand;
mod attack_paths;
mod attack_proxy;
mod attack_rules;
mod attack_secrets;
mod attack_server;
mod attack_unapproved;
mod audit;
mod audit_model;
mod check;
mod config;
mod consent;
mod crash;
mod dependencies;
mod docs;
mod eval_model;
mod first_use;
mod ground;
mod hostile;
mod import_export;
mod left_undone;
mod list;
mod lsp;
mod mcp;
mod mcp_sign_in;
mod memory;
mod neighbours;
mod network;
mod new_fmt;
mod one_answer;
mod one_state;
mod overview;
mod own_skills;
mod paths;
mod pending;
mod prompt_cache;
mod proxy;
mod push;
mod registry;
mod said_plainly;
mod sandbox;
mod scenarios;
mod schemas;
mod scripted_server;
mod second_user;
mod secret;
mod secret_consent;
mod secret_variables;
mod seed_lines;
mod seeds;
mod serve;
mod session_turns;
mod several_agents;
mod show;
mod sign;
mod skill_programs;
mod starter;
mod surface;
mod sync;
mod tamper;
mod team;
mod terminal_manners;
mod trust;
mod turn;
mod ui;
mod ui_changes;
mod ui_picker;
mod ui_terminal;
mod update;
mod view;
mod watch;
mod words;
mod work;

use skillful_testkit::{TestContext, skip};

/// A machine with the program under test.
fn machine() -> TestContext {
    TestContext::new(env!("CARGO_BIN_EXE_skillful")).checked(schemas::check)
}

/// A machine without the skills that are shipped with the program.
fn bare() -> TestContext {
    let machine = machine();
    machine.file("home/.config/skillful/config.toml", "system = false\n");
    machine
}

/// Whether commands of skills can be run here. If not, the test is reported as skipped.
fn has_sandbox() -> bool {
    let found = machine().run("sandbox");
    if !found.status.success() {
        skip(&format!("no sandbox holds here: {}", String::from_utf8_lossy(&found.stderr).trim()));
    }
    found.status.success()
}
