//! The table of fields, with what each of them does and what its value may be.

use super::{Field, FieldPart, FieldValue, FieldWord};
use crate::lint::{COMPATIBILITY_LIMIT, DESCRIPTION_LIMIT, NAME_LIMIT};
use FieldValue::{
    Flag, Free, Globs, Items, Limited, List, Named, Parts, Skill, Skills, SkillsByLabel, Text, Tools, Word,
};

const fn spec(name: &'static str, value: FieldValue, meaning: &'static str) -> Field {
    Field { name, spellings: &[], spec: true, gate: false, meaning, value }
}

const fn plain(name: &'static str, value: FieldValue, meaning: &'static str) -> Field {
    Field { name, spellings: &[], spec: false, gate: false, meaning, value }
}

const fn also(
    name: &'static str,
    spellings: &'static [&'static str],
    value: FieldValue,
    meaning: &'static str,
) -> Field {
    Field { name, spellings, spec: false, gate: false, meaning, value }
}

const fn gate(name: &'static str, value: FieldValue, meaning: &'static str) -> Field {
    Field { name, spellings: &[], spec: false, gate: true, meaning, value }
}

const fn word(word: &'static str, meaning: &'static str) -> FieldWord {
    FieldWord { word, meaning }
}

const fn part(name: &'static str, value: FieldValue, meaning: &'static str) -> FieldPart {
    FieldPart { name, meaning, value }
}

const fn one_of(words: &'static [FieldWord]) -> FieldValue {
    Word { words, open: false }
}

const fn such_as(words: &'static [FieldWord]) -> FieldValue {
    Word { words, open: true }
}

const MODELS: &[FieldWord] = &[
    word("inherit", "the model of the session"),
    word("haiku", "Claude Code: the smallest and fastest model"),
    word("sonnet", "Claude Code: the model for daily work"),
    word("opus", "Claude Code: the model for hard problems"),
];

const TIERS: &[FieldWord] = &[
    word("balanced", "a model for daily work"),
    word("smart", "a model for hard problems"),
    word("coding", "a model for programming"),
    word("deep", "a model that thinks long"),
];

const EFFORTS: &[FieldWord] = &[
    word("low", "little reasoning"),
    word("medium", "normal reasoning"),
    word("high", "much reasoning"),
    word("xhigh", "more reasoning, where the model has it"),
    word("max", "the most reasoning that the model has"),
];

const SUB_AGENTS: &[FieldWord] = &[
    word("general-purpose", "all tools; the default of a fork"),
    word("Explore", "reads and searches only"),
    word("Plan", "reads and writes a plan"),
];

const SHELLS: &[FieldWord] = &[word("bash", "the default"), word("powershell", "on Windows")];

const REQUIRES: &[FieldPart] = &[
    part("env", List, "Environment variables that must be set."),
    part("binary", List, "Programs that must be on the search path; of a list inside the list one suffices."),
    part("skills", Skills, "Skills that must be available."),
    part("mcp", List, "MCP servers that must be configured."),
];

const VARIABLE: &[FieldPart] = &[
    part("description", Text, "What the variable is for."),
    part("default", Text, "The value when no source provides one."),
    part("required", Flag, "Whether the skill is unavailable while the variable has no value."),
    part("secret", Flag, "Whether the value is never printed."),
    part("expose_to_model", Flag, "Whether a secret value may be put into the model's text."),
];

const SOURCES: &[FieldWord] = &[
    word("config", "a value of the agent's configuration; see `config_path`"),
    word("secret", "a secret of the vault; see `service` and `key`"),
    word("user_id", "the id of the user"),
    word("setup_env", "a variable of the agent's setup"),
    word("template_file", "the path of the user's copy of `template`"),
];

const ENV: &[FieldPart] = &[
    part("var", Text, "The name of the variable."),
    part("from", such_as(SOURCES), "The kind of source."),
    part("config_path", Text, "The dotted path of the value in the agent's configuration."),
    part("when", List, "Dotted paths of the configuration that must all be set and true."),
    part("service", Text, "The service that the secret belongs to."),
    part("key", Text, "The name of the secret within the service."),
    part("template", Text, "The file that is copied for users who do not have one yet."),
    part("user_path_fn", Text, "The agent's function that returns the path of that copy."),
    part("fallback_var", Text, "The operator's variable that is used when the source has no value."),
    part("sensitive", Flag, "Whether the variable is kept out of the model's environment."),
    part("proxy_only", Flag, "Whether only programs that the credential proxy runs get it."),
];

const MCP: &[FieldPart] = &[
    part("command", Text, "The command line of a server on standard input and output."),
    part("args", List, "Further arguments of the command."),
    part("url", Text, "The address of a server over HTTP."),
    part("env", Free, "Variables of the server, with `${VAR}` placeholders."),
    part("startup_timeout", Text, "Seconds to wait for the start."),
    part("idle_timeout", Text, "Minutes without a call before the server is stopped."),
];

const HOOKS: &[FieldPart] = &[
    part("PreToolUse", Free, "Before a tool call; the hook can refuse the call."),
    part("PostToolUse", Free, "After a tool call that succeeded."),
    part("PostToolUseFailure", Free, "After a tool call that failed."),
    part("PermissionRequest", Free, "When a tool call needs approval; the hook can refuse the call."),
    part("UserPromptSubmit", Free, "Before a message of the user reaches the model; the hook can refuse it."),
    part("Notification", Free, "When the agent notifies the user."),
    part("Stop", Free, "When the model ends its answer."),
    part("SubagentStart", Free, "When a sub-agent starts."),
    part("SubagentStop", Free, "When a sub-agent ends."),
    part("PreCompact", Free, "Before the session is compacted."),
    part("SessionStart", Free, "When a session starts."),
    part("SessionEnd", Free, "When a session ends."),
];

