//! Trees, and faults that can be set at any step.

use skillful_format::{Limits, Tree, TreeFile, TreePath};
use skillful_registry::atomic_write::{AtomicWriter, Faults, Step};
use std::{
    io,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

/// A tree of these files; a path that begins with `+` is executable.
pub(crate) fn tree(files: &[(&str, &str)]) -> Tree {
    let limits = Limits::default();
    let mut tree = Tree::default();
    for (path, text) in files {
        let executable = path.starts_with('+');
        let path = TreePath::new(path.trim_start_matches('+'), &limits).unwrap();
        tree.insert(path, TreeFile { bytes: text.as_bytes().to_vec(), executable }, &limits).unwrap();
    }
    tree
}

/// A skill of a few files; `word` makes it another one.
pub(crate) fn skill(name: &str, word: &str) -> Tree {
    let text = format!("---\nname: {name}\ndescription: Says {word}.\n---\n{word}\n");
    tree(&[
        ("SKILL.md", &text),
        ("+scripts/run.sh", &format!("#!/bin/sh\necho {word}\n")),
        ("references/a/b.md", word),
        ("assets/large.txt", &word.repeat(70_000 / word.len().max(1))),
    ])
}

/// A skill of two files.
pub(crate) fn small(name: &str, word: &str) -> Tree {
    let text = format!("---\nname: {name}\ndescription: Says {word}.\n---\n{word}\n");
    tree(&[("SKILL.md", &text), ("+scripts/run.sh", word)])
}

/// Numbers that look like chance and are the same each time.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// `SplitMix64`.
    pub(crate) fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.roll() % bound as u64).unwrap()
    }

    pub(crate) fn byte(&mut self) -> u8 {
        self.roll().to_le_bytes()[0]
    }
}

/// How a step is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// As if the process died: no step after it happens either.
    Killed,
    /// The disk is full, once.
    Full,
    /// The disk is full from then on.
    FullForGood,
}

/// Stops the step of that number.
pub(crate) struct At {
    number: usize,
    how: Stop,
    count: AtomicUsize,
    hit: AtomicBool,
}

impl At {
    pub(crate) fn new(number: usize, how: Stop) -> Arc<Self> {
        Arc::new(Self { number, how, count: AtomicUsize::new(0), hit: AtomicBool::new(false) })
    }

    /// Whether the step was reached at all.
    pub(crate) fn was_hit(&self) -> bool {
        self.hit.load(Ordering::SeqCst)
    }

    pub(crate) fn writer(self: &Arc<Self>) -> AtomicWriter {
        AtomicWriter::with_faults(self.clone())
    }
}

impl Faults for At {
    fn reach(&self, _: Step) -> io::Result<()> {
        let now = self.count.fetch_add(1, Ordering::SeqCst);
        let stops = match self.how {
            Stop::Full => now == self.number,
            Stop::Killed | Stop::FullForGood => now >= self.number,
        };
        if !stops {
            return Ok(());
        }
        self.hit.store(true, Ordering::SeqCst);
        Err(io::Error::from(io::ErrorKind::StorageFull))
    }

    fn syncs(&self) -> bool {
        false
    }
}

/// A writer that does everything but wait for the disk.
pub(crate) fn quick() -> AtomicWriter {
    At::new(usize::MAX, Stop::Full).writer()
}

/// Stops at every step in every way until the work is done without one; returns how many faults there were.
/// `work` starts from nothing each time, in a folder of its own, and `check` looks at what is left.
pub(crate) fn at_every_step(
    stride: usize,
    prepare: impl Fn(&Path) + Sync,
    work: impl Fn(&Path, AtomicWriter) -> Result<(), String> + Sync,
    check: impl Fn(&Path, &str) + Sync,
) -> usize {
    let stop_each = &|how: Stop| {
        let mut faults = 0;
        for number in (0..).step_by(stride) {
            let folder = tempfile::tempdir().unwrap();
            prepare(folder.path());
            let at = At::new(number, how);
            let done = work(folder.path(), at.writer());
            let what = format!("{how:?} at step {number}: {done:?}");
            check(folder.path(), &what);
            if !at.was_hit() {
                assert!(done.is_ok(), "{what}");
                break;
            }
            faults += 1;
        }
        faults
    };
    std::thread::scope(|scope| {
        let ways = [Stop::Killed, Stop::Full, Stop::FullForGood];
        let threads = ways.map(|how| scope.spawn(move || stop_each(how)));
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    })
}
