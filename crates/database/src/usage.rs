//! Token counts and cost of model calls.

use crate::{
    database::Database,
    error::DatabaseError,
    sessions::{from_int, to_int, unknown},
    turns::TurnId,
};

/// Larger figures are clamped to this, so that a wrong figure of a provider cannot overflow later sums.
pub const FIGURE_LIMIT: u64 = 1 << 40;

/// Token counts and cost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The model.
    pub model: String,
    /// All tokens that it read.
    pub input: u64,
    /// Tokens that it wrote.
    pub output: u64,
    /// Tokens read that came from the provider's cache.
    pub cached: u64,
    /// Tokens that were written to the provider's cache.
    pub stored: u64,
    /// Cost, in millionths of the currency unit.
    pub cost_micros: u64,
}

impl Database {
    /// Adds the usage of one answer.
    pub fn add_usage(&self, session: &str, turn: Option<TurnId>, usage: &Usage) -> Result<(), DatabaseError> {
        let figure = |value: u64| to_int(value.min(FIGURE_LIMIT));
        self.with(async |connection| {
            let done = sqlx::query(
                "INSERT INTO usage (session, turn, model, input, output, cached, stored, cost_micros)
                 SELECT id, $2, $3, $4, $5, $6, $7, $8 FROM sessions WHERE id = $1",
            )
            .bind(session)
            .bind(turn.map(TurnId::number))
            .bind(&usage.model)
            .bind(figure(usage.input))
            .bind(figure(usage.output))
            .bind(figure(usage.cached))
            .bind(figure(usage.stored))
            .bind(figure(usage.cost_micros))
            .execute(connection)
            .await?;
            if done.rows_affected() == 0 { Err(unknown(session)) } else { Ok(()) }
        })
    }

    /// The usage of a session, summed by model.
    pub fn usage(&self, session: &str) -> Result<Vec<Usage>, DatabaseError> {
        self.with(async |connection| {
            let rows: Vec<(String, i64, i64, i64, i64, i64)> = sqlx::query_as(
                "SELECT model, CAST(SUM(input) AS BIGINT), CAST(SUM(output) AS BIGINT),
                     CAST(SUM(cached) AS BIGINT), CAST(SUM(stored) AS BIGINT),
                     CAST(SUM(cost_micros) AS BIGINT)
                 FROM usage WHERE session = $1 GROUP BY model ORDER BY model",
            )
            .bind(session)
            .fetch_all(connection)
            .await?;
            let sum =
                |(model, input, output, cached, stored, cost): (String, i64, i64, i64, i64, i64)| Usage {
                    model,
                    input: from_int(input),
                    output: from_int(output),
                    cached: from_int(cached),
                    stored: from_int(stored),
                    cost_micros: from_int(cost),
                };
            Ok(rows.into_iter().map(sum).collect())
        })
    }
}
