//! Classifies the form of a message: a request for work, a question, or a statement.

use super::text::prefix;

/// The form of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Form {
    /// Asks for something to be done: "can you", "I need", "how do I", "帮我".
    pub(crate) request: bool,
    /// A sentence starts with an imperative verb: "fix", "write", "deploy".
    pub(crate) order: bool,
    /// Starts like a question: "what", "is", "did".
    pub(crate) question: bool,
    /// Makes a statement about the writer: "I was", "my boss".
    pub(crate) statement: bool,
    /// Speaks to or about the assistant: "are you", "do you think".
    pub(crate) chat: bool,
    /// Ends or cancels a request: "never mind", "thanks".
    pub(crate) over: bool,
    /// Describes feelings or past events: "I felt", "yesterday", "my sister".
    pub(crate) tale: bool,
    /// Asks for a fact: "how old is", "who wrote".
    pub(crate) fact: bool,
}

/// Bytes of a message that are examined.
const LIMIT: usize = 600;
/// Sentences of a message that are examined.
const SENTENCES: usize = 12;

const REQUESTS: &str = "can you |could you |would you |will you |please|help me|i need|we need|i want|we want|\
i'd like|i would like|we'd like|how do i|how do we|how to |how can i|how can we|how should|what should|\
should i |should we |show me|walk me|give me|make me|帮我|帮忙|请|幫|ください|して欲しい|してほしい|해줘|помоги|нужно|\
necesito|quiero|ayúda|ich brauche|ich möchte|hilf mir|je veux|j'ai besoin|aide-moi|preciso|quero|me ajud|хочу";
const ORDERS: &str = "add adjust analyse analyze answer apply assess audit automate backtest benchmark book \
brainstorm break build bump calculate capture change check choose classify clean clone collect combine compare \
compile complete compose compress compute configure connect convert copy correct crawl create cut debug decide \
define delete deploy describe design detect determine develop diagnose document download draft draw edit \
enable estimate evaluate execute explain explore export extend extract fetch figure fill filter find finish \
fix format gather generate get guide identify implement import improve increase initialize inspect install \
integrate investigate invoke launch lint list load look lower make manage map measure merge migrate model \
modify monitor move name open optimise optimize order organise organize outline package parse perform pick plan \
plot port post predict prepare print prioritise prioritize process produce profile propose prototype provide \
publish pull push put query rank read rebase rebuild recommend reconcile record reduce refactor release remove \
rename render reorganize replace reproduce research resize resolve restore restructure review rewrite roll run \
save scaffold scan schedule score scrape search secure select send set setup shorten show simplify simulate \
solve sort spec split start stop structure suggest summarise summarize swap sync take teach test tidy trace track \
train transcribe transform translate triage trigger troubleshoot try tune turn update upgrade upload use validate \
verify visualise visualize watch wire wrap write";
const LEADS: &str = "please now then ok okay hey hi so also and first next just yes great";
const QUESTIONS: &str = "what what's who who's whom when where why which is are was were do does did have has will \
would can could should how how's isn't don't";
const TELLERS: &str = "i i'm i've i'd i'll my we we've our he she they it it's that that's the this you you're there \
people everyone everybody nobody someone so well";
const CHAT: &str = "are you|do you|did you|have you|were you|don't you|would you rather|can you feel|you think|\
your opinion|your favorite|your favourite|your name|your take|your day|who made you|good morning|good night|\
good evening|hello|how's it|you know|tell me a|tell me something|sing |joke|haha|lol|happy birthday|你觉得|你喜欢|你好|早上好|晚安|おはよう|こんにちは|こんばんは|안녕|hola|buenos días|\
guten morgen|guten tag|bonjour|salut|bom dia|olá|привет|доброе утро|добрый день";
const OVER: &str = "thank|never mind|nevermind|forget what|forget about|forget it|forget that|no need|don't need|\
don't worry|don't change|ignore my|ignore that|ignore what|scratch that|not any more|anymore|already fixed|\
already did|already done|decided not to|that's all|that's enough|that was all|all good|it works now|works now|\
see you|talk tomorrow|let's pause|let's stop|let's leave|let's continue|until tomorrow|hold on|excuse|sorry|\
just want to chat|got it|makes sense|谢谢|不用了|已经解决|ありがとう|gracias|danke|merci|obrigad|спасибо|감사";
const TALES: &str = "i feel|i felt|i love|i hate|i dream|i remember|i used to|i can't believe|i can't stop|i wish|\
i hope|i was |i had |i saw |i read |i watched|i spent|i've been|i've never|i never|i think|i finally|i just got|\
i'm so|i am so|i'm bored|i'm nervous|yesterday|last night|last week|last year|these days|my friend|my boss|\
my manager|my colleague|my sister|my brother|my mom|my mum|my dad|my mother|my father|my husband|my wife|my son|\
my daughter|my kid|my neighbour|my neighbor|my cat|my dog|my grandm|my doctor|so happy|so tired|so weird|funny|\
what a |proud|we finally|had a great|had a wonderful|went well|went great|昨天|今天天气|昨日|今日は|ayer|gestern|hier |вчера";
const FACTS: &str = "is it true|who wrote|who invented|who was |who is |who won|when was |when did |when is |\
where is |where does|where was|how old|how tall|how far|how big|how many |what year|what time|what day|\
what's the capital|what is the capital|what does the|what's the difference between|which came first|why is the|\
why are |why do people|was the |did you know|in one word|in one sentence|just for fun|just curious";

impl Form {
    pub(crate) fn of(message: &str) -> Self {
        let lower = prefix(message.trim(), LIMIT).to_lowercase().replace('’', "'");
        let says = |phrases: &str| phrases.split('|').any(|phrase| lower.contains(phrase));
        let starts = |words: &str| first_word(&lower).is_some_and(|first| has_word(words, first));
        let mut sentences = lower.split(['.', '!', '?', ';', '\n', ',']).take(SENTENCES);
        let order = sentences.find_map(ordering).is_some();
        let request = says(REQUESTS);
        // A message may describe an event first and then ask for work; then it is a request.
        let plain = !request && !order;
        Self {
            request,
            order,
            question: plain && starts(QUESTIONS),
            statement: plain && starts(TELLERS),
            chat: says(CHAT),
            over: says(OVER),
            tale: plain && says(TALES),
            fact: plain && says(FACTS),
        }
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty())
}

fn first_word(text: &str) -> Option<&str> {
    words(text).next()
}

fn has_word(list: &str, word: &str) -> bool {
    list.split(' ').any(|listed| listed == word)
}

/// The imperative verb at the start of a sentence.
fn ordering(sentence: &str) -> Option<&str> {
    words(sentence).find(|word| !has_word(LEADS, word)).filter(|word| has_word(ORDERS, word))
}
