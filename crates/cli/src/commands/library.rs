//! What the commands of the library share: opening it, showing a plan, asking, and carrying it out.

use super::printed;
use crate::{
    args::WhereArgs,
    consent,
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    output::{BAD, DIM, GOOD, HEAD, Output, WARN, columns, count, error_width, harmless, tell, wrapped},
    progress::Bar,
    prompt,
    report::{audit as report, capability},
};
use skillful::{
    Library,
    library::{Answers, Applied, Cards, FailureKind, InstallPlan, LibraryError, Scope},
    views::install::{ActionView, InstallView, ModeView, StepView},
};
use skillful_audit::{Finding, Severity, Verdict};
use skillful_catalog::capability::shown as short;
use skillful_registry::lock::LOCK_FILE;
use std::{
    collections::BTreeSet,
    io::{IsTerminal as _, stdout},
    time::SystemTime,
};

/// Columns of the names in a plan at most.
const NAME: usize = 32;
/// Columns that findings in a plan have at least.
const NARROWEST: usize = 40;

impl From<LibraryError> for Failure {
    fn from(error: LibraryError) -> Self {
        let message = harmless(&error.message);
        let mut failure = match error.kind {
            FailureKind::Usage => Self::usage(message),
            FailureKind::Refused | FailureKind::LockChanged => Self::new(message),
        };
        failure.items = error.items;
        failure.cause = error.cause;
        error.fixes.into_iter().fold(failure, Self::hint)
    }
}

/// A failure of the registry, whose errors are sentences already.
pub(crate) fn refused(error: impl std::fmt::Display) -> Failure {
    Failure::new(harmless(&error.to_string()))
}

/// The scope that `--global` means.
pub(crate) fn scope(global: bool) -> Scope {
    if global { Scope::User } else { Scope::Project }
}

/// The library of this workspace, with a bar that shows downloads while it lives.
pub(crate) fn open<'w>(context: &'w Context, global: bool, bar: &Bar) -> Result<Library<'w>, Failure> {
    let library = Library::open(&context.workspace, scope(global), SystemTime::now())?;
    Ok(library.with_progress(bar.progress()))
}

/// The library of this user, for what has no scope.
pub(crate) fn user(context: &Context) -> Result<Library<'_>, Failure> {
    Ok(Library::open(&context.workspace, Scope::User, SystemTime::now())?)
}

/// Prints warnings on standard error.
pub(crate) fn warn(warnings: &[String]) {
    for warning in warnings {
        tell(&wrapped(&format!("warning: {}", harmless(warning)), error_width(), "  "));
    }
}

