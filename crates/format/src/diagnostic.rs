//! The one way to report: a stable code, a severity, an exact place, a sentence and the fix.
//!
//! Every loss in Skillful is a value of this type. The table below is the whole vocabulary of the
//! reader, the checker and the packer; `docs/diagnostics.md` is generated from it.

use serde::{Deserialize, Serialize};
use std::{fmt, path::PathBuf};

/// How bad a finding is. Ordered, so that `max()` is the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; nothing is lost.
    Note,
    /// The skill loads, but not everywhere or not as its author meant.
    Warning,
    /// The skill, or a part of it, is refused.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// A range of bytes in one file, with the position a person would look for.
///
/// Line and column travel with the offsets so that a cached diagnostic can be shown without
/// reading the file again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
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

/// One thing worth telling, as data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// What kind of finding this is; stable across releases.
    pub code: Code,
    /// How bad it is here. A profile may raise or lower the code's usual severity.
    pub severity: Severity,
    /// The file or folder concerned, once the caller has said where the text came from.
    pub path: Option<PathBuf>,
    /// The place in that file.
    pub span: Option<Span>,
    /// One sentence in lower case that names the thing.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A finding at its code's usual severity, without a place yet.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, severity: code.severity(), path: None, span: None, message: message.into(), help: None }
    }

    /// Points at a range of the source.
    #[must_use]
    pub fn at(mut self, span: impl Into<Option<Span>>) -> Self {
        self.span = span.into();
        self
    }

    /// Says which file or folder is concerned.
    #[must_use]
    pub fn in_path(mut self, path: impl Into<PathBuf>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// Adds the fix.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Sets the severity, where a profile decides otherwise than the code.
    #[must_use]
    pub fn with_severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }
}

