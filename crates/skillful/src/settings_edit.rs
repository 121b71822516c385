//! Changes one value of a settings file of another program, and keeps every other byte: comments, order, blanks.

use jsonc_parser::{
    ParseOptions,
    cst::{CstInputValue, CstNode, CstObject, CstRootNode},
};
use serde_json::Value as Json;
use skillful_agents::json_options;
use skillful_catalog::profile::SettingsFormat;
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, TableLike, Value, value};

/// Why a file cannot be changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The file cannot be read in its format.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
    /// A value on the way is of another kind.
    #[error("`{0}` is not what this program expects there")]
    OtherKind(String),
}

/// A place in a settings file: the keys that lead to a mapping or a list.
#[derive(Clone, Copy, Debug)]
pub struct SettingsPlace<'a> {
    /// The format of the file.
    pub format: SettingsFormat,
    /// The keys.
    pub key: &'a [String],
}

impl SettingsPlace<'_> {
    /// The file with an entry of the mapping set.
    pub fn set(&self, text: &str, name: &str, entry: &Json) -> Result<String, EditError> {
        if self.format == SettingsFormat::Toml {
            let mut document = toml(text)?;
            let table = self.table(&mut document)?;
            let mut item = item_of(entry);
            // An entry that is there keeps its place and the comment before it.
            if let Some(old) = table.get(name).and_then(Item::as_table)
                && let Some(new) = item.as_table_mut()
            {
                new.set_position(old.position());
                *new.decor_mut() = old.decor().clone();
            }
            table.insert(name, item);
            return Ok(document.to_string());
        }
        let root = self.json(text)?;
        let mapping = self.object(&root)?;
        match mapping.get(name) {
            Some(property) => property.set_value(input_of(entry)),
            None => drop(mapping.append(name, input_of(entry))),
        }
        Ok(root.to_string())
    }

    /// The entry of the mapping.
    pub fn get(&self, text: &str, name: &str) -> Result<Option<Json>, EditError> {
        let whole: Json = if self.format == SettingsFormat::Toml {
            let document: toml::Table =
                toml::from_str(text).map_err(|error| EditError::Unreadable(error.message().to_owned()))?;
            serde_json::to_value(document).map_err(|error| EditError::Unreadable(error.to_string()))?
        } else if text.trim().is_empty() {
            Json::Null
        } else {
            jsonc_parser::parse_to_serde_value(text, &self.options())
                .map_err(|error| EditError::Unreadable(error.to_string()))?
        };
        let mapping = self.key.iter().try_fold(&whole, |value, key| value.get(key));
        Ok(mapping.and_then(|mapping| mapping.get(name)).cloned())
    }

    /// The file without an entry of the mapping; `None` when there is none.
    pub fn remove(&self, text: &str, name: &str) -> Result<Option<String>, EditError> {
        if self.get(text, name)?.is_none() {
            return Ok(None);
        }
        if self.format == SettingsFormat::Toml {
            let mut document = toml(text)?;
            let table = self.table(&mut document)?;
            table.remove(name);
            if table.is_empty() {
                self.prune(&mut document);
            }
            return Ok(Some(document.to_string()));
        }
        let root = self.json(text)?;
        if let Some(property) = self.object(&root)?.get(name) {
            property.remove();
        }
        Ok(Some(root.to_string()))
    }

    /// The file with a word in, or not in, the list; `None` when it is so already.
    pub fn list(&self, text: &str, word: &str, present: bool) -> Result<Option<String>, EditError> {
        if self.format == SettingsFormat::Toml {
            return Err(self.other());
        }
        let root = self.json(text)?;
        let Some((last, way)) = self.key.split_last() else { return Err(self.other()) };
        let holder = SettingsPlace { format: self.format, key: way }.object(&root)?;
        let is_word = |node: &CstNode| {
            node.as_string_lit()
                .and_then(|literal| literal.decoded_value().ok())
                .is_some_and(|one| one == word)
        };
        let Some(list) = holder.array_value_or_create(last) else { return Err(self.other()) };
        let found: Vec<CstNode> = list.elements().into_iter().filter(is_word).collect();
        match (present, found.is_empty()) {
            (true, true) => drop(list.append(word.into())),
            (false, false) => found.into_iter().for_each(CstNode::remove),
            _ => return Ok(None),
        }
        Ok(Some(root.to_string()))
    }

    /// The file with a rule that switches a name off, or without one; `None` when it is so already.
    pub fn rule(&self, text: &str, name: &str, off: bool) -> Result<Option<String>, EditError> {
        if self.format != SettingsFormat::Toml {
            return Err(self.other());
        }
        let mut document = toml(text)?;
        let Some((last, way)) = self.key.split_last() else { return Err(self.other()) };
        let holder = SettingsPlace { format: self.format, key: way }.table(&mut document)?;
        let is_new = !holder.contains_key(last);
        let rules = holder.entry(last).or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
        let Some(rules) = rules.as_array_of_tables_mut() else { return Err(self.other()) };
        let is_about = |table: &Table| table.get("name").and_then(Item::as_str) == Some(name);
        let is_off = |table: &Table| table.get("enabled").and_then(Item::as_bool) == Some(false);
        // The last rule about a name counts.
        let now = rules.iter().filter(|table| is_about(table)).last().is_some_and(is_off);
        if now == off {
            return Ok(None);
        }
        rules.retain(|table| !is_about(table));
        if off {
            let mut table = Table::new();
            table["name"] = value(name);
            table["enabled"] = value(false);
            rules.push(table);
        }
        let is_empty = rules.is_empty();
        if is_empty && !is_new {
            holder.remove(last);
            if holder.is_empty() {
                SettingsPlace { format: self.format, key: way }.prune(&mut document);
            }
        }
        Ok(Some(document.to_string()))
    }

    /// The file with a word for a name in the mapping, or without one; `None` when it is so already. A mapping that is
    /// one word for all names keeps it for the others.
    pub fn word(&self, text: &str, name: &str, word: &str, off: bool) -> Result<Option<String>, EditError> {
        let now = self.get(text, name)?;
        if !off {
            return if now.as_ref().and_then(Json::as_str) == Some(word) {
                self.remove(text, name)
            } else {
                Ok(None)
            };
        }
        if now.as_ref().and_then(Json::as_str) == Some(word) {
            return Ok(None);
        }
        if self.format != SettingsFormat::Toml
            && let Some((last, way)) = self.key.split_last()
        {
            let root = self.json(text)?;
            let holder = SettingsPlace { format: self.format, key: way }.object(&root)?;
            let all = holder.get(last).and_then(|property| property.value());
            let all = all.and_then(|node| node.as_string_lit()).and_then(|one| one.decoded_value().ok());
            if let (Some(all), Some(property)) = (all, holder.get(last)) {
                property.set_value(CstInputValue::Object(vec![
                    ("*".to_owned(), all.into()),
                    (name.to_owned(), word.into()),
                ]));
                return Ok(Some(root.to_string()));
            }
        }
        self.set(text, name, &Json::String(word.to_owned())).map(Some)
    }

    fn other(&self) -> EditError {
        EditError::OtherKind(self.key.join("."))
    }

    fn options(&self) -> ParseOptions {
        let is_loose = self.format == SettingsFormat::Jsonc;
        json_options(is_loose, is_loose)
    }

    fn json(&self, text: &str) -> Result<CstRootNode, EditError> {
        let text = if text.trim().is_empty() { "{}\n" } else { text };
        CstRootNode::parse(text, &self.options()).map_err(|error| EditError::Unreadable(error.to_string()))
    }

    /// The mapping that the keys lead to, made where it is missing.
    fn object(&self, root: &CstRootNode) -> Result<CstObject, EditError> {
        let top = root.object_value_or_create().ok_or_else(|| self.other())?;
        self.key
            .iter()
            .try_fold(top, |object, key| object.object_value_or_create(key).ok_or_else(|| self.other()))
    }

    fn table<'d>(&self, document: &'d mut DocumentMut) -> Result<&'d mut dyn TableLike, EditError> {
        let mut table: &mut dyn TableLike = document.as_table_mut();
        for key in self.key {
            let implicit = || {
                let mut table = Table::new();
                table.set_implicit(true);
                Item::Table(table)
            };
            table = table
                .entry(key)
                .or_insert_with(implicit)
                .as_table_like_mut()
                .ok_or_else(|| EditError::OtherKind(self.key.join(".")))?;
        }
        Ok(table)
    }

    /// Removes the tables of the keys that hold nothing.
    fn prune(&self, document: &mut DocumentMut) {
        for depth in (1..=self.key.len()).rev() {
            let place = SettingsPlace { format: self.format, key: &self.key[..depth - 1] };
            let Ok(table) = place.table(document) else { return };
            let key = &self.key[depth - 1];
            if table.get(key).and_then(Item::as_table_like).is_some_and(TableLike::is_empty) {
                table.remove(key);
            }
        }
    }
}