/// Shows a plan, asks for what it needs, carries it out and prints what was done. `plan` makes the plan from the
/// user's answers, again when the lock changed meanwhile.
pub(crate) fn settle<P: AsRef<InstallPlan>>(
    context: &Context,
    library: &Library<'_>,
    place: &WhereArgs,
    plan: &dyn Fn(&Answers) -> Result<P, LibraryError>,
) -> Outcome {
    let mut answers = Answers::default();
    let first = plan(&answers)?;
    let shown = first.as_ref();
    let is_refused = shown.refused().next().is_some();
    let is_done = shown.is_done();
    if context.output.json {
        let applied = if is_refused || is_done || !place.yes {
            if is_done && place.yes && !place.dry_run {
                library.confirm(shown)?;
            }
            None
        } else {
            Some(library.apply_planned(|| plan(&answers))?)
        };
        let view = match &applied {
            Some((planned, applied)) => planned.as_ref().view(Some(applied)),
            None => shown.view(None),
        };
        printed(context.output.print_json(&view))?;
        let is_open = is_refused || shown.leaves_undone();
        let is_enough = is_done || place.dry_run || applied.is_some();
        return Ok(if is_enough && !is_open { Exit::Clean } else { Exit::Findings });
    }
    let view = shown.view(None);
    printed(context.output.print(&plan_text(context, &view)))?;
    warn(&view.warnings);
    tell_left_out(context, &view);
    let left = if shown.leaves_undone() { Exit::Findings } else { Exit::Clean };
    if is_refused {
        let steps = count(shown.refused().count(), "step");
        let done = if place.dry_run { "" } else { "nothing was changed: " };
        let failure = Failure::new(format!("{done}{steps} of the plan cannot be done"));
        return Err(shown.fixes.iter().fold(failure, Failure::hint));
    }
    if place.dry_run {
        return Ok(left);
    }
    if is_done {
        library.confirm(shown)?;
        let text = if left == Exit::Clean { "nothing to do\n" } else { "nothing was changed\n" };
        printed(context.output.print(&format!("{text}{}", pending_line(shown))))?;
        return Ok(left);
    }
    let mut reviews = false;
    if !place.yes {
        if !prompt::is_possible() {
            return Err(confirmation(shown, &view));
        }
        tell(&consent::allowed_by_yes(&library.asked_by(shown)));
        match consent(shown)? {
            Consent::Yes => answers.approved = shown.approvable(),
            Consent::Review => reviews = true,
            Consent::No => return Err(Failure::new("nothing was changed")),
        }
    }
    let (planned, applied) = if place.yes {
        library.apply_planned(|| plan(&answers))?
    } else {
        // The user agreed to what was shown, so that another plan would be another question.
        let planned = plan(&answers)?;
        let cards = if reviews { Cards::NotShown } else { Cards::Shown };
        let applied = library.apply(planned.as_ref(), cards)?;
        (planned, applied)
    };
    let planned = planned.as_ref();
    printed(context.output.print(&done_text(context, planned, &applied)))?;
    warn(&applied.warnings);
    if reviews {
        return super::review::ask_about(context, &planned.pending());
    }
    Ok(if planned.leaves_undone() { Exit::Findings } else { Exit::Clean })
}

/// How many skills of a plan stay pending, and the command that decides about them.
fn pending_line(plan: &InstallPlan) -> String {
    match plan.pending().len() {
        0 => String::new(),
        pending => format!("{} pending review: skillful review\n", count(pending, "skill")),
    }
}

enum Consent {
    Yes,
    Review,
    No,
}

/// One question about the whole plan. A yes approves what has no blocking findings.
fn consent(plan: &InstallPlan) -> Result<Consent, Failure> {
    let (open, pending) = (plan.approvable(), plan.pending().len());
    if pending == 0 {
        let yes = prompt::yes("Apply?").map_err(failed("ask"))?;
        return Ok(if yes { Consent::Yes } else { Consent::No });
    }
    let question = match (open.len(), pending - open.len()) {
        (0, _) => "Download them? They stay pending.".to_owned(),
        (number, rest) => {
            let verb = if plan.would_install(&open) { "Approve and install" } else { "Approve" };
            let rest = match rest {
                0 => String::new(),
                1 => " 1 other stays pending.".to_owned(),
                rest => format!(" {rest} others stay pending."),
            };
            format!("{verb} {}?{rest}", count(number, "skill"))
        }
    };
    let question = format!("{question} [y]es  [r]eview each first  [n]o");
    let answer = prompt::line(&question).map_err(failed("ask"))?.unwrap_or_default();
    Ok(match answer.trim() {
        "y" | "Y" | "yes" => Consent::Yes,
        "r" | "R" | "review" => Consent::Review,
        _ => Consent::No,
    })
}

/// Without a terminal a question is an error.
fn confirmation(plan: &InstallPlan, view: &InstallView) -> Failure {
    let skills: BTreeSet<&str> = view.steps.iter().map(|step| step.skill.as_str()).collect();
    let failure = Failure::new("confirmation required, but there is no terminal")
        .cause(format!("the plan is about {}", count(skills.len(), "skill")))
        .hint("read the plan with --dry-run, then pass --yes");
    if plan.pending().is_empty() {
        return failure;
    }
    failure.hint("--yes approves no skill: skillful review NAME, then skillful review approve NAME")
}

