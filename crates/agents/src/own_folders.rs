//! The folders that an agent reads because of its configuration, its plugins or its own idea of a project. Skillful's
//! catalog takes them in, so that a skill which an agent loads is listed wherever it lies.

use super::{
    plugin, roots,
    setup::{Setup, Surroundings},
};
use skillful_catalog::{Environment, Settings, roots::AgentFolder};
use skillful_profiles::{AgentProfile, AgentProfiles, FoundBy, RootKind, RootRule, Scope, Walk};
use std::path::PathBuf;

/// The present folders of all agents that the profiles alone do not name.
pub fn own_folders(
    agents: &AgentProfiles,
    environment: &Environment,
    settings: &Settings,
) -> Vec<AgentFolder> {
    let mut folders = Vec::new();
    let around = Surroundings::of(environment);
    for agent in agents.iter().filter(|agent| has_own_folders(agent)) {
        let setup = Setup::within(agent, &around);
        for root in roots::of(agent, agents, &setup, settings).open().filter(|root| root.present) {
            let folder = |path, scope, kind, qualifier| AgentFolder {
                path,
                scope,
                kind,
                qualifier,
                agent: agent.id.clone(),
            };
            if root.kind != RootKind::Plugins {
                // What an agent reads from a project as its administrator's or its user's belongs to the project.
                let is_here = |rule: &RootRule| {
                    let variable = |name: &str| environment.set_variable(name);
                    rule.path.is_relative()
                        || rule.path.may_depend_on_folder()
                            && rule.path.resolve_anywhere(&environment.home, &variable).is_none()
                };
                let scope = if root.rule.is_some_and(is_here) { Scope::Project } else { root.scope };
                folders.push(folder(root.path, scope, root.kind, None));
                continue;
            }
            for plugin in plugin::loaded(agent, &setup, &root) {
                let skills = plugin.skills.into_iter().chain(plugin.itself);
                let skills = skills.map(|path| (path, RootKind::Skills));
                let named = plugin.named.into_iter().map(|(_, file)| file);
                let commands = plugin.commands.into_iter().chain(named).filter(|_| agent.plugins.commands);
                let commands = commands.map(|path| (path, RootKind::Commands));
                // A manifest may name a single command.
                let is_there = |(path, kind): &(PathBuf, RootKind)| {
                    path.is_dir() || *kind == RootKind::Commands && path.is_file()
                };
                for (path, kind) in skills.chain(commands).filter(is_there) {
                    folders.push(folder(path, Scope::Plugin, kind, plugin.name.clone()));
                }
            }
        }
    }
    folders
}

/// Whether an agent can read folders that its profile does not name, or from another part of the disk.
fn has_own_folders(agent: &AgentProfile) -> bool {
    let is_own_project = agent.project.found_by != FoundBy::Marker || agent.project.markers != [".git"];
    is_own_project
        || !agent.config.roots.is_empty()
        || agent.config.markers.is_some()
        || agent.roots.iter().any(|rule| {
            let is_relative = rule.path.is_relative() && rule.scope != Scope::Project;
            is_relative
                || rule.kind == RootKind::Plugins
                || rule.path.list().is_some()
                || rule.path.may_depend_on_folder()
                || rule.walk == Walk::UpToDisk
                || rule.found_by.is_some()
        })
}
