//! Stop words, which carry no information about a topic.

/// Function words: dropped from requests and from skills.
pub(crate) const FUNCTION: &str = "\
a about above after again all also although am an and any anyone anything are aren as at be because been \
before being below between both but by can cannot could couldn d did didn do does doesn doing don during \
each either else even ever every few for from further had has hasn have haven having he her here hers him \
his how however i if in instead into is isn it its itself just let ll m may me might more most much must \
my myself neither no nor not now of off on once only onto or other otherwise our ours out over own per \
rather re s same shall she should shouldn since so some something somewhat such t than that the their \
theirs them then there these they this those though through thus to too under until up upon us ve very was \
wasn we well were weren what whatever when whenever where whether which while who whoever whom whose why \
will with within without won would wouldn yet you your yours yourself";

/// Phrasing of requests: dropped from requests only.
pub(crate) const REQUEST: &str = "\
actually ask asked asking basically bit currently dear ensure exactly get gets getting give given gives go \
going gonna good got gotta great guess hello help helped helping helps hey hi hope kind kindly know like \
little look looking lot make makes making maybe mind need needed needs nice ok okay one ones please pls \
quick quickly really right say see simply sort start sure take tell thank thanks thing things think tried \
try trying want wanted wants wanna way wish wonder wondering yeah yes use used using uses new able bunch \
properly correctly \
请 帮我 请帮 我的 我们 我想 想要 需要 可以 怎么 什么 这个 一个 如何 给我 一下 是否 那个 这些 那些 帮忙 我要 能不 不能 \
ください てくだ して する です ます した たい こと これ この その して れを から まで 請幫 幫我 這個 什麼 \
해줘 해주 주세 세요 싶어 하고 이거";

/// Function words of other languages that are not also English words: dropped like [`FUNCTION`].
pub(crate) const FOREIGN: &str = "\
de la el los las un una unos unas del al y que en por para con sus este esta estos estas ese esa eso esto mi mis \
es quiero necesito puedes puedo como muy pero más favor donde cuando porque tengo hay ser está están lo le les se \
der das und ein eine einen einem einer eines ist sind mit für auf von zu zum zur dem den des ich du er sie wir ihr \
mein meine meinen meiner meinem dein bitte wie wenn nicht auch aus bei nach oder dass möchte kann kannst brauche \
le les une et du au aux je tu il elle nous vous mon ma mes ton ta tes ce cette ces dans sur avec pour sans est \
sont qui quoi comment veux voudrais besoin peux pouvez faire fais moi s'il plaît qu \
o os um uma uns umas da do das dos na nos nas pelo pela meu minha meus minhas isto isso quero preciso pode você \
não também em ao aos seu sua com \
и в во не на я что с со как а то все она так его но да ты к у же вы за бы по ее мне было вот от меня еще нет о из \
ему для мой моя мое мои это этот эта эти нужно можно хочу помоги как-то или если чтобы при уже";
