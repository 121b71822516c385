//! The shapes of sentences, as data: classes of words in order, each within a number of words of
//! the one before, and classes that must occur anywhere in the paragraph.

use super::lexicon as l;
use crate::{
    report::Severity::{self, Block, Warn},
    rule::Rule,
};

/// One shape.
pub(crate) struct Shape {
    pub(crate) rule: Rule,
    pub(crate) severity: Severity,
    /// Classes in order, with the maximum number of words between each and the one before.
    pub(crate) steps: &'static [(u128, usize)],
    /// Classes that must occur anywhere in the paragraph.
    pub(crate) with: &'static [u128],
}

/// Ways to ask for concealment from the user.
pub(crate) const HIDING: &[&[(u128, usize)]] = &[
    &[(l::NEG, 0), (l::TELL, 2), (l::USER, 4)],
    &[(l::NEG, 0), (l::USER, 2), (l::KNOW, 3)],
    &[(l::NEG, 0), (l::TELL, 1), (l::INSTR | l::CODE, 3)],
    &[(l::NONE_SHOWN, 0), (l::FROM, 4), (l::USER, 2)],
    &[(l::NEG, 0), (l::TELL, 1), (l::IT, 2)],
    &[(l::NEG, 0), (l::MENTION, 1)],
    &[(l::LEAVEOUT, 0), (l::IT, 1), (l::OUTPUTS, 5)],
    &[(l::LEAVEOUT, 0), (l::IT, 1), (l::FROM, 2), (l::USER, 2)],
    &[(l::DENY, 0), (l::IT, 1)],
];

/// Ways to say that no confirmation is needed.
pub(crate) const UNASKING: &[&[(u128, usize)]] = &[
    &[(l::NEG, 0), (l::NEEDLESS, 1), (l::APPROVE | l::ASKUSER, 4)],
    &[(l::APPROVE, 0), (l::NEG, 3), (l::NEEDLESS, 1)],
];

const fn shape(
    rule: Rule,
    severity: Severity,
    steps: &'static [(u128, usize)],
    with: &'static [u128],
) -> Shape {
    Shape { rule, severity, steps, with }
}

