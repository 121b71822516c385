//! Contracts of a team, on SQLite and on PostgreSQL.

#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]

mod at_once;
mod audit_log;
mod backup;
mod buckets;
mod catalog;
mod device;
mod drafts_and_usage;
mod idle;
mod integrations;
mod listing;
mod people;
mod preferences;
mod previews;
mod processes;
mod quotas;
mod releases;
mod reviews;
mod revocations;
mod runtime_settings;
mod skills;
mod unseen;
mod webhooks;
mod world;

/// Runs each test on both databases.
macro_rules! on_both {
    ($($name:ident),* $(,)?) => {
        mod sqlite {
            $(#[test] fn $name() { $crate::world::run(None, |world| Box::pin(super::$name(world))); })*
        }
        mod postgres {
            $(#[test] fn $name() {
                if let Some(address) = skillful_testkit::postgres_database() {
                    $crate::world::run(Some(address), |world| Box::pin(super::$name(world)));
                }
            })*
        }
    };
}
pub(crate) use on_both;
