//! How a shell reads each place of a command: bare, within quotes, in a here-document, or as code.
//!
//! It follows the grammar only as far as quotes go. Whatever it does not know for certain is refused.

/// Stands for a placeholder in the text that is scanned.
pub(super) const SLOT: u8 = 1;

/// How the shell reads a placeholder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Outside of quotes.
    Bare,
    /// Between `"`.
    Double,
    /// Between `'`.
    Single,
    /// In a here-document that the shell fills.
    Here,
    /// Where a value would be read as code.
    Refused(&'static str),
}

/// Commands that read their arguments as code, or as names of variables.
const EVALUATE: [&str; 22] = [
    ".",
    "[[",
    "alias",
    "declare",
    "eval",
    "export",
    "let",
    "local",
    "mapfile",
    "parallel",
    "read",
    "readarray",
    "readonly",
    "screen",
    "source",
    "ssh",
    "su",
    "tmux",
    "trap",
    "typeset",
    "unset",
    "watch",
];
/// Commands that read an argument as a program when an option says so.
const INTERPRET: [&str; 17] = [
    "ash", "bash", "bun", "dash", "deno", "fish", "ksh", "lua", "node", "perl", "php", "python", "python2",
    "python3", "ruby", "sh", "zsh",
];
/// Options that say so.
const PROGRAM_TEXT: [&str; 6] = ["-c", "-e", "-p", "-r", "--eval", "eval"];
/// Commands whose first plain argument is a program.
const SCRIPTED: [&str; 5] = ["awk", "gawk", "mawk", "nawk", "sed"];
/// Words behind which another command starts.
const BEFORE_A_COMMAND: [&str; 11] =
    ["!", "do", "elif", "else", "if", "then", "time", "until", "while", "{", "coproc"];
/// Commands that run the command behind them.
const WRAPPERS: [&str; 11] =
    ["builtin", "command", "doas", "env", "exec", "nice", "nohup", "setsid", "stdbuf", "sudo", "timeout"];

enum Frame {
    /// Code, up to its closing parenthesis.
    Code(Command),
    /// Between `"`.
    Double,
    /// `$((…))` and `((…))`; parentheses that are open in it.
    Arithmetic(usize),
    /// `${…}`
    Expansion,
    /// Between backquotes.
    Backquotes,
}

/// The words of the simple command so far.
#[derive(Default)]
struct Command {
    done: Vec<Vec<u8>>,
    word: Option<Vec<u8>>,
}

impl Command {
    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        if self.done.is_empty() && BEFORE_A_COMMAND.iter().any(|known| known.as_bytes() == word) {
            return;
        }
        self.done.push(word);
    }

    fn end(&mut self) {
        self.done.clear();
        self.word = None;
    }

    /// Why a value here could become code.
    fn danger(&self) -> Option<&'static str> {
        let words: Vec<&str> = self.done.iter().map(|word| std::str::from_utf8(word).unwrap_or("")).collect();
        let skipped = |word: &&&str| {
            let numeric = word.starts_with(|c: char| c.is_ascii_digit());
            is_assignment(word) || WRAPPERS.contains(word) || word.starts_with('-') || numeric
        };
        let before = words.iter().take_while(skipped).count();
        if before == words.len() {
            let assigns =
                self.word.as_ref().is_some_and(|word| is_assignment(&String::from_utf8_lossy(word)));
            return (!assigns).then_some("it would choose which command runs");
        }
        // Behind a command that runs another one, any word may be that other one.
        let wrapped = words[..before].iter().any(|word| WRAPPERS.contains(word));
        let candidates = if wrapped { words.len() } else { before + 1 };
        let danger = (before..candidates).find_map(|at| danger_of(&words[at..]));
        if danger.is_some() {
            return danger;
        }
        self.word.as_ref().is_some_and(|word| word.ends_with(b"[")).then_some("it is an index")
    }
}

/// Why a value among the arguments of a program could become code.
fn danger_of(words: &[&str]) -> Option<&'static str> {
    let program = words[0].rsplit('/').next().unwrap_or(words[0]);
    let given = |option: &str| words.contains(&option);
    if EVALUATE.contains(&program) || (matches!(program, "[" | "test") && given("-v")) {
        return Some("the command reads its arguments as code or as names");
    }
    if INTERPRET.contains(&program) && PROGRAM_TEXT.iter().any(|option| given(option)) {
        return Some("it is given to another interpreter as a program");
    }
    let plain = words[1..].iter().filter(|word| !word.starts_with('-')).count();
    if SCRIPTED.contains(&program) && plain == 0 {
        return Some("it is a part of a program");
    }
    (program == "printf" && given("-v")).then_some("it names a variable")
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '+'))
    })
}

