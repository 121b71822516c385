//! The credential proxy.

use super::PathText;
use schemars::JsonSchema;
use serde::Serialize;

/// A running proxy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProxyView {
    /// The version of this object.
    pub schema: u32,
    /// The socket that programs connect to.
    pub socket: PathText,
    /// The skills whose programs can be run.
    pub skills: Vec<String>,
}

/// A request that the proxy refused; printed to standard error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProxyRefusal {
    /// The version of this object.
    pub schema: u32,
    /// The process of the proxy.
    pub run: String,
    /// `run`, `credential` or `connection`.
    pub kind: String,
    /// The skill or the variable.
    pub name: String,
    /// The reason as one word, such as `lookup_denied`.
    pub reason: String,
    /// The reason as a sentence.
    pub detail: String,
}