/// What each step does, with what is new about each skill. What happens to a skill in several folders is one line; the
/// skills that come in are a table.
pub(crate) fn plan_text(context: &Context, view: &InstallView) -> String {
    let mut text = String::new();
    let is_new = |step: &&StepView| matches!(step.action, ActionView::Create | ActionView::Pending);
    let names = view.steps.iter().filter(is_new).map(|step| columns(&harmless(&step.skill)));
    let column = names.max().unwrap_or(0).min(NAME) + 4;
    if column > 4 {
        text.push_str(&format!("{}\n", context.output.paint(HEAD, "Plan")));
    }
    let mut last: Option<&str> = None;
    let is_same = |one: &StepView, next: &StepView| {
        let same = one.skill == next.skill && one.action == next.action && one.mode == next.mode;
        same && one.why == next.why && one.action != ActionView::Refuse
    };
    for steps in view.steps.chunk_by(is_same) {
        let step = &steps[0];
        let style = match step.action {
            ActionView::Keep | ActionView::Gone => DIM,
            ActionView::Refuse => WARN,
            _ => GOOD,
        };
        // Of several places the folders are enough where the name of a skill is that of its own folder.
        let place = |step: &StepView| {
            let is_short = context.output.is_table() && steps.len() > 1 && step.path.ends_with(&step.skill);
            context.short(step.path.parent().filter(|_| is_short).unwrap_or(&step.path))
        };
        if is_new(&step) {
            text.push_str(&row(context, view, steps, column, last.replace(&step.skill) == Some(&step.skill)));
            continue;
        }
        let places: Vec<String> = steps.iter().map(place).collect();
        let sentence = context.output.paint(style, &harmless(&step.sentence(&places.join(", "))));
        text.push_str(&if stdout().is_terminal() {
            wrapped(&sentence, context.output.width, "    ")
        } else {
            format!("{sentence}\n")
        });
        // What a skill can do is the same in all its places.
        if last.replace(&step.skill) != Some(&step.skill) && step.tree.is_some() {
            text.push_str(&news(context, view, step));
        }
    }
    text
}

/// A skill that comes in: its folders, what it can do, what the audit found.
fn row(context: &Context, view: &InstallView, steps: &[StepView], column: usize, again: bool) -> String {
    let step = &steps[0];
    let output = &context.output;
    let folder = |step: &StepView| {
        let folder = step.path.parent().filter(|_| step.path.ends_with(&step.skill));
        context.short(folder.unwrap_or(&step.path))
    };
    let places: Vec<String> = steps.iter().map(folder).collect();
    let how = match step.mode {
        ModeView::Copy => "",
        ModeView::Link => "   as a link",
        ModeView::Alias => "   as a link to its copy",
    };
    let is_pending = step.action == ActionView::Pending;
    let state = if is_pending { "   pending review" } else { "" };
    let name = harmless(&step.skill);
    let gap = " ".repeat(column.saturating_sub(columns(&name) + 2).max(2));
    let line = format!("{name}{gap}{}{how}{state}", harmless(&places.join(", ")));
    let indent = " ".repeat(column);
    let within = |text: &str| wrapped(&format!("{indent}{text}"), output.width, &format!("{indent}     "));
    let line = wrapped(&format!("  {line}"), output.width, &indent);
    let style = if is_pending { WARN } else { GOOD };
    let mut text = line.replacen(&name, &output.paint(style, &name), 1);
    if again {
        return text;
    }
    if let Some(signer) = step.signer.as_ref().filter(|_| step.new_signer) {
        text.push_str(&within(&format!("signed by {}", harmless(signer))));
    }
    let Some(card) = view.cards.get(&step.skill) else {
        for (what, capabilities) in [("new: ", &step.gained), ("no longer: ", &step.dropped)] {
            for capability in capabilities {
                text.push_str(&within(&format!("{what}{}", harmless(&short(capability)))));
            }
        }
        return text;
    };
    text.push_str(&within(&format!("can: {}", capability::words(&card.can))));
    if card.is_change {
        for (what, capabilities) in [("new: ", &card.gained), ("no longer: ", &card.dropped)] {
            for capability in capabilities {
                text.push_str(&within(&format!("{what}{}", harmless(&short(capability)))));
            }
        }
    }
    if card.audit.verdict == Verdict::Blocked {
        let blocking = card.audit.count(Severity::Block);
        let words = format!("BLOCKED: {}", count(blocking, "blocking finding"));
        text.push_str(&format!("{indent}{}\n", output.paint(BAD, &words)));
    }
    let is_heavy = |found: &&Finding| found.severity > Severity::Note;
    let heavy: Vec<Finding> = card.new_findings.iter().filter(is_heavy).cloned().collect();
    // Below the words of the skill, with the room that is left there.
    let left = column - 2;
    let narrow = Output { width: output.width.saturating_sub(left).max(NARROWEST), ..*output };
    let found = report::findings(&heavy, &narrow) + &report::not_scanned(&card.audit.not_scanned);
    text.extend(found.lines().map(|line| format!("{}{line}\n", " ".repeat(left))));
    text
}

