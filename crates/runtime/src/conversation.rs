//! What selection and routing look back at: the turns of a conversation that came to their end.
//! Where they are kept is not known here.

use skillful_select::turn::PastTurn;

/// Turns that are looked back at; stickiness needs two, the decider a few more.
pub const TURNS: usize = 20;

/// One turn that came to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// When, in seconds since 1970.
    pub at: u64,
    /// What was said, as far as it may be the start of what is said next.
    pub message: String,
    /// Skills that a rule or a mention chose; companions are derived again.
    pub roots: Vec<String>,
}

/// Turns, the oldest first, as selection looks at them.
pub fn past(turns: &[Record], now: u64) -> Vec<PastTurn> {
    let past = |record: &Record| PastTurn {
        roots: record.roots.clone(),
        completed: true,
        age: now.saturating_sub(record.at),
    };
    turns.iter().map(past).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_of_the_future_is_as_old_as_now() {
        let turn = |at| Record { at, message: String::new(), roots: vec!["a".to_owned()] };
        let ages: Vec<u64> = past(&[turn(5), turn(30)], 20).iter().map(|turn| turn.age).collect();
        assert_eq!(ages, [15, 0]);
    }
}
