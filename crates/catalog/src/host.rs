//! Hosts are data: one TOML file describes how one agent finds, reads, names and shows skills.
//!
//! Behaviour that differs between agents is a field here and never an `if host == …`. The files in
//! `hosts/` are embedded at build; a person may add more beside the configuration. Adding a host
//! is a data change.

use serde::{Deserialize, Serialize};
use skillful_format::{Code, Diagnostic};
use std::collections::BTreeMap;

mod embedded;
mod path;

pub use embedded::Hosts;
pub use path::PathTemplate;

/// A host file larger than this is refused before it is parsed.
pub const HOST_FILE_LIMIT: usize = 64 << 10;

/// One agent, as data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// The stable name used on the command line: `claude-code`, `codex`.
    pub id: String,
    /// The name people know.
    pub title: String,
    /// Other names that mean the same host.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// How these facts are known, so that a view can say how far to trust it.
    pub evidence: Evidence,
    /// Where skills are looked for, the first to win first.
    #[serde(default, rename = "root")]
    pub roots: Vec<RootRule>,
    /// How a root is walked.
    #[serde(default)]
    pub scan: ScanRule,
    /// How a file's header is read.
    #[serde(default)]
    pub header: HeaderRule,
    /// What a name may be.
    #[serde(default)]
    pub name: NameRule,
    /// What a description may be.
    #[serde(default)]
    pub description: DescriptionRule,
    /// What happens when two skills have one name.
    #[serde(default)]
    pub collision: Collision,
    /// Whether skills of a repository need its trust first.
    #[serde(default)]
    pub trust: TrustRule,
    /// The name of each of our tools in this host: `run_command = ["Bash"]`.
    #[serde(default)]
    pub tools: BTreeMap<String, Vec<String>>,
    /// What `allowed-tools` means here.
    #[serde(default)]
    pub tool_list: ToolListMode,
    /// How arguments are put into a skill's text.
    #[serde(default)]
    pub arguments: ArgumentRule,
    /// How the catalogue reaches the model.
    #[serde(default)]
    pub catalogue: CatalogueRule,
    /// The header fields that have an effect in this host; empty means not known.
    #[serde(default)]
    pub fields: Vec<String>,
}

/// How the facts of a host file are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Evidence {
    /// Only its folders are known; everything else is our default.
    Folders,
    /// From its documentation.
    Documented,
    /// From its source.
    Source,
    /// Compared with the running program by the peer suite.
    Measured,
}

/// One place where a host looks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RootRule {
    /// Whose skills these are.
    pub scope: Scope,
    /// Relative to the project, or `~/…`, `${VAR:-default}/…`, or absolute.
    pub path: PathTemplate,
    /// Which folders of a project are asked; only for project roots.
    #[serde(default)]
    pub walk: Walk,
    /// What lies there.
    #[serde(default)]
    pub kind: RootKind,
    /// Depth for this root alone, where it differs from the host's.
    #[serde(default)]
    pub depth: Option<u32>,
    /// Whether links are followed below this root.
    #[serde(default)]
    pub links: Option<Links>,
    /// Whether a missing description is accepted in this root, where it differs from the host's.
    #[serde(default)]
    pub description: Option<Missing>,
    /// Read only when the user switched it on.
    #[serde(default)]
    pub opt_in: bool,
}

/// Whose skills these are. The order is Skillful's own precedence, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// Given for this call alone.
    Extra,
    /// Of the repository.
    Project,
    /// Of the person.
    User,
    /// A folder the user named in the configuration.
    Custom,
    /// Of the administrator.
    Managed,
    /// Brought by a plugin.
    Plugin,
    /// Brought by an integration of an application.
    Integration,
    /// Shipped with the program.
    System,
}

/// Which folders of a project a root is looked for in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Walk {
    /// The working folder only.
    #[default]
    Here,
    /// The working folder and each folder above it up to the repository's root, nearest first.
    Up,
    /// The same folders, the repository's root first.
    Down,
    /// As `up`, and outside a repository to the root of the disk.
    UpToDisk,
    /// The repository's root only.
    Repository,
}

/// What a root holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RootKind {
    /// Folders with a SKILL.md.
    #[default]
    Skills,
    /// Markdown files, each a slash command (`.claude/commands`).
    Commands,
    /// Plugins, each with a manifest and its own skills.
    Plugins,
    /// Integrations: `<domain>/skills/<name>`.
    Integrations,
    /// Overrides of bundled skills by an operator.
    Overrides,
}

