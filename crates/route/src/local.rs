//! Vectors of a model on this machine: reads a folder in the format of sentence-transformers, in pure Rust.
//!
//! Only name and description are embedded. On a CPU, a thousand skills take about one minute that way, and
//! about ten minutes with bodies.

use crate::{
    embed::{Embed, EmbedError},
    hash::hash,
};
use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, Config};
use serde::Deserialize;
use std::{
    fs::File,
    io::Read,
    path::Path,
    time::{Duration, Instant},
};
use tokenizers::Tokenizer;

/// Largest weights, tokenizer and settings file in bytes.
const WEIGHTS: u64 = 4 << 30;
const TOKENIZER: u64 = 64 << 20;
const SETTINGS: u64 = 1 << 20;
/// Longest text in tokens when the folder does not set a limit; the default of sentence-transformers.
const TOKENS: usize = 256;
/// Larger models are refused because they are too slow on a CPU.
const LAYERS: usize = 64;
const WIDTH: usize = 8_192;

/// Why a folder is not a usable model.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// A file is missing or too large.
    #[error("`{file}` of the model could not be read: {why}")]
    File {
        /// Name of the file within the folder.
        file: &'static str,
        /// The reason.
        why: String,
    },
    /// The folder does not hold a BERT model with mean or first-token pooling.
    #[error("the model cannot be used: {0}")]
    Unsupported(String),
}

/// A sentence-transformers model with BERT's architecture.
pub struct LocalModel {
    model: BertModel,
    tokenizer: Tokenizer,
    pooling: Pooling,
    tokens: usize,
    id: String,
}

/// How the vectors of the tokens are combined into one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pooling {
    Mean,
    First,
}

#[derive(Deserialize)]
struct PoolingConfig {
    #[serde(default)]
    pooling_mode_cls_token: bool,
    #[serde(default)]
    pooling_mode_mean_tokens: bool,
}

#[derive(Deserialize)]
struct SentenceConfig {
    max_seq_length: Option<usize>,
}

impl LocalModel {
    /// Reads a folder with `model.safetensors`, `config.json` and `tokenizer.json`.
    pub fn open(folder: &Path) -> Result<Self, ModelError> {
        let config_bytes = read(folder, "config.json", SETTINGS)?;
        let tokenizer_bytes = read(folder, "tokenizer.json", TOKENIZER)?;
        let weights = read(folder, "model.safetensors", WEIGHTS)?;
        let unsupported = |why: String| ModelError::Unsupported(why);
        let config: Config = serde_json::from_slice(&config_bytes)
            .map_err(|error| unsupported(format!("`config.json` is not that of a BERT model: {error}")))?;
        check(&config).map_err(|why| unsupported(why.to_owned()))?;
        let parts: [&[u8]; 3] = [&config_bytes, &tokenizer_bytes, &weights];
        let id = format!("local {:016x}", hash(parts));
        let mut tokenizer = Tokenizer::from_bytes(&tokenizer_bytes)
            .map_err(|error| unsupported(format!("`tokenizer.json` cannot be read: {error}")))?;
        // Many folders pad every text to 128 tokens and truncate there. Padding multiplies the work by ten
        // and distorts the mean. Truncation is done below with our own limit.
        tokenizer.with_padding(None);
        tokenizer.with_truncation(None).map_err(|error| {
            unsupported(format!("truncation cannot be disabled in `tokenizer.json`: {error}"))
        })?;
        let weights = VarBuilder::from_buffered_safetensors(weights, DType::F32, &Device::Cpu);
        let model = weights
            .and_then(|weights| BertModel::load(weights, &config))
            .map_err(|error| unsupported(format!("the weights do not match `config.json`: {error}")))?;
        let tokens = match optional::<SentenceConfig>(folder, "sentence_bert_config.json")? {
            Some(SentenceConfig { max_seq_length: Some(most) }) => most,
            _ => TOKENS,
        };
        let tokens = tokens.clamp(2, config.max_position_embeddings.max(2));
        let pooling = match optional::<PoolingConfig>(folder, "1_Pooling/config.json")? {
            None => Pooling::Mean,
            Some(config) if config.pooling_mode_mean_tokens => Pooling::Mean,
            Some(config) if config.pooling_mode_cls_token => Pooling::First,
            Some(_) => {
                return Err(unsupported(
                    "its pooling is not supported; use a model with mean or first-token pooling".to_owned(),
                ));
            }
        };
        Ok(Self { model, tokenizer, pooling, tokens, id })
    }

