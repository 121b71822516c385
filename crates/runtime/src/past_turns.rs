//! What selection and routing look back at: the finished turns of a session.
//! The caller stores them.

use skillful_select::turn::PastTurn;

/// Turns that are looked back at. Stickiness needs two and the decider a few; the call whose arguments a skill keeps while it
/// stays selected may lie far back.
pub const TURNS: usize = 200;

/// One finished turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedTurn {
    /// When, in seconds since 1970.
    pub at: u64,
    /// The start of the message, as far as the next message may continue it.
    pub message: String,
    /// Skills that a rule or a mention selected; companions are derived again.
    pub roots: Vec<String>,
}

/// Turns, the oldest first, as selection looks at them.
pub fn past(turns: &[FinishedTurn], now: u64) -> Vec<PastTurn> {
    let past = |record: &FinishedTurn| PastTurn {
        roots: record.roots.clone(),
        message: record.message.clone(),
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
        let turn = |at| FinishedTurn { at, message: String::new(), roots: vec!["a".to_owned()] };
        let ages: Vec<u64> = past(&[turn(5), turn(30)], 20).iter().map(|turn| turn.age).collect();
        assert_eq!(ages, [15, 0]);
    }
}
