//! A plan, for a person and for a script.

use super::Desk;
use crate::{
    commands::keys::told,
    context::Context,
    output::{DIM, GOOD, WARN, harmless},
    report::{audit as report, card},
};
use serde_json::{Value, json};
use skillful_audit::{Finding, Severity};
use skillful_registry::{
    Lock,
    install::{Action, Mode, Plan, PlanStep},
};

impl Desk {
    pub(super) fn plan_text(&self, context: &Context, plan: &Plan) -> String {
        let mut text = String::new();
        let mut last = None;
        for step in &plan.steps {
            let style = match step.action {
                Action::Create | Action::Replace | Action::Merge | Action::Remove => GOOD,
                Action::Keep | Action::Gone => DIM,
                Action::Pending | Action::Refuse(_) => WARN,
            };
            let sentence = step.sentence(&context.short(&self.site.path(&step.place)));
            text.push_str(&format!("{}\n", context.output.paint(style, &harmless(&sentence))));
            // What a skill may do is the same in all its places.
            if last.replace(&step.name) == Some(&step.name) || step.tree().is_none() {
                continue;
            }
            // Why a signer is refused is said already.
            let signer = |lock: &Lock| lock.skills.get(&step.name).and_then(|locked| locked.signer.clone());
            let is_refused = matches!(step.action, Action::Refuse(_));
            let news = signer(&plan.after).filter(|now| signer(&plan.before).as_ref() != Some(now));
            if let Some(now) = news.filter(|_| !is_refused) {
                text.push_str(&format!("  signed by {}\n", harmless(&told(&now))));
            }
            let card = self.cards.get(&step.name);
            if let Some(card) = card.filter(|_| step.action == Action::Pending) {
                text.push_str(&indented(&card::text(card, &context.output)));
                continue;
            }
            for (what, powers) in [("new: ", &step.gained), ("no longer: ", &step.dropped)] {
                for power in powers {
                    text.push_str(&format!("  {what}{}\n", harmless(power)));
                }
            }
            if let Some(card) = card {
                let heavy: Vec<Finding> =
                    card.found.iter().filter(|found| found.severity > Severity::Note).cloned().collect();
                text.push_str(&report::findings(&heavy, &context.output));
            }
        }
        text
    }

    pub(crate) fn step_json(&self, step: &PlanStep, plan: &Plan) -> Value {
        let signer = plan.after.skills.get(&step.name).and_then(|locked| locked.signer.as_ref());
        let (action, why) = match &step.action {
            Action::Create => ("create", None),
            Action::Replace => ("replace", None),
            Action::Merge => ("merge", None),
            Action::Keep => ("keep", None),
            Action::Pending => ("hold", None),
            Action::Remove => ("remove", None),
            Action::Gone => ("gone", None),
            Action::Refuse(why) => ("refuse", Some(why.to_string())),
        };
        json!({
            "skill": step.name.as_str(),
            "path": self.site.path(&step.place),
            "mode": match step.mode {
                Mode::Copy => "copy",
                Mode::Link => "link",
                Mode::Alias => "alias",
            },
            "action": action,
            "why": why,
            "tree": step.tree(),
            "signer": signer.map(ToString::to_string),
            "gained": step.gained,
            "dropped": step.dropped,
        })
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}
