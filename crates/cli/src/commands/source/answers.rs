//! What sources answer, as text.

use crate::{
    commands::library,
    context::Context,
    error::Failure,
    output::{Cell, DIM, GOOD, Table, WARN, harmless, tell},
    progress::Bar,
};
use skillful::{
    library::SourceAnswers,
    shell_word::shell_word,
    views::source::{OfferedSkill, OfferedState},
};

/// Asks one source, or all that are enabled. Prints what went wrong.
pub(crate) fn ask(context: &Context, label: Option<&str>, refresh: bool) -> Result<SourceAnswers, Failure> {
    let bar = Bar::new(context);
    let answers = library::open(context, true, &bar)?.browse(label, refresh)?;
    drop(bar);
    for source in &answers.unreachable {
        tell(&format!("warning: source {}: {}\n", harmless(&source.label), harmless(&source.why)));
    }
    for (label, listing) in &answers.listings {
        for note in &listing.notes {
            tell(&format!("note: source {}: {}\n", harmless(label), harmless(note)));
        }
    }
    Ok(answers)
}

/// Offered skills as a table.
pub(crate) fn table(context: &Context, skills: &[OfferedSkill]) -> String {
    let row = |skill: &OfferedSkill| {
        let (state, style) = match skill.state {
            OfferedState::Installed => ("installed", GOOD),
            OfferedState::Update => ("update available", WARN),
            OfferedState::Pending => ("pending review", WARN),
            OfferedState::Elsewhere => ("installed from another source", DIM),
            OfferedState::New => ("-", DIM),
        };
        vec![
            Cell::plain(&skill.name),
            Cell::plain(&skill.source_label),
            Cell::plain(skill.version.as_deref().unwrap_or("-")),
            Cell::styled(state, style),
            Cell::plain(&skill.description),
        ]
    };
    let heads = vec!["SKILL", "SOURCE", "VERSION", "HERE", "DESCRIPTION"];
    Table { heads, rows: skills.iter().map(row).collect() }.render(&context.output)
}

/// The command that installs one of them.
pub(crate) fn next(skills: &[OfferedSkill]) -> String {
    let skill = skills.iter().find(|skill| skill.state == OfferedState::New).or_else(|| skills.first());
    skill.map_or_else(String::new, |skill| {
        // The label is shorter than the address of a skill in a repository or an index.
        let word = if skill.source.contains("#@") {
            shell_word(&format!("{}:{}", skill.source_label, skill.name))
        } else {
            skill.source.clone()
        };
        format!("next: skillful add {}\n", harmless(&word))
    })
}
