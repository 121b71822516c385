//! The texts in a Rust source that users read: string literals, and doc comments, which become help, schemas and API pages.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// Texts with the number of their first line. Tests and the reasons of lint attributes are not read by users.
pub(super) fn rust_text(source: &str) -> Vec<(usize, String)> {
    let mut texts = Vec::new();
    collect(source.parse().unwrap(), &mut texts);
    texts
}

fn collect(tokens: TokenStream, texts: &mut Vec<(usize, String)>) {
    let mut tokens = tokens.into_iter().peekable();
    // Consecutive lines of a doc comment are one text, since a phrase can continue on the next line.
    let mut doc: Option<(usize, String)> = None;
    let mut is_test = false;
    while let Some(token) = tokens.next() {
        if let TokenTree::Punct(mark) = &token
            && mark.as_char() == '#'
        {
            if let Some(TokenTree::Punct(inner)) = tokens.peek()
                && inner.as_char() == '!'
            {
                tokens.next();
            }
            if let Some(TokenTree::Group(group)) = tokens.next_if(|next| matches!(next, TokenTree::Group(_)))
            {
                match attribute(&group) {
                    Attribute::Doc(line, text) => match &mut doc {
                        Some((_, whole)) => {
                            whole.push('\n');
                            whole.push_str(&text);
                        }
                        None => doc = Some((line, text)),
                    },
                    Attribute::Test => is_test = true,
                    Attribute::Lint => {}
                    Attribute::Other => collect(group.stream(), texts),
                }
            }
            continue;
        }
        texts.extend(doc.take());
        match token {
            TokenTree::Group(group) => {
                if !is_test {
                    collect(group.stream(), texts);
                }
                is_test &= group.delimiter() != Delimiter::Brace;
            }
            TokenTree::Punct(mark) if mark.as_char() == ';' => is_test = false,
            TokenTree::Literal(literal) if !is_test => {
                texts.extend(prose(&literal.to_string()).map(|text| (literal.span().start().line, text)));
            }
            _ => {}
        }
    }
    texts.extend(doc);
}

enum Attribute {
    Doc(usize, String),
    /// `#[cfg(test)]` or `#[test]`: the item after it is a test.
    Test,
    /// `#[expect(…, reason = "…")]`.
    Lint,
    Other,
}

fn attribute(group: &Group) -> Attribute {
    let mut tokens = group.stream().into_iter();
    let name = tokens.next().map(|name| name.to_string()).unwrap_or_default();
    match (name.as_str(), tokens.nth(1).or_else(|| group.stream().into_iter().nth(1))) {
        ("doc", Some(TokenTree::Literal(literal))) => {
            let text = literal.to_string();
            let inside = text.trim_start_matches(['r', '#']).trim_end_matches('#').trim_matches('"');
            Attribute::Doc(group.span().start().line, inside.to_owned())
        }
        ("test", _) => Attribute::Test,
        ("cfg", _) if group.stream().to_string().contains("(test)") => Attribute::Test,
        ("expect" | "allow" | "deny" | "warn" | "cfg" | "cfg_attr", _) => Attribute::Lint,
        _ => Attribute::Other,
    }
}

/// What a string literal says, if it is prose: one with no blank is a key, a path or a name. Escapes become blanks, so that a
/// phrase stays a phrase and lines keep their numbers.
fn prose(literal: &str) -> Option<String> {
    let inside = literal.trim_start_matches(['b', 'c', 'r', '#']).trim_end_matches('#');
    let inside = inside.strip_prefix('"')?.strip_suffix('"')?;
    let mut text = String::with_capacity(inside.len());
    let mut letters = inside.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if !literal.starts_with('r') => {
                text.push(if letters.next() == Some('\n') { '\n' } else { ' ' });
            }
            _ => text.push(letter),
        }
    }
    text.trim().contains([' ', '\n']).then_some(text)
}

#[test]
fn literals_and_doc_comments_are_read_and_tests_are_not() {
    let source = "//! A crate.\n//! Two lines.\n#[expect(x, reason = \"not this\")]\nfn f() {\n    let _ = (\"a \\n key\", \"key\", r#\"raw \"text\"\"#, b' ');\n}\n\
                  #[error(\"an `x`\")]\n#[cfg(test)]\nmod tests { const X: &str = \"not this\"; }\n#[test]\nfn g() { h(\"nor this\"); }\n\
                  /// Documented.\nconst C: &str = \"one \\\n    two\";\n";
    let texts = rust_text(source);
    let expected = [
        (1, " A crate.\n Two lines."),
        (5, "a   key"),
        (5, "raw \"text\""),
        (7, "an `x`"),
        (12, " Documented."),
        (13, "one \n    two"),
    ];
    assert_eq!(texts, expected.map(|(line, text)| (line, text.to_owned())));
}
