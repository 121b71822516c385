//! Two versions of a file as a table: side by side, in one column, with what belongs to a line below it.

use super::{
    icon,
    markdown::visible,
    marks::{Markup, escaped},
    words,
};
use skillful::side_by_side::{DiffLine, DiffRow, FileChange, FileComparison};
use std::fmt::Write as _;

/// How a comparison is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DiffShape {
    /// The old version left, the new one right.
    SideBySide,
    /// One column.
    Unified,
}

/// What stands below a line of the new version; empty when nothing does.
pub(crate) type Below<'a> = &'a dyn Fn(usize) -> String;

/// What a table offers beside the lines.
#[derive(Clone, Debug, Default)]
pub(crate) struct DiffOffers {
    /// The address that shows the unchanged lines too.
    pub(crate) unfold: Option<String>,
    /// Whether lines of the new version can be commented, so that script finds their numbers.
    pub(crate) comments: bool,
}

/// The counts of a file: `+13 −4`.
pub(crate) fn counts(file: &FileComparison) -> String {
    let lines = |value: usize| words::number(i64::try_from(value).unwrap_or(i64::MAX));
    let mut out = match &file.rows {
        Some(_) => format!("+{} −{}", lines(file.added), lines(file.removed)),
        None => format!("{} bytes before, {} after", lines(file.before), lines(file.after)),
    };
    match file.change {
        FileChange::Added => out.push_str(", new file"),
        FileChange::Removed => out.push_str(", removed"),
        FileChange::Changed => {}
    }
    match file.executable {
        Some(true) => out.push_str(", can be executed now"),
        Some(false) => out.push_str(", can no longer be executed"),
        None => {}
    }
    out
}

/// The table of a file. `caption` names the two sides for screen readers.
pub(crate) fn table(
    file: &FileComparison,
    shape: DiffShape,
    caption: &str,
    below: Below<'_>,
    offers: &DiffOffers,
) -> Markup {
    let Some(rows) = &file.rows else {
        return Markup(format!(
            "<p class=\"pad mute sm\">This file is not text, or too large to be compared by lines: {}.</p>",
            counts(file)
        ));
    };
    let (class, columns, wide) = match shape {
        DiffShape::SideBySide => {
            ("diff", "<col class=\"c1\"><col class=\"c2\"><col><col class=\"c1\"><col class=\"c2\"><col>", 6)
        }
        DiffShape::Unified => ("diff uni", "<col class=\"c1\"><col class=\"c2\"><col>", 3),
    };
    let mut out = format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Difference of {path}\"><table class=\"{class}\"><caption class=\"vh\">{path}, {}</caption><colgroup>{columns}</colgroup><tbody>",
        escaped(caption),
        path = escaped(&file.path),
    );
    for row in rows {
        match row {
            DiffRow::Gap(count) => {
                let words = words::count(*count, "unchanged line", "unchanged lines");
                let _infallible = match &offers.unfold {
                    Some(address) => write!(
                        out,
                        "<tr class=\"gap\"><td colspan=\"{wide}\"><a href=\"{}\">{} Show {words}</a></td></tr>",
                        escaped(address),
                        icon("down")
                    ),
                    None => write!(
                        out,
                        "<tr class=\"gap\"><td colspan=\"{wide}\">{} {words}</td></tr>",
                        icon("down")
                    ),
                };
            }
            DiffRow::Lines { old, new } => {
                lines(&mut out, shape, old.as_ref(), new.as_ref(), offers.comments);
                let below = new.as_ref().map(|line| below(line.number)).unwrap_or_default();
                if !below.is_empty() {
                    let _infallible =
                        write!(out, "<tr class=\"at\"><td colspan=\"{wide}\">{below}</td></tr>");
                }
            }
        }
    }
    out.push_str("</tbody></table></div>");
    Markup(out)
}

fn lines(
    out: &mut String,
    shape: DiffShape,
    old: Option<&DiffLine>,
    new: Option<&DiffLine>,
    is_commented: bool,
) {
    match shape {
        DiffShape::SideBySide => {
            out.push_str("<tr>");
            side(out, old, "d", "−", "del", false);
            side(out, new, "a", "+", "ins", is_commented);
            out.push_str("</tr>");
        }
        DiffShape::Unified => {
            if let Some(old) = old.filter(|line| line.changed) {
                out.push_str("<tr>");
                side(out, Some(old), "d", "−", "del", false);
                out.push_str("</tr>");
            }
            if let Some(new) = new {
                out.push_str("<tr>");
                side(out, Some(new), "a", "+", "ins", is_commented);
                out.push_str("</tr>");
            }
        }
    }
}

