//! Arguments of the commands that install.

use clap::Args;

const ADD_HELP: &str = "\
Sources:
  ./folder  ./skill.zip               a folder with skills, or an archive
  owner/repo  owner/repo@skill#v1     a repository on GitHub; gitlab:, codeberg: and bitbucket: too
  https://host/repo.git#REF:FOLDER@SKILL   any git repository; each part after # may be missing
  git@host:repo.git  file:///repo
  https://host/skill.tar.gz           an archive; .zip, .skill and .tgz too
  https://agent[/path]#@SKILL          a well-known index of skills below that address
  registry:NAME[@VERSION]             a skill of a registry (see `skillful source add --registry`)

What comes from another machine, and what has blocking findings, is pending until you approve it:
`skillful review` shows what it can do, what an audit found and its files, and asks.
What is in skillful.lock, and only that, is ever replaced or removed.
A skill with a SKILL.sig is checked: a bad signature is refused, and so is a change of who signs, until you name \
the new one with --signer.";

/// For whom and where.
#[derive(Clone, Debug, Args)]
pub struct WhereArgs {
    /// For you in every project, instead of for this project
    #[arg(long, short)]
    pub global: bool,
    /// Act without asking
    #[arg(long, short)]
    pub yes: bool,
    /// Only say what would be done
    #[arg(long, conflicts_with = "yes")]
    pub dry_run: bool,
}

/// `add`.
#[derive(Debug, Args)]
#[command(after_help = ADD_HELP)]
pub struct AddArgs {
    /// Where the skills come from
    #[arg(required_unless_present = "adopt", value_name = "SOURCE")]
    pub source: Option<String>,
    /// Only this skill of the source (repeatable) [default: all]
    #[arg(long, value_name = "NAME")]
    pub skill: Vec<String>,
    /// Print the skills of the source and stop
    #[arg(long)]
    pub list: bool,
    /// Branch, tag or commit
    #[arg(long, value_name = "REF")]
    pub rev: Option<String>,
    /// Take over what npm `skills` installed, as it lies there
    #[arg(long, conflicts_with_all = ["source", "agent", "link", "copy", "signer", "skill", "list", "rev"])]
    pub adopt: bool,
    /// Install for this agent (repeatable; see `skillful agents`) [default: .agents/skills, which many read]
    #[arg(long, short, value_name = "AGENT")]
    pub agent: Vec<String>,
    /// Make a link into the content store instead of a copy
    #[arg(long, conflicts_with = "copy")]
    pub link: bool,
    /// Make a copy; this is what happens anyway
    #[arg(long)]
    pub copy: bool,
    /// Take only what this one signed: a name of `skillful sign keys`, a fingerprint, or `unsigned`
    #[arg(long, value_name = "WHO")]
    pub signer: Option<String>,
    /// For whom and where.
    #[command(flatten)]
    pub place: WhereArgs,
}

/// `remove`.
#[derive(Debug, Args)]
pub struct RemoveArgs {
    /// Names as `skillful.lock` has them
    #[arg(required = true, value_name = "NAME")]
    pub names: Vec<String>,
    /// For whom and where.
    #[command(flatten)]
    pub place: WhereArgs,
}

/// `sync`.
#[derive(Debug, Args)]
pub struct SyncArgs {
    /// All of it or nothing, without a question
    #[arg(long)]
    pub frozen: bool,
    /// Install also what has blocking findings
    #[arg(long)]
    pub despite_findings: bool,
    /// Take over what a lock of npm `skills` asks for
    #[arg(long, conflicts_with = "frozen")]
    pub import: bool,
    /// For whom and where.
    #[command(flatten)]
    pub place: WhereArgs,
}

/// `verify`.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// Of you, instead of this project
    #[arg(long, short)]
    pub global: bool,
}
