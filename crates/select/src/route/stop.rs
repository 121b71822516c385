//! Words that say nothing about a subject.

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

/// Request boilerplate: dropped from requests only.
pub(crate) const REQUEST: &str = "\
actually ask asked asking basically bit currently dear ensure exactly get gets getting give given gives go \
going gonna good got gotta great guess hello help helped helping helps hey hi hope kind kindly know like \
little look looking lot make makes making maybe mind need needed needs nice ok okay one ones please pls \
quick quickly really right say see simply sort start sure take tell thank thanks thing things think tried \
try trying want wanted wants wanna way wish wonder wondering yeah yes use used using uses new able bunch \
properly correctly";
