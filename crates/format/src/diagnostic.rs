//! The one type for reporting problems: a stable code, a severity, an exact position, a message and
//! a fix.
//!
//! Skillful reports every loss as a value of this type. The table below lists all codes;
//! `docs/diagnostics.md` is generated from it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, fmt, path::Path, sync::Arc};

/// How serious a diagnostic is. Ordered, so that `max()` is the most serious.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Information; nothing is lost.
    Note,
    /// The skill loads, but not in every agent or not as its author intended.
    Warning,
    /// The skill, or a part of it, is refused.
    Error,
}

impl Severity {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A range of bytes in one file, with the line and column that a user looks for.
///
/// Line and column are stored with the offsets, so that a cached diagnostic can be printed without
/// reading the file again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// Line of `start`, from 1.
    pub line: u32,
    /// Column of `start` in characters, from 1.
    pub column: u32,
}

/// One problem or note about a skill or a setting, as data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// The kind of problem; stable across releases.
    pub code: Code,
    /// The severity here. A profile may raise or lower the default severity of the code.
    pub severity: Severity,
    /// The file or folder concerned, once the caller has set where the text came from. Shared, since most findings of a
    /// skill are about one file.
    pub path: Option<Arc<Path>>,
    /// The position in that file.
    pub span: Option<Span>,
    /// One sentence in lower case that names what is wrong.
    pub message: String,
    /// How to fix it; most fixes are one text for every skill.
    pub help: Option<Cow<'static, str>>,
}

impl Diagnostic {
    /// A diagnostic with its code's default severity and without a position.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, severity: code.severity(), path: None, span: None, message: message.into(), help: None }
    }

    /// Sets the position in the source.
    #[must_use]
    pub fn at(mut self, span: impl Into<Option<Span>>) -> Self {
        self.span = span.into();
        self
    }

    /// Sets the file or folder concerned.
    #[must_use]
    pub fn in_path(mut self, path: impl AsRef<Path>) -> Self {
        self.path = Some(Arc::from(path.as_ref()));
        self
    }

    /// Adds the fix.
    #[must_use]
    pub fn help(mut self, help: impl Into<Cow<'static, str>>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Sets the severity, when a profile overrides the default.
    #[must_use]
    pub fn with_severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }
}

macro_rules! codes {
    ($($(#[$group:meta])* $variant:ident $slug:literal $severity:ident $meaning:literal;)*) => {
        /// Every kind of problem, by its stable name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Code {
            $(#[doc = $meaning] #[serde(rename = $slug)] $variant,)*
        }

        impl Code {
            /// All codes, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The stable name, as written in output, configuration and SARIF.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $slug,)* }
            }

            /// The default severity.
            pub const fn severity(self) -> Severity {
                match self { $(Self::$variant => Severity::$severity,)* }
            }

            /// One sentence for the documentation that explains the code.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)* }
            }
        }
    };
}

