//! What is kept of an answer that the user interrupted.

use crate::{
    history::{Item, ItemKind},
    turn::TurnError,
    turn_loop::TurnLoop,
};
use skillful_llm::{Message, Part, Role};

/// What the model reads after an answer that was interrupted.
const HALF: &str = "The user interrupted this answer; it is not complete.";

impl TurnLoop<'_, '_, '_, '_> {
    /// Keeps what the user saw of an answer that they interrupted.
    pub(crate) fn keep_half(&mut self) -> Result<(), TurnError> {
        let text = std::mem::take(&mut self.half);
        if text.trim().is_empty() {
            return Ok(());
        }
        let message = Message { role: Role::Assistant, parts: vec![Part::text(&text)] };
        let answer = Item { kind: ItemKind::Answer, message };
        self.push(vec![answer, Item::user(ItemKind::Note, HALF)])
    }
}