/// How a root is walked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ScanRule {
    /// File names that make a folder a skill, the first to win first.
    pub files: Vec<String>,
    /// Levels below the root at which a skill's folder may lie; absent means no limit.
    pub depth: Option<u32>,
    /// Whether a skill file directly in the root counts.
    pub root_skill: bool,
    /// Whether Markdown files directly in the root are skills, named by their stem.
    pub flat_files: bool,
    /// Folders visited per root, the root included; absent means no limit.
    pub folders: Option<u32>,
    /// Whether folders whose name starts with a dot are entered.
    pub hidden: Visit,
    /// Names of folders that are never entered.
    pub skip: Vec<String>,
    /// Prefixes of folder names that are never entered.
    pub skip_prefixes: Vec<String>,
    /// Whether linked folders are entered.
    pub folder_links: Links,
    /// Whether a skill file that is itself a link counts.
    pub file_links: Links,
    /// Whether a skill's own folder is searched for further skills.
    pub nested: Nested,
    /// Whether one folder reached over two ways is one skill.
    pub twins: Twins,
}

impl Default for ScanRule {
    fn default() -> Self {
        Self {
            files: vec!["SKILL.md".to_owned()],
            depth: Some(1),
            root_skill: false,
            flat_files: false,
            folders: None,
            hidden: Visit::Skip,
            skip: Vec::new(),
            skip_prefixes: Vec::new(),
            folder_links: Links::Follow,
            file_links: Links::Follow,
            nested: Nested::Stop,
            twins: Twins::One,
        }
    }
}

/// Whether something is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Visit {
    /// Never entered.
    Skip,
    /// Entered.
    Scan,
}

/// What is done with a symbolic link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Links {
    /// Followed.
    Follow,
    /// Left alone.
    Skip,
}

/// Whether the walk goes on inside a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Nested {
    /// A skill's folder is its own; a SKILL.md inside is one of its files.
    Stop,
    /// A SKILL.md inside a skill is another skill.
    Descend,
}

/// What two ways to one folder make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Twins {
    /// One skill.
    One,
    /// One skill for each way.
    Each,
}

/// How a file's header is read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HeaderRule {
    /// Files larger than this are not read; absent means no limit.
    pub max_bytes: Option<u64>,
    /// What a byte order mark does.
    pub bom: Mark,
    /// What bytes that are not UTF-8 do.
    pub encoding: Encoding,
    /// What the first line may look like.
    pub opening: Fence,
    /// What the closing line may look like.
    pub closing: Fence,
    /// What a file without a header is.
    pub missing: MissingHeader,
    /// What is done with YAML that fails.
    pub repair: Repair,
    /// What a key written twice does.
    pub duplicate_keys: DuplicateKeys,
    /// What tab indentation does.
    pub tabs: Tabs,
}

impl Default for HeaderRule {
    fn default() -> Self {
        Self {
            max_bytes: None,
            bom: Mark::Strip,
            encoding: Encoding::Strict,
            opening: Fence::Blanks,
            closing: Fence::Blanks,
            missing: MissingHeader::Skip,
            repair: Repair::None,
            duplicate_keys: DuplicateKeys::Refuse,
            tabs: Tabs::Refuse,
        }
    }
}

/// What a byte order mark does to a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    /// It is passed over.
    Strip,
    /// It hides the header.
    Hides,
}

/// What bytes that are not UTF-8 do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Encoding {
    /// The file is refused.
    Strict,
    /// They become U+FFFD.
    Lossy,
}

/// What counts as a fence line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fence {
    /// Exactly `---`.
    Exact,
    /// `---` and blanks after it.
    Blanks,
    /// `---` with blanks on either side.
    Trimmed,
    /// `---`, and blank lines may stand before it.
    AfterBlankLines,
    /// A line that starts with `---`, whatever follows.
    Prefix,
    /// Any `---`, even inside a line.
    Anywhere,
}

/// What a file without a header is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MissingHeader {
    /// Not a skill.
    Skip,
    /// A skill that is all body.
    BodyOnly,
}

/// What is done with YAML that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Repair {
    /// The skill is refused.
    None,
    /// Plain values with a colon, or starting with `[ { @` or a backtick, are quoted.
    Quote,
    /// Plain values with a colon of keys made of word characters become literal blocks.
    Block,
    /// `name:` and `description:` are read line by line.
    Lines,
    /// The skill loads with no metadata at all.
    Empty,
    /// Everything Skillful knows how to repair.
    Skillful,
}

/// What a key written twice does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DuplicateKeys {
    /// YAML fails.
    Refuse,
    /// The last counts.
    Last,
}

/// What tab indentation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tabs {
    /// YAML fails.
    Refuse,
    /// They count as blanks.
    Accept,
}

/// What a name may be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NameRule {
    /// What a missing name does.
    pub missing: Missing,
    /// Which YAML values count as a name.
    pub kinds: Kinds,
    /// Longest name; absent means no limit.
    pub max: Option<u32>,
    /// Which characters it may have.
    pub characters: Characters,
    /// Whether it must be the folder's name.
    pub equals_folder: bool,
    /// How the host rewrites it.
    pub rewrite: Rewrite,
}

