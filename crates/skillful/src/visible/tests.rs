use super::*;

#[test]
fn what_a_terminal_would_obey_or_hide_is_named() {
    let cases = [
        ("plain text, ünïcode, 日本語, 🦀", "plain text, ünïcode, 日本語, 🦀"),
        ("e\u{301} stays", "e\u{301} stays"),
        ("\u{1b}[2Jgone", "<U+001B>[2Jgone"),
        ("\u{9b}31m", "<U+009B>31m"),
        ("\u{7f}\0", "<U+007F><U+0000>"),
        ("a\u{202e}b\u{2066}c", "a<U+202E>b<U+2066>c"),
        ("a\u{200b}b\u{feff}", "a<U+200B>b<U+FEFF>"),
        ("\u{e0041}\u{fe0f}\u{3164}", "<U+E0041><U+FE0F><U+3164>"),
        ("a\u{2028}b", "a<U+2028>b"),
    ];
    for (raw, shown) in cases {
        assert_eq!(exact(raw), shown);
    }
}

#[test]
fn a_sentence_stays_on_one_line() {
    assert_eq!(sentence("expected `]`\n\tin an array\r\n"), "expected `]` in an array");
    assert_eq!(sentence("a  b"), "a  b");
}

#[test]
fn every_control_character_is_hidden() {
    assert!(('\0'..='\u{a0}').filter(|c| c.is_control()).all(is_hidden));
}
