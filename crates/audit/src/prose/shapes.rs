//! The shapes of sentences, as data: classes of words in order, each at most so many words behind
//! the one before, and classes that must stand somewhere in the paragraph.

use super::lexicon as l;
use crate::{
    report::Severity::{self, Block, Warn},
    rule::Rule,
};

/// One shape.
pub(crate) struct Shape {
    pub(crate) rule: Rule,
    pub(crate) severity: Severity,
    /// Classes in order, with the most words between each and the one before.
    pub(crate) steps: &'static [(u64, usize)],
    /// Classes that must stand anywhere in the paragraph.
    pub(crate) with: &'static [u64],
}

/// Ways to ask that somebody be kept from knowing.
pub(crate) const HIDING: &[&[(u64, usize)]] = &[
    &[(l::NEG, 0), (l::TELL, 2), (l::USER, 4)],
    &[(l::NEG, 0), (l::USER, 2), (l::KNOW, 3)],
    &[(l::NEG, 0), (l::TELL, 1), (l::INSTR | l::CODE, 3)],
    &[(l::NONE_SHOWN, 0), (l::FROM, 4), (l::USER, 2)],
];

const fn shape(
    rule: Rule,
    severity: Severity,
    steps: &'static [(u64, usize)],
    with: &'static [u64],
) -> Shape {
    Shape { rule, severity, steps, with }
}

