//! Counters in the text format of Prometheus. No label holds anything about a user.

use std::{collections::BTreeMap, fmt::Write as _, sync::Mutex, time::Duration};

/// Upper ends of the buckets of durations, in seconds.
const BUCKETS: [f64; 9] = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0];

/// What was counted since the start.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    requests: Mutex<BTreeMap<(&'static str, String, u16), u64>>,
    durations: Mutex<([u64; BUCKETS.len()], f64, u64)>,
}

impl Metrics {
    /// Counts a request by the pattern of its path, never by the path itself.
    pub(crate) fn count(&self, method: &'static str, route: &str, status: u16, took: Duration) {
        if let Ok(mut requests) = self.requests.lock() {
            *requests.entry((method, route.to_owned(), status)).or_default() += 1;
        }
        if let Ok(mut durations) = self.durations.lock() {
            let seconds = took.as_secs_f64();
            for (at, end) in BUCKETS.iter().enumerate() {
                if seconds <= *end {
                    durations.0[at] += 1;
                }
            }
            durations.1 += seconds;
            durations.2 += 1;
        }
    }

    /// The page that Prometheus reads.
    pub(crate) fn text(&self) -> String {
        let mut out = String::from(
            "# HELP skillful_requests_total Requests by method, route and status.\n# TYPE skillful_requests_total counter\n",
        );
        if let Ok(requests) = self.requests.lock() {
            for ((method, route, status), count) in requests.iter() {
                let _infallible = writeln!(
                    out,
                    "skillful_requests_total{{method=\"{method}\",route=\"{route}\",status=\"{status}\"}} {count}"
                );
            }
        }
        out.push_str(
            "# HELP skillful_request_seconds How long requests took.\n# TYPE skillful_request_seconds histogram\n",
        );
        if let Ok(durations) = self.durations.lock() {
            for (end, count) in BUCKETS.iter().zip(durations.0) {
                let _infallible = writeln!(out, "skillful_request_seconds_bucket{{le=\"{end}\"}} {count}");
            }
            let (sum, count) = (durations.1, durations.2);
            let _infallible = writeln!(
                out,
                "skillful_request_seconds_bucket{{le=\"+Inf\"}} {count}\nskillful_request_seconds_sum {sum}\nskillful_request_seconds_count {count}"
            );
        }
        out
    }
}
