//! How an agent reads the frontmatter of a file.

use super::yaml_rule::{
    ComplexKeys, Controls, DuplicateKeys, LineEnds, MergeKeys, Null, Numbers, QuotedLines, QuotedSpaces,
    Shape, Surrogates, Tabs, Tags, TrailingText, Truth, Typing, WrongKind,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How an agent reads frontmatter: from bytes to fences, from fences to YAML, from YAML to values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FrontmatterRule {
    /// Larger files are not read; absent means no limit.
    pub max_bytes: Option<u64>,
    /// The effect of a byte order mark.
    pub bom: Mark,
    /// The effect of bytes that are not UTF-8.
    pub encoding: Encoding,
    /// The accepted forms of the opening line.
    pub opening: Fence,
    /// The accepted forms of the closing line.
    pub closing: Fence,
    /// Which closing line ends the frontmatter.
    pub closer: Closer,
    /// Whether spaces and blank lines before the first key are removed, so that it alone loses its indentation.
    pub trim_start: bool,
    /// Whether spaces and blank lines after the last value are removed, so that a block of text at the end loses them.
    pub trim_end: bool,
    /// Whether the line end before the closing line belongs to the frontmatter, so that a block of text keeps it.
    pub last_line_end: bool,
    /// How frontmatter without a closing line is read.
    pub unclosed: Unclosed,
    /// How two fences with nothing between them are read.
    pub empty: EmptyBlock,
    /// How a file without frontmatter is read.
    pub missing: MissingFrontmatter,
    /// How the agent repairs YAML that fails.
    pub repair: Repair,
    /// The failures that start a repair.
    pub repair_on: RepairOn,
    /// The effect of frontmatter that is YAML and not a mapping.
    pub not_a_map: NotAMap,
    /// What happens when no repair succeeds.
    pub broken: Broken,
    /// The effect of a key that appears twice.
    pub duplicate_keys: DuplicateKeys,
    /// The effect of indentation with tabs.
    pub tabs: Tabs,
    /// The effect of a tag that YAML does not define.
    pub tags: Tags,
    /// The effect of a key that is a list or a mapping.
    pub complex_keys: ComplexKeys,
    /// The effect of the key `<<`.
    pub merge_keys: MergeKeys,
    /// Whether the lines of a quoted value must be indented.
    pub quoted_lines: QuotedLines,
    /// How spaces at the end of a line inside quotes are read.
    pub quoted_spaces: QuotedSpaces,
    /// The effect of an escape for half a character.
    pub surrogates: Surrogates,
    /// How text after a value in brackets or quotes is read.
    pub trailing_text: TrailingText,
    /// The characters that end a line of YAML.
    pub line_ends: LineEnds,
    /// The values without quotes that are not text.
    pub typing: Typing,
    /// How a number is written where text is expected.
    pub numbers: Numbers,
    /// How a key without a value, or with `null`, is read.
    pub null: Null,
    /// The effect of control characters.
    pub controls: Controls,
    /// The effect of a list or mapping where text is expected.
    pub wrong_kind: WrongKind,
    /// The values that count as true.
    pub truth: Truth,
    /// The required types of further keys; another type refuses the file.
    pub shapes: BTreeMap<String, Shape>,
}

impl Default for FrontmatterRule {
    fn default() -> Self {
        Self {
            max_bytes: None,
            bom: Mark::Strip,
            encoding: Encoding::Strict,
            opening: Fence::TrailingSpaces,
            closing: Fence::TrailingSpaces,
            closer: Closer::First,
            trim_start: false,
            trim_end: false,
            last_line_end: true,
            unclosed: Unclosed::NoFrontmatter,
            empty: EmptyBlock::Frontmatter,
            missing: MissingFrontmatter::Skip,
            repair: Repair::None,
            repair_on: RepairOn::Syntax,
            not_a_map: NotAMap::Refuse,
            broken: Broken::Refuse,
            duplicate_keys: DuplicateKeys::Refuse,
            tabs: Tabs::Refuse,
            tags: Tags::Drop,
            complex_keys: ComplexKeys::Accept,
            merge_keys: MergeKeys::Ignore,
            quoted_lines: QuotedLines::Anywhere,
            quoted_spaces: QuotedSpaces::Fold,
            surrogates: Surrogates::Join,
            trailing_text: TrailingText::Refuse,
            line_ends: LineEnds::Ascii,
            typing: Typing::Core,
            numbers: Numbers::AsWritten,
            null: Null::Missing,
            controls: Controls::Refuse,
            wrong_kind: WrongKind::Refuse,
            truth: Truth::Boolean,
            shapes: BTreeMap::new(),
        }
    }
}

/// The effect of a byte order mark on the frontmatter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    /// The agent ignores the mark.
    Strip,
    /// The agent does not see the frontmatter.
    Hides,
}

/// The effect of bytes that are not UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Encoding {
    /// The file is refused.
    Strict,
    /// The bytes become U+FFFD.
    Lossy,
}

/// The lines that count as a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fence {
    /// Exactly `---`.
    Exact,
    /// `---` followed by spaces.
    TrailingSpaces,
    /// `---` with spaces before or after it.
    Trimmed,
    /// `---` followed by spaces, in any line: what comes before it is not read.
    AnyLine,
    /// `---`, with blank lines allowed before it.
    AfterBlankLines,
    /// `---` and the language of the frontmatter: YAML, unless the word `json` or `js` follows.
    Language,
    /// Three or more hyphens followed by spaces, with blank lines allowed before them.
    Hyphens,
    /// Any line that starts with `---`.
    Prefix,
    /// Any `---`, even inside a line.
    Anywhere,
}

/// Which closing line ends the frontmatter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Closer {
    /// The first one.
    First,
    /// The first one that leaves valid YAML, so that a fence inside a value is harmless.
    FirstThatParses,
}

/// How frontmatter without a closing line is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unclosed {
    /// As a file without frontmatter.
    NoFrontmatter,
    /// As a file that consists of frontmatter only.
    WholeFile,
}

/// How two fences with nothing between them are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EmptyBlock {
    /// As empty frontmatter.
    Frontmatter,
    /// As a file without frontmatter.
    NoFrontmatter,
    /// As an opening fence and text; the frontmatter ends at the next fence.
    Text,
}

/// How a file without frontmatter is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MissingFrontmatter {
    /// The file is not a skill.
    Skip,
    /// The file is a skill that consists of a body only.
    BodyOnly,
}

/// How an agent repairs YAML that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Repair {
    /// No repair.
    None,
    /// Quote values that contain a colon or start with `[`, `{`, `@` or a backtick.
    Quote,
    /// Quote values that contain a character with a meaning in YAML, for unindented keys made of word characters.
    QuoteWords,
    /// Turn values with a colon into literal blocks, for keys made of word characters.
    Block,
    /// Quote values with a colon, for keys made of word characters.
    QuoteColons,
    /// Read `name:` and `description:` line by line.
    Lines,
    /// Read all keys line by line: a key before the first colon, and lists and mappings of lines with two spaces.
    KeyLines,
    /// Skillful's own repairs.
    Skillful,
}

/// The failures that make an agent try its repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RepairOn {
    /// A syntax error.
    Syntax,
    /// Also a value of the wrong type.
    WrongKind,
    /// Also a missing field.
    NotText,
}

/// The effect of frontmatter that is YAML and not a mapping of keys to values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NotAMap {
    /// Reading fails.
    Refuse,
    /// It counts as a mapping without keys.
    NoKeys,
}

/// What happens to frontmatter that no repair makes readable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Broken {
    /// The skill is refused.
    Refuse,
    /// The skill loads without any metadata.
    NoMetadata,
}
