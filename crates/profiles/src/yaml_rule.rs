//! What an agent's reader of YAML accepts.

use serde::{Deserialize, Serialize};

/// What a key written twice does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DuplicateKeys {
    /// YAML fails.
    Refuse,
    /// YAML fails when the agent reads that key, as its `fields` say.
    RefuseRead,
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

/// What a tag that YAML does not define does: `!important`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tags {
    /// The value counts without it.
    Drop,
    /// YAML fails.
    Refuse,
}

/// What a key that is a list or a mapping does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ComplexKeys {
    /// It is a key nobody reads.
    Accept,
    /// YAML fails.
    Refuse,
}

/// What the key `<<` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MergeKeys {
    /// It is a key nobody reads.
    Ignore,
    /// The keys of its value count where they are not written out.
    Apply,
}

/// Whether the lines of a quoted value must be indented.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QuotedLines {
    /// They may start anywhere, as in YAML 1.1.
    Anywhere,
    /// YAML fails unless they are indented.
    Indented,
}

/// What blanks at the end of a line inside quotes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QuotedBlanks {
    /// Part of the line end, which folds to one blank.
    Fold,
    /// Part of the text.
    Keep,
}

/// What an escape that is half a character does: `"\ud83c\udfc6"`, as JSON writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Surrogates {
    /// Two halves make a character.
    Join,
    /// YAML fails.
    Refuse,
}

/// What text after a value in brackets or quotes is: `a: [b] c: d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrailingText {
    /// YAML fails.
    Refuse,
    /// The next key and its value.
    NextKey,
}

/// Which characters end a line of YAML.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LineEnds {
    /// Line feed and carriage return, as YAML 1.2 has it.
    Ascii,
    /// Also U+0085, U+2028 and U+2029, as YAML 1.1 has it.
    Unicode,
}

/// Which unquoted values are something else than text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Typing {
    /// Numbers and booleans of YAML 1.2.
    Core,
    /// As js-yaml 3: dates too, and numbers such as `1:30`, `010` and `1_000`.
    JsYaml3,
    /// As js-yaml 4: dates too, and numbers such as `0b1` and `1_000`.
    JsYaml4,
}

/// What a key without a value, or with `null`, is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Null {
    /// As if the key were not there.
    Missing,
    /// A value of the wrong kind.
    WrongKind,
}

/// What a value must be; `null` always passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// One value.
    Scalar,
    /// `true` or `false`.
    Boolean,
    /// A list.
    List,
    /// A mapping.
    Map,
}