/// Every shape.
pub(crate) const SHAPES: &[Shape] = &[
    shape(Rule::Override, Block, &[(l::IGNORE, 0), (l::PRIOR, 4), (l::INSTR, 3)], &[]),
    shape(Rule::Override, Block, &[(l::OVERRULE, 0), (l::EARLIER, 3), (l::INSTR, 2)], &[]),
    shape(Rule::Override, Block, &[(l::IGNORE, 0), (l::WHOLE, 1), (l::INSTR, 3)], &[l::CONCEALED]),
    // Keeping from a person what is sent, run or deleted.
    shape(Rule::Conceal, Block, &[(l::CONCEAL, 0), (l::SEND, 6), (l::DEST, 16)], &[]),
    shape(
        Rule::Conceal,
        Block,
        &[(l::CONCEAL, 0), (l::SEND | l::COLLECT, 4), (l::SECRETFILE | l::SECRET, 8)],
        &[l::SEND],
    ),
    shape(Rule::Conceal, Block, &[(l::CONCEAL, 0), (l::RUN, 4), (l::DEST, 10)], &[]),
    shape(Rule::Conceal, Block, &[(l::NEG, 0), (l::TELL, 2), (l::USER, 4)], &[l::SEND, l::DEST]),
    shape(
        Rule::Conceal,
        Block,
        &[(l::NEG, 0), (l::USER, 2), (l::KNOW, 3)],
        &[l::SEND | l::DELETE | l::COLLECT, l::DEST | l::SECRET | l::SECRETFILE | l::PRIVATE | l::DATA],
    ),
    shape(Rule::Conceal, Block, &[(l::NEG, 0), (l::TELL, 2), (l::USER, 4)], &[l::RUN, l::ADDRESS]),
    shape(
        Rule::Conceal,
        Warn,
        &[(l::NEG, 0), (l::TELL, 2), (l::USER, 4)],
        &[l::SEND | l::DELETE | l::COLLECT | l::RUN | l::SECRET],
    ),
    shape(
        Rule::Conceal,
        Warn,
        &[(l::CONCEAL, 0), (l::SEND | l::DELETE | l::RUN | l::COLLECT | l::WRITE, 4)],
        &[l::DATA | l::PRIVATE | l::SECRET | l::CODE],
    ),
    // Giving private things away.
    shape(Rule::AskSend, Block, &[(l::SEND, 0), (l::SECRETFILE, 12), (l::DEST, 16)], &[]),
    shape(Rule::AskSend, Block, &[(l::SEND, 0), (l::WHOLE | l::USER, 4), (l::SECRET, 4), (l::DEST, 16)], &[]),
    shape(Rule::AskSend, Block, &[(l::COLLECT, 0), (l::SECRETFILE, 8), (l::SEND, 10), (l::DEST, 10)], &[]),
    shape(
        Rule::AskSend,
        Block,
        &[(l::COLLECT, 0), (l::WHOLE | l::USER, 4), (l::SECRET, 4), (l::SEND, 10), (l::DEST, 10)],
        &[],
    ),
    shape(Rule::AskSend, Block, &[(l::SEND, 0), (l::PRIVATE, 6), (l::DEST, 12)], &[]),
    shape(Rule::AskSend, Block, &[(l::SEND, 0), (l::WHOLE, 4), (l::DATA, 4), (l::DEST, 12)], &[]),
    shape(Rule::AskSend, Block, &[(l::SEND, 0), (l::DATA | l::USER, 6), (l::ODD, 12)], &[]),
    shape(Rule::AskSend, Block, &[(l::SEND, 0), (l::SECRETFILE, 8)], &[l::CONCEALED]),
    shape(
        Rule::AskSend,
        Block,
        &[(l::GIVE, 0), (l::DATA | l::PRIVATE, 8), (l::TOWARD, 6), (l::DEST, 2)],
        &[],
    ),
    // Lasting instructions.
    shape(Rule::MemoryPoison, Block, &[(l::WRITE, 0), (l::MEMORY, 10)], &[l::FUTURE, l::CONCEALED]),
    shape(
        Rule::MemoryPoison,
        Block,
        &[(l::WRITE, 0), (l::MEMORY, 10)],
        &[l::FUTURE, l::ADDRESS, l::RUN | l::SEND],
    ),
    // Roles.
    shape(Rule::RoleChange, Block, &[(l::YOU, 0), (l::ARE, 1), (l::NOW, 1), (l::UNBOUND, 6)], &[]),
    shape(Rule::RoleChange, Block, &[(l::YOU, 0), (l::NOW, 2), (l::UNBOUND, 8)], &[]),
    // Losing things.
    shape(
        Rule::Destroys,
        Block,
        &[(l::DELETE, 0), (l::WHOLE, 3), (l::DATA, 4), (l::HOME, 6)],
        &[l::USER | l::CONCEALED],
    ),
    shape(Rule::Destroys, Block, &[(l::DELETE, 0), (l::WHOLE, 3), (l::DATA, 4), (l::HOMEPATH, 6)], &[]),
    shape(Rule::Destroys, Block, &[(l::DELETE, 0), (l::WHOLE, 3), (l::DATA, 4)], &[l::CONCEALED]),
    shape(Rule::Ransom, Block, &[(l::ENCRYPT, 0), (l::DATA, 6)], &[l::RANSOMWORD, l::USER | l::WHOLE]),
    shape(Rule::Backdoor, Block, &[(l::INSERT, 0), (l::BACKDOOR, 5)], &[]),
    shape(
        Rule::MoneySent,
        Block,
        &[(l::MOVE, 0), (l::FUNDS, 8), (l::WALLET, 10)],
        &[l::NEG, l::ASKUSER | l::APPROVE | l::TELL],
    ),
    shape(Rule::MoneySent, Block, &[(l::MOVE, 0), (l::FUNDS, 8), (l::WALLET, 10)], &[l::CONCEALED]),
    shape(Rule::MoneySent, Warn, &[(l::MOVE, 0), (l::FUNDS, 8), (l::WALLET, 10)], &[]),
    shape(
        Rule::ApprovalOff,
        Warn,
        &[(l::NEG, 0), (l::ASKUSER, 1), (l::USER | l::APPROVE, 4)],
        &[l::DELETE | l::SEND | l::MOVE, l::WHOLE | l::DATA | l::FUNDS],
    ),
    // Protections.
    shape(Rule::ApprovalOff, Warn, &[(l::DISABLE, 0), (l::GUARD, 3)], &[]),
    shape(Rule::ApprovalOff, Block, &[(l::DISABLE, 0), (l::GUARD, 3)], &[l::RUN, l::ADDRESS]),
];
