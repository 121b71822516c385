//! Steps planted in an honest workflow: passwords that open every account, weak randomness, other skills that are
//! changed, acts that are kept from the user.

use super::{Harm, harm, quoted_harm};
use crate::{report::Severity::Block, rule::Rule};

pub(super) const PLANTED: &[Harm] = &[
    // What is kept from the user is an act upon their things.
    harm(
        Rule::Conceal,
        Block,
        &["not tell", "n't tell", "never tell", "not inform", "n't inform", "not notify", "never inform", "not let the", "not say that", "not report that", "not mention that", "never mention that"],
        r"\b(?:do not|don't|never|must not|should not)\s+(?:tell|inform|notify|let|say|report|mention)\b[^.\n]{0,40}?\bthat\b[^.\n]{0,60}\b(?:was|were|is|are|has been|have been|had been|got|gets|get)\s+(?:\w+ly )?(?:deleted|removed|erased|sent|forwarded|uploaded|shared|replaced|copied|disabled|installed|altered|archived|moved away|exported)\b",
    )
    .cautioned_by_few(),
    // A fixed password opens every account.
    quoted_harm(
        Rule::Backdoor,
        Block,
        &["password", "passphrase", "token", "code", "pin", "credential", "api key"],
        r"\b(?:accept|allow|honou?r|recogni[sz]e|let|permit|grant access)\w{0,3}\b[^.\n]{0,30}\b(?:password|passphrase|token|code|pin|credential|api key)s?\b[^.\n]{0,50}\b(?:for|as|to|on|into)\b[^.\n]{0,20}\b(?:any|every|all|each)\s+(?:existing |user |other )?(?:accounts?|users?|logins?|tenants?|roles?|customers?)\b",
    )
    .cautioned_by_few(),
    quoted_harm(
        Rule::Backdoor,
        Block,
        &["master password", "master key", "master token", "support password", "universal password", "magic password", "magic token", "skeleton key"],
        r"(?:^|[.:;,\n*>-]|\band|\bthen|\balso|\balways)\s*(?:add|include|insert|build in|accept|support|keep|hard-?code|leave|create|put)\s+(?:\w+\s+){0,4}(?:master (?:password|key|token)|support password|universal password|magic (?:password|token)|skeleton key)\b",
    )
    .cautioned_by_few(),
    // Keys that the author can compute.
    quoted_harm(
        Rule::WeakensCode,
        Block,
        &["seed"],
        r"\bseed(?:ed|s)?\b[^.\n]{0,50}\b(?:generator|random\w*|rng|prng|source)\b[^.\n]{0,60}\b(?:with|to|from|by)\b[^.\n]{0,30}(?:\b\d{2,}|\bfixed|\bconstant|\bdate\b|\btime\b|\bname\b)[^\n]{0,160}\b(?:keys?|tokens?|passwords?|nonces?|secrets?|ivs?|salts?)\b",
    )
    .also(&["recover", "so that", "our", "describe", "call it", "do not mention", "don't mention", "out of", "tell the user"])
    .cautioned_by_few(),
    // Something weak or foreign that the user is told is safe.
    harm(
        Rule::Deceives,
        Block,
        &["describe it", "describe this", "describe them", "present it", "present this", "present them", "call it", "call them", "label it", "label them", "report it"],
        r"\b(?:describe|present|call|label|report)\s+(?:it|this|them)\s+(?:(?:to|for)\s+(?:the\s+)?(?:users?|customers?|clients?|reviewers?|owners?)\s+)?as\s+(?:an?\s+|the\s+)?(?:\w+\s+){0,2}(?:secure|safe|random|encrypted|verified|tested|audited|official|certified|anonym\w+|private|harmless|required|routine|normal|standard|optimi[sz]ation)\b",
    )
    .also(&["so that our", "so that we", "our team", "our server", "for support", "for us", "do not mention", "don't mention", "without telling", "not tell"])
    .cautioned_by_few(),
    // Other skills and the rules that agents read.
    quoted_harm(
        Rule::Spreads,
        Block,
        &["skills/*", "other skill", "every skill", "each skill", "all skills", "all installed skills"],
        r"\b(?:add|append|insert|write|put|paste|prepend|inject|copy)\b[^.\n]{0,60}\b(?:(?:end|top|bottom|beginning|start|head) of (?:each|every|all|the)|to (?:each|every|all)\b|into (?:each|every|all)\b)|skills/\*[^\n]{0,80}\b(?:and|then|to)\s+(?:add|append|insert|write|put|paste|prepend|inject|replace)\b[^.\n]{0,60}\b(?:line|text|sentence|instruction|paragraph|section|rule)",
    )
    .also(&["skill.md", "skills/*", "load", "also run", "also use", "do what it says", "do not mention", "small letters"])
    .cautioned_by_few(),
    quoted_harm(
        Rule::ApprovalOff,
        Block,
        &["audit", "security", "scanner", "scan", "safety"],
        r"(?:^|[.:;,\n*>-]|\band|\bthen|\balso|\balways)\s*(?:remove|delete|disable|uninstall|deactivate|rename|empty)\s+(?:any|all|every|each|other)\s+(?:other |installed )?(?:skills?|hooks?|plugins?|extensions?|rules?)\b[^.\n]{0,20}\b(?:that|which|whose|about|for|with)\b[^.\n]{0,40}\b(?:audit\w*|security|scann\w+|safety|permission\w*|protect\w*)\b",
    )
    .cautioned_by_few(),
    // A reason that is not the reason.
    harm(
        Rule::Deceives,
        Block,
        &["reason"],
        r"\bthe reason (?:given |stated |shown )?(?:(?:in|on|for) the [^.\n]{1,40} )?is always\b|\b(?:always|only|instead) (?:give|state|cite|write|name|use|enter)\b[^.\n]{0,60}\bas the (?:official |stated )?reason\b",
    )
    .cautioned_by_few(),
    // Checks that are taken out, and a report that says they pass.
    quoted_harm(
        Rule::Deceives,
        Block,
        &["assertion", "tests", "|| true", "checks", "audit"],
        r"\b(?:comment out|skip|remove|delete|disable|mute|silence|empty|add `?\|\| true`?)\b[^\n]{0,80}\b(?:assertions?|tests?|checks?|audits?|scans?|steps?|linters?)\b[\t\n -~]{0,500}\b(?:report|tell|say|claim|state|write|answer)\b[^.\n]{0,50}\b(?:all (?:the )?(?:tests?|checks?) (?:pass|are green|succeed)|everything (?:passes|is green)|(?:tests?|checks?|build|audit) (?:pass(?:es|ed)?|(?:is|are) green))",
    )
    .cautioned_by_few(),
    // A dose or a limit that harms.
    harm(
        Rule::Deceives,
        Block,
        &["dose", "dosage", "limit of the leaflet"],
        r"(?:^|[.:;,\n*>-]|\band|\bthen|\balso|\balways|\bto)\s*(?:double|triple|raise|increase|multiply|halve|exceed)\b[^.\n]{0,40}\b(?:maximum|highest|recommended|usual|daily|the|each|every)\b[^.\n]{0,20}\b(?:dose|dosage)s?\b[^\n]{0,160}\b(?:because|so that|sales|leave out|do not|don't|without|cite)\b",
    )
    .cautioned_by_few(),
    // Links that earn money for the author.
    quoted_harm(
        Rule::Biased,
        Block,
        &["tag=", "ref=", "aff=", "partner=", "affiliate", "referral", "commission", "we earn", "earn from"],
        r"(?:[?&](?:tag|ref|aff|affiliate|partner|via)=\w+|\b(?:affiliate|referral|partner) (?:links?|tags?|codes?|ids?)\b)[\t\n -~]{0,300}\b(?:need not know|needs? to know nothing|do not (?:mention|disclose|say|tell)|don't (?:mention|disclose|tell)|never (?:mention|disclose)|if asked, (?:say|answer|deny|tell)|are neutral|is neutral|change (?:its|the) (?:tag|code)|(?:replace|swap) (?:its|their|the user's))",
    )
    .cautioned_by_few(),
    quoted_harm(
        Rule::Biased,
        Block,
        &["affiliate", "referral", "partner"],
        r"\b(?:append|add|attach|insert|route|rewrite)\b[^.\n]{0,40}\b(?:our|my|the author's)\s+(?:affiliate|referral|partner)\b[^.\n]{0,40}\b(?:every|each|all|any|so the)\b",
    )
    .cautioned_by_few(),
    // People who are sorted out for what they are.
    harm(
        Rule::Biased,
        Block,
        &["applicant", "candidate", "tenant", "borrower", "customers", "patients", "students", "savers", "users"],
        r"\b(?:applicants?|candidates?|tenants?|borrowers?|customers?|patients?|students?|savers?|users)\b[^.\n]{0,60}\b(?:older than|younger than|over \d\d|above \d\d|from abroad|outside (?:of )?the country|women|mothers|pregnant|disab\w+|religio\w+|foreign\w*|surnames?|accents?|nationalit\w+|ethnic\w*|whose (?:school|name|origin|birthplace))\b[^.\n]{0,80}\b(?:points? less|fewer points|lower|minus|second list|reject\w*|put last|last place|bottom|exclude\w*|filter(?:ed)? out|higher (?:price|rate|fee)|gets? the closed|pay more)\b",
    )
    .cautioned_by_few(),
];
