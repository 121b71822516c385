//! A message that the next page shows once: what was done, and the way back where there is one. It travels in a cookie, so
//! that a page has the same address before and after.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};

/// The cookie.
pub(crate) const FLASH: &str = "skillful_flash";
/// Bytes of a message at the most; a browser keeps 4,096 of a cookie.
const LONGEST: usize = 2_000;

/// What was done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Flash {
    /// The sentence.
    pub(crate) text: String,
    /// Whether it is about a failure.
    #[serde(default)]
    pub(crate) failed: bool,
    /// How it is undone.
    #[serde(default)]
    pub(crate) undo: Option<Undo>,
}

/// A form that takes the deed back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Undo {
    /// The path below `/ui/` that it is sent to.
    pub(crate) action: String,
    /// Its fields.
    pub(crate) fields: Vec<(String, String)>,
}

impl Undo {
    /// A form for a path with fields.
    pub(crate) fn of(action: impl Into<String>, fields: &[(&str, &str)]) -> Self {
        let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Self { action: action.into(), fields }
    }
}

impl Flash {
    /// Something that was done.
    pub(crate) fn done(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Something that was refused.
    pub(crate) fn failed(text: impl Into<String>) -> Self {
        Self { text: text.into(), failed: true, undo: None }
    }

    /// With the way back.
    pub(crate) fn with_undo(mut self, undo: Undo) -> Self {
        self.undo = Some(undo);
        self
    }

    /// The value of the cookie.
    pub(crate) fn cookie(&self) -> String {
        let mut kept = self.clone();
        if kept.text.len() > LONGEST {
            kept.text = kept.text.chars().take(LONGEST / 4).collect::<String>() + "…";
        }
        let json = serde_json::to_vec(&kept).unwrap_or_default();
        let value = URL_SAFE_NO_PAD.encode(json);
        if value.len() > 3_800 {
            return Self { undo: None, ..kept }.cookie();
        }
        format!("{FLASH}={value}; Path=/ui; HttpOnly; SameSite=Lax; Max-Age=120")
    }

    /// The message of a cookie. A value that is not one of ours is dropped.
    pub(crate) fn of(value: &str) -> Option<Self> {
        let json = URL_SAFE_NO_PAD.decode(value).ok()?;
        let flash: Self = serde_json::from_slice(&json).ok()?;
        let is_ours = |undo: &Undo| super::form::is_own_path(&undo.action);
        flash.undo.as_ref().is_none_or(is_ours).then_some(flash)
    }
}
