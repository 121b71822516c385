//! JSON as users write it in configuration: with comments, and commas before a closing bracket.

use jsonc_parser::{ParseOptions, Scanner, ScannerOptions, parse_to_serde_value, tokens::Token};
use serde_json::Value as Json;

#[cfg(test)]
mod tests;

/// What a program allows beyond JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JsonForm {
    /// Nothing.
    Strict,
    /// Comments.
    Comments,
    /// Comments, and a comma before a closing bracket.
    TrailingCommas,
}

/// What the parser allows: JSON, comments, and a comma before a closing bracket, and nothing else.
pub fn json_options(comments: bool, trailing_commas: bool) -> ParseOptions {
    ParseOptions {
        allow_comments: comments,
        allow_trailing_commas: trailing_commas,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// Reads JSON with comments; or also with a comma before a closing bracket. Nothing else is
/// allowed that JSON does not allow.
pub(super) fn parse(text: &str, form: JsonForm) -> Result<Json, String> {
    let options = json_options(form != JsonForm::Strict, form == JsonForm::TrailingCommas);
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let value: Json = parse_to_serde_value(text, &options).map_err(|error| error.to_string())?;
    // The parser reads a text without a value as `null`, which no configuration is.
    if value.is_null() {
        return Err("there is no value".to_owned());
    }
    if has_control_in_string(text) {
        return Err("a string has a control character, such as a line end".to_owned());
    }
    Ok(value)
}

/// Whether a string literal holds a control character as it is. The parser takes it; JSON does not.
fn has_control_in_string(text: &str) -> bool {
    let mut scanner = Scanner::new(text, &ScannerOptions::default());
    while let Ok(Some(token)) = scanner.scan() {
        let literal = text.get(scanner.token_start()..scanner.token_end()).unwrap_or_default();
        if matches!(token, Token::String(_)) && literal.bytes().any(|byte| byte < b' ') {
            return true;
        }
    }
    false
}