codes! {
    // The file.
    FileTooLarge "file-too-large" Error "The file is larger than the limit and was not read.";
    FileUnreadable "file-unreadable" Error "The file could not be read.";
    NotUtf8 "not-utf8" Error "The file is not UTF-8 text.";
    NulByte "nul-byte" Error "The file contains a NUL byte, so it is not text.";
    ByteOrderMark "byte-order-mark" Note "The file starts with a byte order mark; several agents then do not see the frontmatter.";
    BothFileNames "both-file-names" Warning "The folder has `SKILL.md` and `skill.md`; only the first is read.";
    LowerCaseFileName "lower-case-file-name" Note "The file is called `skill.md`; most agents look for `SKILL.md` only.";
    // The fences of the frontmatter.
    NoFrontmatter "no-frontmatter" Warning "The file has no YAML frontmatter, so the skill has no description for a model.";
    FrontmatterNotFirst "frontmatter-not-first" Warning "There are blank lines before the frontmatter, so most agents do not see it.";
    FrontmatterUnclosed "frontmatter-unclosed" Error "The frontmatter has no closing `---`, or none before the text of the body.";
    FrontmatterTooLarge "frontmatter-too-large" Error "The frontmatter is larger than the limit.";
    FenceBlanks "fence-blanks" Note "Spaces follow a `---` fence; gemini-cli and Zed then do not see the frontmatter, or not the instructions.";
    // YAML that fails.
    YamlSyntax "yaml-syntax" Error "The frontmatter is not valid YAML, and its meaning is not clear enough to repair.";
    YamlDuplicateKey "yaml-duplicate-key" Error "A key appears twice in one mapping.";
    YamlAnchor "yaml-anchor" Error "The frontmatter uses an anchor or alias. Both are refused, because a small file could expand without limit.";
    YamlTag "yaml-tag" Error "The frontmatter uses a tag (`!name`). Tags are refused.";
    YamlMergeKey "yaml-merge-key" Error "The frontmatter uses a merge key (`<<`). Merge keys are refused.";
    YamlTooDeep "yaml-too-deep" Error "The frontmatter is nested deeper than the limit.";
    YamlTooLarge "yaml-too-large" Error "The frontmatter has more values than the limit.";
    YamlDocuments "yaml-documents" Error "The frontmatter contains more than one YAML document.";
    FrontmatterNotMap "frontmatter-not-a-map" Error "The frontmatter is not a mapping of keys to values.";
    KeyNotText "key-not-text" Error "A key is not text.";
    // YAML that was repaired.
    UnquotedColon "unquoted-colon" Warning "A value without quotes contains a colon and a space, which YAML reads as a new mapping; it was read as text.";
    UnquotedValue "unquoted-value" Warning "A value without quotes starts with a character that YAML reserves; it was read as text.";
    TabIndentation "tab-indentation" Warning "The frontmatter is indented with tabs, which YAML forbids; they were read as spaces.";
    TextAfterBlockMark "text-after-block-mark" Warning "Text follows `|` or `>` on the same line; it was read as the first line of the block.";
    UnindentedText "unindented-text" Warning "A value continues on the next line without indentation; the lines were joined.";
    FenceInQuotes "fence-in-quotes" Warning "A quoted value contains a line `---`, which most readers take for the end of the frontmatter.";
    // Fields.
    WrongType "wrong-type" Error "A field has a value of the wrong type. A note when another program may read the field in this form.";
    GateUnreadable "gate-unreadable" Error "A field that limits who may use the skill cannot be read, so the skill is available to no one.";
    TwoSpellings "two-spellings" Warning "One field is written twice in two spellings; the first one is used.";
    UnknownKey "unknown-key" Note "No agent profile has the key; it is kept and ignored.";
    NonSpecKey "non-spec-key" Note "The key is not part of the agentskills.io specification.";
    MetadataNotText "metadata-not-text" Note "The specification requires `metadata` to map text to text.";
    ToolListForm "tool-list-form" Note "The specification requires `allowed-tools` as one text separated by spaces.";
    ToolPattern "tool-pattern" Warning "An entry of a tool list is not `Name` or `Name(pattern)`.";
    GateNested "gate-nested" Warning "A field that limits who may use the skill is nested below another key, where it has no effect.";
    // Name.
    NameMissing "name-missing" Warning "The skill has no name; the folder's name is used.";
    NameEmpty "name-empty" Warning "The name is empty; the folder's name is used.";
    NameNotFolder "name-differs-from-folder" Warning "The name differs from the folder's name.";
    NameTooLong "name-too-long" Warning "The name is longer than 64 characters.";
    NameCharacters "name-characters" Warning "The name contains characters other than lower-case letters, digits and hyphens.";
    NameHyphens "name-hyphens" Warning "The name starts or ends with a hyphen, or has two in a row.";
    NameUpperCase "name-upper-case" Warning "The name contains upper-case letters.";
    NameReserved "name-reserved" Warning "The name is reserved by an operating system or a tool.";
    // Description.
    DescriptionMissing "description-missing" Warning "The skill has no description, so most agents do not offer it to a model.";
    DescriptionPlaceholder "description-placeholder" Warning "The description is the sentence that `skillful new` wrote, so a model cannot know when to use the skill.";
    DescriptionTooLong "description-too-long" Warning "The description is longer than 1,024 characters; agents shorten or refuse it.";
    DescriptionAngle "description-angle-brackets" Note "The description contains something that reads like a tag; some agents insert it unescaped into their prompt.";
    CompatibilityLength "compatibility-length" Warning "`compatibility` is empty or longer than 500 characters.";
    // Body and files.
    BodyEmpty "body-empty" Warning "The skill has no instructions.";
    BodyLong "body-long" Note "The body has more than 500 lines; move details to `references/`.";
    FileMissing "file-missing" Warning "The body links to a file that is not in the skill.";
    ArgumentIndex "argument-index" Note "Positions such as `$1` count from 0 in Claude Code and from 1 in OpenCode and goose.";
    // Sidecars.
    SidecarUnreadable "sidecar-unreadable" Warning "A sidecar file could not be read; the skill loads without it.";
    SidecarField "sidecar-field" Warning "One field of a sidecar file or of `metadata.openclaw` cannot be used and was ignored.";
    // Packages and trees.
    ArchiveUnreadable "archive-unreadable" Error "The archive is damaged, has an unknown format, or contradicts itself.";
    ArchiveEncrypted "archive-encrypted" Error "The archive is encrypted.";
    ArchiveMethod "archive-method" Error "The archive uses a compression method other than stored or deflate.";
    ArchiveTooLarge "archive-too-large" Error "The archive is larger than the limit, packed or unpacked.";
    ArchiveTooMany "archive-too-many-files" Error "The archive has more entries than the limit.";
    ArchiveRatio "archive-ratio" Error "The unpacked archive is suspiciously larger than the packed one.";
    ArchiveTrailing "archive-trailing-bytes" Error "There are bytes before or after the archive.";
    EntryPath "entry-path" Error "The path of an entry is absolute, leaves the folder, or cannot exist on every system.";
    EntryKind "entry-kind" Error "An entry is a link, a device or a pipe.";
    EntryClash "entry-clash" Error "Two entries have the same name, or names that differ only in case or Unicode form.";
    EntrySkipped "entry-skipped" Warning "An entry was skipped.";
    NoSkillFile "no-skill-file" Error "A SKILL.md is missing where one is required.";
    LinkSkipped "link-skipped" Warning "A symbolic link in a skill folder was skipped; it does not belong to the skill.";
    FileBinary "file-binary" Note "The file is not text; it stays on disk but a model cannot read it.";
    FileOverReadLimit "file-over-read-limit" Note "The file is too large for a model to read in one piece.";
    // Discovery.
    FolderUnreadable "folder-unreadable" Warning "A folder could not be read; skills below it are not listed.";
    DepthLimit "depth-limit" Warning "The scan of a root folder stopped at its depth limit.";
    FolderLimit "folder-limit" Warning "The scan of a root folder stopped at its limit of folders.";
    LinkCycle "link-cycle" Note "A link leads back to a folder that was already scanned.";
    LinkRefused "link-refused" Warning "A link was not followed, because its scope does not allow links.";
    LinkOutside "link-outside" Warning "A link leads out of the repository or plugin it came with, so it was not followed.";
    LinkBroken "link-broken" Warning "A link points to a file or folder that does not exist.";
    LinkTwin "link-twin" Note "The same folder was found twice; it counts as one skill.";
    NestedSkill "nested-skill" Note "A SKILL.md inside another skill counts as a file of that skill.";
    DisplacesOwn "displaces-own" Warning "A skill of the repository has precedence over a skill of the user with the same name.";
    ConfusableName "confusable-name" Warning "The name looks like another name, by letters of another script or characters that are not seen.";
    Shadowed "shadowed" Note "Another skill with the same name has precedence.";
    Untrusted "untrusted" Warning "The repository is not trusted, so its skills are listed but not offered to a model.";
    AgentRefuses "agent-refuses" Error "This agent does not load the skill.";
    PluginManifest "plugin-manifest" Warning "A plugin manifest could not be used.";
    OverrideInvalid "override-invalid" Warning "An operator override could not be used.";
    ConfigInvalid "config-invalid" Warning "A setting could not be used.";
    EvalInvalid "eval-invalid" Warning "A test case of an evaluation could not be read.";
    AgentProfileInvalid "agent-file-invalid" Error "An agent profile could not be used.";
    RootInvalid "root-invalid" Warning "A root folder could not be used.";
    CacheDiscarded "cache-discarded" Note "The cache was damaged or written by another version, and was rebuilt.";
    // Sessions, hooks and MCP servers.
    MemoryLost "memory-lost" Warning "Stored data of a session or a user could not be read.";
    HookInvalid "hook-invalid" Warning "A hook of a skill cannot be read; a hook that guards tool calls then refuses all of them.";
    HookFailed "hook-failed" Warning "A hook of a skill failed.";
    SecretShown "secret-shown" Warning "A secret cannot be removed from the output of programs.";
    EnvNotSet "env-not-set" Warning "A variable that a skill declares for its programs could not be set.";
    EnvConflict "env-conflict" Warning "Two skills declare the same variable for their programs with different values.";
    McpStartFailed "mcp-start-failed" Warning "The MCP server of a skill could not be started, so its tools are missing.";
    McpToolDropped "mcp-tool-dropped" Warning "A tool of an MCP server cannot be offered, or not as the server describes it.";
    McpMisbehaved "mcp-misbehaved" Note "An MCP server violates the protocol in a way that Skillful tolerates.";
    McpSkillRefused "mcp-skill-refused" Warning "A skill that an MCP server offers violates a rule of the extension and is not loaded.";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl std::str::FromStr for Code {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.iter().copied().find(|code| code.as_str() == text).ok_or(())
    }
}
