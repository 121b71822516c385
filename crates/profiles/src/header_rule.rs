//! How an agent reads the header of a file.

use super::yaml_rule::{
    ComplexKeys, DuplicateKeys, LineEnds, MergeKeys, Null, QuotedBlanks, QuotedLines, Shape, Surrogates,
    Tabs, Tags, TrailingText, Typing,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How a file's header is read: from bytes to fences, from fences to YAML, from YAML to values.
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
    /// Which closing line counts.
    pub closer: Closer,
    /// What a header is that never closes.
    pub unclosed: Unclosed,
    /// What two fences with nothing between them are.
    pub empty: EmptyBlock,
    /// What a file without a header is.
    pub missing: MissingHeader,
    /// How YAML that fails is mended.
    pub repair: Repair,
    /// What counts as failing.
    pub repair_on: RepairOn,
    /// What is done with a header that no repair saves.
    pub broken: Broken,
    /// What a key written twice does.
    pub duplicate_keys: DuplicateKeys,
    /// What tab indentation does.
    pub tabs: Tabs,
    /// What a tag that YAML does not define does.
    pub tags: Tags,
    /// What a key that is a list or a mapping does.
    pub complex_keys: ComplexKeys,
    /// What the key `<<` does.
    pub merge_keys: MergeKeys,
    /// Whether the lines of a quoted value must be indented.
    pub quoted_lines: QuotedLines,
    /// What blanks at the end of a line inside quotes are.
    pub quoted_blanks: QuotedBlanks,
    /// What an escape that is half a character does.
    pub surrogates: Surrogates,
    /// What text after a value in brackets or quotes is.
    pub trailing_text: TrailingText,
    /// Which characters end a line of YAML.
    pub line_ends: LineEnds,
    /// Which unquoted values are something else than text.
    pub typing: Typing,
    /// What a key without a value, or with `null`, is.
    pub null: Null,
    /// What the values of further keys must be, or the file is refused.
    pub shapes: BTreeMap<String, Shape>,
}

impl Default for HeaderRule {
    fn default() -> Self {
        Self {
            max_bytes: None,
            bom: Mark::Strip,
            encoding: Encoding::Strict,
            opening: Fence::Blanks,
            closing: Fence::Blanks,
            closer: Closer::First,
            unclosed: Unclosed::NoHeader,
            empty: EmptyBlock::Header,
            missing: MissingHeader::Skip,
            repair: Repair::None,
            repair_on: RepairOn::Syntax,
            broken: Broken::Refuse,
            duplicate_keys: DuplicateKeys::Refuse,
            tabs: Tabs::Refuse,
            tags: Tags::Drop,
            complex_keys: ComplexKeys::Accept,
            merge_keys: MergeKeys::Ignore,
            quoted_lines: QuotedLines::Anywhere,
            quoted_blanks: QuotedBlanks::Fold,
            surrogates: Surrogates::Join,
            trailing_text: TrailingText::Refuse,
            line_ends: LineEnds::Ascii,
            typing: Typing::Core,
            null: Null::Missing,
            shapes: BTreeMap::new(),
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
    /// `---` and the language of the header, which is YAML unless a word says `json` or `js`.
    Language,
    /// A line that starts with `---`, whatever follows.
    Prefix,
    /// Any `---`, even inside a line.
    Anywhere,
}

/// Which closing line counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Closer {
    /// The first.
    First,
    /// The first after which the header is YAML, so that a fence inside a value does no harm.
    FirstThatParses,
}

/// What a header is that never closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unclosed {
    /// No header.
    NoHeader,
    /// The whole file is its header.
    WholeFile,
}

/// What two fences with nothing between them are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EmptyBlock {
    /// A header that says nothing.
    Header,
    /// No header.
    NoHeader,
    /// An opening fence and text; the header ends at the next fence.
    Text,
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

/// How YAML that fails is mended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Repair {
    /// Not at all.
    None,
    /// Plain values with a colon, or starting with `[ { @` or a backtick, are quoted.
    Quote,
    /// Plain values with a colon of keys made of word characters become literal blocks.
    Block,
    /// `name:` and `description:` are read line by line.
    Lines,
    /// Everything Skillful knows how to repair.
    Skillful,
}

/// What makes an agent try its repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RepairOn {
    /// YAML that fails as such.
    Syntax,
    /// Also a value of the wrong kind.
    WrongKind,
    /// Also a field that is not there.
    NotText,
}

/// What is done with a header that no repair saves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Broken {
    /// The skill is refused.
    Refuse,
    /// The skill loads as if the header said nothing.
    NoMetadata,
}