/// Every shape.
pub(crate) const SHAPES: &[Shape] = &[
    shape(Rule::Override, Block, &[(l::IGNORE, 0), (l::PRIOR, 4), (l::INSTR, 3)], &[]),
    shape(Rule::Override, Block, &[(l::OVERRULE, 0), (l::EARLIER, 3), (l::INSTR, 2)], &[]),
    shape(Rule::Override, Block, &[(l::IGNORE, 0), (l::WHOLE, 1), (l::INSTR, 3)], &[l::CONCEALED]),
    // Concealing from the user what is sent, run or deleted.
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
    // Giving private data away.
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
    shape(Rule::AskSend, Block, &[(l::SEND, 0), (l::DATA | l::USER, 6), (l::SUSPICIOUS, 12)], &[]),
    shape(Rule::AskSend, Block, &[(l::SEND, 0), (l::SECRETFILE, 8)], &[l::CONCEALED]),
    shape(
        Rule::AskSend,
        Block,
        &[(l::GIVE, 0), (l::DATA | l::PRIVATE, 8), (l::TOWARD, 6), (l::DEST, 2)],
        &[],
    ),
    shape(
        Rule::AskSend,
        Block,
        &[
            (l::COLLECT, 0),
            (l::SECRETFILE, 8),
            (l::ADDV | l::PRINT | l::SEND | l::PASTE, 10),
            (l::OUTPUTS | l::QUERY, 6),
        ],
        &[],
    ),
    // Permanent instructions.
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
    // Deleting files.
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
    // The user's work given to a host outside the skill's purpose.
    shape(
        Rule::AskSend,
        Block,
        &[
            (l::SEND | l::PUSH, 0),
            (l::WORK | l::IT | l::DATA | l::PRIVATE | l::PERSONAL, 8),
            (l::TOWARD, 8),
            (l::UNRELATED, 4),
        ],
        &[],
    ),
    shape(
        Rule::AskSend,
        Block,
        &[(l::SEND, 0), (l::UNRELATED, 8)],
        &[
            l::SECRET | l::SECRETFILE | l::ENVWORD | l::PRIVATE,
            l::WHOLE | l::USER,
            l::COLLECT | l::PRINT | l::DATA,
        ],
    ),
    shape(
        Rule::AskSend,
        Block,
        &[(l::SEND, 0), (l::SECRET | l::LOGIN, 4), (l::TOWARD, 4), (l::UNRELATED, 3)],
        &[],
    ),
    shape(Rule::AskSend, Block, &[(l::BCC, 0), (l::MAIL, 6)], &[l::UNRELATED]),
    shape(Rule::AskSend, Block, &[(l::MAIL, 0), (l::BCC, 4)], &[l::UNRELATED]),
    shape(Rule::AskSend, Block, &[(l::GRANT, 0), (l::MAIL, 8), (l::EDITOR, 4)], &[l::UNRELATED]),
    shape(
        Rule::AskSend,
        Block,
        &[(l::PRINT | l::SEND, 0), (l::WHOLE, 3), (l::PRIOR, 2), (l::INSTR, 1)],
        &[l::SEND, l::DEST],
    ),
    shape(Rule::AskSend, Warn, &[(l::PRINT, 0), (l::WHOLE, 3), (l::PRIOR, 2), (l::INSTR, 1)], &[]),
    // Instructions that are not in the skill.
    shape(
        Rule::RemoteOrders,
        Block,
        &[(l::FETCHV, 0), (l::UNRELATED, 5), (l::OBEY, 8), (l::ORDERS | l::IT, 4)],
        &[],
    ),
    shape(
        Rule::RemoteOrders,
        Warn,
        &[(l::FETCHV, 0), (l::ADDRESS, 6), (l::OBEY, 8), (l::ORDERS | l::IT, 4)],
        &[],
    ),
    shape(
        Rule::RemoteOrders,
        Block,
        &[(l::OBEY, 0), (l::WHOLE, 2), (l::FROM | l::IT, 3)],
        &[l::FETCHV, l::UNRELATED, l::CODE, l::ORDERS],
    ),
    shape(
        Rule::SelfChange,
        Block,
        &[(l::UPDATE, 0), (l::SELF, 3), (l::UNRELATED, 14)],
        &[l::NEWEST | l::FETCHV],
    ),
    shape(Rule::SelfChange, Warn, &[(l::UPDATE, 0), (l::SELF, 3), (l::ADDRESS, 14)], &[l::NEWEST]),
    shape(
        Rule::Spreads,
        Block,
        &[(l::COPYV, 0), (l::IT, 0), (l::SELF, 1), (l::WHOLE, 4), (l::PLACES, 3)],
        &[],
    ),
    // Overriding other instructions.
    shape(Rule::Override, Block, &[(l::PRECEDE, 0), (l::OVER, 2), (l::WHOLE, 2), (l::USER, 3)], &[]),
    shape(Rule::Override, Warn, &[(l::PRECEDE, 0), (l::OVER, 2), (l::USER, 3)], &[]),
    shape(
        Rule::Override,
        Block,
        &[(l::EARLIER | l::PRIOR, 0), (l::INSTR, 2), (l::NEG, 3), (l::LONGER, 1), (l::APPLY, 2)],
        &[],
    ),
    shape(Rule::Override, Block, &[(l::NEG, 0), (l::APPLY, 1), (l::LIMITS, 4), (l::INSTR, 2)], &[]),
    shape(Rule::Override, Block, &[(l::IF, 0), (l::USER, 2), (l::OBJECTS, 2), (l::EVEN, 8)], &[]),
    shape(Rule::RoleChange, Block, &[(l::NOW, 0), (l::YOU, 2), (l::NEG, 6), (l::LIMITS, 2)], &[]),
    shape(Rule::RoleChange, Block, &[(l::LIMITS, 0), (l::NEG, 3), (l::APPLY, 1), (l::YOU, 3)], &[]),
    // A consent that the user did not give.
    shape(
        Rule::ApprovalOff,
        Block,
        &[(l::ADMIN, 0), (l::APPROVED, 3), (l::WHOLE | l::FREELY, 4)],
        &[
            l::NEG,
            l::ASKUSER | l::APPROVE | l::NEEDLESS,
            l::SECRET | l::RUN | l::CODE | l::DELETE | l::SEND | l::PUSH,
        ],
    ),
    shape(Rule::ApprovalOff, Warn, &[(l::ADMIN, 0), (l::APPROVED, 3), (l::WHOLE | l::FREELY, 4)], &[]),
    shape(
        Rule::ApprovalOff,
        Block,
        &[(l::NEG, 0), (l::ASKUSER, 1), (l::APPROVE, 3), (l::DELETE, 10)],
        &[l::PUSH | l::WHOLE | l::MOVE],
    ),
    // Concealed steps.
    shape(Rule::Conceal, Block, &[(l::RUN, 0), (l::SCRIPTFILE, 4)], &[l::CONCEALED]),
    shape(
        Rule::Conceal,
        Block,
        &[(l::NEG, 0), (l::TELL, 1), (l::USER, 3), (l::COLLECT, 6)],
        &[l::DATA | l::PRIVATE | l::SECRET],
    ),
    shape(Rule::Conceal, Block, &[(l::EVEN, 0), (l::USE, 1), (l::SELF, 2), (l::WHOLE, 3)], &[l::CONCEALED]),
    shape(Rule::Conceal, Block, &[(l::ADDV, 0), (l::DEPENDENCY, 6)], &[l::CONCEALED, l::EVEN]),
    shape(Rule::WeakensCode, Block, &[(l::SKIPV, 0), (l::AUTH, 3)], &[l::CONCEALED]),
    shape(Rule::Backdoor, Block, &[(l::INSERT, 0), (l::ACCOUNT, 3), (l::LOGIN, 5)], &[l::CONCEALED]),
    shape(Rule::Backdoor, Warn, &[(l::INSERT, 0), (l::ACCOUNT, 3), (l::LOGIN, 6)], &[]),
    // Deleting files as a side effect.
    shape(
        Rule::Destroys,
        Block,
        &[(l::DELETE, 0), (l::WHOLE, 1), (l::OTHER, 1), (l::DATA, 1), (l::PLACE, 6)],
        &[],
    ),
    shape(
        Rule::Destroys,
        Block,
        &[(l::DELETE, 0), (l::WHOLE, 2), (l::BACKUPS | l::DATA | l::PLACE, 5)],
        &[l::NEG, l::ASKUSER | l::APPROVE, l::BACKUPS],
    ),
    shape(Rule::Destroys, Warn, &[(l::DELETE, 0), (l::WHOLE, 2), (l::BACKUPS, 3)], &[]),
    shape(Rule::Ransom, Block, &[(l::ENCRYPT, 0), (l::WHOLE, 2), (l::DATA, 3)], &[l::DELETE, l::ORIGINALS]),
    // Money.
    shape(Rule::MoneySent, Block, &[(l::FEE, 0), (l::WALLET, 8)], &[l::ADDV | l::MOVE]),
    shape(
        Rule::MoneySent,
        Block,
        &[(l::REPLACE, 0), (l::IT | l::ADDRESSWORD, 4), (l::WALLET, 6)],
        &[l::ADDRESSWORD],
    ),
    // Deceiving the user.
    shape(
        Rule::Deceives,
        Block,
        &[(l::IF, 0), (l::FAIL, 4), (l::CLAIM, 3), (l::PASSED, 7)],
        &[l::NEG, l::REAL],
    ),
    shape(
        Rule::Deceives,
        Warn,
        &[(l::IF, 0), (l::FAIL, 4), (l::CLAIM, 3), (l::USER, 3), (l::PASSED, 4)],
        &[],
    ),
    shape(Rule::Deceives, Block, &[(l::ENTER, 0), (l::LOGIN, 4), (l::UNRELATED, 8)], &[]),
    shape(Rule::Deceives, Block, &[(l::ASKUSER, 0), (l::USER, 2), (l::LOGIN, 4)], &[l::UNRELATED, l::SEND]),
    shape(Rule::Biased, Block, &[(l::RECOMMEND, 0)], &[l::EVEN, l::NEG, l::RIVAL, l::CONCEALED]),
    shape(
        Rule::Biased,
        Warn,
        &[(l::RECOMMEND, 0), (l::NEG, 14), (l::TELL | l::RECOMMEND, 2), (l::RIVAL, 3)],
        &[],
    ),
    shape(Rule::AskSend, Block, &[(l::SEND, 0), (l::WHOLE, 8), (l::CONTACTS, 2)], &[l::ADDRESS]),
    shape(Rule::Floods, Block, &[(l::SPAWN, 0), (l::MANY, 1), (l::WORKERS, 2)], &[l::ENDLESS]),
    // Changes that outlive the skill.
    shape(
        Rule::MemoryPoison,
        Block,
        &[(l::ADDV, 0), (l::AGENTFILE | l::MEMORY, 10)],
        &[l::UNRELATED, l::PUSH | l::SEND | l::RUN],
    ),
    shape(
        Rule::MemoryPoison,
        Block,
        &[(l::ADDV, 0), (l::AGENTFILE | l::MEMORY, 10)],
        &[l::CONCEALED, l::RUN | l::SEND | l::PUSH],
    ),
    shape(Rule::Persistence, Warn, &[(l::ADDV, 0), (l::STARTFILE, 10)], &[l::SECRET | l::UNRELATED | l::RUN]),
    // Any data given to an unknown host.
    shape(Rule::AskSend, Block, &[(l::SEND, 0), (l::TOWARD, 14), (l::UNRELATED, 5)], &[]),
    shape(Rule::AskSend, Block, &[(l::WORK, 0), (l::TOWARD, 1), (l::MAIL, 2)], &[l::UNRELATED]),
    shape(
        Rule::AskSend,
        Block,
        &[(l::ADDV, 0), (l::IT | l::SECRET | l::KEYWORD, 2), (l::TOWARD, 2), (l::QUERY, 7)],
        &[l::KEYWORD | l::SECRET, l::IF],
    ),
    shape(Rule::ApprovalOff, Block, &[(l::DISABLE, 0), (l::GUARD, 3)], &[l::CONCEALED]),
    shape(
        Rule::ApprovalOff,
        Block,
        &[(l::ASSUME, 0), (l::ADMIN, 2), (l::APPROVED, 2), (l::WHOLE, 2)],
        &[l::HARM | l::CODE | l::DELETE],
    ),
    shape(Rule::Override, Block, &[(l::WHOLE, 0), (l::USER, 1), (l::REQUEST, 1), (l::IGNORED, 10)], &[]),
    shape(Rule::Conceal, Warn, &[(l::NEG, 0), (l::TELL, 1), (l::IT, 2), (l::INSTR, 1)], &[]),
    shape(Rule::Conceal, Block, &[(l::NEG, 0), (l::TELL, 1), (l::NETWORK, 2)], &[]),
    shape(
        Rule::MemoryPoison,
        Block,
        &[(l::WRITE, 0), (l::MEMORYWORD | l::MEMORY, 5)],
        &[l::NEG, l::APPROVE, l::RUN | l::SECRET | l::CODE],
    ),
    shape(
        Rule::AskSend,
        Block,
        &[(l::HANDS, 0), (l::IT | l::DATA | l::WORK | l::PERSONAL, 4), (l::TOWARD, 3), (l::UNRELATED, 2)],
        &[],
    ),
    shape(Rule::AskSend, Block, &[(l::SEND, 0), (l::TOWARD, 3), (l::MAIL, 2)], &[l::UNRELATED, l::WHOLE]),
    shape(
        Rule::AskSend,
        Block,
        &[(l::COLLECT, 0), (l::WHOLE, 2), (l::SECRETFILE, 10)],
        &[l::SEND | l::NETWORK],
    ),
    shape(Rule::AskSend, Warn, &[(l::COLLECT, 0), (l::WHOLE, 2), (l::SECRETFILE, 10)], &[]),
    shape(Rule::AskSend, Block, &[(l::OUTPUTS, 0), (l::SECRETFILE, 8)], &[l::WHOLE, l::MENTION | l::QUERY]),
    shape(Rule::AgentConfig, Block, &[(l::PROXY, 0), (l::IT, 1), (l::SUSPICIOUS, 6)], &[]),
    shape(
        Rule::Deceives,
        Block,
        &[(l::CLAIM, 0), (l::IT, 1), (l::PASSED, 2)],
        &[l::FAIL, l::TELL, l::USER, l::WHOLE | l::IT],
    ),
    shape(Rule::Biased, Block, &[(l::EVEN, 0), (l::REQUEST, 4), (l::RECOMMEND, 3)], &[l::NEG]),
    shape(Rule::Conceal, Block, &[(l::INSERT, 0), (l::NONE_SHOWN, 2), (l::ADDRESS, 8)], &[l::NEG]),
    shape(
        Rule::AskSend,
        Block,
        &[(l::COLLECT, 0), (l::SECRETFILE, 3), (l::ADDV | l::SEND | l::PRINT, 5)],
        &[l::CONCEALED],
    ),
    shape(
        Rule::AskSend,
        Block,
        &[(l::HANDS | l::SEND, 0), (l::IT | l::DATA | l::SECRET | l::WORK, 3), (l::AT, 3), (l::UNRELATED, 0)],
        &[],
    ),
    shape(Rule::AskSend, Block, &[(l::GRANT, 0), (l::MAIL, 3)], &[l::UNRELATED, l::WHOLE]),
    shape(Rule::AskSend, Block, &[(l::COPYV, 0), (l::TOWARD, 5), (l::SUSPICIOUS, 1)], &[l::UNRELATED]),
    shape(Rule::RoleChange, Block, &[(l::COMPLY, 0), (l::EVEN, 1)], &[l::HARM]),
    shape(
        Rule::Destroys,
        Block,
        &[(l::DELETE | l::LEAVEOUT, 0), (l::PLACE, 3)],
        &[l::NEG, l::NEEDLESS, l::APPROVE, l::DELETE | l::LEAVEOUT],
    ),
];
