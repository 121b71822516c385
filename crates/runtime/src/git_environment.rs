//! Variables with which git runs no program that a repository names: no hook, monitor, pager, editor, signer,
//! credential helper or transport command. Aliases cannot replace git's own commands.
//!
//! Filters of attributes stay, since a commit without them would differ. Programs for differences (`diff.external`,
//! drivers) stay too: git has no setting that ends them, and an empty one makes every `git diff` fail. Both run inside
//! the sandbox, and only the configuration in `.git` can name them, which commands cannot change.

/// Settings above every file of configuration.
const SETTINGS: [(&str, &str); 20] = [
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.pager", "cat"),
    ("core.editor", "true"),
    ("core.askPass", "true"),
    ("core.sshCommand", "ssh -F none"),
    ("core.gitProxy", ""),
    ("core.alternateRefsCommand", "true"),
    ("sequence.editor", "true"),
    ("interactive.diffFilter", "cat"),
    ("credential.helper", ""),
    ("safe.bareRepository", "explicit"),
    ("protocol.ext.allow", "never"),
    ("commit.gpgSign", "false"),
    ("tag.gpgSign", "false"),
    ("push.gpgSign", "false"),
    ("log.showSignature", "false"),
    ("gpg.program", "false"),
    ("submodule.recurse", "false"),
    ("gc.auto", "0"),
];
/// Variables that git asks before its configuration.
const VARIABLES: [(&str, &str); 9] = [
    ("GIT_PAGER", "cat"),
    ("PAGER", "cat"),
    ("GIT_EDITOR", "true"),
    ("GIT_SEQUENCE_EDITOR", "true"),
    ("GIT_ASKPASS", "true"),
    ("SSH_ASKPASS", "true"),
    ("GIT_SSH_COMMAND", "ssh -F none"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
];

/// The variables, by name.
pub fn variables() -> impl Iterator<Item = (String, String)> {
    let own = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    let settings = SETTINGS.iter().enumerate().flat_map(|(at, (key, value))| {
        [
            (format!("GIT_CONFIG_KEY_{at}"), (*key).to_owned()),
            (format!("GIT_CONFIG_VALUE_{at}"), (*value).to_owned()),
        ]
    });
    let count = ("GIT_CONFIG_COUNT".to_owned(), SETTINGS.len().to_string());
    settings.chain([count]).chain(VARIABLES.map(own))
}