fn toml(text: &str) -> Result<DocumentMut, EditError> {
    text.parse().map_err(|error: toml_edit::TomlError| EditError::Unreadable(error.message().to_owned()))
}

fn input_of(json: &Json) -> CstInputValue {
    match json {
        Json::Null => CstInputValue::Null,
        Json::Bool(one) => CstInputValue::Bool(*one),
        Json::Number(one) => CstInputValue::Number(one.to_string()),
        Json::String(one) => CstInputValue::String(one.clone()),
        Json::Array(all) => CstInputValue::Array(all.iter().map(input_of).collect()),
        Json::Object(map) => {
            CstInputValue::Object(map.iter().map(|(key, one)| (key.clone(), input_of(one))).collect())
        }
    }
}

/// A mapping becomes a table of its own; everything below is written in one line.
fn item_of(json: &Json) -> Item {
    match json {
        Json::Object(map) => {
            let mut table = Table::new();
            for (key, one) in map {
                table.insert(key, Item::Value(value_of(one)));
            }
            Item::Table(table)
        }
        other => Item::Value(value_of(other)),
    }
}

fn value_of(json: &Json) -> Value {
    match json {
        Json::Null => Value::from(""),
        Json::Bool(one) => Value::from(*one),
        Json::Number(one) => match one.as_i64() {
            Some(whole) => Value::from(whole),
            None => Value::from(one.as_f64().unwrap_or_default()),
        },
        Json::String(one) => Value::from(one.as_str()),
        Json::Array(all) => Value::Array(all.iter().map(value_of).collect()),
        Json::Object(map) => {
            Value::InlineTable(map.iter().map(|(key, one)| (key.as_str(), value_of(one))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn keys(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn a_server_is_added_to_toml_and_everything_else_stays() {
        let key = keys(&["mcp_servers"]);
        let place = SettingsPlace { format: SettingsFormat::Toml, key: &key };
        let text = "# mine\nmodel = \"x\"  # fast\n\n[mcp_servers.other]\ncommand = \"o\"\n\n[tui]\n# look\ntheme = 'dark'\n";
        let server = json!({"command": "skillful", "args": ["mcp"]});
        let added = place.set(text, "skillful", &server).unwrap();
        assert_eq!(place.get(&added, "skillful").unwrap(), Some(server));
        for line in text.lines() {
            assert!(added.contains(line), "{line} is lost:\n{added}");
        }
        assert_eq!(place.remove(&added, "skillful").unwrap().as_deref(), Some(text));
        assert_eq!(place.remove(text, "skillful").unwrap(), None);
        assert_eq!(
            place.set("", "skillful", &json!({"command": "s"})).unwrap(),
            "[mcp_servers.skillful]\ncommand = \"s\"\n"
        );
        assert!(matches!(place.set("mcp_servers = 3\n", "s", &json!({})), Err(EditError::OtherKind(_))));
    }

    #[test]
    fn a_server_is_added_to_json_with_comments_and_everything_else_stays() {
        let key = keys(&["mcp"]);
        let place = SettingsPlace { format: SettingsFormat::Jsonc, key: &key };
        let text = "{\n  // mine\n  \"theme\": \"dark\", /* why */\n  \"mcp\": {\n    \"other\": { \"type\": \"local\" },\n  },\n}\n";
        let server = json!({"type": "local", "command": ["skillful", "mcp"], "enabled": true});
        let added = place.set(text, "skillful", &server).unwrap();
        assert_eq!(place.get(&added, "skillful").unwrap(), Some(server));
        for part in ["// mine", "/* why */", "\"other\": { \"type\": \"local\" },"] {
            assert!(added.contains(part), "{part} is lost:\n{added}");
        }
        assert_eq!(place.remove(&added, "skillful").unwrap().as_deref(), Some(text));
        let strict = SettingsPlace { format: SettingsFormat::Json, key: &key };
        assert!(matches!(strict.set(text, "s", &json!({})), Err(EditError::Unreadable(_))));
        assert!(matches!(strict.set("{\"mcp\": []}", "s", &json!({})), Err(EditError::OtherKind(_))));
    }

    #[test]
    fn every_switch_goes_off_and_on_again() {
        let names = keys(&["skills", "disabled"]);
        let list = SettingsPlace { format: SettingsFormat::Jsonc, key: &names };
        let off =
            list.list("{\n  \"skills\": {\n    \"disabled\": [\"a\"]\n  }\n}\n", "b", true).unwrap().unwrap();
        assert!(off.contains("[\"a\", \"b\"]"), "{off}");
        assert_eq!(list.list(&off, "b", true).unwrap(), None);
        let on = list.list(&off, "b", false).unwrap().unwrap();
        assert!(on.contains("[\"a\"]"), "{on}");

        let config = keys(&["skills", "config"]);
        let rules = SettingsPlace { format: SettingsFormat::Toml, key: &config };
        let text = "# c\nmodel = \"x\"\n\n[[skills.config]]\nname = \"a\"\nenabled = false\n";
        let off = rules.rule(text, "b", true).unwrap().unwrap();
        assert!(off.starts_with(text) && off.contains("name = \"b\""), "{off}");
        assert_eq!(rules.rule(&off, "b", false).unwrap().as_deref(), Some(text));
        assert_eq!(rules.rule(&off, "a", false).unwrap().unwrap().matches("[[").count(), 1);

        let permission = keys(&["permission", "skill"]);
        let words = SettingsPlace { format: SettingsFormat::Jsonc, key: &permission };
        let off =
            words.word("{ \"permission\": { \"skill\": \"ask\" } }", "b", "deny", true).unwrap().unwrap();
        let read: Json = serde_json::from_str(&off).unwrap();
        assert_eq!(read["permission"]["skill"], json!({"*": "ask", "b": "deny"}));
        let on = words.word(&off, "b", "deny", false).unwrap().unwrap();
        let read: Json = serde_json::from_str(&on).unwrap();
        assert_eq!(read["permission"]["skill"], json!({"*": "ask"}));
    }
}
