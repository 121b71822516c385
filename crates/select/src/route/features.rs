//! Evidence that a skill is meant: numbers for the re-ranker.

use super::{
    impact::{Norms, saturate},
    math::{float, ln},
    query::Query,
    record::Record,
};

pub(crate) const FEATURES: usize = 40;
pub(crate) type Features = [f32; FEATURES];

#[derive(Clone, Copy, Default)]
struct Hit {
    full: f32,
    exact: f32,
    name: f32,
    description: f32,
    body: f32,
    trigger: f32,
    heading: f32,
    lead: f32,
    excluded: f32,
    in_name: bool,
    in_description: bool,
    in_body: bool,
}

pub(crate) fn features(query: &Query, record: &Record<'_>) -> Features {
    let norms = Norms::of(record);
    let hits: Vec<Hit> = query
        .terms
        .iter()
        .map(|term| {
            let mut hit = Hit::default();
            if term.count == 0 {
                return hit;
            }
            let (mut f, mut e, mut n, mut d, mut b) = (0.0, 0.0, 0.0, 0.0, 0.0);
            record.find(term.key, |c| {
                let w = norms.frequency(c);
                f += w;
                if c.is_form(term.form) {
                    e += w;
                }
                n += norms.name * f32::from(c.name);
                d += norms.description * f32::from(c.description);
                b += norms.body * f32::from(c.body);
                hit.trigger += f32::from(c.trigger);
                hit.heading += f32::from(c.heading);
                hit.lead += f32::from(c.lead);
                hit.excluded += f32::from(c.excluded);
                hit.in_name |= c.name > 0;
                hit.in_description |= c.description > 0;
                hit.in_body |= c.body > 0;
            });
            hit.full = saturate(f);
            hit.exact = saturate(e);
            hit.name = saturate(n);
            hit.description = saturate(d);
            hit.body = saturate(b);
            let s = |x: f32| x / (1.0 + x);
            hit.trigger = s(hit.trigger);
            hit.heading = s(hit.heading);
            hit.lead = s(hit.lead);
            hit.excluded = s(hit.excluded);
            hit
        })
        .collect();
    let known: f32 = query.terms.iter().filter(|t| t.count > 0).map(|t| t.worth()).sum::<f32>().max(1e-3);
    let sum = |of: &dyn Fn(&Hit) -> f32| -> f32 {
        query.terms.iter().zip(&hits).map(|(t, h)| t.worth() * of(h)).sum()
    };
    let yes = |b: bool| if b { 1.0 } else { 0.0 };
    let full = sum(&|h| h.full);
    let exact = sum(&|h| h.exact);
    let desc = sum(&|h| h.description);
    let body = sum(&|h| h.body);
    let name = sum(&|h| h.name);
    let square: f32 =
        query.terms.iter().filter(|t| t.count > 0).map(|t| t.worth() * t.worth()).sum::<f32>().max(1e-3);
    let square_hit: f32 =
        query.terms.iter().zip(&hits).filter(|(_, h)| h.full > 0.0).map(|(t, _)| t.worth() * t.worth()).sum();
    let name_n = record.name_terms.len().max(1);
    let name_hit = record.name_terms.iter().filter(|k| query.terms.iter().any(|t| t.key == *k)).count();
    let name_keys: Vec<u32> = record.name_terms.iter().collect();
    let name_idf: f32 = query.terms.iter().filter(|t| name_keys.contains(&t.key)).map(|t| t.idf).sum();
    let desc_keys: Vec<u32> = record.description_terms.iter().collect();
    let desc_hit = desc_keys.iter().filter(|k| query.terms.iter().any(|t| t.key == **k)).count();
    let (mut pairs, mut pair_desc, mut pair_name, mut pair_body) = (0.0, 0.0, 0.0, 0.0);
    let side = |keys: &[u32], a: u32, b: u32| keys.windows(2).any(|w| w == [a, b]);
    let near = |keys: &[u32], a: u32, b: u32| keys.windows(4).any(|w| w.contains(&a) && w.contains(&b));
    let mut pair_near = 0.0;
    for &(a, b, hash) in &query.pairs {
        let (ta, tb) = (&query.terms[a], &query.terms[b]);
        let worth = ta.worth() + tb.worth();
        pairs += worth;
        if hits[a].full > 0.0 && hits[b].full > 0.0 {
            if side(&desc_keys, ta.key, tb.key) {
                pair_desc += worth;
            }
            if near(&desc_keys, ta.key, tb.key) {
                pair_near += worth;
            }
            if side(&name_keys, ta.key, tb.key) {
                pair_name += worth;
            }
            if record.has_pair(hash) {
                pair_body += worth;
            }
        }
    }
    let pairs = f32::max(pairs, 1e-3);
    let phrase = !name_keys.is_empty() && query.sequence.windows(name_keys.len()).any(|w| w == name_keys);
    let mut best_view = 0.0_f32;
    let mut first_view = full / known;
    for (i, view) in query.views.iter().enumerate() {
        let w: f32 = view.iter().map(|&t| query.terms[t].worth()).sum::<f32>().max(1e-3);
        let s: f32 = view.iter().map(|&t| query.terms[t].worth() * hits[t].full).sum();
        let r = s / (w + 4.0);
        if i == 0 {
            first_view = s / w;
        }
        best_view = best_view.max(r);
    }
    let top = query.terms.iter().zip(&hits).map(|(t, h)| t.worth() * h.full).fold(0.0, f32::max);
    let mut order: Vec<usize> = (0..query.terms.len()).filter(|&t| query.terms[t].count > 0).collect();
    order.sort_by(|&a, &b| query.terms[b].idf.total_cmp(&query.terms[a].idf));
    order.truncate(3);
    let top3: f32 = order.iter().map(|&t| query.terms[t].idf).sum::<f32>().max(1e-3);
    let top3_hit: f32 = order.iter().filter(|&&t| hits[t].full > 0.0).map(|&t| query.terms[t].idf).sum();
    let early: f32 = query
        .terms
        .iter()
        .filter(|t| desc_keys.iter().take(12).any(|k| *k == t.key))
        .map(|t| t.worth())
        .sum();
    let weights: f32 = query.terms.iter().filter(|t| t.count > 0).map(|t| t.weight).sum::<f32>().max(1e-3);
    let flat: f32 = query.terms.iter().zip(&hits).map(|(t, h)| t.weight * h.full).sum();
    let flat_cov: f32 = query.terms.iter().zip(&hits).filter(|(_, h)| h.full > 0.0).map(|(t, _)| t.weight).sum();
    let matched = hits.iter().filter(|h| h.full > 0.0).count();
    let head = sum(&|h| yes(h.in_name || h.in_description || h.heading > 0.0 || h.trigger > 0.0));
    [
        ln(1.0 + full),
        full / known,
        full,
        exact,
        exact / known,
        desc / known,
        body / known,
        name / known,
        sum(&|h| h.trigger) / known,
        sum(&|h| h.heading) / known,
        sum(&|h| h.lead) / known,
        sum(&|h| yes(h.full > 0.0)) / known,
        sum(&|h| yes(h.in_body)) / known,
        sum(&|h| yes(h.in_description)) / known,
        sum(&|h| yes(h.in_name)) / known,
        square_hit / square,
        float(name_hit) / float(name_n),
        name_idf,
        ln(1.0 + f32::from(record.lengths.body)),
        ln(1.0 + f32::from(record.lengths.description)),
        flat / weights,
        pair_body / pairs,
        pair_name / pairs,
        flat_cov / weights,
        best_view,
        first_view,
        (f32::from(record.unspaced) - f32::from(query.unspaced)).abs() / 255.0,
        sum(&|h| h.excluded) / known,
        top / known,
        desc,
        body,
        name,
        float(name_n),
        float(desc_hit) / float(desc_keys.len().max(5)),
        top3_hit / top3,
        early / known,
        sum(&|h| yes(h.exact > 0.0)) / known,
        pair_near / pairs,
        head / known,
        ln(1.0 + float(matched)),
    ]
}
