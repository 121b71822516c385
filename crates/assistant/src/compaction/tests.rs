use super::*;

fn said(kind: ItemKind, bytes: usize) -> Item {
    let role = if kind == ItemKind::Answer { Role::Assistant } else { Role::User };
    Item { kind, message: Message { role, parts: vec![Part::text("x".repeat(bytes))] } }
}

#[test]
fn the_newest_exchange_stays_and_never_begins_between_a_call_and_its_result() {
    let results = || ItemKind::Results { skills: Vec::new() };
    let items = [
        said(ItemKind::Message, 100),
        said(ItemKind::Answer, 100),
        said(results(), 100),
        said(ItemKind::Answer, 100),
        said(results(), 100),
    ];
    assert_eq!(tail(&items, 1_000), 0);
    assert_eq!(tail(&items, 250), 3);
    assert_eq!(tail(&items, 350), 3);
    assert_eq!(tail(&items, 450), 1);
    // However large, the last exchange is not cut in two.
    assert_eq!(tail(&items, 10), 3);
}

#[test]
fn an_error_about_the_context_length_is_recognised() {
    let status =
        |status, message: &str| Error::Status { status, message: message.to_owned(), retry_after: None };
    assert!(is_too_long(&status(400, "prompt is too long: 210000 tokens > 200000 maximum")));
    assert!(is_too_long(&status(400, "This model's maximum context length is 8192 tokens")));
    assert!(!is_too_long(&status(400, "messages: roles must alternate")));
    assert!(!is_too_long(&status(500, "prompt is too long")));
}
