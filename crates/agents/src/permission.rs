//! Permissions of an agent's tools: which skills its model is shown in the role that starts a session.

use super::{config::Config, merge};
use serde_json::{Map, Value as Json};
use skillful_profiles::PermissionRule;

#[cfg(test)]
mod tests;

const WORDS: [&str; 3] = ["allow", "ask", "deny"];
const MODES: [&str; 3] = ["primary", "subagent", "all"];

/// Brings the permissions of one file into one form: a mapping for every tool, and the switches of a role's tools as
/// its permissions. A value of the wrong type is an error, which names its key.
pub(super) fn normalise(value: &mut Json, rule: &PermissionRule) -> Result<(), String> {
    if let Some(tools) = rule.tools.as_deref().and_then(|key| value.get(key)) {
        switches(tools)?;
    }
    if let Some(permission) = value.get_mut(&rule.key) {
        widen(permission, &rule.key)?;
    }
    for key in [&rule.roles, &rule.old_roles].into_iter().flatten() {
        let Some(roles) = value.get_mut(key) else { continue };
        let roles = roles.as_object_mut().ok_or_else(|| wrong(key))?;
        roles.values_mut().try_for_each(|role| normalise_role(role, rule, key))?;
    }
    Ok(())
}

fn normalise_role(role: &mut Json, rule: &PermissionRule, key: &str) -> Result<(), String> {
    let role = role.as_object_mut().ok_or_else(|| wrong(key))?;
    let mut permissions = Map::new();
    if let Some(tools) = rule.tools.as_deref().and_then(|key| role.get(key)) {
        permissions = switches(tools)?;
    }
    if let Some(permission) = role.get_mut(&rule.key) {
        widen(permission, &rule.key)?;
        permissions.extend(permission.as_object().cloned().unwrap_or_default());
    }
    let is_wrong = |name: &&&str| role.get(**name).is_some_and(|value| !value.is_boolean());
    if let Some(name) = ["disable", "hidden"].iter().find(is_wrong) {
        return Err(wrong(name));
    }
    let is_mode = |mode: &Json| mode.as_str().is_some_and(|mode| MODES.contains(&mode));
    if role.get("mode").is_some_and(|mode| !is_mode(mode)) {
        return Err(wrong("mode"));
    }
    role.insert(rule.key.clone(), Json::Object(permissions));
    Ok(())
}

fn wrong(key: &str) -> String {
    format!("`{key}` has a value of the wrong type")
}

/// The permissions that switches of tools stand for.
fn switches(tools: &Json) -> Result<Map<String, Json>, String> {
    let tools = tools.as_object().ok_or_else(|| wrong("tools"))?;
    let word = |on: bool| Json::from(if on { "allow" } else { "deny" });
    tools
        .iter()
        .map(|(tool, on)| Ok((tool.clone(), word(on.as_bool().ok_or_else(|| wrong("tools"))?))))
        .collect()
}

/// Makes one word for all tools a mapping, and checks every word.
fn widen(permission: &mut Json, key: &str) -> Result<(), String> {
    if permission.is_string() {
        *permission = Json::Object(Map::from_iter([("*".to_owned(), permission.take())]));
    }
    let is_word = |word: &Json| word.as_str().is_some_and(|word| WORDS.contains(&word));
    let is_rule =
        |rule: &Json| is_word(rule) || rule.as_object().is_some_and(|map| map.values().all(is_word));
    match permission.as_object() {
        Some(map) if map.values().all(is_rule) => Ok(()),
        _ => Err(wrong(key)),
    }
}

/// The permissions of the role that starts a session.
pub(super) struct Permissions<'a> {
    tool: &'a str,
    rules: Vec<ToolRule>,
}

struct ToolRule {
    key: String,
    tool: String,
    pattern: String,
    denies: bool,
    asks: bool,
}

impl<'a> Permissions<'a> {
    /// Reads the permissions; an error is why no session can start.
    pub(super) fn read(rule: &'a PermissionRule, config: &'a Config) -> Result<Self, String> {
        let role = StartingRole::find(rule, config)?;
        let mut permissions = Self { tool: &rule.tool, rules: Vec::new() };
        if role.denies {
            let all = Map::from_iter([("*".to_owned(), Json::from("deny"))]);
            permissions.add(&format!("the role `{}`", role.name), &Json::Object(all));
        }
        let switched = rule.tools.as_deref().and_then(|key| Some((key, config.last(key)?)));
        let mut general =
            Json::Object(switched.map(|(_, tools)| switches(tools)).transpose()?.unwrap_or_default());
        let named = config.last(&rule.key);
        if let Some(named) = named {
            merge::deep(&mut general, named.clone());
        }
        let key = switched.filter(|_| named.is_none()).map_or(rule.key.as_str(), |(key, _)| key);
        permissions.add(key, &general);
        if let Some(own) = role.settings.and_then(|settings| settings.get(&rule.key)) {
            let roles = rule.roles.as_deref().unwrap_or_default();
            permissions.add(&format!("{roles}.{}.{}", role.name, rule.key), own);
        }
        Ok(permissions)
    }

