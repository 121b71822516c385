//! Arguments of the commands that install.

use clap::Args;

const ADD_HELP: &str = "\
Sources
  ./folder  ./skill.zip           a folder with skills, or an archive
  owner/repo  owner/repo@skill#v1  on GitHub; gitlab:, codeberg:, bitbucket: too
  https://host/repo.git#REF:FOLDER@SKILL
                                  any git repository; parts after # are optional
  git@host:repo.git  file:///repo
  https://host/skill.tar.gz       an archive; .zip, .skill and .tgz too
  https://host[/path]#@SKILL      a well-known index of skills at that address
  LABEL  LABEL:SKILL              one of your sources (`skillful source list`)
  registry:NAME[@VERSION]         from a registry among your sources

Skills from another machine, and skills with blocking findings, are pending until you approve them:
`skillful review` shows their capabilities, findings and files, and asks.
Only skills in skillful.lock are ever replaced or removed, unless you pass --replace.
A signature in SKILL.sig is checked: a bad signature is refused. A different signer than before is refused until \
you name the new one with --signer.";

/// For whom and where.
#[derive(Clone, Debug, Args)]
pub struct WhereArgs {
    /// For you in every project, instead of this project
    #[arg(long, short, help_heading = "For whom")]
    pub global: bool,
    /// Apply the plan without a question
    #[arg(long, short, help_heading = "How")]
    pub yes: bool,
    /// Print the plan and stop
    #[arg(long, conflicts_with = "yes", help_heading = "How")]
    pub dry_run: bool,
}

/// `add`.
#[derive(Debug, Args)]
#[command(after_help = ADD_HELP)]
pub struct AddArgs {
    /// Where the skills come from.
    #[arg(
        help = "./folder, file.zip, owner/repo[@skill], https://…, source:skill",
        required_unless_present = "adopt",
        value_name = "SOURCE"
    )]
    pub source: Option<String>,
    /// Only this skill of the source (repeatable) [default: all]
    #[arg(long, value_name = "NAME", help_heading = "Which skills")]
    pub skill: Vec<String>,
    /// Print the skills of the source and stop
    #[arg(long, help_heading = "Which skills")]
    pub list: bool,
    /// Branch, tag or commit
    #[arg(long, value_name = "REF", help_heading = "Which skills")]
    pub rev: Option<String>,
    /// Add skills that npm `skills` installed to skillful.lock, where they are
    #[arg(long, conflicts_with_all = ["source", "agent", "link", "copy", "signer", "skill", "list", "rev", "replace"], help_heading = "Which skills")]
    pub adopt: bool,
    /// Install for this agent (repeatable); `all`: every agent found here [default: .agents/skills, which many read]
    #[arg(long, short, value_name = "AGENT", help_heading = "For whom")]
    pub agent: Vec<String>,
    /// Link to the content store instead of copying
    #[arg(long, conflicts_with = "copy", help_heading = "For whom")]
    pub link: bool,
    /// Copy the files (default)
    #[arg(long, help_heading = "For whom")]
    pub copy: bool,
    /// Refuse skills that this key did not sign: a name of `skillful sign keys`, a fingerprint, or `unsigned`
    #[arg(long, value_name = "WHO", help_heading = "Which skills")]
    pub signer: Option<String>,
    /// Replace a skill of the same name that is yours or that you edited; its files are saved first
    #[arg(long, help_heading = "How")]
    pub replace: bool,
    /// For whom and where.
    #[command(flatten)]
    pub place: WhereArgs,
}

/// `remove`.
#[derive(Debug, Args)]
pub struct RemoveArgs {
    /// Names in `skillful.lock`
    #[arg(required = true, value_name = "NAME")]
    pub names: Vec<String>,
    /// For whom and where.
    #[command(flatten)]
    pub place: WhereArgs,
}

/// `sync`.
#[derive(Debug, Args)]
pub struct SyncArgs {
    /// Install everything or nothing, without a question
    #[arg(long, help_heading = "How")]
    pub frozen: bool,
    /// Also install skills with blocking findings
    #[arg(long, help_heading = "How")]
    pub despite_findings: bool,
    /// Install what a lock of npm `skills` names
    #[arg(long, conflicts_with = "frozen", help_heading = "Which skills")]
    pub import: bool,
    /// Install what your team requires or has enabled for you, and remove what is no longer on; for you in every project.
    /// `SERVER` is needed when you are signed in to several
    #[arg(long, value_name = "SERVER", num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["frozen", "import"], help_heading = "Which skills")]
    pub team: Option<String>,
    /// Send the uses that were noted for team servers, and nothing else
    #[arg(long, hide = true, help_heading = "Which skills")]
    pub send_usage: bool,
    /// With --team: change nothing, exit with 1 when something would change
    #[arg(long, requires = "team", conflicts_with_all = ["yes", "dry_run"], help_heading = "How")]
    pub check: bool,
    /// With --team: install for this agent (repeatable) [default: every agent found here]
    #[arg(long, short, value_name = "AGENT", requires = "team", help_heading = "For whom")]
    pub agent: Vec<String>,
    /// For whom and where.
    #[command(flatten)]
    pub place: WhereArgs,
}

/// `verify`.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// Your skills, instead of those of this project
    #[arg(long, short, help_heading = "For whom")]
    pub global: bool,
}
