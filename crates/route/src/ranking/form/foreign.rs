//! The form of a message in some other languages: Spanish, Portuguese, French, German, Russian, Chinese, Japanese and Korean.
//!
//! As in English, the closed classes decide: an open word before an article or a possessive is an order, a question word with a
//! possessive such as "my" asks about the writer's own work, a possessive or a pronoun at the start states something.

use super::{Clause, is_in};
use crate::ranking::{stop, text::is_unspaced};

/// Articles, possessives and demonstratives.
const DETERMINERS: &str = "el la los las un una unos unas mi mis nuestro nuestra nuestros nuestras este esta estos estas ese esa \
der das den dem ein eine einen einem einer mein meine meinen meinem meiner unser unsere unseren unserem dieser diese dieses diesen \
le les une mon ma mes notre nos ce cet cette ces du des \
um uma meu minha meus minhas nosso nossa nossos nossas esse essa esses \
мой мою мои моё наш нашу наши этот эту эти это";
/// Possessives and pronouns of the writer: "my", "we".
const OWN: &str = "mi mis nuestro nuestra nuestros nuestras mein meine meinen meinem meiner unser unsere unseren unserem ich wir \
mon ma mes notre nos je nous j'ai meu minha meus minhas nosso nossa nossos nossas eu мой моя моё мои мою наш наша наше наши я мы";
/// Words that start a statement.
const SUBJECTS: &str =
    "yo nosotros él ella ellos ich wir er sie je nous il elle ils eu nós ele ela eles я мы он она они";
const QUESTIONS: &str = "qué cómo cuál cuándo dónde quién por como qual quando onde quem que was wie welche welcher welches wann wo wer \
warum wieso weshalb comment quel quelle quels quelles quand où qui pourquoi что как какой какая какие когда где кто почему";
/// Forms that ask the reader to act.
const POLITE: &str = "puedes puede podrías podría pode poderia podes kannst könntest können könnten peux peut pouvez pourrais pourriez \
можешь можете bitte пожалуйста bräuchte";
/// Other closed classes: no order starts with one of these.
const CLOSED: &str = "nicht kein keine no não ne pas et und y e ou oder si wenn quand cuando quando aber pero mas mais dass que qui \
très muy sehr muito con mit avec com para für pour ist sind es son est sont é são hay gibt war waren era fue étais était foi hat haben \
ha han a ont tem têm seit desde depuis hace";
/// Verbs at the start of a clause, in scripts without spaces.
const UNSPACED_ORDERS: &str = "检查|分析|生成|创建|编写|撰写|优化|翻译|总结|设计|修复|部署|整理|制作|查找|搜索|比较|转换|提取|评估|审查|规划|解释|添加|\
删除|更新|运行|测试|配置|安装|实现|重构|列出|画|做|写|改|把|将|檢查|產生|建立|撰寫|優化|翻譯|總結|設計|修復|製作|查詢|搜尋|轉換|提取|評估|審查|規劃|解釋|\
新增|刪除|執行|測試|設定|安裝|實作|重構|畫|寫|將|調查|研究|帮|幫|看看|查一下";
/// Endings of requests and orders in Japanese and Korean.
const UNSPACED_ENDINGS: &str = "して 教えて ください 下さい ほしい 欲しい たい てくれ てね 줘 줘요 주세요 줄래 할까 싶어 싶어요 싶다 하자 해라 해봐";

impl Clause<'_> {
    /// An open word before an article or a possessive ("adapte mon CV"), or a verb in a script without spaces.
    pub(super) fn orders_elsewhere(&self) -> bool {
        let Some(first) = self.words.first() else { return false };
        if first.starts_with(is_unspaced) {
            return UNSPACED_ORDERS.split('|').any(|verb| first.starts_with(verb));
        }
        let second = self.words.get(1).is_some_and(|second| is_in(DETERMINERS, second));
        let closed = [DETERMINERS, OWN, SUBJECTS, QUESTIONS, POLITE, CLOSED, stop::FOREIGN, stop::FUNCTION];
        second
            && first.chars().count() > 2
            && !closed.iter().any(|list| list.split_whitespace().any(|word| word == *first))
    }

    pub(super) fn asks_elsewhere(&self) -> bool {
        let last = self.words.last().filter(|word| word.starts_with(is_unspaced));
        self.words.iter().any(|word| is_in(POLITE, word))
            || last.is_some_and(|last| UNSPACED_ENDINGS.split(' ').any(|ending| last.ends_with(ending)))
    }

    pub(super) fn asks_about_own_elsewhere(&self) -> bool {
        let asks =
            self.sentence_end == '?' || self.words.first().is_some_and(|first| is_in(QUESTIONS, first));
        asks && self.words.iter().any(|word| is_in(OWN, word))
    }

    /// Starts with a pronoun or a possessive: "unsere Datenbank läuft in Frankfurt".
    pub(super) fn states_elsewhere(&self) -> bool {
        let first = self.words.first().filter(|_| self.words.len() > 2 && self.sentence_end != '?');
        first.is_some_and(|first| is_in(OWN, first) || is_in(SUBJECTS, first))
    }
}
