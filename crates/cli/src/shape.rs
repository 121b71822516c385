//! The version of the JSON that commands print.

/// Version of every JSON object this program prints.
pub(crate) use skillful::views::SCHEMA;