struct Here {
    end: Vec<u8>,
    literal: bool,
    indented: bool,
}

fn slots(text: &[u8]) -> usize {
    text.split(|byte| *byte == SLOT).count() - 1
}

struct Scan<'a> {
    text: &'a [u8],
    at: usize,
    frames: Vec<Frame>,
    here: Vec<Here>,
    places: Vec<Place>,
}

/// The places of the slots of a text, in order.
pub(super) fn places(text: &[u8]) -> Vec<Place> {
    let frames = vec![Frame::Code(Command::default())];
    let mut scan = Scan { text, at: 0, frames, here: Vec::new(), places: Vec::new() };
    while scan.at < text.len() {
        scan.step();
    }
    scan.places
}

impl Scan<'_> {
    fn step(&mut self) {
        let byte = self.text[self.at];
        match self.frames.last() {
            Some(Frame::Code(_)) | None => self.code(byte),
            Some(Frame::Double) => self.double(byte),
            Some(Frame::Arithmetic(open)) => self.arithmetic(byte, *open),
            Some(Frame::Expansion) => self.closed_by(byte, b'}', "it is inside an expansion"),
            Some(Frame::Backquotes) => self.closed_by(byte, b'`', "it is between backquotes; write $(…)"),
        }
    }

    fn rest(&self) -> &[u8] {
        &self.text[self.at..]
    }

    fn command(&mut self) -> Option<&mut Command> {
        self.frames.iter_mut().rev().find_map(|frame| match frame {
            Frame::Code(command) => Some(command),
            _ => None,
        })
    }

    /// Takes bytes into the word that is being read.
    fn take(&mut self, length: usize) {
        let end = (self.at + length).min(self.text.len());
        let taken = self.text[self.at..end].to_vec();
        if let Some(command) = self.command() {
            command.word.get_or_insert_default().extend(taken);
        }
        self.at = end;
    }

    fn slot(&mut self, place: Place) {
        let danger = self.command().and_then(|command| command.danger());
        self.places.push(danger.map_or(place, Place::Refused));
        self.take(1);
    }

    fn code(&mut self, byte: u8) {
        match byte {
            SLOT => self.slot(Place::Bare),
            b'\\' => self.escape(),
            b'\'' => self.single(),
            b'"' => {
                self.take(0);
                self.frames.push(Frame::Double);
                self.at += 1;
            }
            b'$' => self.dollar(),
            b'`' => self.open(Frame::Backquotes, 1),
            b'<' if self.rest().starts_with(b"<<<") => self.at += 3,
            b'<' if self.rest().starts_with(b"<<") => self.here_document(),
            b'<' | b'>' if self.text.get(self.at + 1) == Some(&b'(') => {
                self.open(Frame::Code(Command::default()), 2);
            }
            b'(' if self.rest().starts_with(b"((") => self.open(Frame::Arithmetic(0), 2),
            b'(' => self.open(Frame::Code(Command::default()), 1),
            b')' => {
                if self.frames.len() > 1 {
                    self.frames.pop();
                } else if let Some(command) = self.command() {
                    command.end();
                }
                self.at += 1;
            }
            b'#' if self.command().is_some_and(|command| command.word.is_none()) => self.comment(),
            b'\n' => {
                if let Some(command) = self.command() {
                    command.end();
                }
                self.at += 1;
                self.here_bodies();
            }
            b';' | b'|' | b'&' => {
                if let Some(command) = self.command() {
                    command.end();
                }
                self.at += 1;
            }
            b' ' | b'\t' | b'\r' => {
                if let Some(command) = self.command() {
                    command.end_word();
                }
                self.at += 1;
            }
            _ => self.take(1),
        }
    }

    /// A backslash takes the next byte, which must not be a slot.
    fn escape(&mut self) {
        if self.text.get(self.at + 1) == Some(&SLOT) {
            self.places.push(Place::Refused("a backslash stands before it"));
        }
        self.take(2);
    }

    fn open(&mut self, frame: Frame, length: usize) {
        self.take(0);
        self.frames.push(frame);
        self.at += length;
    }

    fn dollar(&mut self) {
        let rest = self.rest();
        if rest.starts_with(b"$((") {
            self.open(Frame::Arithmetic(0), 3);
        } else if rest.starts_with(b"$[") {
            self.refuse_until(b']', "it is in arithmetic");
        } else if rest.starts_with(b"$(") {
            self.open(Frame::Code(Command::default()), 2);
        } else if rest.starts_with(b"${") {
            self.open(Frame::Expansion, 2);
        } else if rest.starts_with(b"$'") && matches!(self.frames.last(), Some(Frame::Code(_))) {
            self.at += 1;
            self.refuse_until(b'\'', "it is between $'…'");
        } else {
            self.take(1);
        }
    }

    fn double(&mut self, byte: u8) {
        match byte {
            SLOT => self.slot(Place::Double),
            b'\\' => self.escape(),
            b'"' => {
                self.frames.pop();
                self.at += 1;
            }
            b'$' => self.dollar(),
            b'`' => self.open(Frame::Backquotes, 1),
            _ => self.take(1),
        }
    }

    fn single(&mut self) {
        self.at += 1;
        self.take(0);
        while let Some(byte) = self.text.get(self.at) {
            match *byte {
                b'\'' => {
                    self.at += 1;
                    return;
                }
                SLOT => self.slot(Place::Single),
                _ => self.take(1),
            }
        }
    }

    fn arithmetic(&mut self, byte: u8, open: usize) {
        let mut step = 1;
        let mut now = Some(open);
        match byte {
            SLOT => self.places.push(Place::Refused("it is in arithmetic")),
            b'(' => now = Some(open + 1),
            b')' if open > 0 => now = Some(open - 1),
            b')' => {
                now = None;
                step = if self.rest().starts_with(b"))") { 2 } else { 1 };
            }
            _ => {}
        }
        self.at += step;
        self.frames.pop();
        self.frames.extend(now.map(Frame::Arithmetic));
    }

    fn closed_by(&mut self, byte: u8, end: u8, why: &'static str) {
        match byte {
            SLOT => self.places.push(Place::Refused(why)),
            b'\\' => return self.escape(),
            // Quotes in there follow rules of their own; what comes after is not certain any more.
            b'"' | b'\'' => return self.lost(),
            _ => {}
        }
        self.at += 1;
        if byte == end {
            self.frames.pop();
        }
    }

    /// From here on nothing is certain.
    fn lost(&mut self) {
        let count = slots(self.rest());
        self.places
            .extend(std::iter::repeat_n(Place::Refused("the quotes before it cannot be followed"), count));
        self.at = self.text.len();
    }

    fn refuse_until(&mut self, end: u8, why: &'static str) {
        self.at += 1;
        while let Some(byte) = self.text.get(self.at) {
            match *byte {
                SLOT => self.places.push(Place::Refused(why)),
                b'\\' => self.at += 1,
                _ => {}
            }
            self.at += 1;
            if *byte == end {
                return;
            }
        }
    }

    /// Nothing runs in a comment; its quotes count for nothing.
    fn comment(&mut self) {
        while let Some(byte) = self.text.get(self.at).filter(|byte| **byte != b'\n') {
            if *byte == SLOT {
                self.places.push(Place::Double);
            }
            self.at += 1;
        }
    }

    fn here_document(&mut self) {
        self.at += 2;
        let indented = self.text.get(self.at) == Some(&b'-');
        self.at += usize::from(indented);
        while matches!(self.text.get(self.at), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        let (mut end, mut literal) = (Vec::new(), false);
        while let Some(byte) = self.text.get(self.at).copied() {
            match byte {
                b' ' | b'\t' | b'\n' | b';' | b'|' | b'&' | b'<' | b'>' | b'(' | b')' => break,
                b'\'' | b'"' | b'\\' => literal = true,
                SLOT => return self.lost(),
                other => end.push(other),
            }
            self.at += 1;
        }
        self.here.push(Here { end, literal, indented });
    }

    /// The bodies of the here-documents of the line that just ended.
    fn here_bodies(&mut self) {
        for here in std::mem::take(&mut self.here) {
            while self.at < self.text.len() {
                let length =
                    self.rest().iter().position(|byte| *byte == b'\n').map_or(self.rest().len(), |at| at + 1);
                let line = self.text[self.at..self.at + length].to_vec();
                self.at += length;
                let bare = line.strip_suffix(b"\n").unwrap_or(&line);
                let tabs = bare.iter().take_while(|byte| here.indented && **byte == b'\t').count();
                if bare[tabs..] == here.end {
                    break;
                }
                // Commands in a here-document have quotes of their own.
                let nests = line.windows(2).any(|two| two == b"$(" || two == b"${") || line.contains(&b'`');
                let place = match (here.literal, nests) {
                    (true, _) => Place::Refused("the here-document takes no values"),
                    (false, true) => Place::Refused("the here-document runs a command in its line"),
                    (false, false) => Place::Here,
                };
                let count = slots(&line);
                self.places.extend(std::iter::repeat_n(place, count));
            }
        }
    }
}