/// Signer, capabilities and findings of one skill.
fn news(context: &Context, view: &InstallView, step: &StepView) -> String {
    let mut text = String::new();
    if let Some(signer) =
        step.signer.as_ref().filter(|_| step.new_signer && step.action != ActionView::Refuse)
    {
        text.push_str(&format!("  signed by {}\n", harmless(signer)));
    }
    for (what, capabilities) in [("new: ", &step.gained), ("no longer: ", &step.dropped)] {
        for capability in capabilities {
            text.push_str(&format!("  {what}{}\n", harmless(&short(capability))));
        }
    }
    if let Some(card) = view.cards.get(&step.skill) {
        let is_heavy = |found: &&Finding| found.severity > Severity::Note;
        let heavy: Vec<Finding> = card.new_findings.iter().filter(is_heavy).cloned().collect();
        text.push_str(&report::findings(&heavy, &context.output));
    }
    text
}

fn tell_left_out(context: &Context, view: &InstallView) {
    for step in &view.left_out {
        let why = harmless(step.why.as_deref().unwrap_or_default());
        tell(&format!("warning: {}: {why}\n", harmless(&context.short(&step.path))));
    }
}

/// What was done, in one line, and how to undo it.
fn done_text(context: &Context, plan: &InstallPlan, applied: &Applied) -> String {
    let view = plan.view(Some(applied));
    let named = |actions: &[ActionView]| -> BTreeSet<&str> {
        let steps = view.steps.iter().filter(|step| actions.contains(&step.action));
        steps.map(|step| step.skill.as_str()).collect()
    };
    let mut parts = Vec::new();
    for (verb, number) in [
        ("installed", named(&[ActionView::Create, ActionView::Replace, ActionView::Merge]).len()),
        ("approved", named(&[ActionView::Approve]).len()),
        ("removed", named(&[ActionView::Remove, ActionView::Gone]).len()),
        ("downloaded", plan.downloads().len()),
    ] {
        if number > 0 {
            parts.push(format!("{verb} {}", count(number, "skill")));
        }
    }
    if applied.lock_written {
        parts.push(format!("updated {LOCK_FILE}"));
    }
    let nothing = if plan.leaves_undone() { "nothing was changed" } else { "done" };
    let mut text = format!("{}\n", if parts.is_empty() { nothing.to_owned() } else { parts.join(", ") });
    for left in &applied.left {
        text.push_str(&format!("an earlier run left {}; look into it\n", context.short(left)));
    }
    for saved in &applied.saved {
        text.push_str(&format!("your version is saved in {}\n", context.short(saved)));
    }
    let created = named(&[ActionView::Create]);
    if !created.is_empty() {
        let names: Vec<&str> = created.into_iter().collect();
        let global = if view.lock.starts_with(&context.workspace.paths().data) { " --global" } else { "" };
        text.push_str(&format!("Undo: skillful remove {}{global}\n", harmless(&names.join(" "))));
    }
    text + &pending_line(plan)
}