impl Default for NameRule {
    fn default() -> Self {
        Self {
            missing: Missing::Accept,
            kinds: Kinds::Text,
            max: None,
            characters: Characters::Any,
            equals_folder: false,
            rewrite: Rewrite::None,
        }
    }
}

/// What a missing field does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// The skill loads all the same; a name falls back to the folder's.
    Accept,
    /// The skill is refused.
    Refuse,
    /// The skill loads and is not listed to the model.
    Unlisted,
}

/// Which YAML values a host takes for a text field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kinds {
    /// Text only; a bare number or boolean is refused.
    Text,
    /// Any single value, read as text.
    Scalars,
    /// Lists too, joined.
    Joined,
}

/// Which characters a name may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Characters {
    /// Anything.
    Any,
    /// No slash.
    NoSlash,
    /// `a-z`, `0-9` and inner hyphens.
    Slug,
}

/// How a host rewrites a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rewrite {
    /// Not at all.
    None,
    /// Runs of blanks become one.
    OneLine,
    /// Characters that are special in paths become hyphens.
    PathSafe,
}

/// What a description may be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DescriptionRule {
    /// What a missing description does.
    pub missing: Missing,
    /// What an empty one does.
    pub empty: Missing,
    /// Which YAML values count.
    pub kinds: Kinds,
    /// Longest description that loads; absent means no limit.
    pub max: Option<u32>,
    /// Whether runs of blanks and line ends become one blank.
    pub one_line: bool,
}

impl Default for DescriptionRule {
    fn default() -> Self {
        Self { missing: Missing::Accept, empty: Missing::Accept, kinds: Kinds::Text, max: None, one_line: false }
    }
}

/// What happens when two skills of a host have one name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Collision {
    /// The first root wins.
    #[default]
    First,
    /// All stay.
    All,
    /// One stays, and it is not said which.
    Any,
}

/// Whether skills of a repository need its trust.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrustRule {
    /// Loaded without a question.
    #[default]
    Ignored,
    /// Left out until the folder is trusted.
    Needed,
}

/// What `allowed-tools` means to a host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToolListMode {
    /// It has no effect.
    #[default]
    Ignored,
    /// Nothing else may be used.
    Restrict,
    /// These need no question.
    Preapprove,
}

/// How arguments are put into a skill's text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ArgumentRule {
    /// The first position of `$N`; absent means that positions are not replaced.
    pub first: Option<u32>,
    /// What a position without an argument becomes.
    pub missing: MissingArgument,
    /// Whether `$ARGUMENTS` is replaced.
    pub all: bool,
    /// Whether `arguments:` names may be used as `$name`.
    pub named: bool,
}

/// What a position without an argument becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MissingArgument {
    /// It stays as written.
    #[default]
    Literal,
    /// Nothing.
    Empty,
}

/// How the catalogue reaches the model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CatalogueRule {
    /// Its form.
    pub style: CatalogueStyle,
    /// Share of the context window, in thousandths.
    pub window_permille: Option<u32>,
    /// Fixed number of characters.
    pub characters: Option<u32>,
    /// Longest description shown.
    pub description: Option<u32>,
}

/// The form of a catalogue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CatalogueStyle {
    /// `<available_skills>` as the reference library prints it.
    #[default]
    Xml,
    /// One Markdown line per skill.
    Menu,
    /// One line with a when-to-use hint.
    Preamble,
    /// Codex's developer message.
    Codex,
    /// Claude Code's listing.
    Claude,
    /// JSON.
    Json,
}

impl Host {
    /// Reads one host file; a file that cannot be used is a diagnostic with its line.
    pub fn parse(text: &str) -> Result<Self, Box<Diagnostic>> {
        let fail = |message: String| Box::new(Diagnostic::new(Code::HostFileInvalid, message));
        if text.len() > HOST_FILE_LIMIT {
            return Err(fail(format!("the host file is larger than {HOST_FILE_LIMIT} bytes")));
        }
        let host: Self = toml::from_str(text).map_err(|error| {
            let mut diagnostic = fail(error.message().to_owned());
            if let Some(range) = error.span() {
                diagnostic.span = Some(skillful_format::source::span_in(text, range));
            }
            diagnostic
        })?;
        let word = |text: &str| {
            !text.is_empty() && text.len() <= 64 && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        };
        if !word(&host.id) {
            return Err(fail(format!("the id `{}` must be letters, digits and hyphens", host.id)));
        }
        if host.scan.files.is_empty() {
            return Err(fail("`scan.files` must name at least one file".to_owned()));
        }
        Ok(host)
    }

    /// Whether `name` means this host.
    pub fn is_called(&self, name: &str) -> bool {
        self.id == name || self.aliases.iter().any(|alias| alias == name)
    }
}
