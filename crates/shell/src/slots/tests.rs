use super::*;
use proptest::prelude::*;

/// The contexts of the placeholders, which are written as `@`.
fn contexts(text: &str) -> Vec<SlotContext> {
    slots(&text.replace('@', "\u{1}")).into_iter().map(|slot| slot.context).collect()
}

#[test]
fn a_placeholder_is_read_by_the_quotes_around_it() {
    use SlotContext::{Arithmetic, Backquotes, Bare, Comment, Double, Escaped, Expansion, Single};
    assert_eq!(contexts("a @ \"@\" '@' x@ \\@"), [Bare, Double, Single, Bare, Escaped]);
    assert_eq!(contexts("a \"$(b @ \"@\")@\" # @"), [Bare, Double, Double, Comment]);
    assert_eq!(
        contexts("a $((@)) $[@] ${x@} `@` $'@'"),
        [Arithmetic, Arithmetic, Expansion, Backquotes, SlotContext::AnsiC]
    );
    assert_eq!(contexts("a \"$(case x in y) b @;; esac)@\""), [Bare, Double]);
}

#[test]
fn a_here_document_takes_values_unless_it_is_quoted_or_runs_something() {
    use SlotContext::{Bare, HereDocument, HereDocumentCode, LiteralHereDocument, Lost};
    assert_eq!(contexts("cat <<A\n'@\n$(x @)\nA\n@"), [HereDocument, HereDocumentCode, Bare]);
    assert_eq!(contexts("cat <<'A'\n@\nA\n@"), [LiteralHereDocument, Bare]);
    assert_eq!(contexts("cat <<A@\n@"), [Lost, Lost]);
}

#[test]
fn behind_quotes_that_cannot_be_followed_everything_is_lost() {
    use SlotContext::{Backquotes, Bare, Lost};
    assert_eq!(contexts("a @ ${x:-\"y\"} @ '@'"), [Bare, Lost, Lost]);
    assert_eq!(contexts("a `b @ \"@\"` @"), [Backquotes, Lost, Lost]);
}

#[test]
fn the_words_before_a_placeholder_have_no_quotes_and_no_redirections() {
    let of = |text: &str| slots(&text.replace('@', "\u{1}")).pop().unwrap();
    assert_eq!(of(">out 2>&1 \\ev'a'\"l\" x@").words, ["eval"]);
    assert_eq!(of("if a; then b \"c d\" @").words, ["b", "c d"]);
    assert_eq!(of("a \\\n@").words, ["a"]);
    assert_eq!(of("a --b=@").prefix.as_deref(), Some("--b="));
    for (text, role) in [
        ("X=@ a", SlotRole::Assignment),
        ("\"X=@\" a", SlotRole::Argument),
        ("a >@", SlotRole::RedirectionTarget),
        ("a > b@c", SlotRole::RedirectionTarget),
        ("a @", SlotRole::Argument),
    ] {
        assert_eq!(of(text).role, role, "{text}");
    }
}

proptest! {
    #[test]
    fn every_placeholder_has_its_context(text in "[@@ ab$'\"`(){}\\[\\]<>|&;#\\\\\n=-]{0,80}") {
        prop_assert_eq!(contexts(&text).len(), text.matches('@').count());
    }
}
