//! `sandbox`: what holds a command of a skill on this machine, and what to do where nothing does.

use super::printed;
use crate::{
    context::Context,
    error::{Exit, Failure, Outcome},
    output::{BAD, DIM, GOOD, HEAD, Output, WARN, harmless},
    shape,
};
use serde_json::{Value, json};
use skillful_sandbox::{Enforcement, TierStatus, TreeEnforcement, probe};

/// What the probe found, as it is shown.
struct Seen<'a> {
    kernel: &'a str,
    landlock: Option<i32>,
    findings: &'a [TierStatus],
    keepers: TreeEnforcement,
}

pub(crate) fn run(context: &Context) -> Outcome {
    let report = probe();
    let seen = Seen {
        kernel: report.kernel(),
        landlock: report.landlock(),
        findings: report.tiers(),
        keepers: report.enforcement(),
    };
    printed(if context.output.json {
        context.output.print_untyped(&seen.json())
    } else {
        context.output.print(&seen.text(&context.output))
    })?;
    seen.verdict()
}

impl Seen<'_> {
    fn best(&self) -> Option<&TierStatus> {
        self.findings.iter().find(|finding| finding.usable)
    }

    /// Every fix is a hint: one of them is enough.
    fn verdict(&self) -> Outcome {
        if self.best().is_some() {
            return Ok(Exit::Clean);
        }
        let failure = Failure::unsandboxed("no sandbox holds here, so commands of skills are not run");
        let fixes = self
            .findings
            .iter()
            .filter_map(|finding| finding.fix.as_ref().map(|fix| format!("for {}: {fix}", finding.tier)));
        Err(fixes.fold(failure, Failure::hint))
    }

    fn text(&self, output: &Output) -> String {
        let landlock = self.landlock.map_or_else(|| "no Landlock".to_owned(), |v| format!("Landlock {v}"));
        let mut out = output.paint(HEAD, &format!("{}, {landlock}", harmless(self.kernel))) + "\n";
        for finding in self.findings {
            let (style, mark) = if finding.usable { (GOOD, "ok") } else { (BAD, "bad") };
            let mark = output.paint(style, &format!("{mark:>4}"));
            out.push_str(&format!("{mark} {:<11} {}\n", finding.tier.to_string(), harmless(&finding.reason)));
            if let Some(fix) = &finding.fix {
                out.push_str(&format!("                 {}\n", output.paint(DIM, &harmless(fix))));
            }
        }
        for (limit, keeper) in self.limits() {
            let (style, mark) = if strong(keeper) { (GOOD, "ok") } else { (WARN, "look") };
            let mark = output.paint(style, &format!("{mark:>4}"));
            out.push_str(&format!("{mark} {limit:<11} {}\n", meaning(keeper)));
        }
        out.push_str(&format!(
            "{} {:<11} data of a process, size of a file, open files, no core: by limits of the kernel\n",
            output.paint(GOOD, "  ok"),
            "others"
        ));
        out
    }

    fn limits(&self) -> [(&'static str, Enforcement); 2] {
        [("processes", self.keepers.processes), ("memory", self.keepers.memory)]
    }

    fn json(&self) -> Value {
        let tiers: Vec<_> = self
            .findings
            .iter()
            .map(|finding| {
                json!({
                    "tier": finding.tier.to_string(),
                    "usable": finding.usable,
                    "reason": finding.reason,
                    "fix": finding.fix,
                })
            })
            .collect();
        let limits: serde_json::Map<_, _> = self
            .limits()
            .into_iter()
            .map(|(limit, keeper)| {
                (limit.to_owned(), json!({ "by": word(keeper), "kernel": strong(keeper) }))
            })
            .collect();
        json!({
            "schema": shape::SCHEMA,
            "kernel": self.kernel,
            "landlock": self.landlock,
            "best": self.best().map(|finding| finding.tier.to_string()),
            "tiers": tiers,
            "limits": limits,
        })
    }
}

/// The kernel itself keeps it, whatever the program does.
fn strong(keeper: Enforcement) -> bool {
    matches!(keeper, Enforcement::Cgroup(_) | Enforcement::UserLimit)
}

fn word(keeper: Enforcement) -> String {
    match keeper {
        Enforcement::Cgroup(version) => format!("cgroup-v{version}"),
        Enforcement::UserLimit => "rlimit".to_owned(),
        Enforcement::Count => "count".to_owned(),
        _ => "nobody".to_owned(),
    }
}

fn meaning(keeper: Enforcement) -> String {
    match keeper {
        Enforcement::Cgroup(version) => {
            format!("by a cgroup (v{version}): the kernel keeps it, for root too")
        }
        Enforcement::UserLimit => "by a limit of the user a little above it, and by counting".to_owned(),
        Enforcement::Count => {
            "by counting many times a second; a writable cgroup would keep it exactly".to_owned()
        }
        _ => "by nobody".to_owned(),
    }
}

#[cfg(test)]
mod tests;