    /// The vector of one text, normalised to length one.
    fn vector(&self, text: &str) -> Result<Vec<f32>, String> {
        let encoding = self.tokenizer.encode(text, true).map_err(|error| error.to_string())?;
        let mut ids = encoding.get_ids().to_vec();
        if ids.len() > self.tokens {
            // Truncation keeps the end-of-text token.
            let last = ids.last().copied().unwrap_or_default();
            ids.truncate(self.tokens - 1);
            ids.push(last);
        }
        if ids.is_empty() {
            return Err("the text has no tokens".to_owned());
        }
        self.forward(&ids).map_err(|error| error.to_string())
    }

    fn forward(&self, ids: &[u32]) -> Result<Vec<f32>, candle_core::Error> {
        // One text at a time: without padding every token counts and no mask is needed.
        let ids = Tensor::new(ids, &Device::Cpu)?.unsqueeze(0)?;
        let kinds = ids.zeros_like()?;
        let states = self.model.forward(&ids, &kinds, None)?.squeeze(0)?;
        let vector = match self.pooling {
            Pooling::Mean => states.mean(0)?,
            Pooling::First => states.get(0)?,
        };
        let numbers: Vec<f32> = vector.to_vec1()?;
        let length = numbers.iter().map(|number| number * number).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        Ok(numbers.into_iter().map(|number| number / length).collect())
    }
}

impl Embed for LocalModel {
    fn id(&self) -> String {
        self.id.clone()
    }

    fn wants_bodies(&self) -> bool {
        false
    }

    fn embed(&self, texts: &[&str], timeout: Duration) -> Result<Vec<Vec<f32>>, EmbedError> {
        let start = Instant::now();
        let mut vectors = Vec::with_capacity(texts.len());
        for text in texts {
            if start.elapsed() >= timeout {
                let message = "the local model exceeded the time limit".to_owned();
                return Err(EmbedError { message, concerns_all: true });
            }
            let vector = self.vector(text);
            vectors.push(vector.map_err(|message| EmbedError { message, concerns_all: false })?);
        }
        Ok(vectors)
    }
}

/// Rejects settings that would load but make the computation fail.
fn check(config: &Config) -> Result<(), &'static str> {
    let heads = config.num_attention_heads;
    match () {
        () if config.model_type.as_deref().is_some_and(|kind| kind != "bert") => {
            Err("only models of the type `bert` are supported")
        }
        () if heads == 0 || config.hidden_size == 0 || !config.hidden_size.is_multiple_of(heads) => {
            Err("its `hidden_size` is not a multiple of its `num_attention_heads`")
        }
        () if config.hidden_size > WIDTH || config.num_hidden_layers > LAYERS => {
            Err("it is too large to run on a CPU")
        }
        () if config.max_position_embeddings < 2 => {
            Err("its `max_position_embeddings` leaves no room for text")
        }
        () => Ok(()),
    }
}

fn read(folder: &Path, file: &'static str, limit: u64) -> Result<Vec<u8>, ModelError> {
    let failed = |why: String| ModelError::File { file, why };
    let opened = File::open(folder.join(file)).map_err(|error| failed(error.to_string()))?;
    let mut bytes = Vec::new();
    opened.take(limit + 1).read_to_end(&mut bytes).map_err(|error| failed(error.to_string()))?;
    if bytes.len() as u64 > limit {
        return Err(failed(format!("it is larger than {limit} bytes")));
    }
    Ok(bytes)
}

/// Reads a settings file that may be absent.
fn optional<T: for<'a> Deserialize<'a>>(folder: &Path, file: &'static str) -> Result<Option<T>, ModelError> {
    if !folder.join(file).is_file() {
        return Ok(None);
    }
    let bytes = read(folder, file, SETTINGS)?;
    let parsed = serde_json::from_slice(&bytes);
    parsed.map(Some).map_err(|error| ModelError::File { file, why: error.to_string() })
}

#[cfg(test)]
mod tests;
