use super::*;
use skillful_llm::Arguments;

fn call(id: &str) -> Part {
    Part::Call { id: id.to_owned(), name: "x".to_owned(), arguments: Arguments::Read(serde_json::Map::new()) }
}

fn result(id: &str) -> Part {
    Part::Result { id: id.to_owned(), text: "y".to_owned(), failed: false }
}

fn says(role: Role, parts: Vec<Part>) -> Item {
    Item { kind: ItemKind::Note, message: Message { role, parts } }
}

#[test]
fn items_of_one_role_are_one_message() {
    let items = [
        Item::user(ItemKind::Message, "a"),
        Item::user(ItemKind::Note, "b"),
        Item::user(ItemKind::Note, " \n"),
    ];
    let sent = messages(&items);
    assert_eq!(sent, [Message { role: Role::User, parts: vec![Part::text("a"), Part::text("b")] }]);
}

#[test]
fn a_call_that_a_crash_left_open_is_answered_as_interrupted() {
    let items = [
        Item::user(ItemKind::Message, "a"),
        says(Role::Assistant, vec![call("1"), call("2")]),
        says(Role::User, vec![result("2")]),
        Item::user(ItemKind::Message, "b"),
        says(Role::Assistant, vec![call("3")]),
    ];
    let sent = messages(&items);
    assert_eq!(sent.len(), 5);
    let ids = |message: &Message| -> Vec<String> {
        let id = |part: &Part| match part {
            Part::Result { id, failed, .. } => Some(format!("{id} {failed}")),
            _ => None,
        };
        message.parts.iter().filter_map(id).collect()
    };
    assert_eq!(ids(&sent[2]), ["2 false", "1 true"]);
    assert_eq!(sent[2].parts.last().unwrap(), &Part::text("b"));
    assert_eq!(ids(&sent[4]), ["3 true"]);
}

#[test]
fn a_result_without_its_call_is_left_out_and_none_is_given_twice() {
    let items = [
        Item::user(ItemKind::Message, "a"),
        says(Role::Assistant, vec![call("1")]),
        says(Role::User, vec![result("1"), result("1"), result("9")]),
    ];
    assert_eq!(messages(&items)[2].parts, [result("1")]);
    let orphan = [says(Role::User, vec![result("1"), Part::text("a")])];
    assert_eq!(messages(&orphan)[0].parts, [Part::text("a")]);
}