macro_rules! codes {
    ($($(#[$group:meta])* $variant:ident $slug:literal $severity:ident $meaning:literal;)*) => {
        /// Every kind of finding, by its stable name.
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

            /// How bad this usually is.
            pub const fn severity(self) -> Severity {
                match self { $(Self::$variant => Severity::$severity,)* }
            }

            /// One sentence for the documentation: what it means.
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
    NulByte "nul-byte" Error "The file holds a NUL byte, so it is not text.";
    ByteOrderMark "byte-order-mark" Note "The file starts with a byte order mark; several agents then see no header.";
    BothFileNames "both-file-names" Warning "The folder has `SKILL.md` and `skill.md`; only the first is read.";
    LowerCaseFileName "lower-case-file-name" Note "The file is called `skill.md`; most agents look for `SKILL.md` only.";
    // The header's fences.
    NoHeader "no-header" Warning "There is no YAML header, so the skill is only a body.";
    HeaderNotFirst "header-not-first" Warning "Blank lines stand before the header, so most agents do not see it.";
    HeaderUnclosed "header-unclosed" Error "The header is opened and never closed.";
    HeaderTooLarge "header-too-large" Error "The header is larger than the limit.";
    FenceBlanks "fence-blanks" Note "Blanks follow a fence; gemini-cli and Zed then see no header.";
    // YAML that fails.
    YamlSyntax "yaml-syntax" Error "The header is not YAML and its intent is not plain enough to repair.";
    YamlDuplicateKey "yaml-duplicate-key" Error "A key stands twice in one mapping.";
    YamlAnchor "yaml-anchor" Error "Anchors and aliases are refused: they allow small files to grow without bound.";
    YamlTag "yaml-tag" Error "Tags are refused.";
    YamlMergeKey "yaml-merge-key" Error "Merge keys (`<<`) are refused.";
    YamlTooDeep "yaml-too-deep" Error "The header is nested deeper than the limit.";
    YamlTooLarge "yaml-too-large" Error "The header has more values than the limit.";
    YamlDocuments "yaml-documents" Error "The header holds more than one YAML document.";
    HeaderNotMap "header-not-a-map" Error "The header is not a mapping of keys to values.";
    KeyNotText "key-not-text" Error "A key is not text.";
    // YAML that was repaired.
    UnquotedColon "unquoted-colon" Warning "A plain value holds a colon and a blank, which YAML reads as a new mapping; it was read as text.";
    UnquotedValue "unquoted-value" Warning "A plain value starts with a character that YAML reserves; it was read as text.";
    TabIndentation "tab-indentation" Warning "The header is indented with tabs, which YAML forbids; they were read as blanks.";
    TextAfterBlockMark "text-after-block-mark" Warning "Text follows `|` or `>` on the same line; it was read as the first line of the block.";
    UnindentedText "unindented-text" Warning "A value goes on without indentation; the lines were joined.";
    FenceInQuotes "fence-in-quotes" Warning "A quoted value has a line `---`, which most readers take for the end of the header.";
    // Fields.
    WrongType "wrong-type" Error "A field has a value of the wrong kind.";
    GateUnreadable "gate-unreadable" Error "A field that limits who may use the skill cannot be read, so the gate stays closed.";
    TwoSpellings "two-spellings" Warning "One field is written twice in two spellings; the first counts.";
    UnknownKey "unknown-key" Note "The key is not known to any agent; it is kept and ignored.";
    NonSpecKey "non-spec-key" Note "The key is not part of the agentskills.io specification.";
    MetadataNotText "metadata-not-text" Note "The specification wants `metadata` to map text to text.";
    ToolListForm "tool-list-form" Note "The specification wants `allowed-tools` as one blank-separated text.";
    ToolPattern "tool-pattern" Warning "An entry of a tool list is not `Name` or `Name(pattern)`.";
    GateNested "gate-nested" Warning "A gate stands below another key, where it has no effect.";
    // Name.
    NameMissing "name-missing" Warning "There is no name; the folder's name is used.";
    NameEmpty "name-empty" Warning "The name is empty; the folder's name is used.";
    NameNotFolder "name-differs-from-folder" Warning "The name is not the folder's name.";
    NameTooLong "name-too-long" Warning "The name is longer than 64 characters.";
    NameCharacters "name-characters" Warning "The name holds characters other than lower-case letters, digits and hyphens.";
    NameHyphens "name-hyphens" Warning "The name starts or ends with a hyphen, or has two in a row.";
    NameUpperCase "name-upper-case" Warning "The name has upper-case letters.";
    NameReserved "name-reserved" Warning "The name is reserved by an operating system or a tool.";
    // Description.
    DescriptionMissing "description-missing" Warning "There is no description, so a model is never offered the skill.";
    DescriptionTooLong "description-too-long" Warning "The description is longer than 1,024 characters; agents cut or refuse it.";
    DescriptionAngle "description-angle-brackets" Note "The description holds angle brackets; some agents put it unescaped into their prompt.";
    CompatibilityLength "compatibility-length" Warning "`compatibility` is empty or longer than 500 characters.";
    // Body and files.
    BodyEmpty "body-empty" Warning "The skill has no instructions.";
    BodyLong "body-long" Note "The body has more than 500 lines; move detail to `references/`.";
    FileMissing "file-missing" Warning "The body points at a file that is not in the skill.";
    ArgumentIndex "argument-index" Note "Positions such as `$1` count from 0 in Claude Code and from 1 in OpenCode and goose.";
    // Sidecars.
    SidecarUnreadable "sidecar-unreadable" Warning "A sidecar file could not be read; the skill loads without it.";
    SidecarField "sidecar-field" Warning "One field of a sidecar file is not usable and was left out.";
    // Packages and trees.
    ArchiveUnreadable "archive-unreadable" Error "The archive is damaged, of an unknown kind, or says different things in different places.";
    ArchiveEncrypted "archive-encrypted" Error "The archive is encrypted.";
    ArchiveMethod "archive-method" Error "The archive uses a compression method other than stored or deflate.";
    ArchiveTooLarge "archive-too-large" Error "The archive is, or unpacks to, more bytes than the limit.";
    ArchiveTooMany "archive-too-many-files" Error "The archive has more entries than the limit.";
    ArchiveRatio "archive-ratio" Error "The archive unpacks to suspiciously more bytes than it has.";
    ArchiveTrailing "archive-trailing-bytes" Error "Bytes stand before or after the archive's own.";
    EntryPath "entry-path" Error "An entry's path is absolute, leaves the folder, or cannot exist on every system.";
    EntryKind "entry-kind" Error "An entry is a link, a device or a pipe.";
    EntryClash "entry-clash" Error "Two entries have the same name, or the same name but for case or Unicode form.";
    EntrySkipped "entry-skipped" Warning "An entry was left out.";
    NoSkillFile "no-skill-file" Error "There is no SKILL.md where one must be.";
    LinkSkipped "link-skipped" Warning "A symbolic link in a skill folder is no part of the skill.";
    FileBinary "file-binary" Note "The file is not text; it stays on disk but a model cannot read it.";
    FileOverReadLimit "file-over-read-limit" Note "The file is too large for a model to read in one piece.";
    // Discovery.
    FolderUnreadable "folder-unreadable" Warning "A folder could not be read; what is below it is not known.";
    DepthLimit "depth-limit" Warning "The scan of a root stopped at its depth limit.";
    FolderLimit "folder-limit" Warning "The scan of a root stopped at its limit of folders.";
    LinkCycle "link-cycle" Note "A link leads back to a folder that was already visited.";
    LinkRefused "link-refused" Warning "A link was not followed in a scope that allows none.";
    LinkBroken "link-broken" Warning "A link points at nothing.";
    LinkTwin "link-twin" Note "The same folder was reached twice; it is one skill.";
    NestedSkill "nested-skill" Note "A SKILL.md inside another skill is a file of that skill.";
    Shadowed "shadowed" Note "Another skill of the same name comes first.";
    Untrusted "untrusted" Warning "The repository is not trusted, so its skills are listed and never offered.";
    AgentRefuses "agent-refuses" Error "This agent does not load the skill.";
    PluginManifest "plugin-manifest" Warning "A plugin manifest could not be used.";
    OverrideInvalid "override-invalid" Warning "An operator override could not be used.";
    ConfigInvalid "config-invalid" Warning "A setting could not be used.";
    EvalInvalid "eval-invalid" Warning "A judged request could not be read.";
    AgentProfileInvalid "agent-file-invalid" Error "An agent file could not be used.";
    RootInvalid "root-invalid" Warning "A root could not be used.";
    CacheDiscarded "cache-discarded" Note "The cache was damaged or of another version and was built anew.";
    // At work.
    MemoryLost "memory-lost" Warning "What was remembered of a conversation or a person could not be read.";
    HookInvalid "hook-invalid" Warning "A hook of a skill cannot be read; a guard among them refuses everything.";
    HookFailed "hook-failed" Warning "A hook of a skill did not do its work.";
    SecretShown "secret-shown" Warning "A secret cannot be taken out of what programs say.";
    EnvNotSet "env-not-set" Warning "A variable that a skill declares for its programs could not be set.";
    EnvConflict "env-conflict" Warning "Two skills declare one variable for their programs and mean different things.";
    McpStartFailed "mcp-start-failed" Warning "The MCP server that a skill brings could not be started, so its tools are missing.";
    McpToolDropped "mcp-tool-dropped" Warning "A tool of an MCP server cannot be offered, or not as its server describes it.";
    McpMisbehaved "mcp-misbehaved" Note "An MCP server breaks the protocol in a way that could be borne.";
    McpSkillRefused "mcp-skill-refused" Warning "A skill that an MCP server offers breaks a rule of the extension and is not loaded.";
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