    fn add(&mut self, key: &str, tools: &Json) {
        for (tool, value) in tools.as_object().into_iter().flatten() {
            let mut rule = |pattern: &str, word: &Json| {
                let (key, tool, pattern) = (key.to_owned(), tool.clone(), pattern.to_owned());
                self.rules.push(ToolRule {
                    key,
                    tool,
                    pattern,
                    denies: *word == "deny",
                    asks: *word == "ask",
                });
            };
            match value {
                Json::Object(patterns) => patterns.iter().for_each(|(pattern, word)| rule(pattern, word)),
                word => rule("*", word),
            }
        }
    }

    /// The key of the rule that keeps a skill from the model: the last one that matches the tool and the name.
    pub(super) fn denial(&self, name: &str) -> Option<&str> {
        self.rule(name).filter(|rule| rule.denies).map(|rule| rule.key.as_str())
    }

    /// Whether the agent asks its user before its model loads a skill.
    pub(super) fn is_asked(&self, name: &str) -> bool {
        self.rule(name).is_some_and(|rule| rule.asks)
    }

    fn rule(&self, name: &str) -> Option<&ToolRule> {
        let matches = |rule: &&ToolRule| fits(&rule.tool, self.tool) && fits(&rule.pattern, name);
        self.rules.iter().rfind(matches)
    }
}

/// The role that starts a session.
struct StartingRole<'a> {
    name: &'a str,
    starts: bool,
    hidden: bool,
    denies: bool,
    settings: Option<&'a Json>,
}

impl<'a> StartingRole<'a> {
    fn find(rule: &'a PermissionRule, config: &'a Config) -> Result<Self, String> {
        let built_in = |role: &'a skillful_profiles::Role| Self {
            name: &role.name,
            starts: role.starts,
            hidden: role.hidden,
            denies: role.denies,
            settings: None,
        };
        let mut roles: Vec<Self> = rule.built_in.iter().map(built_in).collect();
        let configured = rule.roles.as_deref().and_then(|key| config.last(key)).and_then(Json::as_object);
        for (name, settings) in configured.into_iter().flatten() {
            if settings.get("disable") == Some(&Json::Bool(true)) {
                roles.retain(|role| role.name != name);
                continue;
            }
            let at = roles.iter().position(|role| role.name == name).unwrap_or_else(|| {
                roles.push(Self { name, starts: true, hidden: false, denies: false, settings: None });
                roles.len() - 1
            });
            let role = &mut roles[at];
            role.settings = Some(settings);
            if let Some(mode) = settings.get("mode").and_then(Json::as_str) {
                role.starts = mode != "subagent";
            }
            role.hidden = settings.get("hidden").and_then(Json::as_bool).unwrap_or(role.hidden);
        }
        let can_start = |role: &Self| role.starts && !role.hidden;
        let wanted = rule.first_role.as_deref().and_then(|key| config.last(key)).and_then(Json::as_str);
        match wanted.filter(|name| !name.is_empty()) {
            Some(name) => {
                let role = roles.into_iter().find(|role| role.name == name && can_start(role));
                role.ok_or_else(|| format!("no session can start as `{name}`"))
            }
            None => roles.into_iter().find(can_start).ok_or_else(|| "no role can start a session".to_owned()),
        }
    }
}

/// Whether a text matches a pattern; `*` matches any text and `?` one character. A star after a space at the end of the
/// pattern may match nothing, and then without the space.
pub(super) fn fits(pattern: &str, name: &str) -> bool {
    let short = pattern.strip_suffix(" *");
    short.is_some_and(|short| fits_exactly(short, name)) || fits_exactly(pattern, name)
}

fn fits_exactly(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    // Where to continue when the text after the last star does not match.
    let mut retry: Option<(usize, usize)> = None;
    let (mut at, mut in_name) = (0, 0);
    while in_name < name.len() {
        match pattern.get(at) {
            Some('*') => {
                retry = Some((at + 1, in_name + 1));
                at += 1;
            }
            Some(c) if *c == '?' || *c == name[in_name] => {
                at += 1;
                in_name += 1;
            }
            _ => match retry {
                Some((after, next)) => {
                    (at, in_name) = (after, next);
                    retry = Some((after, next + 1));
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|c| *c == '*')
}
