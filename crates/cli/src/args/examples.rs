//! Examples of every command, for its help and its manual page.

/// A command line without the name of the program, and what it does.
pub(crate) type Example = (&'static str, &'static str);

/// The examples by command; subcommands by their path.
const EXAMPLES: &[(&str, &[Example])] = &[
    (
        "ask",
        &[
            ("ask \"write the release notes\"", "with a model; else the skills that match"),
            ("ask --attach sales.csv \"summarise this\"", "with a file"),
            ("ask --compose \"fill this form\"", "what a model would read, without a model"),
        ],
    ),
    (
        "chat",
        &[
            ("chat", "a session in this folder"),
            ("chat --continue", "continue the last session of this folder"),
            ("chat --mode auto-safe", "ask only about calls that leave the project"),
        ],
    ),
    (
        "run",
        &[
            ("run release-notes 2.3", "one skill, with its arguments"),
            ("run weekly-report --attach notes.md", "with a file"),
        ],
    ),
    (
        "search",
        &[
            ("search \"fill in a pdf form\"", "skills for a task"),
            ("search pdf --sources", "also in your sources"),
        ],
    ),
    (
        "serve",
        &[
            ("serve", "for one machine: SQLite, loopback"),
            (
                "serve --database postgres://skills@db/skills --objects s3://skills",
                "for a team, on several machines",
            ),
        ],
    ),
    ("serve check", &[("serve check", "what is wrong, before it starts")]),
    ("serve backup", &[("serve backup /var/backups/skills", "while the server runs")]),
    (
        "serve restore",
        &[(
            "serve restore /var/backups/skills --database postgres://skills@db/skills",
            "into another database",
        )],
    ),
    ("serve openapi", &[("serve openapi", "for generators of clients")]),
    (
        "ui",
        &[
            ("ui", "every skill and agent of this folder"),
            ("ui --no-mouse", "the terminal selects text as usual"),
            ("ui --json", "skills × agents, for programs"),
        ],
    ),
    (
        "use",
        &[
            ("use commit-message", "what a model reads"),
            ("use skill://pdf/reference.md", "one file of a skill"),
            ("use deploy staging --no-run", "commands of the skill stay as written"),
        ],
    ),
    (
        "exec",
        &[
            ("exec csv-summary summary sales.csv", "scripts/summary.* with an argument"),
            ("exec --timeout 60 mail send", "stop it after a minute"),
        ],
    ),
    (
        "mcp",
        &[
            ("mcp", "serve over standard input and output"),
            ("mcp --http 127.0.0.1:8765", "serve over HTTP, with a new token"),
            ("mcp tools mail", "the tools of a skill's own server"),
        ],
    ),
    (
        "mcp tools",
        &[("mcp tools mail", "list the tools"), ("mcp tools mail send '{\"to\": \"me\"}'", "call one")],
    ),
    ("mcp allow", &[("mcp allow mail", "for its address, its variables and its files as they are now")]),
    ("mcp sign-in", &[("mcp sign-in mail", "the vault keeps the sign-in")]),
    ("mcp sign-out", &[("mcp sign-out mail", "the next use asks to sign in again")]),
    (
        "mcp install",
        &[
            ("mcp install --agent codex", "shows the change, then asks"),
            ("mcp install --agent opencode --dry-run", "the change, nothing written"),
        ],
    ),
    ("mcp uninstall", &[("mcp uninstall --agent codex", "the file has its first bytes again")]),
    ("mcp deny", &[("mcp deny mail", "it works without its server")]),
    (
        "proxy",
        &[
            ("proxy --skill mail -- codex", "Codex runs mail and does not get its secrets"),
            ("proxy", "print the socket and serve until interrupted"),
        ],
    ),
    (
        "secret",
        &[
            ("secret set mail token", "asks for the value, without echo"),
            ("secret allow mail token --skill mail", "let one skill have it"),
            ("secret list", "the names and who may have them, never the values"),
        ],
    ),
    (
        "secret set",
        &[
            ("secret set mail token", "asks for the value, without echo"),
            ("secret set mail token --skill mail", "and lets one skill have it"),
        ],
    ),
    (
        "secret allow",
        &[
            ("secret allow mail token --skill mail", "for its files as they are now"),
            ("secret allow --variable MAIL_CODE --skill mail", "a secret variable of the environment"),
        ],
    ),
    ("secret deny", &[("secret deny mail token --skill mail", "its programs run without it")]),
    ("secret list", &[("secret list", "the names and who may have them, never the values")]),
    ("secret rm", &[("secret rm mail token", "remove one")]),
    (
        "list",
        &[
            ("list", "every skill with its state"),
            ("list --agent codex", "what Codex loads here"),
            ("list --missing-in codex", "what another agent loads and Codex does not"),
            ("list --state unavailable", "skills that lack a program, a variable, …"),
            ("list pdf --json", "for a program"),
        ],
    ),
    (
        "show",
        &[
            ("show deploy", "state, agents, capabilities, findings"),
            ("show user:deploy", "your own skill, which another one shadows"),
            ("show deploy --body", "the instructions only"),
        ],
    ),
    (
        "check",
        &[
            ("check", "every skill found here, and every SKILL.md below this folder"),
            ("check --fix", "repair what can be repaired, after showing the difference"),
            ("check my-skill --profile spec", "against the specification"),
            ("check --agent codex --format sarif", "for code scanning"),
        ],
    ),
    (
        "audit",
        &[
            ("audit", "every skill of this folder, worst first"),
            ("audit setup-helper", "one skill"),
            ("audit download.zip", "an archive, before you install it"),
        ],
    ),
    (
        "new",
        &[
            ("new changelog -d \"Keep a changelog. Use when a version is released.\"", ""),
            ("new notes --user", "for every project of yours"),
        ],
    ),
    (
        "lsp",
        &[
            ("lsp", "what an editor starts; see docs/editors.md"),
            ("lsp --profile spec --agent codex", "strict rules, and what Codex refuses"),
        ],
    ),
    (
        "fmt",
        &[
            ("fmt", "the skills of this folder"),
            ("fmt --check", "for CI: exit code 1 when a file would change"),
        ],
    ),
    (
        "add",
        &[
            ("add ./my-skill --agent codex", "a folder on this machine"),
            ("add anthropics/skills@pdf", "one skill of a git repository"),
            ("add anthropics/skills --list", "what a repository offers"),
            ("add report.zip --agent all", "an archive, for every agent here"),
            ("add team:changelog --dry-run", "the plan, nothing written"),
        ],
    ),
    ("remove", &[("remove changelog", "from this project"), ("remove pdf --global", "from your own skills")]),
    (
        "sync",
        &[
            ("sync", "install what the lock names"),
            ("sync --frozen", "for CI: everything or nothing, without a question"),
            ("sync --team", "what your team requires or has enabled for you"),
            ("sync --team --check", "for CI: whether something would change"),
        ],
    ),
    (
        "login",
        &[
            ("login https://skills.example.org", "confirm a code in your browser"),
            ("login https://skills.example.org --token", "for CI: a token on standard input"),
            ("login --status", "the servers that you are signed in to"),
        ],
    ),
    ("logout", &[("logout", "the only server"), ("logout team", "by its label")]),
    (
        "push",
        &[
            ("push --to anthropic", "every skill of this project"),
            ("push pdf --to openai --dry-run", "what would be sent"),
            ("push pdf --to https://skills.example.org/openai/v1", "to a team server"),
        ],
    ),
    ("verify", &[("verify", "the skills of this project"), ("verify --global", "your own skills")]),
    (
        "update",
        &[
            ("update --check", "list newer versions"),
            ("update", "every skill; your edits are kept"),
            ("update pdf --approve pdf", "even if it can do more than before"),
        ],
    ),
    (
        "diff",
        &[("diff", "your edits of installed skills"), ("diff pdf --upstream", "what its source changed")],
    ),
    ("clean", &[("clean --dry-run", "what would be removed"), ("clean --yes", "without a question")]),
    (
        "sign",
        &[
            ("sign my-skill", "with ~/.ssh/id_ed25519"),
            ("sign my-skill --check", "who signed it"),
            ("sign keys add ops@acme.example ops.pub", "a key that you know"),
        ],
    ),
    ("sign keys", &[("sign keys", "the keys that you know")]),
    ("sign keys list", &[("sign keys list", "the keys that you know")]),
    ("sign keys add", &[("sign keys add ops@acme.example ops.pub", "a key that you know")]),
    ("sign keys remove", &[("sign keys remove ops@acme.example", "all keys of a name")]),
    (
        "export",
        &[
            ("export changelog -o changelog.zip", "an archive, the same bytes every time"),
            ("export changelog -o -", "to standard output"),
        ],
    ),
    (
        "publish",
        &[
            ("publish changelog --to public --dry-run", "what would be written"),
            ("publish --to public", "every skill of this folder"),
        ],
    ),
    (
        "source",
        &[
            ("source add team acme/skills", "a repository, as `team`"),
            ("source browse", "the skills of your sources"),
        ],
    ),
    (
        "starter",
        &[
            ("starter", "the starter skills"),
            ("starter install --agent codex", "all of them, for Codex"),
            ("starter install csv-summary --agent claude-code", "one of them"),
        ],
    ),
    ("starter list", &[("starter list", "the starter skills")]),
    (
        "starter install",
        &[
            ("starter install --agent codex", "all of them, for Codex"),
            ("starter install csv-summary code-review", "two, in ~/.agents/skills, which many agents read"),
        ],
    ),
    ("tour", &[("tour", "step by step"), ("tour --auto", "go on by itself")]),
    ("source list", &[("source list", "your sources, without network")]),
    (
        "source add",
        &[
            ("source add team acme/skills", "a repository"),
            ("source add corp https://skills.acme.example --registry", "a registry"),
        ],
    ),
    ("source remove", &[("source remove team", "installed skills stay")]),
    ("source browse", &[("source browse team --refresh", "ask again")]),
    (
        "view",
        &[
            ("view --agent codex", "what Codex loads, what it misses, and why"),
            ("view --agent codex --long", "one skill per line"),
            ("view --agent codex --unseen", "only what it misses"),
            ("view --agent codex --fix", "link what it misses, after showing the plan"),
        ],
    ),
    (
        "explain",
        &[
            ("explain \"review this change\"", "which skills are selected, and why"),
            ("explain --agent codex \"$weekly-report\"", "as Codex has them"),
        ],
    ),
    (
        "menu",
        &[
            ("menu", "what a model reads"),
            ("menu --agent claude-code", "as Claude Code prints it"),
            ("menu --window 32000 --report", "what a small model loses"),
        ],
    ),
    ("agents", &[("agents", "every supported agent"), ("agents --folders", "the folders searched here")]),
    (
        "enable",
        &[
            ("enable slides", "one skill"),
            ("enable slides --all", "every skill of that name"),
            ("enable slides --project", "remove the rule of this repository"),
        ],
    ),
    (
        "disable",
        &[
            ("disable slides", "for you"),
            ("disable slides --project", "for everyone in this repository"),
            ("disable slides --agent codex", "in the settings of Codex"),
        ],
    ),
    (
        "sessions",
        &[("sessions", "those of this folder"), ("sessions show 41", "messages, calls and skills of one")],
    ),
    ("sessions list", &[("sessions list --all", "those of every folder")]),
    ("sessions show", &[("sessions show 41", "by the beginning of its ID")]),
    ("sessions rm", &[("sessions rm --older-than 90", "not used for 90 days")]),
    (
        "review",
        &[
            ("review", "every pending skill, one card each"),
            ("review db-review", "one skill"),
            ("review approve db-review --digest 2e93a841…", "for scripts"),
            ("review --unused --dry-run", "skills of the assistant that are not used"),
        ],
    ),
    (
        "review approve",
        &[
            ("review approve db-review", "as it is now"),
            ("review approve db-review --digest 2e93a841…", "only these files"),
        ],
    ),
    ("review reject", &[("review reject db-review", "it is deleted")]),
    (
        "eval",
        &[
            ("eval requests.jsonl", "your judged requests"),
            ("eval my-skill/evals --skill my-skill", "the set of one skill"),
        ],
    ),
    (
        "trust",
        &[("trust", "what its skills can do, then a question"), ("trust --list", "the folders you trust")],
    ),
    ("untrust", &[("untrust", "the repository around this folder")]),
    (
        "doctor",
        &[
            ("doctor", "this machine and this folder"),
            ("doctor issue-triage", "what one skill needs"),
            ("doctor --agent codex", "only what Codex loads"),
        ],
    ),
    ("sandbox", &[("sandbox", "what works here, and what it holds")]),
    (
        "config",
        &[
            ("config", "every setting and where it comes from"),
            ("config get run.commands", "one value"),
            ("config set system false", "without the skills that come with the program"),
        ],
    ),
    ("config get", &[("config get run", "all settings below a key")]),
    ("config set", &[("config set scan.depth 8", "comments stay")]),
    ("config unset", &[("config unset scan.depth", "the default counts again")]),
    ("config edit", &[("config edit", "in $VISUAL or $EDITOR")]),
    (
        "completions",
        &[
            ("completions bash", "for ~/.bashrc: source <(skillful completions bash)"),
            ("completions --man man/man1", "manual pages"),
        ],
    ),
];

/// The examples of a command, by its path below the program.
pub(crate) fn examples(path: &str) -> &'static [Example] {
    EXAMPLES.iter().find(|(name, _)| *name == path).map_or(&[], |(_, examples)| examples)
}

/// The commands that have examples.
#[cfg(test)]
pub(crate) fn named() -> impl Iterator<Item = &'static str> {
    EXAMPLES.iter().map(|(name, _)| *name)
}
