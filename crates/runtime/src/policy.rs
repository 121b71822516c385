//! Tool policy: which calls the active skill's lists let through.
//!
//! Invariants: what cannot be proven is not allowed; what is forbidden beats what is granted; a list
//! that cannot be read closes the gate in strict mode; tools that load skills always pass. This
//! module judges text and touches nothing: no disk, no environment, no process.

mod address;
mod alias;
mod argument_class;
mod call;
mod command;
mod decision;
mod grant;
mod little_scripts;
mod path;
mod profile;
mod program;
mod shell;
mod table;
mod unproven;

pub use alias::{Aliases, LOADER_TOOLS};
pub use call::{Argument, ToolCall};
pub use decision::{Because, Decision, Reason};
pub use path::{PATH_LIMIT, PathBase};
pub use profile::{Difference, ManifestRule, Request, ToolsInEffect};
pub use skillful_shell::{Unreadable, strict::COMMAND_LIMIT};
pub use unproven::Unproven;

use grant::{Grant, Pattern, READS, WRITES};
use serde::{Deserialize, Serialize};
use skillful_catalog::profile::{AgentProfile, ToolListMode};
use skillful_format::ToolGrant;
use std::collections::BTreeMap;

/// The two lists of a skill's frontmatter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolLists {
    /// `allowed-tools`; `None` when the frontmatter does not have it. The reader of the frontmatter gives an
    /// empty list for one that it could not read.
    #[serde(default)]
    pub allowed: Option<Vec<ToolGrant>>,
    /// `disallowed-tools`.
    #[serde(default)]
    pub disallowed: Vec<ToolGrant>,
    /// What the user is asked about in every mode; no frontmatter has it.
    #[serde(default)]
    pub asked: Vec<ToolGrant>,
}

/// What a list that names no known tool means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strictness {
    /// Nothing is allowed: the author restricts the tools, and it is not known to which.
    #[default]
    Strict,
    /// No restriction, as Personal Agent does.
    Lenient,
}

/// What a policy is made on.
#[derive(Clone, Debug)]
pub struct Ground {
    /// The names of tools here.
    pub aliases: Aliases,
    /// What `allowed-tools` means here.
    pub mode: ToolListMode,
    /// What an unreadable list means here.
    pub strictness: Strictness,
    /// Where relative paths start.
    pub place: PathBase,
}

impl Ground {
    /// The ground of an agent, strict. `further` are tools of this run that no table knows.
    pub fn of(agent: &AgentProfile, further: &[String], place: PathBase) -> Self {
        Self::new(&agent.tools, further, agent.tool_list, place)
    }

    /// The same from its parts.
    pub fn new(
        tools: &BTreeMap<String, Vec<String>>,
        further: &[String],
        mode: ToolListMode,
        place: PathBase,
    ) -> Self {
        Self { aliases: Aliases::of(tools, further), mode, strictness: Strictness::Strict, place }
    }
}

/// The tool lists of the active skill, prepared for decisions. The next activation makes a new policy.
#[derive(Clone, Debug)]
pub struct Policy {
    allowed: Allowed,
    banned: Vec<Grant>,
    asked: Vec<Grant>,
    ground: Ground,
    /// Entries that count for nothing, each with the reason; to be shown.
    pub notes: Vec<String>,
}

#[derive(Clone, Debug)]
enum Allowed {
    /// No list, or one without effect.
    All,
    Listed(Vec<Grant>),
    /// A list was meant and cannot be known.
    Nothing(Vec<String>),
}

