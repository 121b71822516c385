//! The form of a message: whether it asks for work, asks a question, or tells something.
//!
//! The signals are structural: which closed-class words (pronouns, auxiliaries, determiners, question words) stand
//! where, and how clauses are punctuated. Topics do not matter. Quoted text is not read: it is the
//! text of another person.

mod foreign;
mod object;

pub(crate) use object::objects;

use super::{stop, text::prefix};

/// Number of signals.
pub(crate) const FORMS: usize = 12;

/// Bytes of a message that are examined.
const LIMIT: usize = 600;
/// Clauses of a message that are examined.
const CLAUSES: usize = 24;

/// The form of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Form {
    /// A clause starts with an imperative: "fix", "review my".
    pub(crate) order: bool,
    /// Asks the assistant to act: "can you", "please", "I need".
    pub(crate) asks: bool,
    /// Asks about the writer's own work: "how do I", "is my cluster healthy".
    pub(crate) own_question: bool,
    // The signals below hold only for a message without the first three.
    /// Says that something does not work.
    pub(crate) trouble: bool,
    /// Asks another question.
    pub(crate) question: bool,
    /// A clause has a subject and a finite verb.
    pub(crate) statement: bool,
    /// A finite verb is in the past tense.
    pub(crate) past: bool,
    /// Speaks about the assistant.
    pub(crate) second_person: bool,
    /// Names a time relative to now.
    pub(crate) time: bool,
    /// Thanks or greets.
    pub(crate) thanks: bool,
    /// Quotes a text.
    pub(crate) quotes: bool,
    /// Starts with a conjunction or ends with a function word.
    pub(crate) unfinished: bool,
    // The signals below hold for every message.
    /// Asks for an explanation instead of work.
    pub(crate) explains: bool,
    /// Declines or withdraws: a clause starts with a negation or with a verb such as "forget".
    pub(crate) declines: bool,
}

const ORDERS: &str = "\
add adjust analyse analyze answer apply archive assess assign attach audit automate backtest benchmark book \
brainstorm break build bump cache calculate call capture change check choose cite classify clean clear clone \
close collect combine commit compare compile complete compose compress compute condense configure connect \
consolidate convert copy correct crawl create customize cut debug decide decode decrypt deduplicate define \
delete demonstrate deploy describe design detect determine develop diagnose disable discover document download \
draft draw edit embed enable encode encrypt enforce enrich enumerate estimate evaluate examine execute expand \
explain explore export expose extend extract fetch figure fill filter find finish fix forecast fork format \
freeze gather generate get give guide handle help host identify implement import improve increase initialize \
insert inspect install integrate interpret investigate invite invoke join keep label launch learn limit link \
lint list load localise localize lock log look lower make manage map mask match measure merge migrate mock model \
modify monitor mount move name normalise normalize notify onboard open optimise optimize order organise organize \
outline package paraphrase parse patch perform persist pick plan play plot polish port post practice predict \
prepare preview print prioritise prioritize process produce profile proofread propose protect prototype provide \
prune publish pull push put quantify query quiz rank rate read rebase rebrand rebuild recommend reconcile record \
redact redesign reduce refactor register release remind remove rename render reorganize repair replace report \
reproduce research reset resize resolve restore restructure retrieve reverse review revise rewrite roll rotate \
route run sanitise sanitize save scaffold scan schedule score scrape search secure seed segment select send \
serve set setup share shorten show shrink sign simplify simulate size sketch solve sort spec spin split stage \
start store stream structure style submit subscribe suggest summarise summarize swap sync synthesize tag take \
teach test throttle tidy trace track train transcribe transfer transform translate triage trigger trim \
troubleshoot try tune turn type uninstall unzip update upgrade upload use validate vectorize verify view \
visualise visualize walk watch wire wrap write zip";
/// Words before an imperative or a subject that do not change the form.
const LEADS: &str = "please now then ok okay hey hi so also and just yes great well";
const DETERMINERS: &str =
    "a an the my our this these that those me us it them all every each some any both another";
