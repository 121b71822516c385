use super::*;

const LINE: &[u8] =
    b"42 (a ) b) S 7 40 40 0 -1 4194304 100 0 0 0 1 2 3 4 20 0 5 0 9999 8192000 321 18446744073709551615";

#[test]
fn a_line_is_parsed_with_any_process_name() {
    let read = parse(LINE).unwrap();
    let expected =
        Process { pid: 42, parent: 7, group: 40, dead: false, threads: 5, pages: 321, below: false };
    assert_eq!(read, expected);
}

#[test]
fn invalid_lines_are_not_a_process() {
    for line in
        [b"".as_slice(), b"1", b"1 (x", b"1 (x) S", b"x (x) S 1 1 1", b")(", b"1 (x) S 1 1 1 0 -1 2 3"]
    {
        assert_eq!(parse(line), None, "{}", String::from_utf8_lossy(line));
    }
}

#[test]
fn descendants_are_found_in_any_order_of_process_ids() {
    let process =
        |pid, parent| Process { pid, parent, group: 1, dead: false, threads: 1, pages: 1, below: false };
    let mut tree =
        Tree { table: vec![process(5, 9), process(9, 7), process(3, 5), process(4, 1), process(6, 6)] };
    tree.mark(7);
    let below: Vec<_> =
        tree.table.iter().filter(|process| process.below).map(|process| process.pid).collect();
    assert_eq!(below, [3, 5, 9]);
}

#[test]
fn the_current_user_has_at_least_this_process() {
    assert!(tasks_of(rustix::process::getuid().as_raw()) >= 1);
}
