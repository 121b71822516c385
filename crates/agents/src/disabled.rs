//! Finds skills that the user disabled in the agent's own configuration.

use super::{
    Listed, UnseenCode,
    config::Config,
    permission::Permissions,
    roots::plain,
    setup::Setup,
    skill::{Cause, Loss, Skill},
};
use serde_json::Value as Json;
use skillful_profiles::AgentProfile;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Splits the skills into enabled and disabled ones.
pub(super) fn apply(agent: &AgentProfile, setup: &Setup<'_>, skills: Vec<Skill>) -> (Vec<Skill>, Vec<Loss>) {
    let rules = agent.config.rules.as_ref().map_or_else(Vec::new, |key| rules(setup, key));
    let permissions =
        agent.config.permissions.as_ref().and_then(|rule| Permissions::read(rule, &setup.config).ok());
    let mut on = Vec::new();
    let mut off = Vec::new();
    for mut skill in skills {
        let by = by_rule(&rules, &skill).or_else(|| by_list(agent, &setup.config, &skill));
        if let Some((file, key)) = by {
            let reason = format!("it is disabled in {}: `{key}` in `{}`", agent.title, file.display());
            let cause = Cause::new(UnseenCode::Disabled, reason).fix("remove that entry to enable it");
            off.push(cause.lose(&skill.found, Some(skill.name)));
            continue;
        }
        match overridden(agent, &setup.config, &skill) {
            Some((file, key, Override::Off)) => {
                let reason = format!("it is off in {}: `{key}` in `{}`", agent.title, file.display());
                let cause = Cause::new(UnseenCode::Disabled, reason).fix("remove that entry to enable it");
                off.push(cause.lose(&skill.found, Some(skill.name)));
                continue;
            }
            Some((file, key, Override::UserOnly)) => {
                let why = format!("`{key}` in `{}` keeps it from the model", file.display());
                skill.listed = Listed::UserOnly(why);
            }
            Some((_, _, Override::NameOnly)) => (skill.description, skill.when_to_use) = (None, None),
            None => {}
        }
        if let Some((file, key)) = all_hidden(agent, &setup.config) {
            skill.listed = Listed::UserOnly(format!("`{key}` in `{}` denies all skills", file.display()));
        }
        if let Some(key) = permissions.as_ref().and_then(|permissions| permissions.denial(&skill.name)) {
            let place = match setup.config.file_of(key) {
                Some(file) => format!(" in `{}`", file.display()),
                None => String::new(),
            };
            skill.listed = Listed::UserOnly(format!("`{key}`{place} denies it"));
        }
        on.push(skill);
    }
    (on, off)
}

/// What a user made of one skill.
enum Override {
    Off,
    UserOnly,
    NameOnly,
}

const OVERRIDES: [&str; 4] = ["on", "name-only", "user-invocable-only", "off"];

fn overridden<'a>(
    agent: &'a AgentProfile,
    config: &'a Config,
    skill: &'a Skill,
) -> Option<(&'a Path, &'a str, Override)> {
    let key = agent.config.overrides.as_ref().filter(|_| skill.found.owner.is_none())?;
    // A mapping with any other word has no effect at all.
    let is_known = |value: &Json| value.as_str().is_some_and(|word| OVERRIDES.contains(&word));
    let is_sound = |map: &Json| map.as_object().is_some_and(|map| map.values().all(is_known));
    let sound = config.all(key).filter(|(_, map)| is_sound(map));
    let (file, value) = sound.filter_map(|(file, map)| Some((file, map.get(&skill.name)?))).next_back()?;
    let word = match value.as_str()? {
        "off" => Override::Off,
        "user-invocable-only" => Override::UserOnly,
        "name-only" => Override::NameOnly,
        _ => return None,
    };
    Some((file, key, word))
}

/// The file that keeps all skills from the model.
fn all_hidden<'a>(agent: &'a AgentProfile, config: &'a Config) -> Option<ConfigEntry<'a>> {
    let rule = agent.config.hides_all.as_ref()?;
    let is_word =
        |value: &Json| value.as_str().is_some_and(|word| rule.words.iter().any(|known| known == word));
    let names_all = |list: &Json| list.as_array().is_some_and(|list| list.iter().any(is_word));
    config.all(&rule.key).find(|(_, list)| names_all(list)).map(|(file, _)| (file, rule.key.as_str()))
}

type ConfigEntry<'a> = (&'a Path, &'a str);

struct Rule<'a> {
    place: ConfigEntry<'a>,
    select: Select,
    enabled: bool,
}

enum Select {
    Name(String),
    Path(PathBuf),
}

/// The rules of a list; a rule with both a name and a path, or with neither, has no effect.
fn rules<'a>(setup: &'a Setup<'_>, key: &'a str) -> Vec<Rule<'a>> {
    let mut rules = Vec::new();
    for (file, list) in setup.config.all(key) {
        for rule in list.as_array().into_iter().flatten() {
            let text = |key: &str| rule.get(key).and_then(Json::as_str).map(str::trim);
            let select = match (text("name"), text("path")) {
                (Some(name), None) if !name.is_empty() => Select::Name(name.to_owned()),
                (None, Some(path)) if !path.is_empty() => Select::Path(real_path(setup, file, path)),
                _ => continue,
            };
            let enabled = rule.get("enabled") != Some(&Json::Bool(false));
            rules.push(Rule { place: (file, key), select, enabled });
        }
    }
    rules
}

/// Resolves a path of a configuration file: starting with `~`, relative to that file, or absolute.
fn real_path(setup: &Setup<'_>, file: &Path, path: &str) -> PathBuf {
    let path = match path.strip_prefix("~/") {
        Some(rest) => setup.places.environment.home.join(rest),
        None => file.parent().unwrap_or(file).join(path),
    };
    fs::canonicalize(&path).unwrap_or_else(|_| {
        let path = plain(&path);
        fs::canonicalize(&path).unwrap_or(path)
    })
}

/// The last rule that matches wins, by name or by path.
fn by_rule<'a>(rules: &[Rule<'a>], skill: &Skill) -> Option<ConfigEntry<'a>> {
    let last = rules.iter().rfind(|rule| match &rule.select {
        Select::Name(name) => *name == skill.name,
        Select::Path(path) => *path == skill.found.real,
    })?;
    (!last.enabled).then_some(last.place)
}

fn by_list<'a>(agent: &'a AgentProfile, config: &'a Config, skill: &Skill) -> Option<ConfigEntry<'a>> {
    let key = agent.config.disabled.as_ref()?;
    let name = skill.name.to_lowercase();
    let same = |off: &str| {
        if agent.config.disabled_case { off == skill.name } else { off.to_lowercase() == name }
    };
    let is_named = |value: &Json| value.as_str().is_some_and(same);
    let named = |list: &Json| is_named(list) || list.as_array().into_iter().flatten().any(is_named);
    config.all(key).find(|(_, list)| named(list)).map(|(file, _)| (file, key.as_str()))
}
