use super::*;

#[test]
fn parts_are_within_the_room_end_at_lines_and_give_the_whole_text() {
    let long = "A line of some words.\n".repeat(2_000);
    let many = "x\n".repeat(4_000);
    let wide = "“word” ".repeat(5_000);
    for (text, room) in [(&long, 10_000), (&many, 36_000), (&wide, 10_000), (&wide, 401)] {
        let parts = split(text, room);
        assert_eq!(parts.concat(), **text);
        for (at, part) in parts.iter().enumerate() {
            assert!(part.len() + FOOTER <= room.max(FOOTER + 7), "{} of {room}", part.len());
            assert!(part.lines().count() <= MOST_LINES);
            assert!(text != &long || part.ends_with('\n') || at + 1 == parts.len());
        }
    }
}

#[test]
fn a_text_that_fits_is_not_changed() {
    assert_eq!(part("short\n", 1, 10_000, "`use_skill`").ok().as_deref(), Some("short\n"));
    assert_eq!(split("", 10).len(), 1);
}

#[test]
fn each_part_but_the_last_names_the_call_for_the_next_and_fits_with_it() {
    let text = "A line of some words.\n".repeat(1_000);
    let again = "`use_skill` with `name`: `long` and";
    let first = part(&text, 1, 10_000, again).ok().unwrap();
    assert!(first.len() <= 10_000);
    assert!(first.ends_with("[part 1 of 3: the text goes on; before you act on it, call `use_skill` with `name`: `long` and `part`: 2]\n"), "{first}");
    assert!(part(&text, 3, 10_000, again).ok().unwrap().ends_with("[part 3 of 3: this was the last one]\n"));
    let Err(Refused(words)) = part(&text, 4, 10_000, again) else { panic!("part 4 of 3") };
    assert_eq!(words, "there is no part 4; this text has 3");
    assert!(part(&text, 0, 10_000, again).is_err());
}

#[test]
fn the_room_is_that_of_the_client() {
    let mut agent = AgentProfile {
        id: "one".to_owned(),
        ..skillful_catalog::AgentProfiles::embedded().iter().next().unwrap().clone()
    };
    agent.mcp.client = Some("one-client".to_owned());
    agent.mcp.result_bytes = Some(36_000);
    assert_eq!(room(Some("one-client"), [&agent].into_iter()), 36_000);
    assert_eq!(room(Some("another"), [&agent].into_iter()), UNKNOWN_CLIENT);
    assert_eq!(room(None, [&agent].into_iter()), UNKNOWN_CLIENT);
}
