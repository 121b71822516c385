//! What a setting that cannot be read closes: everything that it could have forbidden.

use super::{ApprovalMode, Config, tolerant::Unread};
use skillful_catalog::settings::{RuleOwner, Select, SkillRule, SourceRule};
use skillful_format::ToolGrant;
use std::path::{Path, PathBuf};

/// A setting that cannot be read, and the file it is in.
#[derive(Clone, Debug)]
pub(super) struct Closing {
    pub(super) unread: Unread,
    pub(super) owner: RuleOwner,
    pub(super) file: PathBuf,
}

/// In words for a diagnostic.
pub(super) fn consequence(key: &str, owner: &RuleOwner) -> &'static str {
    if *owner == RuleOwner::Project {
        return match key {
            "" | "ignore" | "skill" => "the skills of this repository are off until it is repaired",
            _ => "it has no effect",
        };
    }
    match key {
        "" => "skills and their tools are off until it is repaired",
        "run" => "tools and commands of skills are off until it is repaired",
        "run.forbidden_tools" | "run.allowed_tools" => "tools of skills are off until it is repaired",
        "run.commands" => "commands of skills are off until it is repaired",
        "ignore" | "include" | "sources" => "skills are off until it is repaired",
        "skill" => "the skill it is about is off until it is repaired",
        "required" => "every managed skill counts as required until it is repaired",
        key if key.starts_with("sources.") => "the source is off until it is repaired",
        "assistant" | "assistant.mode" => "the assistant asks before every change until it is repaired",
        _ => "it has no effect",
    }
}

impl Config {
    /// Closes what unreadable settings guard; after every file was read, so that no other file opens it again.
    pub(super) fn close_unread(&mut self) {
        for Closing { unread, owner, file } in std::mem::take(&mut self.closings) {
            if owner == RuleOwner::Project {
                self.close_project(&unread, &file);
            } else {
                self.close_own(&unread, &owner, &file);
            }
        }
    }

    fn close_project(&mut self, unread: &Unread, file: &Path) {
        if matches!(unread.key.as_str(), "" | "ignore" | "skill")
            && !self.close_skill(unread, &RuleOwner::Project, file)
        {
            self.settings.project_closed = Some(file.to_path_buf());
        }
    }

    fn close_own(&mut self, unread: &Unread, owner: &RuleOwner, file: &Path) {
        let key = unread.key.as_str();
        let is = |guard: &str| {
            key.is_empty()
                || key == guard
                || guard.strip_prefix(key).is_some_and(|rest| rest.starts_with('.'))
        };
        if is("run.forbidden_tools") {
            self.run.in_effect.lists.disallowed.push(ToolGrant { name: "*".to_owned(), pattern: None });
            self.set("run.forbidden_tools", "[\"*\"]".to_owned(), &origin(file));
        }
        if is("run.allowed_tools") && !is("run.forbidden_tools") {
            self.run.in_effect.lists.allowed = Some(Vec::new());
            self.set("run.allowed_tools", "[]".to_owned(), &origin(file));
        }
        if is("run.ask_tools") {
            self.run.in_effect.lists.asked.push(ToolGrant { name: "*".to_owned(), pattern: None });
            self.set("run.ask_tools", "[\"*\"]".to_owned(), &origin(file));
        }
        if is("assistant.strict_targets") {
            self.assistant.assistant.strict_targets = Some(true);
        }
        if is("run.commands") {
            self.run.commands = false;
            self.set("run.commands", "false".to_owned(), &origin(file));
        }
        if is("run.network") {
            self.run.grants.network.clear();
        }
        if is("run.readable") {
            self.run.grants.readable.clear();
        }
        if is("run.writable") {
            self.run.grants.writable.clear();
        }
        if is("assistant.mode") {
            self.assistant.assistant.mode = Some(ApprovalMode::Ask);
            self.set("assistant.mode", "ask".to_owned(), &origin(file));
        }
        if is("assistant.network") {
            self.assistant.assistant.network = Some(false);
        }
        if is("assistant.private_web") {
            self.assistant.assistant.private_web = Some(false);
        }
        if is("admin") {
            self.admin = false;
        }
        if is("features") {
            self.features.clear();
        }
        if is("capabilities") {
            self.capabilities.clear();
        }
        if is("required") {
            self.settings.require_all = true;
        }
        if let Some(rule) = key.strip_prefix("sources.").and_then(|word| super::source_rule(word, false)) {
            self.settings.sources.push(rule);
        } else if key == "sources" {
            self.settings.sources.push(SourceRule { agent: None, scope: None, enabled: false });
        }
        let all = key.is_empty() || matches!(key, "ignore" | "include");
        if all || key == "skill" && !self.close_skill(unread, owner, file) {
            self.settings.closed = Some(file.to_path_buf());
        }
    }

    /// Disables the skill that an unreadable `[[skill]]` is about; whether it can be seen which one.
    fn close_skill(&mut self, unread: &Unread, owner: &RuleOwner, file: &Path) -> bool {
        let base = file.parent().unwrap_or(Path::new("/"));
        let (name, path) = unread.skill.clone();
        let selects =
            name.map(Select::Name).into_iter().chain(path.map(|path| Select::Path(base.join(path))));
        let rules: Vec<SkillRule> = selects
            .map(|select| SkillRule { select, enabled: false, owner: owner.clone(), for_user: None })
            .collect();
        let known = !rules.is_empty();
        self.settings.rules.extend(rules);
        known
    }
}

fn origin(file: &Path) -> String {
    format!("{} (cannot be read)", file.display())
}