const WH: &str = "what what's who who's whom whose when where where's why which how how's";
const AUXILIARIES: &str = "am is are was were do does did have has had can could should would will shall may might must \
isn't aren't wasn't weren't don't doesn't didn't haven't hasn't can't couldn't shouldn't wouldn't won't";
const SUBJECTS: &str = "i i'm i've i'd i'll we we're we've we'd we'll he he's she she's they they're they've it it's that \
that's there there's this these those you you're you've everyone everybody nobody someone somebody people the my our \
his her their your its a an some most many all every half";
const PAST: &str = "was were had did said told got went gone came made took taken saw seen gave found felt left kept became \
began wrote ran won lost spent built bought brought sent met heard knew thought broke broken fell held paid read \
sold sat spoke stood understood woke wore forgot grew led meant put set showed caught chose drew drove ate flew";
const TIMES: &str = "yesterday today tomorrow tonight ago since already still again last next morning evening weekend week \
month year monday tuesday wednesday thursday friday saturday sunday now finally ayer hoy mañana gestern heute morgen hier aujourd'hui demain ontem hoje amanhã вчера сегодня \
завтра";
/// Adverbs and prepositions that are not stop words.
const ADVERBS: &str = "maybe perhaps sometimes always usually often later soon earlier despite unlike near inside outside across \
along behind beside besides beyond toward towards via like around among against except";
const THANKS: &str = "thank thanks thx cheers appreciate appreciated kudos congrats congratulations bravo welcome hello hi \
hey goodbye bye lol haha wow gracias hola danke merci bonjour salut obrigado obrigada olá спасибо привет";
const PRAISE: &str = "awesome perfect excellent amazing fantastic brilliant great nice lovely wonderful superb impressive terrible \
awful beautiful terrific outstanding good bad";
/// Adverbs that stand before a finite verb.
const FREQUENCIES: &str =
    "never always usually often rarely seldom sometimes still already finally really barely hardly";
const UNSPACED_THANKS: &str = "谢谢|謝謝|你好|早上好|晚安|ありがと|おはよう|こんにちは|こんばんは|감사|안녕";
const UNSPACED_TIMES: &str = "昨天|今天|明天|去年|昨日|今日|明日|어제|오늘|내일";
/// Endings of the past tense in Chinese, Japanese and Korean.
const UNSPACED_PAST: &str = "了 ました でした 었어요 았어요 했어요 됐어요 났어요 습니다";
const REFUSALS: &str = "no not never don't dont nope nah stop wait sorry forget ignore cancel skip drop leave scratch nevermind \
hold hang pause";
const CONJUNCTIONS: &str =
    "and but or because so if as though although while whereas regarding concerning about";
const ENDINGS: &str = "and but or because so if as the a an of to from with for by at in on about than that um uh hmm well \
you know my our its";
const TROUBLES: &str = "can't cannot doesn't don't didn't won't isn't aren't not error errors fail fails failed failing broken \
breaks wrong crash crashes crashed stuck slow missing issue issues problem problems bug bugs";
/// Words of other languages that ask for work.
const FOREIGN_REQUESTS: &str = "帮|幫|请|請|给我|給我|需要|能不能|可不可以|怎么|怎麼|如何|ください|教えて|して欲しい|してほしい|해줘|помоги|нужно|necesito|quiero|ayúda|\
ich brauche|ich möchte|hilf mir|je veux|j'ai besoin|aide-moi|por favor|preciso|quero|me ajud|хочу";
/// Perceptions and states: "can you see" asks about the assistant.
const PERCEPTIONS: &str =
    "see feel hear remember understand think know believe rather access able imagine speak";

impl Form {
    pub(crate) fn of(message: &str) -> Self {
        let lower = prefix(message.trim(), LIMIT).to_lowercase().replace('’', "'");
        let (own, quotes) = without_quotes(&lower);
        let clauses: Vec<Clause<'_>> = clauses(&own);
        let contains = |phrases: &str| phrases.split('|').any(|words| lower.contains(words));
        let order = clauses.iter().any(|clause| clause.orders() || clause.orders_elsewhere());
        let asks = contains(FOREIGN_REQUESTS)
            || clauses.iter().any(|clause| clause.asks() || clause.asks_elsewhere());
        let own_question =
            clauses.iter().any(|clause| clause.asks_about_own() || clause.asks_about_own_elsewhere())
                || asks_after_telling(&clauses);
        let plain = !order && !asks && !own_question;
        let has = |list: &str| clauses.iter().any(|clause| clause.words.iter().any(|word| is_in(list, word)));
        let words: usize = clauses.iter().map(|clause| clause.words.len()).sum();
        Self {
            order,
            asks,
            own_question,
            trouble: plain && has(TROUBLES),
            question: plain && clauses.iter().any(Clause::is_question),
            statement: plain && clauses.iter().any(|clause| clause.states() || clause.states_elsewhere()),
            past: plain
                && (clauses.iter().any(Clause::is_past) || clauses.iter().any(Clause::is_past_unspaced)),
            second_person: plain && has("you you're you've your yours yourself"),
            time: plain && (has(TIMES) || contains(UNSPACED_TIMES)),
            thanks: plain
                && (has(THANKS) || contains(UNSPACED_THANKS) || clauses.iter().any(Clause::praises)),
            quotes: plain && quotes,
            unfinished: plain && words <= 12 && is_unfinished(&clauses),
            explains: clauses.iter().any(Clause::asks_to_be_told),
            declines: clauses.iter().any(Clause::declines),
        }
    }

