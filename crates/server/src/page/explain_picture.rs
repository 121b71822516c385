//! What selection would do with a message, as a picture with a table beside it: the candidates, how likely each is, the threshold.

use super::{
    markdown::visible,
    marks::{Markup, escaped},
};
use skillful::views::SelectionView;
use skillful_team::preview::TryReport;
use std::fmt::Write as _;

/// Candidates that a picture shows.
const SHOWN: usize = 8;
/// At or above this probability, in percent, the router selects a skill by itself.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a percentage")]
const THRESHOLD: u8 = (skillful::SKIP_THRESHOLD * 100.0) as u8;

/// A candidate.
pub(crate) struct Candidate<'a> {
    /// Its name.
    pub(crate) name: &'a str,
    /// How likely the message means it, in percent.
    pub(crate) percent: u8,
    /// Words of the message that it has.
    pub(crate) words: String,
    /// Whether it is loaded.
    pub(crate) is_selected: bool,
}

/// The picture of a "try" among the skills of a user.
pub(crate) fn of_try(report: &TryReport) -> Markup {
    let is_selected = |name: &str| report.selected.iter().any(|one| one.name == name);
    let likely = report.likely.iter().map(|one| Candidate {
        name: &one.name,
        percent: one.percent,
        words: one.words.join(", "),
        is_selected: is_selected(&one.name),
    });
    picture(&with_selected(likely.collect(), report.selected.iter().map(|one| one.name.as_str())))
}

/// The picture of a message on this machine.
pub(crate) fn of_selection(view: &SelectionView) -> Markup {
    let is_selected = |name: &str| view.selected.iter().any(|one| one.name == name);
    let likely = view.likely.iter().map(|one| Candidate {
        name: &one.name,
        percent: one.percent,
        words: one.words.join(", "),
        is_selected: is_selected(&one.name),
    });
    picture(&with_selected(likely.collect(), view.selected.iter().map(|one| one.name.as_str())))
}

/// Skills that rules or mentions selected stand first; they are certain.
fn with_selected<'a>(
    likely: Vec<Candidate<'a>>,
    selected: impl Iterator<Item = &'a str>,
) -> Vec<Candidate<'a>> {
    let mut all: Vec<Candidate<'a>> = selected
        .filter(|name| !likely.iter().any(|one| one.name == *name))
        .map(|name| Candidate {
            name,
            percent: 100,
            words: "selected by a rule or by its name".to_owned(),
            is_selected: true,
        })
        .collect();
    all.extend(likely);
    all
}

/// One bar for each candidate with the threshold as a line, and the same as a table.
pub(crate) fn picture(all: &[Candidate<'_>]) -> Markup {
    if all.is_empty() {
        return Markup("<p class=\"sm mute\">No available skill matches this message.</p>".to_owned());
    }
    let shown = &all[..all.len().min(SHOWN)];
    let height = shown.len() * 34 + 4;
    let mut out = format!(
        "<svg class=\"pic\" viewBox=\"0 0 360 {height}\" role=\"img\" aria-labelledby=\"explain-title\"><title id=\"explain-title\">How likely the message means each skill; the table below holds the same facts</title>"
    );
    for (at, one) in shown.iter().enumerate() {
        let top = at * 34;
        let _infallible = write!(
            out,
            "<g><text class=\"tx\" x=\"0\" y=\"{}\">{}</text><text x=\"360\" y=\"{}\" text-anchor=\"end\">{} %{}</text><rect class=\"b0\" x=\"0\" y=\"{}\" width=\"360\" height=\"6\" rx=\"3\"/><rect class=\"b1\" x=\"0\" y=\"{}\" width=\"{:.1}\" height=\"6\" rx=\"3\"/></g>",
            top + 14,
            escaped(&cut(one.name, 34)),
            top + 14,
            one.percent,
            if one.is_selected { ", loaded" } else { "" },
            top + 20,
            top + 20,
            f32::from(one.percent) * 3.6,
        );
    }
    let line = f32::from(THRESHOLD) * 3.6;
    let _infallible = write!(
        out,
        "<line class=\"wire dash\" x1=\"{line}\" x2=\"{line}\" y1=\"16\" y2=\"{height}\"/></svg>"
    );
    let _infallible = write!(
        out,
        "<p class=\"xs dim\">The line is the threshold: {THRESHOLD} %. Above it a skill is selected, below it the model chooses from the menu.</p><details><summary>Show as a table</summary><table class=\"t\"><thead><tr><th scope=\"col\">Skill</th><th scope=\"col\" class=\"num\">Likely</th><th scope=\"col\">Words</th></tr></thead><tbody>"
    );
    for one in all.iter().take(50) {
        let _infallible = write!(
            out,
            "<tr><th scope=\"row\">{}</th><td class=\"num\">{} %</td><td class=\"mute\">{}</td></tr>",
            visible(one.name),
            one.percent,
            visible(&one.words)
        );
    }
    out.push_str("</tbody></table></details>");
    Markup(out)
}

/// A text with an ellipsis where it is longer.
pub(crate) fn cut(text: &str, most: usize) -> String {
    let shown = skillful::visible::sentence(text);
    match shown.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &shown[..at]),
        None => shown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_names_in_the_picture_are_text_and_the_table_has_every_number() {
        let all = [
            Candidate {
                name: "<svg onload=alert(1)>",
                percent: 97,
                words: "\"a\"".to_owned(),
                is_selected: true,
            },
            Candidate { name: "b\u{202e}", percent: 3, words: String::new(), is_selected: false },
        ];
        let made = picture(&all).0;
        assert!(!made.contains("<svg onload") && made.contains("&lt;svg onload=alert(1)&gt;"), "{made}");
        assert!(
            !made.contains('\u{202e}')
                && made.contains("97 %, loaded")
                && made.contains("<td class=\"num\">3 %</td>"),
            "{made}"
        );
        assert!(picture(&[]).0.contains("No available skill"));
    }
}
