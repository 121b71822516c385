//! One file of a proposal: its difference with findings, comments and the form of a reply below their lines.

use super::{FilePart, Said};
use crate::page::{
    Shell,
    diff_table::{self, DiffOffers, DiffShape},
    encoded, icon, markdown,
    marks::{self, Markup},
    skill::body_of,
    words,
};
use skillful::side_by_side::{FileChange, FileComparison};
use skillful_format::Tree;
use skillful_team::{
    judged::FindingView,
    proposals::{ProposalDetail, ReviewComment},
};
use std::fmt::Write as _;

pub(super) fn spoken(said: &ReviewComment, name: &dyn Fn(&str) -> String, now: i64) -> Said {
    let name = name(&said.user);
    Said {
        letters: words::initials(&name),
        time: words::time(said.created, now),
        body: Markup(markdown::visible(&said.body)),
        place: match said.line {
            Some(line) if !said.path.is_empty() => format!("{}:{line}", said.path),
            _ => said.path.clone(),
        },
        name,
    }
}

/// What is said about one file.
pub(super) struct Talk<'a> {
    pub(super) detail: &'a ProposalDetail,
    pub(super) file: &'a FileComparison,
    pub(super) at: usize,
    pub(super) shell: &'a Shell,
    pub(super) commented: Option<&'a (String, i64)>,
    /// What addresses of this page keep: the view and the tab, as `view=unified&`.
    pub(super) kept: &'a str,
    pub(super) name: &'a dyn Fn(&str) -> String,
}

impl Talk<'_> {
    /// Findings, comments and the form of a reply below a line.
    fn below(&self, line: usize) -> String {
        let path = &self.file.path;
        let is_here = |other: &str, at: Option<i64>| other == path && at == i64::try_from(line).ok();
        let findings: Vec<&FindingView> = self
            .detail
            .version
            .findings
            .iter()
            .filter(|found| is_here(&found.path, found.line.map(i64::from)))
            .collect();
        let comments: Vec<&ReviewComment> =
            self.detail.comments.iter().filter(|said| is_here(&said.path, said.line)).collect();
        let is_open = self.commented.is_some_and(|(other, at)| is_here(other, Some(*at)));
        if findings.is_empty() && comments.is_empty() && !is_open {
            return String::new();
        }
        let mut out = String::from("<div class=\"stack tight\">");
        for found in findings {
            let _infallible = write!(
                out,
                "<div class=\"row\" data-finding tabindex=\"-1\">{}<b>{}</b><span class=\"mute grow\">{}</span>{}</div>",
                marks::severity(&found.severity).badge(),
                markdown::visible(&found.rule),
                markdown::prose(&[&found.message, &found.fix]),
                self.comment_link(line)
            );
        }
        for said in &comments {
            let said = spoken(said, self.name, self.shell.now);
            let _infallible = write!(
                out,
                "<div class=\"say\"><span class=\"av\" aria-hidden=\"true\">{}</span><div><p class=\"xs dim\"><b class=\"mute\">{}</b>, {}</p><p>{}</p></div></div>",
                markdown::visible(&said.letters),
                markdown::visible(&said.name),
                said.time,
                said.body
            );
        }
        if is_open || !comments.is_empty() {
            let _infallible = write!(
                out,
                "<form class=\"row nw\" method=\"post\" action=\"/ui/reviews/{id}#f{at}\"><input type=\"hidden\" name=\"csrf\" value=\"{csrf}\"><input type=\"hidden\" name=\"path\" value=\"{path}\"><input type=\"hidden\" name=\"line\" value=\"{line}\"><label class=\"full\"><span class=\"vh\">Comment on line {line} of {path}</span><input class=\"in\"{here} name=\"body\" placeholder=\"Write a comment\" maxlength=\"10000\" required></label><button class=\"btn\" name=\"do\" value=\"comment\">Comment</button></form>",
                id = self.detail.proposal.id,
                at = self.at,
                // The address names the field, so that a browser puts the focus into it.
                here = if is_open { " id=\"at\"" } else { "" },
                csrf = self.shell.csrf,
                path = marks::escaped(path),
            );
        }
        out.push_str("</div>");
        out
    }

    fn comment_link(&self, line: usize) -> String {
        format!(
            "<a class=\"btn s\" href=\"/ui/reviews/{}?{}at={}#at\">{}Comment</a>",
            self.detail.proposal.id,
            self.kept,
            encoded(format!("{}:{line}", self.file.path)),
            icon("comment")
        )
    }

    /// The address of this page with every line of the file.
    fn unfold(&self) -> String {
        let path = encoded(&self.file.path);
        format!("/ui/reviews/{}?{}all={path}#f{}", self.detail.proposal.id, self.kept, self.at)
    }
}

pub(super) fn file_part(
    at: usize,
    file: &FileComparison,
    after: &Tree,
    view: &'static str,
    talk: &Talk<'_>,
) -> FilePart {
    let is_text = file.rows.is_some();
    let is_page = file.path.to_ascii_lowercase().ends_with(".md");
    let text = after.get(&file.path).map(|file| String::from_utf8_lossy(&file.bytes).into_owned());
    let lines = text.as_ref().filter(|_| is_text).map_or(0, |text| text.lines().count());
    let offers = DiffOffers { unfold: Some(talk.unfold()), comments: lines > 0 };
    let body = match (view, text) {
        ("rendered", Some(text)) if is_page && is_text => {
            Markup(format!("<div class=\"md pad\">{}</div>", markdown::render(body_of(&text), 4)))
        }
        // A new or removed file has one side only.
        _ if view == "unified" || file.change != FileChange::Changed => {
            diff_table::table(file, DiffShape::Unified, "before and after", &|line| talk.below(line), &offers)
        }
        _ => diff_table::table(
            file,
            DiffShape::SideBySide,
            "served version left, proposed version right",
            &|line| talk.below(line),
            &offers,
        ),
    };
    FilePart {
        at,
        icon: if file.path.starts_with("scripts/") { "terminal" } else { "file" },
        counts: if file.added + file.removed == 0 && file.before == file.after && file.executable.is_none() {
            "not changed".to_owned()
        } else {
            diff_table::counts(file)
        },
        invisible: match file.invisible {
            0 => String::new(),
            count => words::count(count, "invisible character shown", "invisible characters shown"),
        },
        path: file.path.clone(),
        lines,
        body,
        can_render: is_page && is_text,
    }
}