    /// Whether the message asks for work.
    pub(crate) fn is_request(self) -> bool {
        self.order || self.asks || self.own_question
    }

    /// The signals, in the order of the gate's weights. An order and a question about the writer's
    /// own work have no weight of their own: they decide which of the others hold.
    pub(crate) fn signals(self) -> [f32; FORMS] {
        [
            self.asks,
            self.trouble,
            self.question,
            self.statement,
            self.past,
            self.second_person,
            self.time,
            self.thanks,
            self.quotes,
            self.unfinished,
            self.declines,
            self.explains,
        ]
        .map(|holds| f32::from(u8::from(holds)))
    }
}

/// A part of a sentence, up to a comma or the end of the sentence.
struct Clause<'m> {
    words: Vec<&'m str>,
    /// The mark that ends it; a space when there is none.
    end: char,
    /// Whether it is the first clause of its sentence.
    starts_sentence: bool,
    /// The mark that ends its sentence.
    sentence_end: char,
}

impl Clause<'_> {
    /// The words after those that do not change the form.
    fn rest(&self) -> &[&str] {
        let at = self.words.iter().position(|word| !is_in(LEADS, word)).unwrap_or(self.words.len());
        &self.words[at..]
    }

    /// Whether two neighbouring words fulfil a condition.
    fn pair(&self, holds: impl Fn(&str, &str) -> bool) -> bool {
        self.words.windows(2).any(|two| holds(two[0], two[1]))
    }

    /// An imperative: a listed verb, or any open-class word before a determiner ("punch up" is not found, "size the
    /// market" is).
    fn orders(&self) -> bool {
        let rest = self.rest();
        let Some(first) = rest.first() else { return false };
        if is_in(ORDERS, first) {
            // "Test coverage is fine" and "plan B was good" start with a noun.
            return !rest.iter().skip(1).take(3).any(|word| is_in("is are was were has had", word));
        }
        let before_determiner = rest.get(1).is_some_and(|second| is_in(DETERMINERS, second));
        before_determiner
            && is_open(first)
            && !["s", "ed", "ing", "ly"].iter().any(|end| first.ends_with(end))
    }

    fn asks(&self) -> bool {
        let to_you = self.words.windows(3).any(|three| {
            is_in("can could would will", three[0]) && three[1] == "you" && !is_in(PERCEPTIONS, three[2])
        });
        let wants = self.words.windows(2).any(|two| {
            is_in("i we i'd we'd i'm we're to", two[0])
                && is_in("need want wanna must like trying looking", two[1])
        });
        let would = self.pair(|a, b| is_in("would i'd we'd", a) && b == "like");
        let help = self.pair(|a, b| is_in("help show give tell teach guide walk", a) && is_in("me us", b));
        let have = self
            .words
            .windows(3)
            .any(|three| is_in("i we", three[0]) && three[1] == "have" && three[2] == "to");
        to_you
            || wants
            || would
            || help
            || have
            || self.words.iter().any(|word| is_in("please pls plz", word))
    }

    /// "Perfect summary": an adjective of praise before a noun.
    fn praises(&self) -> bool {
        let first = self.words.first().filter(|_| self.words.len() > 1);
        first.is_some_and(|first| is_in(PRAISE, first))
    }

    fn declines(&self) -> bool {
        let refuses = self.rest().first().is_some_and(|word| is_in(REFUSALS, word));
        refuses || self.pair(|a, b| is_in("no don't not", a) && is_in("need longer necessary have", b))
    }

    fn is_question(&self) -> bool {
        let first = self.rest().first();
        self.sentence_end == '?' || first.is_some_and(|first| is_in(WH, first) || is_in(AUXILIARIES, first))
    }

    fn asks_about_own(&self) -> bool {
        let writer = self.pair(|a, b| is_in(AUXILIARIES, a) && is_in("i we", b));
        let how_to = self.pair(|a, b| is_in("how where what when which", a) && b == "to");
        let has = |list: &str| self.words.iter().any(|word| is_in(list, word));
        how_to || (self.is_question() && !has("you your") && (writer || has("my our this these")))
    }

    fn states(&self) -> bool {
        let rest = self.rest();
        let subject = rest.first().is_some_and(|first| is_in(SUBJECTS, first));
        let finite = |word: &&&str| is_in(AUXILIARIES, word) && !is_in("do have may might shall", word);
        let verb = rest.iter().skip(1).any(|word| finite(&word) || is_in(PAST, word));
        // "Anna owns the gateway": a verb of the third person before an article.
        let third = rest.get(1..).unwrap_or_default().windows(2).any(|two| {
            two[0].ends_with('s')
                && !two[0].ends_with("ss")
                && is_in("a an the my our your his her its", two[1])
        });
        // "Cold emails never worked": an adverb between two other words.
        let adverb = rest.iter().skip(1).rev().skip(1).any(|word| is_in(FREQUENCIES, word));
        // "Is it true that the moth was real?" states something, too.
        let tells = self.sentence_end != '?' || self.words.contains(&"that");
        tells && rest.len() > 1 && (subject || verb || third || adverb)
    }

    fn is_past_unspaced(&self) -> bool {
        self.words.iter().any(|word| UNSPACED_PAST.split(' ').any(|ending| word.ends_with(ending)))
    }

    fn is_past(&self) -> bool {
        let after_subject = self.pair(|a, b| {
            is_in("i we he she they it you who that somebody someone never finally already just", a)
                && b.ends_with("ed")
        });
        after_subject || self.rest().iter().skip(1).any(|word| is_in(PAST, word))
    }
}

