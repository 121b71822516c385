use super::*;

fn read(bytes: &[u8]) -> Vec<(String, String)> {
    let mut reader = Reader::default();
    let mut events = reader.push(bytes).unwrap();
    events.extend(reader.finish().unwrap());
    events.into_iter().map(|event| (event.name, String::from_utf8(event.data).unwrap())).collect()
}

fn event(name: &str, data: &str) -> (String, String) {
    (name.to_owned(), data.to_owned())
}

#[test]
fn all_three_line_ends_are_accepted() {
    let wanted = [event("a", "1\n2"), event("", "3")];
    assert_eq!(read(b"event: a\ndata: 1\ndata:2\n\ndata: 3\n\n"), wanted);
    assert_eq!(read(b"event: a\r\ndata: 1\r\ndata:2\r\n\r\ndata: 3\r\n\r\n"), wanted);
    assert_eq!(read(b"event: a\rdata: 1\rdata:2\r\rdata: 3\r\r"), wanted);
}

#[test]
fn comments_other_fields_and_a_byte_order_mark_are_not_data() {
    assert_eq!(read(b"\xEF\xBB\xBFdata: x\n\n"), [event("", "x")]);
    assert_eq!(read(b": hello\nid: 7\nretry: 10\nnothing\n\ndata: x\n\n"), [event("", "x")]);
    assert_eq!(read(b"event: ping\n\ndata\n\n"), [event("", "")]);
}

#[test]
fn the_last_event_needs_no_empty_line_after_it() {
    assert_eq!(read(b"data: x"), [event("", "x")]);
    assert_eq!(read(b"data: x\n"), [event("", "x")]);
    assert_eq!(read(b"event: x\n"), []);
}

#[test]
fn the_size_of_a_line_and_of_an_event_is_limited() {
    let mut reader = Reader::default();
    let piece = vec![b'x'; 1 << 20];
    let pushed: Result<Vec<_>, _> = (0..16).map(|_| reader.push(&piece)).collect();
    assert_eq!(pushed, Err(Error::TooLarge(EVENT_LIMIT as u64)));
    let mut reader = Reader::default();
    let line = [b"data: ".as_slice(), &piece, b"\n"].concat();
    let pushed: Result<Vec<_>, _> = (0..16).map(|_| reader.push(&line)).collect();
    assert_eq!(pushed, Err(Error::TooLarge(EVENT_LIMIT as u64)));
}