impl Policy {
    /// The policy of an activation.
    pub fn of(lists: &ToolLists, ground: &Ground) -> Self {
        let mut notes = Vec::new();
        let bans = |entries: &[ToolGrant]| -> Vec<Grant> {
            entries.iter().map(|entry| Grant::read_ban(entry, &ground.aliases, &ground.place)).collect()
        };
        let (banned, asked_first) = (bans(&lists.disallowed), bans(&lists.asked));
        let asked = lists.allowed.as_deref().filter(|_| ground.mode != ToolListMode::Ignored);
        let allowed = match asked {
            None => Allowed::All,
            Some(entries) => {
                let mut known = Vec::new();
                for entry in entries {
                    match Grant::read(entry, &ground.aliases, &ground.place) {
                        Some(grant) => known.push(grant),
                        None => notes.push(format!(
                            "no tool here is called `{}`; the entry grants nothing",
                            entry.name
                        )),
                    }
                }
                match (known.is_empty(), ground.strictness) {
                    (false, _) => Allowed::Listed(known),
                    (true, Strictness::Strict) => {
                        Allowed::Nothing(entries.iter().map(ToolGrant::to_string).collect())
                    }
                    (true, Strictness::Lenient) => Allowed::All,
                }
            }
        };
        let listed = match &allowed {
            Allowed::Listed(grants) => grants.as_slice(),
            _ => &[],
        };
        for grant in listed.iter().chain(&banned) {
            if matches!(grant.pattern, Pattern::Unreadable) {
                notes.push(format!("the pattern of `{}` cannot be read; as a grant it gives nothing, as a ban it closes the tool", grant.written));
            }
        }
        Self { allowed, banned, asked: asked_first, ground: ground.clone(), notes }
    }

    /// The decision about a call.
    pub fn decide(&self, call: &ToolCall<'_>) -> Decision {
        match self.decide_by_lists(call) {
            Decision::Denied(reason) => Decision::Denied(reason),
            decision => match self.asked_first(call) {
                Some(entry) => Decision::NeedsApproval(Reason::AskFirst(entry)),
                None => decision,
            },
        }
    }

    /// The rule that has the user asked about a call. What cannot be compared with it is asked about.
    fn asked_first(&self, call: &ToolCall<'_>) -> Option<String> {
        if self.asked.is_empty() {
            return None;
        }
        let tools = self.tools_of(call);
        match Self::closes(&self.asked, self, &tools, call, false)? {
            Reason::Disallowed(entry) => Some(entry),
            reason => Some(reason.to_string()),
        }
    }

    fn tools_of(&self, call: &ToolCall<'_>) -> Vec<String> {
        let tools: Vec<String> = self.ground.aliases.ours(call.tool).into_iter().collect();
        if tools.is_empty() { vec![alias::key(call.tool)] } else { tools }
    }

    fn decide_by_lists(&self, call: &ToolCall<'_>) -> Decision {
        let tools = self.tools_of(call);
        let loader = tools.iter().all(|tool| LOADER_TOOLS.contains(&tool.as_str()));
        if let Some(reason) = self.banned(&tools, call, loader) {
            return Decision::Denied(reason);
        }
        if loader {
            return Decision::Allowed(Because::Loader);
        }
        let preapprove = self.ground.mode == ToolListMode::Preapprove;
        let grants = match &self.allowed {
            Allowed::All if preapprove => {
                return Decision::NeedsApproval(Reason::NotPreapproved(call.tool.to_owned()));
            }
            Allowed::All => return Decision::Allowed(Because::Unrestricted),
            Allowed::Nothing(list) if preapprove => {
                return Decision::NeedsApproval(Reason::UnreadableList(list.clone()));
            }
            Allowed::Nothing(list) => return Decision::Denied(Reason::UnreadableList(list.clone())),
            Allowed::Listed(grants) => grants,
        };
        let mut by = Vec::new();
        for tool in &tools {
            match self.granted(grants, tool, call) {
                Ok(entries) => by.extend(entries),
                Err(reason) if preapprove => return Decision::NeedsApproval(reason),
                Err(reason) => return Decision::Denied(reason),
            }
        }
        by.dedup();
        Decision::Allowed(Because::Granted(by))
    }

