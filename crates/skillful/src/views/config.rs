//! The settings in effect.

use super::{PathText, SCHEMA};
use crate::{config::InEffect, paths::Paths};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;

/// Every setting in effect, and the files of this program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ConfigView {
    /// The version of this object.
    pub schema: u32,
    /// By key.
    pub values: Vec<SettingView>,
    /// Where things are kept.
    pub paths: PathsView,
}

/// One setting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SettingView {
    /// Its key, dotted.
    pub key: String,
    /// Its value as TOML.
    pub value: String,
    /// The file or variable that it comes from.
    pub origin: String,
}

/// Where things are kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PathsView {
    /// The configuration file.
    pub config: PathText,
    /// The folder of the user's own agent profiles.
    pub agents: PathText,
    /// The file of trusted folders.
    pub trust: PathText,
    /// Data that must survive.
    pub data: PathText,
    /// Data that may be deleted at any time.
    pub cache: PathText,
    /// What decided about these folders.
    pub origin: String,
}

impl ConfigView {
    /// The view of some settings.
    pub fn of(values: &[InEffect], paths: &Paths) -> Self {
        let text = |path: &Path| PathText::from(path);
        let setting = |value: &InEffect| SettingView {
            key: value.key.clone(),
            value: value.value.clone(),
            origin: value.origin.clone(),
        };
        Self {
            schema: SCHEMA,
            values: values.iter().map(setting).collect(),
            paths: PathsView {
                config: text(&paths.config),
                agents: text(&paths.agents),
                trust: text(&paths.trust),
                data: text(&paths.data),
                cache: text(&paths.cache),
                origin: paths.origin.to_owned(),
            },
        }
    }
}
