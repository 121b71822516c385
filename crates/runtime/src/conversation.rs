//! What must be remembered between the turns of a conversation: which skills were chosen, and which
//! skills a person saw last. One small file each, written whole or not at all.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use skillful_format::{Code, Diagnostic};
use skillful_render::news::Seen;
use skillful_select::turn::PastTurn;
use std::{
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

/// Turns that are kept; stickiness looks at two.
const KEPT: usize = 20;
/// Characters of a message that are kept.
const MESSAGE_KEPT: usize = 2_000;
/// A file larger than this is not ours.
const LIMIT: u64 = 4 << 20;

/// One turn that came to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// When, in seconds since 1970.
    pub at: u64,
    /// What was said, as far as it may be the start of what is said next.
    #[serde(default)]
    pub message: String,
    /// Skills that a rule or a mention chose; companions are derived again.
    pub roots: Vec<String>,
}

impl Record {
    /// A turn that ends now.
    pub fn new(at: u64, message: &str, roots: Vec<String>) -> Self {
        Self { at, message: message.chars().take(MESSAGE_KEPT).collect(), roots }
    }
}

/// The turns of one conversation, the oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversation {
    /// Its name, as the host calls it.
    pub id: String,
    /// Its last turns.
    pub turns: Vec<Record>,
}

impl Conversation {
    /// Reads a conversation. One that cannot be read is a new one, and is told: nothing may fail for
    /// want of a memory, and nothing may be forgotten in silence.
    pub fn open(folder: &Path, id: &str) -> (Self, Option<Diagnostic>) {
        let new = Self { id: id.to_owned(), turns: Vec::new() };
        match read::<Self>(&file(folder, "conversations", id)) {
            Ok(known) => (known.filter(|known| known.id == id).unwrap_or(new), None),
            Err(told) => (new, Some(*told)),
        }
    }

    /// The turns as selection looks at them.
    pub fn past(&self, now: u64) -> Vec<PastTurn> {
        let past = |record: &Record| PastTurn {
            roots: record.roots.clone(),
            completed: true,
            age: now.saturating_sub(record.at),
        };
        self.turns.iter().map(past).collect()
    }

    /// Adds a turn that came to its end, and keeps it.
    pub fn keep(&mut self, folder: &Path, record: Record) -> io::Result<()> {
        self.turns.push(record);
        let surplus = self.turns.len().saturating_sub(KEPT);
        self.turns.drain(..surplus);
        write(&file(folder, "conversations", &self.id), self)
    }
}

/// What a person saw at the end of their last turn; `None` before the first.
pub fn last_seen(folder: &Path, person: &str) -> (Option<Seen>, Option<Diagnostic>) {
    match read(&file(folder, "seen", person)) {
        Ok(seen) => (seen, None),
        Err(told) => (None, Some(*told)),
    }
}

/// Keeps what a person saw. Only a turn that succeeded may say so.
pub fn keep_seen(folder: &Path, person: &str, seen: &Seen) -> io::Result<()> {
    write(&file(folder, "seen", person), seen)
}

/// Names come from outside, so that a file is named by their digest.
fn file(folder: &Path, kind: &str, name: &str) -> PathBuf {
    let digest = Sha256::digest(name.as_bytes());
    let hex: String = digest.iter().take(12).map(|byte| format!("{byte:02x}")).collect();
    folder.join(kind).join(hex + ".json")
}

/// What a file holds; `None` when there is none.
fn read<T: for<'a> Deserialize<'a>>(path: &Path) -> Result<Option<T>, Box<Diagnostic>> {
    let refuse = |why: String| {
        let message = format!("what was remembered is lost: {why}");
        let told = Diagnostic::new(Code::MemoryLost, message).in_path(path);
        Box::new(told.help("the next turn writes the file anew"))
    };
    let mut text = String::new();
    match std::fs::File::open(path).and_then(|file| file.take(LIMIT).read_to_string(&mut text)) {
        Ok(_) => serde_json::from_str(&text).map(Some).map_err(|error| refuse(error.to_string())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(refuse(error.to_string())),
    }
}

fn write<T: Serialize>(path: &Path, value: &T) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(&serde_json::to_vec(value)?)?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_comes_back_and_grows_no_further_than_it_must() {
        let folder = tempfile::tempdir().unwrap();
        let mut one = Conversation::open(folder.path(), "../../x").0;
        for at in 0..30 {
            one.keep(folder.path(), Record::new(at, "x", vec![format!("s{at}")])).unwrap();
        }
        let (again, told) = Conversation::open(folder.path(), "../../x");
        assert_eq!((&again, told), (&one, None));
        assert_eq!((again.turns.len(), again.turns[0].at), (KEPT, 10));
        assert_eq!(again.past(29).last().unwrap().age, 0);
        assert_eq!(Conversation::open(folder.path(), "y").0.turns, []);
    }

    #[test]
    fn a_damaged_memory_is_a_new_one_and_is_told() {
        let folder = tempfile::tempdir().unwrap();
        Conversation::open(folder.path(), "x")
            .0
            .keep(folder.path(), Record::new(1, "x", Vec::new()))
            .unwrap();
        std::fs::write(file(folder.path(), "conversations", "x"), "{").unwrap();
        let (new, told) = Conversation::open(folder.path(), "x");
        assert_eq!(new.turns, []);
        assert_eq!(told.unwrap().code, Code::MemoryLost);
        assert_eq!(last_seen(folder.path(), "me"), (None, None));
    }
}
