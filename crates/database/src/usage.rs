//! What models were given and what it cost.

use crate::{
    error::StoreError,
    sessions::{from_int, to_int, unknown},
    store::Store,
    turns::TurnId,
};

/// A figure larger than this is cut: a provider's mistake may not break every later sum.
pub const FIGURE_LIMIT: u64 = 1 << 40;

/// Tokens and their price.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The model.
    pub model: String,
    /// Tokens that it read, all of them.
    pub input: u64,
    /// Tokens that it wrote.
    pub output: u64,
    /// Tokens among those read that came from the provider's cache.
    pub cached: u64,
    /// Tokens that were written to the provider's cache.
    pub stored: u64,
    /// The price, in millionths.
    pub cost_micros: u64,
}

impl Store {
    /// Adds what one answer used.
    pub fn add_usage(&self, session: &str, turn: Option<TurnId>, usage: &Usage) -> Result<(), StoreError> {
        let figure = |value: u64| to_int(value.min(FIGURE_LIMIT));
        self.with(async |link| {
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
            .execute(link)
            .await?;
            if done.rows_affected() == 0 { Err(unknown(session)) } else { Ok(()) }
        })
    }

    /// What a session used, summed by model.
    pub fn usage(&self, session: &str) -> Result<Vec<Usage>, StoreError> {
        self.with(async |link| {
            let rows: Vec<(String, i64, i64, i64, i64, i64)> = sqlx::query_as(
                "SELECT model, CAST(SUM(input) AS BIGINT), CAST(SUM(output) AS BIGINT),
                     CAST(SUM(cached) AS BIGINT), CAST(SUM(stored) AS BIGINT),
                     CAST(SUM(cost_micros) AS BIGINT)
                 FROM usage WHERE session = $1 GROUP BY model ORDER BY model",
            )
            .bind(session)
            .fetch_all(link)
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
