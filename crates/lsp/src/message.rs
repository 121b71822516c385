//! Messages of JSON-RPC.

use serde_json::{Value, json};

/// JSON that cannot be parsed.
pub(crate) const PARSE_ERROR: i64 = -32700;
/// A message that is not a request of the protocol, or not in this state.
pub(crate) const INVALID_REQUEST: i64 = -32600;
/// A method that the server does not have.
pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
/// Parameters that do not fit the method.
pub(crate) const INVALID_PARAMS: i64 = -32602;
/// A fault of the server.
pub(crate) const INTERNAL_ERROR: i64 = -32603;
/// A request before `initialize`.
pub(crate) const NOT_INITIALIZED: i64 = -32002;
/// A request that the client cancelled.
pub(crate) const CANCELLED: i64 = -32800;

/// A message of the client.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Incoming {
    /// Wants an answer.
    Request { id: Value, method: String, params: Value },
    /// Wants none.
    Notification { method: String, params: Value },
    /// Answers a request of the server.
    Response,
    /// Cannot be read; the answer to it.
    Bad(RpcError),
}

/// An error as the protocol returns it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RpcError {
    /// The kind.
    pub(crate) code: i64,
    /// What failed.
    pub(crate) message: String,
}

impl RpcError {
    pub(crate) fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

impl Incoming {
    /// Reads the bytes of one message.
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let value: Value = match serde_json::from_slice(bytes) {
            Ok(value) => value,
            Err(error) => {
                return Self::Bad(RpcError::new(PARSE_ERROR, format!("the message is not JSON: {error}")));
            }
        };
        let Value::Object(mut object) = value else {
            return Self::Bad(RpcError::new(INVALID_REQUEST, "the message is not an object"));
        };
        let params = object.remove("params").unwrap_or(Value::Null);
        let id = object.remove("id");
        match (object.remove("method"), id) {
            (Some(Value::String(method)), Some(id @ (Value::Number(_) | Value::String(_)))) => {
                Self::Request { id, method, params }
            }
            (Some(Value::String(method)), None) => Self::Notification { method, params },
            (None, Some(_)) if object.contains_key("result") || object.contains_key("error") => {
                Self::Response
            }
            _ => Self::Bad(RpcError::new(INVALID_REQUEST, "the message is neither a request nor an answer")),
        }
    }
}

/// The answer to a request.
pub(crate) fn answer(id: &Value, result: Result<Value, RpcError>) -> Value {
    match result {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(RpcError { code, message }) => {
            json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
        }
    }
}

/// A notification of the server.
pub(crate) fn notification(method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

/// A request of the server.
pub(crate) fn request(id: &str, method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}
