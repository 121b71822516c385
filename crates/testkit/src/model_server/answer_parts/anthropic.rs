//! A script as Anthropic Messages.

use super::{AnswerPart, ScriptedAnswer, WireFormat, pieces};
use serde_json::{Value, json};

const SIGNATURE: &str = "c2lnbmVkIGJ5IHRoZSB0ZXN0IHNlcnZlcg==";

pub(super) fn whole(script: &ScriptedAnswer<'_>) -> Value {
    let content: Vec<Value> = script.parts.iter().filter_map(|part| block(part, script)).collect();
    let mut message = message(script);
    message["content"] = json!(content);
    message["stop_reason"] = json!(stop(script.stop()));
    message["usage"] = usage(script);
    message
}

pub(super) fn events(script: &ScriptedAnswer<'_>) -> String {
    let mut text = String::new();
    let mut event = |body: Value| {
        text += &format!("event: {}\ndata: {body}\n\n", body["type"].as_str().unwrap_or_default());
    };
    let mut start = message(script);
    start["usage"] = usage(script);
    start["usage"]["output_tokens"] = json!(1);
    event(json!({ "type": "message_start", "message": start }));
    event(json!({ "type": "ping" }));
    let mut index = 0;
    for part in script.parts {
        if *part == AnswerPart::Overloaded {
            event(WireFormat::Anthropic.error(529, "Overloaded"));
            return text;
        }
        let Some(mut block) = block(part, script) else { continue };
        let deltas: Vec<Value> = match part {
            AnswerPart::Text(said) => {
                block["text"] = json!("");
                pieces(said).iter().map(|piece| json!({ "type": "text_delta", "text": piece })).collect()
            }
            AnswerPart::Thinking(said) => {
                block["thinking"] = json!("");
                block["signature"] = json!("");
                let said = pieces(said);
                let said = said.iter().map(|piece| json!({ "type": "thinking_delta", "thinking": piece }));
                said.chain([json!({ "type": "signature_delta", "signature": SIGNATURE })]).collect()
            }
            AnswerPart::Call { arguments, .. } => {
                block["input"] = json!({});
                pieces(&arguments.to_string()).iter().map(|piece| json_delta(piece)).collect()
            }
            AnswerPart::RawCall { arguments, .. } => {
                block["input"] = json!({});
                pieces(arguments).iter().map(|piece| json_delta(piece)).collect()
            }
            AnswerPart::Stop(_) | AnswerPart::Usage { .. } | AnswerPart::Overloaded => Vec::new(),
        };
        event(json!({ "type": "content_block_start", "index": index, "content_block": block }));
        for delta in deltas {
            event(json!({ "type": "content_block_delta", "index": index, "delta": delta }));
        }
        event(json!({ "type": "content_block_stop", "index": index }));
        index += 1;
    }
    event(json!({
        "type": "message_delta",
        "delta": { "stop_reason": stop(script.stop()), "stop_sequence": null },
        "usage": { "output_tokens": script.usage().1 },
    }));
    event(json!({ "type": "message_stop" }));
    text
}

fn json_delta(piece: &str) -> Value {
    json!({ "type": "input_json_delta", "partial_json": piece })
}

fn message(script: &ScriptedAnswer<'_>) -> Value {
    json!({
        "id": script.id("msg"), "type": "message", "role": "assistant", "model": script.model,
        "content": [], "stop_reason": null, "stop_sequence": null,
    })
}

fn block(part: &AnswerPart, script: &ScriptedAnswer<'_>) -> Option<Value> {
    let call = |name: &str, input: &Value| json!({ "type": "tool_use", "id": script.id("toolu"), "name": name, "input": input });
    Some(match part {
        AnswerPart::Text(text) => json!({ "type": "text", "text": text }),
        AnswerPart::Thinking(text) => json!({ "type": "thinking", "thinking": text, "signature": SIGNATURE }),
        AnswerPart::Call { name, arguments } => call(name, arguments),
        AnswerPart::RawCall { name, arguments } => call(name, &json!(arguments)),
        AnswerPart::Stop(_) | AnswerPart::Usage { .. } | AnswerPart::Overloaded => return None,
    })
}

fn stop(word: &str) -> &str {
    match word {
        "end" => "end_turn",
        "calls" => "tool_use",
        "length" => "max_tokens",
        word => word,
    }
}

fn usage(script: &ScriptedAnswer<'_>) -> Value {
    let (input, output, cached) = script.usage();
    json!({
        "input_tokens": input.saturating_sub(cached), "cache_read_input_tokens": cached,
        "cache_creation_input_tokens": 0, "output_tokens": output,
    })
}
