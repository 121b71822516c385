//! What an agent's YAML reader accepts.

use serde::{Deserialize, Serialize};

/// The effect of a key that appears twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DuplicateKeys {
    /// Reading fails.
    Refuse,
    /// Reading fails if the key is one of the agent's `fields`.
    RefuseRead,
    /// The last value wins.
    Last,
}

/// The effect of indentation with tabs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tabs {
    /// Reading fails.
    Refuse,
    /// A tab counts as spaces.
    Accept,
}

/// The effect of a tag that YAML does not define, such as `!important`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tags {
    /// The tag is ignored.
    Drop,
    /// Reading fails.
    Refuse,
}

/// The effect of a key that is a list or a mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ComplexKeys {
    /// The key is ignored.
    Accept,
    /// Reading fails.
    Refuse,
}

/// The effect of the key `<<`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MergeKeys {
    /// The key is ignored.
    Ignore,
    /// The keys of its value apply unless they are written out.
    Apply,
}

/// Whether the lines of a quoted value must be indented.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QuotedLines {
    /// They may start anywhere, as in YAML 1.1.
    Anywhere,
    /// Reading fails unless they are indented.
    Indented,
}

/// How spaces at the end of a line inside quotes are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QuotedSpaces {
    /// As part of the line end, which becomes one space.
    Fold,
    /// As part of the text.
    Keep,
}

/// The effect of an escape for half a character: `"\ud83c\udfc6"`, as JSON writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Surrogates {
    /// Two halves form one character.
    Join,
    /// Reading fails.
    Refuse,
}

/// How a number is written where text is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Numbers {
    /// As in the file.
    AsWritten,
    /// As JavaScript writes its value: `1.0` is `1`, and `0x1F` is `31`.
    Value,
}

/// How text after a value in brackets or quotes is read: `a: [b] c: d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrailingText {
    /// Reading fails.
    Refuse,
    /// As the next key and its value.
    NextKey,
}

/// The characters that end a line of YAML.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LineEnds {
    /// Line feed and carriage return, as in YAML 1.2.
    Ascii,
    /// Also U+0085, U+2028 and U+2029, as in YAML 1.1.
    Unicode,
    /// Every carriage return becomes a line feed before the fences are looked for.
    Normalised,
}

/// The values without quotes that are not text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Typing {
    /// Numbers and booleans of YAML 1.2.
    Core,
    /// Like js-yaml 3: also dates, and numbers such as `1:30`, `010` and `1_000`.
    JsYaml3,
    /// Like js-yaml 4: also dates, and numbers such as `0b1` and `1_000`.
    JsYaml4,
}

/// How a key without a value, or with `null`, is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Null {
    /// As a missing key.
    Missing,
    /// As a value of the wrong type.
    WrongKind,
}

/// The effect of control characters in the frontmatter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Controls {
    /// Reading fails.
    Refuse,
    /// They are read; a view shows each as a space.
    Accept,
}

/// The effect of a list or mapping where text is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WrongKind {
    /// The skill is refused.
    Refuse,
    /// The key counts as missing.
    Missing,
}

/// The values that count as true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Truth {
    /// Only the boolean.
    Boolean,
    /// Also the words `true`, `yes`, `on` and the number 1, in any letter case and in quotes.
    Words,
}

/// The required type of a value; `null` is always accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// One value.
    Scalar,
    /// Text; a number, a boolean or a date without quotes is another type.
    Text,
    /// `true` or `false`.
    Boolean,
    /// A list.
    List,
    /// A mapping.
    Map,
}
