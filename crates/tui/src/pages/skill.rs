//! The five pages about a skill, and the short facts below the list.

use super::{Page, capability_words, findings_words};
use crate::{
    job::{Preview, Snapshot},
    markdown,
    text::size,
    theme::{Role, Theme},
};
use ratatui::text::{Line, Span};
use skillful::{
    Workspace,
    views::{HolderState, MatrixSkill, SkillDetail},
    visible::{sentence, short_path},
};
use skillful_audit::Report;
use skillful_catalog::disk::read_folder;
use skillful_format::Limits;
use std::path::Path;

/// Everything about one row of a snapshot.
pub(crate) fn preview(
    workspace: &Workspace,
    snapshot: &Snapshot,
    row: usize,
    width: u16,
    theme: Theme,
) -> Preview {
    let of = &snapshot.matrix.skills[row];
    let page = || Page::new(theme, width);
    let mut preview = Preview { snapshot: snapshot.number, row, width, ..Preview::default() };
    let Some(at) = of.at else {
        let mut text = page();
        text.sentence(of.skill.description.as_deref().unwrap_or("-"), Role::Plain);
        text.blank();
        text.sentence("It was downloaded and is not installed; r shows its card and its files.", Role::Plain);
        preview.facts = facts(workspace, snapshot, of, None, None, width, theme);
        preview.tabs = vec![
            ("Text".to_owned(), text.lines),
            ("Files".to_owned(), Vec::new()),
            ("Capabilities".to_owned(), Vec::new()),
            ("Findings".to_owned(), Vec::new()),
            agents(snapshot, of, page()),
        ];
        return preview;
    };
    let report = workspace.audit(at).ok();
    let detail = SkillDetail::preview(workspace, at, snapshot.matrix.verdicts(of));
    preview.facts = facts(workspace, snapshot, of, detail.as_ref().ok(), report.as_ref(), width, theme);
    let (mut text, mut files, mut can) = (page(), page(), page());
    head(workspace, of, &mut text);
    match &detail {
        Ok(detail) => {
            let body = markdown::lines(&detail.body, text.width, theme);
            text.lines.extend(body);
            capabilities(detail, &mut can);
        }
        Err(error) => text.sentence(&format!("its text cannot be read: {error}"), Role::Danger),
    }
    let number = list_files(&of.skill.real_path, &of.skill.path, &mut files);
    let mut findings = page();
    let total = match &report {
        Some(report) => {
            findings.findings(report, &report.findings);
            report.findings.len().to_string()
        }
        None => {
            findings.sentence("not audited: its folder cannot be read", Role::Attention);
            "?".to_owned()
        }
    };
    let abilities = detail.as_ref().map_or(0, |detail| detail.can.len());
    preview.tabs = vec![
        ("Text".to_owned(), text.lines),
        (format!("Files {number}"), files.lines),
        (format!("Capabilities {abilities}"), can.lines),
        (format!("Findings {total}"), findings.lines),
        agents(snapshot, of, page()),
    ];
    preview
}

/// Why a skill is not available, and what is wrong with its file, before its text.
fn head(workspace: &Workspace, row: &MatrixSkill, page: &mut Page) {
    page.sentence(row.skill.description.as_deref().unwrap_or("-"), Role::Plain);
    page.blank();
    let before = page.lines.len();
    for reason in &row.skill.reasons {
        page.sentence(&format!("{}: {}", row.skill.state, shortened(workspace, reason)), Role::Attention);
    }
    for one in &row.skill.diagnostics {
        let place = one.line.map_or_else(String::new, |line| format!(" line {line}:"));
        page.sentence(&format!("{}[{}]:{place} {}", one.severity, one.code, one.message), Role::Attention);
        if let Some(help) = &one.help {
            page.labelled("", &format!("fix: {help}"), 2, Role::Quiet);
        }
    }
    if let Some(fix) = &row.skill.fix {
        page.sentence(&format!("fix: {}", shortened(workspace, fix)), Role::Action);
    }
    if page.lines.len() > before {
        page.blank();
    }
}

fn capabilities(detail: &SkillDetail, page: &mut Page) {
    page.capabilities(&detail.can, &detail.not_declared);
    for asked in &detail.asks {
        let fix = asked.fix.as_ref().map_or_else(String::new, |fix| format!("   fix: {fix}"));
        let answer = match asked.state {
            HolderState::Allowed => "allowed",
            HolderState::Denied => "denied",
            HolderState::Changed => "allowed for other files",
            HolderState::NotAllowed => "not allowed yet",
        };
        page.labelled("asks for", &format!("{}   {answer}{fix}", asked.what), 12, Role::Attention);
    }
    for need in &detail.needs {
        let found = if need.met { "found" } else { "NOT FOUND" };
        let fix = need.fix.as_ref().map_or_else(String::new, |fix| format!("   fix: {fix}"));
        let role = if need.met { Role::Plain } else { Role::Attention };
        page.labelled("needs", &format!("{} {}   {found}{fix}", need.kind, need.name), 12, role);
    }
}

