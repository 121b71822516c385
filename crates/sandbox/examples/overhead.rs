//! Measures the cost of the sandbox: `/bin/true` without it, in each tier, and the probes. Prints medians of
//! wall-clock and CPU time. `cargo run --release -p skillful-sandbox --example overhead`
#![expect(clippy::print_stdout, reason = "prints a table for the user")]

#[cfg(target_os = "linux")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    use skillful_sandbox::{Job, Require, Tier, probe, probe_best, run};
    let report = probe();
    println!("{}, Landlock {:?}", report.kernel(), report.landlock());
    println!(
        "limit on processes enforced by {}, on memory by {}",
        report.enforcement().processes,
        report.enforcement().memory
    );
    println!("{:<12} {:>10} {:>10}", "", "clock ms", "cpu ms");
    let job = Job::new("/bin/true", "/");
    linux::measure("plain", || std::process::Command::new("/bin/true").status().map(drop))?;
    linux::measure("plain + env", || std::process::Command::new("/bin/true").env_clear().status().map(drop))?;
    for tier in [Tier::None, Tier::Landlock, Tier::Bubblewrap] {
        if report.choose(Require::Exactly(tier)).is_ok() {
            linux::measure(&tier.to_string(), || run(&job, Require::Exactly(tier), &report).map(drop))?;
        }
    }
    linux::measure("probe_best", || probe_best().choose(Require::Sandbox).map(drop))?;
    linux::measure("probe", || probe().choose(Require::Sandbox).map(drop))?;
    Ok(())
}

#[cfg(target_os = "linux")]
mod linux {
    use std::{
        fs,
        time::{Duration, Instant},
    };

    const TIMES: usize = 50;

    pub(crate) fn measure<E: std::error::Error + 'static>(
        name: &str,
        once: impl Fn() -> Result<(), E>,
    ) -> Result<(), Box<dyn std::error::Error>> {
        once()?;
        let (mut clock, before) = (Vec::new(), processor());
        for _ in 0..TIMES {
            let started = Instant::now();
            once()?;
            clock.push(started.elapsed());
        }
        let each = processor().saturating_sub(before) / u32::try_from(TIMES)?;
        clock.sort();
        let ms = |time: Duration| time.as_secs_f64() * 1000.0;
        println!("{name:<12} {:>10.2} {:>10.2}", ms(clock[TIMES / 2]), ms(each));
        Ok(())
    }

    /// CPU time of this process and all children it has waited for.
    fn processor() -> Duration {
        const FIRST: usize = 11;
        const TICK: Duration = Duration::from_millis(10);
        let line = fs::read_to_string("/proc/self/stat").unwrap_or_default();
        let fields = line.rsplit(')').next().unwrap_or_default().split_whitespace().skip(FIRST).take(4);
        TICK * fields.filter_map(|ticks| ticks.parse::<u32>().ok()).sum::<u32>()
    }
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("the sandbox supports only Linux");
}
