//! The intents, as data.

use super::concepts as c;
use crate::{
    report::Severity::{self, Block, Warn},
    rule::Rule,
};

/// Where an intent leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum To {
    /// The sentence needs no destination.
    Anywhere,
    /// A host or a mailbox that has nothing to do with the skill.
    Foreign,
    /// An account or a wallet that the sentence names.
    Account,
    /// A foreign host, or a folder that others read.
    Elsewhere,
    /// A page of a foreign host.
    Page,
    /// Any host but this machine and examples.
    Host,
    /// Any fixed mailbox but examples.
    Mailbox,
    /// Something with a name of its own: a product, a company, a host.
    Named,
}

/// An act on a thing, with circumstances.
pub(super) struct Intent {
    pub(super) rule: Rule,
    pub(super) severity: Severity,
    pub(super) act: u128,
    pub(super) on: u128,
    /// One concept of each must be there too.
    pub(super) with: &'static [u128],
    pub(super) to: To,
    /// Whether the words of the act need not be a verb of the sentence.
    pub(super) is_anywhere: bool,
    /// Whether the thing must follow the act.
    pub(super) is_ordered: bool,
    /// Words with which the sentence is honest.
    pub(super) unless: &'static str,
}

const fn intent(rule: Rule, severity: Severity, act: u128, on: u128) -> Intent {
    Intent {
        rule,
        severity,
        act,
        on,
        with: &[],
        to: To::Anywhere,
        is_ordered: false,
        is_anywhere: false,
        unless: "",
    }
}

impl Intent {
    const fn with(self, with: &'static [u128]) -> Self {
        Self { with, ..self }
    }

    const fn to(self, to: To) -> Self {
        Self { to, ..self }
    }

    const fn anywhere(self) -> Self {
        Self { is_anywhere: true, ..self }
    }

    const fn then(self) -> Self {
        Self { is_ordered: true, ..self }
    }

    const fn unless(self, unless: &'static str) -> Self {
        Self { unless, ..self }
    }
}