    /// The entries that cover a call of a tool of ours.
    fn granted(&self, grants: &[Grant], tool: &str, call: &ToolCall<'_>) -> Result<Vec<String>, Reason> {
        let named: Vec<&Grant> = grants.iter().filter(|grant| grant.names(tool)).collect();
        let refused = |what: &str| Reason::NotGranted {
            what: what.to_owned(),
            list: grants.iter().map(|grant| grant.written.to_string()).collect(),
        };
        if let Some(grant) = named.iter().find(|grant| matches!(grant.pattern, Pattern::Any)) {
            return Ok(vec![grant.written.to_string()]);
        }
        if named.is_empty() {
            return Err(refused(call.tool));
        }
        let entry = |found: Option<&&Grant>, what: &str| {
            found.map(|grant| vec![grant.written.to_string()]).ok_or_else(|| refused(what))
        };
        match call.argument {
            Argument::None => Err(Reason::Unproven(Unreadable::Empty.into())),
            Argument::Command(command) => self.commands(grants, &named, command),
            Argument::Path(path) => {
                let resolved = path::resolve(path, &self.ground.place).map_err(Reason::Unproven)?;
                let fits = |grant: &&&Grant| matches!(&grant.pattern, Pattern::Path(pattern) if pattern.allows(&resolved));
                entry(named.iter().find(fits), path)
            }
            Argument::Url(url) => {
                let host = address::host_of(url).map_err(Reason::Unproven)?;
                let fits = |grant: &&&Grant| matches!(&grant.pattern, Pattern::Host(pattern) if pattern.means(&host));
                entry(named.iter().find(fits), url)
            }
            Argument::Text(text) => {
                let fits = |grant: &&&Grant| is_text(&grant.pattern, text);
                entry(named.iter().find(fits), text)
            }
        }
    }