/// The files of a skill with their sizes; returns how many there are.
fn list_files(folder: &Path, file: &Path, page: &mut Page) -> usize {
    let Ok((tree, skipped)) = read_folder(folder, &Limits::default()) else {
        page.sentence(&sentence(&file.to_string_lossy()), Role::Plain);
        return 1;
    };
    let mut number = 0;
    for (path, file) in tree.iter() {
        number += 1;
        let kind = if file.executable { "   can be executed" } else { "" };
        page.labelled(&size(file.bytes.len()), &format!("{path}{kind}"), 12, Role::Plain);
    }
    if !skipped.is_empty() {
        page.sentence(&format!("{} skipped", crate::text::count(skipped.len(), "file")), Role::Attention);
    }
    number
}

/// What each agent makes of it.
fn agents(snapshot: &Snapshot, row: &MatrixSkill, mut page: Page) -> (String, Vec<Line<'static>>) {
    let agents = &snapshot.matrix.agents;
    let column = agents.iter().map(|agent| crate::text::columns(&agent.title)).max().unwrap_or(0).max(9) + 2;
    for (agent, cell) in agents.iter().zip(&row.agents) {
        if cell.loads() {
            let name = cell.name.as_ref().unwrap_or(&row.skill.name);
            let how = match agent.mention.as_str() {
                "" if *name == row.skill.name => String::new(),
                "" => format!(" as {name}"),
                mention => format!("   {mention}{name}"),
            };
            page.labelled(&agent.title, &format!("loads it{how}"), column, Role::Plain);
        } else {
            let why = cell.why.as_deref().unwrap_or("no reason is known");
            let verb = if cell.word == "-" { "does not load it" } else { cell.word.as_str() };
            page.labelled(&agent.title, &format!("{verb}: {why}"), column, Role::Quiet);
            if let Some(fix) = &cell.fix {
                page.labelled("", &format!("fix: {fix}"), column, Role::Action);
            }
        }
    }
    if agents.is_empty() {
        page.sentence("No agent was found on this machine and in this folder.", Role::Plain);
    }
    let state = if row.skill.reasons.is_empty() {
        row.skill.state.clone()
    } else {
        format!("{}: {}", row.skill.state, row.skill.reasons.join("; "))
    };
    page.labelled("Assistant", &state, column, Role::Plain);
    let loads = row.agents.iter().filter(|cell| cell.loads()).count();
    (format!("Agents {loads}/{}", agents.len()), page.lines)
}

/// The lines below the list.
fn facts(
    workspace: &Workspace,
    snapshot: &Snapshot,
    row: &MatrixSkill,
    detail: Option<&SkillDetail>,
    report: Option<&Report>,
    width: u16,
    theme: Theme,
) -> Vec<Line<'static>> {
    let wide = usize::from(width);
    let environment = workspace.environment();
    let place = short_path(&row.skill.real_path, &environment.cwd, &environment.home);
    let source = match (&row.source, &row.version) {
        (Some(source), version) => {
            let signer = detail.and_then(|detail| detail.source.signer.as_ref());
            let signer = signer.map_or_else(String::new, |signer| format!(", signed by {signer}"));
            format!("   {source} {}{signer}", version.as_deref().unwrap_or_default())
        }
        (None, _) => String::new(),
    };
    let line =
        |text: String, role: Role| Line::styled(crate::text::cut(&sentence(&text), wide), theme.style(role));
    let mut lines = vec![line(format!("{}   {place}{source}", row.skill.scope), Role::Quiet)];
    if let Some(detail) = detail {
        let declares = if detail.not_declared.is_empty() {
            String::new()
        } else {
            format!("   declares no {}", detail.not_declared.join(", "))
        };
        let (words, role) = report.map_or(("not audited".to_owned(), Role::Attention), findings_words);
        let findings = format!("findings: {words}   ");
        let rest = crate::text::cut(
            &format!("can: {}{declares}", capability_words(&detail.can)),
            wide.saturating_sub(crate::text::columns(&findings)),
        );
        lines.push(Line::from(vec![Span::styled(findings, theme.style(role)), Span::raw(rest)]));
    }
    let verdicts = snapshot.matrix.agents.iter().zip(&row.agents).map(|(agent, cell)| {
        // Where the sign of mentions is known, the user sees what to write there.
        if let Some(name) = cell.name.as_ref().filter(|_| !agent.mention.is_empty()) {
            format!("{} {}{name}", agent.title, agent.mention)
        } else if cell.loads() {
            format!("{} loads it", agent.title)
        } else {
            format!("{}: {}", agent.title, cell.word)
        }
    });
    let verdicts: Vec<String> = verdicts.collect();
    if !verdicts.is_empty() {
        lines.push(line(verdicts.join("   "), Role::Plain));
    }
    if !row.skill.reasons.is_empty() {
        let why = shortened(workspace, &row.skill.reasons.join("; "));
        let fix = row
            .skill
            .fix
            .as_ref()
            .map_or_else(String::new, |fix| format!("   fix: {}", shortened(workspace, fix)));
        lines.push(line(format!("{}: {why}{fix}", row.skill.state), Role::Attention));
    }
    lines
}

/// A sentence with paths as a user writes them here.
fn shortened(workspace: &Workspace, text: &str) -> String {
    let environment = workspace.environment();
    let text = text.replace(&format!("{}/", environment.cwd.display()), "");
    text.replace(&format!("{}/", environment.home.display()), "~/")
}