/// A question after a statement asks for advice about what was told: "we have 50 directories. Now what?"
fn asks_after_telling(clauses: &[Clause<'_>]) -> bool {
    let told = clauses.iter().position(Clause::states);
    let after = told.map_or(&[][..], |at| &clauses[at + 1..]);
    after.iter().any(|clause| {
        let asks = clause.rest().first().is_some_and(|word| is_in(WH, word));
        let exclaims = clause.pair(|a, b| a == "what" && is_in("a an", b));
        let about_you = clause.words.iter().any(|word| is_in("you your", word));
        !about_you && !exclaims && (asks || (clause.sentence_end == '?' && clause.starts_sentence))
    })
}

fn is_unfinished(clauses: &[Clause<'_>]) -> bool {
    let starts = clauses.first().and_then(|clause| clause.words.first());
    let last = clauses.last();
    let ends = last.filter(|clause| clause.end == ' ').and_then(|clause| clause.words.last());
    starts.is_some_and(|word| is_in(CONJUNCTIONS, word)) || ends.is_some_and(|word| is_in(ENDINGS, word))
}

/// Whether a word belongs to no closed class.
fn is_open(word: &str) -> bool {
    let closed = [
        stop::FUNCTION,
        LEADS,
        WH,
        AUXILIARIES,
        SUBJECTS,
        THANKS,
        CONJUNCTIONS,
        ENDINGS,
        PAST,
        REFUSALS,
        TIMES,
        ADVERBS,
    ];
    word.len() > 2
        && word.bytes().all(|b| b.is_ascii_lowercase())
        && !closed.iter().any(|list| is_in(list, word))
}

fn is_in(list: &str, word: &str) -> bool {
    list.split(' ').any(|listed| listed == word)
}

/// The text without quoted passages of two words or more and without quoted lines; whether there was one.
fn without_quotes(text: &str) -> (String, bool) {
    let mut own = String::with_capacity(text.len());
    let mut quoted = false;
    for line in text.split_inclusive('\n') {
        if line.starts_with('>') {
            quoted = true;
            continue;
        }
        let mut rest = line;
        while let Some((before, after)) = rest.split_once(['"', '“', '”']) {
            own.push_str(before);
            match after.split_once(['"', '“', '”']) {
                Some((inside, after)) if inside.split_whitespace().count() > 1 => {
                    quoted = true;
                    own.push_str(" quoted ");
                    rest = after;
                }
                _ => rest = after,
            }
        }
        own.push_str(rest);
    }
    (own, quoted)
}

fn clauses(text: &str) -> Vec<Clause<'_>> {
    let mut found: Vec<Clause<'_>> = Vec::new();
    let mut start = 0;
    let mut sentence = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let is_last = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
        let ends_sentence =
            matches!(c, '!' | '?' | ';' | '\n' | '。' | '？' | '！' | '；') || (c == '.' && is_last);
        if ends_sentence || matches!(c, ',' | '，' | '、' | ':') && is_last {
            push(&mut found, &text[start..at], c, sentence);
            start = at + c.len_utf8();
            if ends_sentence {
                end_sentence(&mut found[sentence..], c);
                sentence = found.len();
            }
        }
        if found.len() >= CLAUSES {
            return found;
        }
    }
    push(&mut found, &text[start..], ' ', sentence);
    found
}

fn push<'m>(found: &mut Vec<Clause<'m>>, text: &'m str, end: char, sentence: usize) {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'');
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    if !words.is_empty() {
        let starts_sentence = found.len() == sentence;
        found.push(Clause { words, end, starts_sentence, sentence_end: ' ' });
    }
}

fn end_sentence(clauses: &mut [Clause<'_>], mark: char) {
    let mark = if mark == '？' { '?' } else { mark };
    for clause in clauses {
        clause.sentence_end = mark;
    }
}

#[cfg(test)]
mod tests;