    /// Every simple command needs an entry, and every file that a redirection opens another.
    fn commands(&self, grants: &[Grant], named: &[&Grant], command: &[u8]) -> Result<Vec<String>, Reason> {
        let commands = shell::read(command).map_err(Reason::Unproven)?;
        let moves = commands.iter().any(|command| matches!(command.program(), "cd" | "pushd" | "popd"));
        let mut by = Vec::new();
        for command in &commands {
            let mut unproven = None;
            let mut found = None;
            for grant in named {
                let Pattern::Command(pattern) = &grant.pattern else { continue };
                match pattern.allows(command) {
                    command::Match::Yes => found = Some(grant),
                    command::Match::Unproven(reason) => unproven = Some(reason),
                    command::Match::No => continue,
                }
                if found.is_some() {
                    break;
                }
            }
            let Some(grant) = found else {
                let words: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).collect();
                let not_granted = || Reason::NotGranted {
                    what: words.join(" ").chars().take(120).collect(),
                    list: grants.iter().map(|grant| grant.written.to_string()).collect(),
                };
                return Err(unproven.map_or_else(not_granted, Reason::Unproven));
            };
            by.push(grant.written.to_string());
            for file in &command.files {
                if moves && !file.path.starts_with('/') {
                    return Err(Reason::Unproven(Unproven::Redirection(file.path.clone())));
                }
                let tool = if file.write { WRITES } else { READS };
                by.extend(self.granted(grants, tool, &ToolCall::path(tool, &file.path))?);
            }
        }
        Ok(by)
    }

    /// Why `disallowed-tools` closes a call, if it does. What cannot be compared is closed.
    fn banned(&self, tools: &[String], call: &ToolCall<'_>, loader: bool) -> Option<Reason> {
        Self::closes(&self.banned, self, tools, call, loader)
    }

    /// Why a list closes a call.
    fn closes(
        bans: &[Grant],
        policy: &Self,
        tools: &[String],
        call: &ToolCall<'_>,
        loader: bool,
    ) -> Option<Reason> {
        let named: Vec<&Grant> = bans
            .iter()
            .filter(|ban| tools.iter().any(|tool| ban.names(tool)))
            // Only a name closes a tool that brings skills in; `*` does not.
            .filter(|ban| !loader || !ban.tools.iter().any(|name| name.contains('*')))
            .collect();
        let disallowed = |ban: &Grant| Some(Reason::Disallowed(ban.written.to_string()));
        if let Some(ban) = named.iter().find(|ban| matches!(ban.pattern, Pattern::Any | Pattern::Unreadable))
        {
            return disallowed(ban);
        }
        match call.argument {
            Argument::Command(command) => policy.closed_command(bans, &named, command),
            _ if named.is_empty() => None,
            Argument::None => Some(Reason::Unproven(Unreadable::Empty.into())),
            Argument::Path(path) => match path::resolve(path, &policy.ground.place) {
                Err(reason) => Some(Reason::Unproven(reason)),
                Ok(path) => named
                    .iter()
                    .find(|ban| matches!(&ban.pattern, Pattern::Path(pattern) if pattern.may_mean(&path)))
                    .and_then(|ban| disallowed(ban)),
            },
            Argument::Url(url) => match address::host_of(url) {
                Err(reason) => Some(Reason::Unproven(reason)),
                Ok(host) => named
                    .iter()
                    .find(|ban| matches!(&ban.pattern, Pattern::Host(pattern) if pattern.means(&host)))
                    .and_then(|ban| disallowed(ban)),
            },
            Argument::Text(text) => {
                let text = text.to_lowercase();
                let fits = |ban: &&&Grant| match &ban.pattern {
                    Pattern::Text { text: own, open_end } => {
                        let own = own.to_lowercase();
                        text == own || *open_end && text.starts_with(&own) || command::wild(&own, &text)
                    }
                    _ => true,
                };
                named.iter().find(fits).and_then(|ban| disallowed(ban))
            }
        }
    }

    fn closed_command(&self, bans: &[Grant], named: &[&Grant], command: &[u8]) -> Option<Reason> {
        let files = bans.iter().any(|ban| ban.names(WRITES) || ban.names(READS));
        if named.is_empty() && !files {
            return None;
        }
        let commands = match shell::read(command) {
            Ok(commands) => commands,
            // A ban on files alone does not close every command that is hard to read: it could not
            // keep a program from writing anyway.
            Err(_) if named.is_empty() => return None,
            Err(reason) => return Some(Reason::Unproven(reason)),
        };
        for command in &commands {
            match program::escape(command).filter(|_| !named.is_empty()) {
                // A program that is not known may do everything but run what is forbidden.
                Some(Unproven::NoTable(_)) if !mentions(named, command) => {}
                Some(reason) => return Some(Reason::Unproven(reason)),
                None => {}
            }
            let means = |ban: &&&Grant| match &ban.pattern {
                Pattern::Command(pattern) => pattern.may_mean(command),
                _ => true,
            };
            if let Some(ban) = named.iter().find(means) {
                return Some(Reason::Disallowed(ban.written.to_string()));
            }
            for file in &command.files {
                let tool = if file.write { WRITES } else { READS };
                let call = ToolCall::path(tool, &file.path);
                if let Some(reason) = Self::closes(bans, self, &[tool.to_owned()], &call, false) {
                    return Some(reason);
                }
            }
        }
        None
    }
}

/// Whether an argument of a command contains the name of a forbidden program as a word.
fn mentions(named: &[&Grant], command: &shell::Simple) -> bool {
    let is_part = |c: char| !(c.is_alphanumeric() || "_-.".contains(c));
    let words =
        || command.words[1..].iter().flat_map(|word| word.text.split(is_part).chain([word.text.as_str()]));
    named.iter().any(|ban| match &ban.pattern {
        Pattern::Command(pattern) => words().any(|word| pattern.is_program(word)),
        _ => true,
    }) || command.words[1..].iter().any(|word| word.open_start)
}

fn is_text(pattern: &Pattern, text: &str) -> bool {
    match pattern {
        Pattern::Text { text: own, open_end } => {
            text == own
                || *open_end && text.strip_prefix(own.as_str()).is_some_and(|rest| rest.starts_with(' '))
        }
        _ => false,
    }
}