fn side(
    out: &mut String,
    line: Option<&DiffLine>,
    class: &str,
    sign: &str,
    element: &str,
    is_commented: bool,
) {
    let Some(line) = line else {
        out.push_str("<td class=\"ln no\"></td><td class=\"sg no\"></td><td class=\"no\"></td>");
        return;
    };
    let (class, sign) = if line.changed { (class, sign) } else { ("", "") };
    let _infallible = write!(
        out,
        "<td class=\"ln {class}\"{}>{}</td><td class=\"sg {class}\">{sign}</td><td class=\"{class}\">{}</td>",
        if is_commented { " data-line" } else { "" },
        line.number,
        line_html(line, element)
    );
}

/// The text of a line with changed words and named invisible characters.
fn line_html(line: &DiffLine, element: &str) -> String {
    let mut out = String::new();
    for part in &line.parts {
        let text = match &part.invisible {
            Some(what) => {
                format!("<span class=\"inv\" title=\"{}\">{}</span>", escaped(what), escaped(&part.text))
            }
            None => visible(&part.text),
        };
        if part.changed && part.invisible.is_none() {
            let _infallible = write!(out, "<{element}>{text}</{element}>");
        } else {
            out.push_str(&text);
        }
    }
    out
}

#[cfg(test)]
mod tests {

    use super::*;
    use skillful::side_by_side::compare;
    use skillful_format::{Limits, Tree, TreeFile, TreePath};

    fn tree(text: &str) -> Tree {
        let mut tree = Tree::default();
        let file = TreeFile { executable: false, bytes: text.as_bytes().to_vec() };
        tree.insert(TreePath::new("SKILL.md", &Limits::default()).unwrap(), file, &Limits::default())
            .unwrap();
        tree
    }

    #[test]
    fn foreign_text_in_a_comparison_is_text_and_invisible_characters_are_named() {
        let files = compare(&tree("a\n"), &tree("<script>alert(1)</script>\u{202e}\n"), &|_, _| false);
        let made = table(
            &files[0],
            DiffShape::SideBySide,
            "1 left, \"2\" right",
            &|_| String::new(),
            &DiffOffers::default(),
        )
        .0;
        assert!(!made.contains("<script"), "{made}");
        assert!(made.contains("&lt;script&gt;") && made.contains("U+202E</span>"), "{made}");
        assert!(made.contains("&quot;2&quot; right"), "{made}");
        assert_eq!(made.matches("<td").count(), 6);
    }

    #[test]
    fn what_belongs_to_a_line_stands_below_it_in_both_shapes() {
        let files = compare(&tree("a\nb\n"), &tree("a\nc\n"), &|_, _| false);
        for (shape, columns) in [(DiffShape::SideBySide, 6), (DiffShape::Unified, 3)] {
            let below = |line: usize| if line == 2 { "here".to_owned() } else { String::new() };
            let made = table(&files[0], shape, "x", &below, &DiffOffers::default()).0;
            assert!(
                made.contains(&format!("<tr class=\"at\"><td colspan=\"{columns}\">here</td></tr>")),
                "{made}"
            );
        }
    }

    #[test]
    fn unchanged_lines_are_one_address_away_and_lines_of_the_new_version_can_be_commented() {
        let old: String = (0..40).map(|line| format!("line {line}\n")).collect();
        let files = compare(&tree(&old), &tree(&old.replace("line 20\n", "other\n")), &|_, _| false);
        let offers = DiffOffers { unfold: Some("?all=a&b#f0".to_owned()), comments: true };
        for shape in [DiffShape::SideBySide, DiffShape::Unified] {
            let made = table(&files[0], shape, "x", &|_| String::new(), &offers).0;
            assert_eq!(made.matches("<a href=\"?all=a&amp;b#f0\">").count(), 2, "{made}");
            let lines = files[0].rows.iter().flatten();
            let new = lines.filter(|row| matches!(row, DiffRow::Lines { new: Some(_), .. })).count();
            assert_eq!(made.matches("data-line>").count(), new, "{made}");
        }
    }
}
