//! First stage: what a term adds to the score of a skill, computed once when the skill is indexed.
//!
//! BM25F needs average lengths. They are constants here, taken from 10,000 public skills, so that the impact
//! of a term depends only on its own skill: adding a skill never changes the numbers of another.

use super::{
    counts::Counts,
    math::{quantise, u8_of},
    record::Record,
};
use std::iter::Peekable;

pub(crate) const K1: f32 = 1.2;
/// Impacts are stored in steps of 1 / `SCALE`; the largest possible impact is K1 + 1.
pub(crate) const SCALE: f32 = 115.0;

/// Weight, length normalisation and average length of a part.
struct Weighting {
    weight: f32,
    b: f32,
    average: f32,
}

const NAME: Weighting = Weighting { weight: 3.0, b: 0.5, average: 3.0 };
const DESCRIPTION: Weighting = Weighting { weight: 2.0, b: 0.6, average: 25.0 };
const BODY: Weighting = Weighting { weight: 0.5, b: 0.75, average: 550.0 };

/// Length norms of one skill.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Norms {
    pub(crate) name: f32,
    pub(crate) description: f32,
    pub(crate) body: f32,
}

impl Norms {
    pub(crate) fn of(record: &Record<'_>) -> Self {
        let norm = |w: &Weighting, length: u16| w.weight / (1.0 - w.b + w.b * f32::from(length) / w.average);
        Self {
            name: norm(&NAME, record.lengths.name),
            description: norm(&DESCRIPTION, record.lengths.description),
            body: norm(&BODY, record.lengths.body),
        }
    }

    /// Weighted frequency of one form.
    pub(crate) fn frequency(&self, counts: Counts) -> f32 {
        self.name * f32::from(counts.name)
            + self.description * f32::from(counts.description)
            + self.body * f32::from(counts.body)
    }
}

/// The saturation of BM25.
pub(crate) fn saturate(frequency: f32) -> f32 {
    frequency * (K1 + 1.0) / (K1 + frequency)
}

/// Passes the impact of every term of a skill to `each`, by key.
pub(crate) fn impacts(record: &Record<'_>, mut each: impl FnMut(u32, u8)) {
    let norms = Norms::of(record);
    let frequencies = |(key, counts): (u32, Counts)| (key, norms.frequency(counts));
    let counted = |(_, frequency): &(u32, f32)| *frequency > 0.0;
    // Both lists are sorted by key, and several forms of a term follow each other.
    let mut head = record.head_entries().map(frequencies).filter(counted).peekable();
    let mut body = record.body_entries().map(frequencies).filter(counted).peekable();
    loop {
        let key = match (head.peek(), body.peek()) {
            (Some((one, _)), Some((other, _))) => *one.min(other),
            (Some((key, _)), None) | (None, Some((key, _))) => *key,
            (None, None) => return,
        };
        let mut frequency = 0.0;
        add(&mut head, key, &mut frequency);
        add(&mut body, key, &mut frequency);
        each(key, u8_of(quantise(saturate(frequency) * SCALE, 255).max(1) as usize));
    }
}

/// Takes the forms of a term from the front of a list and adds their frequencies.
fn add(forms: &mut Peekable<impl Iterator<Item = (u32, f32)>>, key: u32, frequency: &mut f32) {
    while let Some((_, more)) = forms.next_if(|(of, _)| *of == key) {
        *frequency += more;
    }
}
