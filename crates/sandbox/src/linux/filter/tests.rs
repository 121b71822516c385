use super::*;

const NEEDS: Needs = Needs { network: Network::Denied, hidden: false, sockets: false, signals_kept: true };

#[test]
fn every_filter_is_within_the_size_limit_of_the_kernel() {
    const MOST: usize = 4096;
    for network in [Network::Denied, Network::Allowed] {
        for hidden in [true, false] {
            for (sockets, signals_kept) in [(true, true), (true, false), (false, true), (false, false)] {
                let length = filter(Needs { network, hidden, sockets, signals_kept }).unwrap().len();
                assert!(length < MOST, "{length}");
            }
        }
    }
}

#[test]
fn a_filter_has_eight_bytes_per_instruction() {
    let program = filter(NEEDS).unwrap();
    assert_eq!(bytes(&program).len(), program.len() * 8);
}

#[test]
fn less_protection_by_the_tier_means_more_is_denied_by_the_filter() {
    let hidden = filter(Needs { hidden: true, ..NEEDS }).unwrap().len();
    let ruled = filter(NEEDS).unwrap().len();
    let refused = filter(Needs { signals_kept: false, ..NEEDS }).unwrap().len();
    assert!(hidden < ruled && ruled < refused, "{hidden} {ruled} {refused}");
}

#[test]
fn the_requests_to_a_terminal_are_those_of_the_system() {
    let system = [libc::TIOCSTI.to_string(), libc::TIOCLINUX.to_string(), libc::TIOCSETD.to_string()];
    assert_eq!(TERMINAL_REQUESTS.map(|request| request.to_string()), system);
}
