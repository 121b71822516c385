use skillful_route::ranking::fragments::{Author, Joined, Message, Signal, join};
use std::time::Duration;

fn said(text: &str, second: u64) -> Message<'_> {
    Message { author: Author::User, text, at: Some(Duration::from_secs(second)) }
}

fn text(joined: &Joined) -> &str {
    &joined.text
}

#[test]
fn a_continuation_is_joined() {
    let joined = join(said("also add tests", 5), &[said("Check the code", 0)]);
    assert_eq!((text(&joined), joined.parts), ("Check the code also add tests", 2));
    assert!(joined.signals.contains(&Signal::Continuation));
}

#[test]
fn punctuation_alone_is_not_joined() {
    assert_eq!(text(&join(said("?", 0), &[])), "?");
    assert_eq!(text(&join(said("?", 5), &[said("Check the code", 0)])), "?");
}

#[test]
fn a_gap_of_exactly_a_minute_still_joins_and_a_second_more_does_not() {
    assert_eq!(join(said("also add tests", 60), &[said("Check the code", 0)]).parts, 2);
    assert_eq!(join(said("also add tests", 61), &[said("Check the code", 0)]).parts, 1);
}

#[test]
fn the_gap_is_measured_from_the_previous_message() {
    let history = [said("Check the code", 0), said("and the docs", 50)];
    let joined = join(said("also add tests", 100), &history);
    assert_eq!(text(&joined), "Check the code and the docs also add tests");
}

#[test]
fn lines_of_the_assistant_are_ignored() {
    let other = Message { author: Author::Other, text: "Which code?", at: Some(Duration::from_secs(2)) };
    let joined = join(said("also add tests", 5), &[said("Check the code", 0), other]);
    assert_eq!(text(&joined), "Check the code also add tests");
}

#[test]
fn a_new_request_is_not_joined() {
    let joined = join(said("Book a flight to Lisbon for next Tuesday", 20), &[said("Check the code", 0)]);
    assert_eq!(joined.parts, 1);
    assert_eq!(joined.signals, [Signal::Close]);
}

#[test]
fn an_open_end_is_continued() {
    let joined = join(said("Parsers, lexers and the formatter", 10), &[said("Check these parts:", 0)]);
    assert_eq!(joined.parts, 2);
}

#[test]
fn a_message_without_a_time_counts_as_within_the_gap() {
    let untimed = Message { at: None, ..said("Check the code", 0) };
    assert_eq!(join(said("also add tests", 999), &[untimed]).parts, 2);
}

/// The document of golemcore names "and", "also" and "but"; its program did not have "but".
#[test]
fn but_continues_a_request() {
    let joined = join(said("But leave the tests as they are", 5), &[said("Check the code", 0)]);
    assert_eq!(joined.parts, 2);
    let later = join(said("Butter is sold out in Lisbon", 5), &[said("Check the code", 0)]);
    assert_eq!(later.parts, 1);
}

#[test]
fn at_most_five_messages_are_joined() {
    let history: Vec<Message<'_>> = (0..9).map(|second| said("and more", second)).collect();
    assert_eq!(join(said("and more", 9), &history).parts, 5);
}
