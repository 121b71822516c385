//! `sandbox`: which sandbox works on this machine, what it holds, and how to get one.

use super::printed;
use crate::{
    context::Context,
    error::{Exit, Failure, Outcome},
    output::{BAD, DIM, GOOD, HEAD, Output, WARN, harmless},
};
use skillful::views::SandboxView;
use skillful_sandbox::probe;

pub(crate) fn run(context: &Context) -> Outcome {
    let report = probe();
    let view = SandboxView::new(report.kernel(), report.landlock(), report.tiers(), report.enforcement());
    if context.output.json {
        printed(context.output.print_json(&view))?;
    } else {
        printed(context.output.print(&text(&view, &context.output)))?;
    }
    verdict(&view)
}

/// Without a sandbox every fix is a hint: one of them is enough.
fn verdict(view: &SandboxView) -> Outcome {
    if view.best.is_some() {
        return Ok(Exit::Clean);
    }
    let failure = Failure::unsandboxed("no sandbox works here, so commands of skills are not run");
    let fixes =
        view.tiers.iter().filter_map(|tier| tier.fix.as_ref().map(|fix| format!("for {}: {fix}", tier.tier)));
    Err(fixes.fold(failure, Failure::hint))
}

fn text(view: &SandboxView, output: &Output) -> String {
    let landlock = view.landlock.map_or_else(|| "no Landlock".to_owned(), |v| format!("Landlock {v}"));
    let mut out = output.paint(HEAD, &format!("{}, {landlock}", harmless(&view.kernel))) + "\n";
    for tier in &view.tiers {
        let (style, mark) = if tier.usable { (GOOD, "ok") } else { (BAD, "bad") };
        let mark = output.paint(style, &format!("{mark:>4}"));
        out.push_str(&format!("{mark} {:<11} {}\n", tier.tier, harmless(&tier.reason)));
        if let Some(fix) = &tier.fix {
            out.push_str(&format!("                 {}\n", output.paint(DIM, &harmless(fix))));
        }
    }
    for (limit, enforced) in [("processes", &view.limits.processes), ("memory", &view.limits.memory)] {
        let (style, mark) = if enforced.kernel { (GOOD, "ok") } else { (WARN, "weak") };
        let mark = output.paint(style, &format!("{mark:>4}"));
        out.push_str(&format!("{mark} {limit:<11} {}\n", enforced.meaning));
    }
    out.push_str(&format!(
        "{} {:<11} memory of a process, size of a file, open files, no core dumps: by limits of the kernel\n",
        output.paint(GOOD, "  ok"),
        "others"
    ));
    out
}

#[cfg(test)]
mod tests;