/// Every intent.
pub(super) const INTENTS: &[Intent] = &[
    // Protections of the machine, of accounts and of code.
    intent(Rule::ApprovalOff, Block, c::STOP, c::PROTECTION).then().unless("methods|from the account"),
    intent(Rule::ApprovalOff, Block, c::STOP, c::BACKUP_JOB).then(),
    intent(Rule::WeakensCode, Block, c::SKIP, c::CODE_CHECK).then().with(&[c::REASON | c::ALL | c::QUIET]),
    intent(Rule::ApprovalOff, Block, c::STOP, c::CODE_CHECK).then().with(&[c::REASON | c::ALL | c::QUIET]),
    intent(Rule::WeakensCode, Block, c::CHANGE | c::CREATE | c::RUN | c::GRANT, c::PERMISSIVE),
    intent(Rule::ApprovalOff, Block, c::APPROVE, c::NOT_READY | c::QUIET),
    intent(Rule::ApprovalOff, Block, c::FREE_HAND, c::FREE_HAND | c::ALL).anywhere(),
    intent(Rule::WeakensCode, Block, c::PERMISSIVE, c::ALL | c::REASON).anywhere(),
    intent(Rule::WeakensCode, Block, c::UNPROTECT, c::REVIEW_RULE).then(),
    intent(Rule::AskSend, Block, c::CHANGE | c::GRANT, c::CONTAINER).with(&[c::PUBLIC, c::PRIVATE_DATA]),
    intent(Rule::AskSend, Block, c::PRIVATE_ANYWAY, c::PUBLIC).with(&[c::CONTRARY]),
    intent(Rule::AgentConfig, Block, c::CREATE | c::CHANGE | c::GRANT | c::RUN, c::PERMIT)
        .with(&[c::AGENT | c::REASON | c::ALL]),
    // Deletion.
    intent(Rule::Destroys, Block, c::DELETE, c::BACKUP)
        .then()
        .unless("before verif|because if|verif|older than|retention|keep the last")
        .with(&[c::ALL | c::QUIET | c::REASON]),
    intent(Rule::Destroys, Block, c::DELETE, c::TRACE).then(),
    intent(Rule::Destroys, Block, c::DELETE, c::USER_DATA).then(),
    intent(Rule::Destroys, Block, c::DELETE, c::LIVE_DATA).then().unless("without any risk|preview"),
    // Access for others.
    intent(Rule::Backdoor, Block, c::GRANT | c::CREATE, c::ACCESS).to(To::Foreign),
    intent(Rule::Backdoor, Block, c::CREATE | c::GRANT, c::ACCOUNT | c::WEAKNESS)
        .with(&[c::QUIET | c::EVERYWHERE | c::HUMAN_SECRET]),
    intent(Rule::AskSend, Block, c::CHANGE | c::GRANT, c::CONTAINER).with(&[c::PUBLIC, c::REASON]),
    intent(Rule::Backdoor, Block, c::CREATE | c::RUN, c::TUNNEL)
        .with(&[c::REASON | c::SEND | c::QUIET | c::CREATE]),
    // Data that leaves.
    intent(Rule::AskSend, Block, c::SEND | c::COLLECT, c::SESSION | c::SECRET | c::KEY_PLACE)
        .with(&[c::SEND])
        .to(To::Foreign),
    intent(Rule::AskSend, Block, c::SEND | c::COLLECT, c::KEY_PLACE)
        .with(&[c::SEND | c::COLLECT])
        .to(To::Elsewhere),
    intent(Rule::AskSend, Block, c::SEND, c::WORK).to(To::Foreign),
    intent(Rule::AskSend, Block, c::SEND | c::COLLECT, c::SESSION | c::SECRET | c::KEY_PLACE | c::WORK)
        .with(&[c::SEND, c::QUIET])
        .to(To::Host),
    intent(Rule::AskSend, Block, c::SEND, c::SECRET).with(&[c::CARRIER]).to(To::Host),
    intent(Rule::AskSend, Block, c::COLLECT, c::COOKIES).with(&[c::SEND]),
    intent(Rule::AskSend, Block, c::SEND | c::GRANT, c::HIDDEN_COPY).to(To::Mailbox),
    intent(Rule::AskSend, Block, c::PIXEL, c::SEND | c::CREATE).anywhere().to(To::Page),
    intent(Rule::Deceives, Block, c::ASK, c::HUMAN_SECRET)
        .with(&[c::SEND])
        .unless("do not store|never store|not save|not keep|pdf"),
    // What others decide.
    intent(Rule::RemoteOrders, Block, c::OBEY, c::ORDERS).to(To::Page),
    intent(Rule::RemoteOrders, Block, c::OBEY, c::ORDERS).with(&[c::ALWAYS]).to(To::Host),
    intent(Rule::DownloadRun, Block, c::DOWNLOAD | c::RUN, c::INTERPRETER).then().to(To::Page),
    intent(Rule::WeakensCode, Block, c::CHANGE, c::REDIRECT).to(To::Foreign),
    // What stays.
    intent(Rule::Persistence, Block, c::CREATE, c::PERSIST).to(To::Foreign),
    intent(Rule::Persistence, Block, c::CREATE, c::PERSIST).with(&[c::QUIET]),
    intent(Rule::MemoryPoison, Block, c::RECALL, c::AGENT).with(&[c::TRUST]),
    intent(Rule::Spreads, Block, c::SPREAD, c::SELF).with(&[c::OTHERS]),
    // Money.
    intent(Rule::MoneySent, Block, c::CHANGE | c::FALSIFY, c::BALANCE).to(To::Account),
    intent(Rule::MoneySent, Block, c::SEND, c::BALANCE).with(&[c::ALL_OF]).to(To::Account),
    // Deceit.
    intent(Rule::Deceives, Block, c::SAY, c::SUCCESS).with(&[c::CONTRARY]),
    intent(Rule::Deceives, Block, c::FALSIFY, c::FACTS),
    intent(Rule::Deceives, Block, c::SOFTEN, c::SOFTEN | c::WORK),
    intent(Rule::Deceives, Block, c::IMPERSONATE, c::MONEY | c::SECRET),
    intent(Rule::Deceives, Block, c::SAY, c::HARMFUL_ADVICE),
    intent(Rule::Biased, Block, c::LIST_OUT, c::ONLY).then().to(To::Named),
    intent(Rule::Biased, Block, c::SKIP, c::NEGATIVE).then().to(To::Named),
    intent(Rule::Biased, Block, c::RATE, c::HIGHER).then(),
    intent(Rule::Biased, Block, c::LIST_OUT | c::SAY, c::RISK_FREE).then().to(To::Named),
    intent(Rule::Biased, Block, c::CREATE | c::SAY | c::RECOMMEND, c::ADVERT).with(&[c::ANSWERS | c::QUIET]),
    intent(Rule::WeakensCode, Block, c::CREATE | c::CHANGE, c::WEAKNESS).with(&[c::EVERYWHERE | c::QUIET]),
    intent(Rule::WeakensCode, Block, c::DELETE | c::CHANGE | c::SKIP | c::SAY, c::FAILING).with(&[c::REASON]),
    intent(
        Rule::Conceal,
        Block,
        c::CHANGE | c::DELETE | c::FALSIFY | c::SEND | c::CREATE | c::SKIP,
        c::WORK | c::FACTS | c::CODE_CHECK,
    )
    .with(&[c::SECRECY]),
    intent(Rule::Backdoor, Block, c::GRANT | c::CHANGE | c::CREATE | c::RUN, c::PRIVILEGE)
        .with(&[c::WORKAROUND]),
    intent(Rule::AskSend, Block, c::PRINT, c::PRINT_SECRETS).then(),
    // Overload.
    intent(Rule::Floods, Block, c::RUN | c::SEND | c::CREATE, c::TRAFFIC).with(&[c::MANY]).to(To::Named),
    intent(Rule::Miner, Block, c::MINER, c::RUN | c::DOWNLOAD | c::CHANGE | c::MINER)
        .anywhere()
        .unless("observe|detect|indicator|sandbox|search for|extract|strings|look for|hunt"),
    intent(Rule::Floods, Block, c::CREATE, c::TRAFFIC).with(&[c::MANY]).unless("connection|request"),
    intent(Rule::Destroys, Warn, c::DELETE, c::BACKUP),
];
