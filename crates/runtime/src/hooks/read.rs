//! Hooks from the frontmatter: by event a list of groups, each a matcher and commands. The short form, a
//! command where a group would stand, is read too.

use super::{Event, HOOK_TIME, HOOK_TIME_LIMIT, HOOKS, Hook, Hooks, Matcher};
use skillful_format::{Code, Data, Diagnostic};
use std::time::Duration;

/// What a guard that cannot be read does: it refuses.
const REFUSE: &str = "echo 'a hook of this skill cannot be read, so nothing passes it' >&2; exit 2";

pub(super) fn read(data: &Data) -> (Hooks, Vec<Diagnostic>) {
    let mut reader = Reader { hooks: Vec::new(), diagnostics: Vec::new() };
    match data {
        Data::Map(events) => {
            for (name, groups) in events {
                match Event::named(name) {
                    Some(event) => reader.event(event, groups),
                    None => reader.report(format!("`{name}` is not an event that hooks can wait for")),
                }
            }
        }
        Data::Null => {}
        _ => reader.report("`hooks` must map events to lists".to_owned()),
    }
    if reader.hooks.len() > HOOKS {
        reader.report(format!(
            "there are more than {HOOKS} hooks; the guards beyond that number refuse every call"
        ));
        let rest = reader.hooks.split_off(HOOKS);
        let mut guarded: Vec<Event> =
            rest.iter().map(|hook| hook.event).filter(|one| one.is_guard()).collect();
        guarded.dedup();
        for event in guarded {
            reader.closed(event);
        }
    }
    (Hooks(reader.hooks), reader.diagnostics)
}

struct Reader {
    hooks: Vec<Hook>,
    diagnostics: Vec<Diagnostic>,
}

impl Reader {
    fn report(&mut self, message: String) {
        let help = "write `hooks: {PreToolUse: [{matcher: Bash, hooks: [{type: command, command: …}]}]}`";
        self.diagnostics.push(Diagnostic::new(Code::HookInvalid, message).help(help));
    }

    fn closed(&mut self, event: Event) {
        if event.is_guard() {
            let command = REFUSE.to_owned();
            self.hooks.push(Hook { event, matcher: Matcher::All, command, timeout: HOOK_TIME, once: false });
        }
    }

    fn event(&mut self, event: Event, groups: &Data) {
        match groups {
            Data::List(groups) => groups.iter().for_each(|group| self.group(event, group)),
            group => self.group(event, group),
        }
    }

    fn group(&mut self, event: Event, group: &Data) {
        let Data::Map(pairs) = group else {
            if let Data::Text(command) = group {
                return self.push(event, Matcher::All, command, &[]);
            }
            self.report(format!("a hook of {} is neither a mapping nor a command", event.name()));
            return self.closed(event);
        };
        let matcher = match get(pairs, "matcher") {
            None | Some(Data::Null) => Matcher::All,
            Some(Data::Text(text)) => Matcher::read(text),
            Some(_) => Matcher::Unread("a value that is not text".to_owned()),
        };
        if let Matcher::Unread(text) = &matcher {
            self.report(format!("the matcher `{text}` is not read; the hook counts for every tool"));
        }
        match get(pairs, "hooks") {
            Some(Data::List(hooks)) => {
                for hook in hooks {
                    match hook {
                        Data::Map(pairs) => self.command(event, matcher.clone(), pairs),
                        Data::Text(command) => self.push(event, matcher.clone(), command, &[]),
                        _ => {
                            self.report(format!("a hook of {} has no command", event.name()));
                            self.closed(event);
                        }
                    }
                }
            }
            Some(_) => {
                self.report(format!("`hooks` of {} must be a list", event.name()));
                self.closed(event);
            }
            None => self.command(event, matcher, pairs),
        }
    }

    fn command(&mut self, event: Event, matcher: Matcher, pairs: &[(String, Data)]) {
        let kind = match get(pairs, "type") {
            None => "command",
            Some(Data::Text(kind)) => kind,
            Some(_) => "?",
        };
        match (kind, get(pairs, "command")) {
            ("command", Some(Data::Text(command))) if !command.trim().is_empty() => {
                self.push(event, matcher, command, pairs);
            }
            ("command", _) => {
                self.report(format!("a hook of {} has no command", event.name()));
                self.closed(event);
            }
            (kind, _) => {
                self.report(format!("a hook of the type `{kind}` is not run; only commands are"));
                self.closed(event);
            }
        }
    }

    fn push(&mut self, event: Event, matcher: Matcher, command: &str, pairs: &[(String, Data)]) {
        let timeout = match get(pairs, "timeout") {
            Some(Data::Number(text)) => match text.parse::<u64>() {
                Ok(seconds) if seconds > 0 => Duration::from_secs(seconds).min(HOOK_TIME_LIMIT),
                _ => {
                    self.report(format!("the timeout `{text}` is not a number of seconds; a minute counts"));
                    HOOK_TIME
                }
            },
            _ => HOOK_TIME,
        };
        let once = get(pairs, "once") == Some(&Data::Bool(true));
        self.hooks.push(Hook { event, matcher, command: command.to_owned(), timeout, once });
    }
}

fn get<'a>(pairs: &'a [(String, Data)], key: &str) -> Option<&'a Data> {
    pairs.iter().find(|(name, _)| name == key).map(|(_, value)| value)
}
