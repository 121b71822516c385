use super::*;

/// The excerpt with its mark between `«` and `»`.
fn check(text: &str, span: Range<usize>, room: usize) -> String {
    let Excerpt { mut text, mark } = excerpt(text, &span, room);
    text.insert(mark.end, '»');
    text.insert(mark.start, '«');
    text
}

#[test]
fn the_line_of_the_span_is_marked() {
    let cases = [
        ("one\ntwo three\nfour", 8..13, "two «three»"),
        ("one\r\ntwo\r\n", 5..8, "«two»"),
        ("one\rtwo\rthree", 4..7, "«two»"),
        // The line end belongs to its line, and an empty span is a point.
        ("one\ntwo\n", 4..8, "«two»"),
        ("one\ntwo", 3..3, "one«»"),
        ("one\r\ntwo", 4..5, "one«»"),
        ("one\n", 4..4, "«»"),
        ("", 0..0, "«»"),
        ("\n\n", 0..2, "«»"),
    ];
    for (text, span, expected) in cases {
        assert_eq!(check(text, span, 40), expected, "{text:?}");
    }
}

#[test]
fn several_lines_are_shown_from_first_to_last() {
    assert_eq!(check("a: |\n  one\n  two\nb: c", 3..16, 40), "a: «|\n  one\n  two»");
    assert_eq!(check("a\r\nb\r\nc", 0..7, 40), "«a\nb\nc»");
    assert_eq!(check("a\n\n\nb", 0..5, 40), "«a\n\n\nb»");
}

#[test]
fn what_is_hidden_is_named_and_marked_whole() {
    assert_eq!(check("a\u{1b}[2Jb", 1..2, 40), "a«<U+001B>»[2Jb");
    assert_eq!(check("\tx\t\u{202e}y", 1..6, 40), "    «x    <U+202E>»y");
    assert_eq!(check("\u{feff}---", 3..6, 40), "<U+FEFF>«---»");
}

#[test]
fn a_long_line_is_cut_around_its_span() {
    let long = "0123456789".repeat(500);
    assert_eq!(check(&long, 2..5, 20), "01«234»5678901234567…");
    assert_eq!(check(&long, 2500..2503, 20), "…3456789«012»34567890…");
    assert_eq!(check(&long, 4998..5000, 20), "…2345678901234567«89»");
    assert_eq!(check(&long, 5000..5000, 20), "…234567890123456789«»");
}

#[test]
fn a_span_longer_than_the_room_shows_its_start() {
    let long = format!("description: {}", "0123456789".repeat(500));
    assert_eq!(check(&long, 13..long.len(), 30), "…ption: «012345678901234567890»…");
}

#[test]
fn no_excerpt_is_wider_than_its_room() {
    let text = "日本\t\u{1b}é".repeat(60);
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).step_by(13).collect();
    for &start in &ends {
        for &end in ends.iter().filter(|end| **end >= start) {
            let shown = excerpt(&text, &(start..end), 40);
            assert!(width(&shown.text) <= 40, "{start}..{end}: {}", shown.text);
            assert!(shown.text.get(shown.mark.clone()).is_some());
        }
    }
}

#[test]
fn a_line_of_plain_characters_is_cut_like_any_other() {
    for cells in [21, 50, 300] {
        for room in [3, 20] {
            for start in 0..=cells {
                for end in [start, start + 1, start + 15, cells] {
                    let focus = start..end.clamp(start, cells);
                    let any = window(&vec![1; cells], focus.clone(), room);
                    assert_eq!(window_of_ones(cells, &focus, room), any, "{cells} {room} {focus:?}");
                }
            }
        }
    }
}

#[test]
fn a_part_of_a_long_line_is_cut_as_the_whole_line() {
    // Wide, hidden and combining characters, and none of them near the other end.
    let words = "名 é e\u{301}\u{301} \u{200b}x\ty — 1234567890 \u{1f600}".repeat(40);
    let places: Vec<usize> = words.char_indices().map(|(at, _)| at).step_by(7).chain([words.len()]).collect();
    for room in [10, 21, 40] {
        for start in &places {
            for end in places.iter().filter(|end| *end >= start && *end - start < 300) {
                let cells: Vec<(usize, Cow<'_, str>)> = words
                    .char_indices()
                    .map(|(at, c)| (at, cell(&words[at..at + c.len_utf8()], c)))
                    .collect();
                let widths: Vec<usize> = cells.iter().map(|(_, cell)| width(cell)).collect();
                let index = |byte: usize| cells.partition_point(|(at, _)| *at < byte);
                let window = window(&widths, index(*start)..index(*end), room);
                let shown: String = cells[window.clone()].iter().map(|(_, cell)| &**cell).collect();
                let before = if window.start > 0 { CUT } else { "" };
                let after = if window.end < cells.len() { CUT } else { "" };
                assert_eq!(excerpt(&words, &(*start..*end), room).text, format!("{before}{shown}{after}"));
            }
        }
    }
}