/// All fields, in the order in which the writer puts them.
pub const FIELDS: &[Field] = &[
    spec(
        "name",
        Limited(NAME_LIMIT),
        "The name of the skill: lower-case letters, digits and single hyphens, the same as the folder's name. Agents and users call the skill by it.",
    ),
    spec(
        "description",
        Limited(DESCRIPTION_LIMIT),
        "What the skill does and when to use it. Every session pays for it: it is the only part of the skill that a model always reads, and what the model chooses by.",
    ),
    plain(
        "when_to_use",
        Text,
        "A longer hint about when to use the skill. Agents that read it append it to the description.",
    ),
    spec("license", Text, "The name of the licence, or the file in the skill's folder that contains it."),
    spec(
        "compatibility",
        Limited(COMPATIBILITY_LIMIT),
        "What the skill needs: product, packages, network. Free text for users and models; no agent enforces it.",
    ),
    plain("version", Text, "The version of the skill, as the author counts."),
    spec(
        "allowed-tools",
        Tools,
        "Tools that the skill may use: `Name` or `Name(pattern)`, such as `Read Bash(git:*)`. Some agents restrict the skill to them, some run them without asking the user, others ignore the list.",
    ),
    plain("disallowed-tools", Tools, "Tools that the skill must not use: `Name` or `Name(pattern)`."),
    plain(
        "argument-hint",
        Text,
        "The text that the agent shows behind the slash command, such as `[issue-number]`.",
    ),
    plain("arguments", List, "Names of the arguments; the body uses them as `$name`."),
    gate(
        "disable-model-invocation",
        Flag,
        "With `true`, the skill is not offered to a model; only a user can call it.",
    ),
    gate(
        "user-invocable",
        Flag,
        "With `false`, a user cannot call the skill by name; only a model can load it.",
    ),
    plain("model", such_as(MODELS), "The model that works with the skill: an alias or the id of a model."),
    plain("model_tier", such_as(TIERS), "The class of model that works with the skill."),
    plain("effort", one_of(EFFORTS), "How much the model reasons while the skill is in use."),
    also(
        "context",
        &["context_fork"],
        one_of(&[word("fork", "run the skill in a sub-agent with a context of its own")]),
        "With `fork`, the skill runs in a sub-agent that does not see the session, and returns its answer.",
    ),
    plain("agent", such_as(SUB_AGENTS), "The kind of sub-agent that runs a skill with `context: fork`."),
    plain("background", Flag, "With `true`, a fork runs in the background."),
    plain("shell", one_of(SHELLS), "The shell that runs the commands of the body when the skill is loaded."),
    also(
        "paths",
        &["globs"],
        Globs,
        "File patterns. The skill is selected, or offered only, when the user works with matching files.",
    ),
    also("always_include", &["alwaysApply"], Flag, "With `true`, the skill is selected in every turn."),
    also(
        "triggers",
        &["keywords"],
        List,
        "Words that describe when the skill applies. Documentation; they do not select the skill.",
    ),
    plain("source_types", List, "Kinds of turn for which the skill is selected."),
    plain("file_types", List, "Extensions of attachments for which the skill is selected."),
    plain(
        "resource_types",
        List,
        "Kinds of the agent's resources that must exist before the skill is offered.",
    ),
    plain("companion_skills", Skills, "Skills that are loaded together with this one."),
    plain("exclude_skills", Skills, "Skills that must not be active together with this one."),
    plain("exclude_memory", Flag, "With `true`, the memory is omitted from the prompt."),
    plain("exclude_persona", Flag, "With `true`, the persona is omitted from the prompt."),
    plain("exclude_resources", Flag, "With `true`, the list of resources is omitted from the prompt."),
    gate("dependencies", List, "Packages that must be installed before the skill is available."),
    gate(
        "requires",
        Parts(REQUIRES),
        "Variables, programs, skills and servers that must be present before the skill is available.",
    ),
    gate("requires_capability", List, "Capabilities that the agent must have before the skill is available."),
    gate("admin_only", Flag, "With `true`, only administrators may use the skill."),
    gate("experimental", Flag, "With `true`, the skill is available only where the operator enabled it."),
    plain("cli", Flag, "With `true`, the skill includes a program of its own."),
    plain("env", Items(ENV), "Environment variables for the skill's programs, each with its source."),
    plain("vars", Named(VARIABLE), "Variables that the skill declares; the body uses them as `{{name}}`."),
    plain("mcp", Parts(MCP), "The MCP server that the skill includes. The user is asked before it starts."),
    plain("next_skill", Skill, "The skill that runs after the final answer."),
    plain(
        "conditional_next_skills",
        SkillsByLabel,
        "Skills that may run afterwards, by a label that the model chooses.",
    ),
    plain("hooks", Parts(HOOKS), "Commands that run at events while the skill is active."),
    plain(
        "override",
        one_of(&[word("replace", "remove the gates of the skill that it overrides")]),
        "For an operator's override of a shipped skill: what happens to the gates of that skill.",
    ),
    spec(
        "metadata",
        Free,
        "Data of the author: texts by name. Agents keep it and ignore what they do not know.",
    ),
];
