use crate::bare;
use insta::assert_snapshot;

#[test]
fn a_host_that_is_not_known_is_a_usage_error() {
    assert_snapshot!(bare().see("view --as nobody"), @"
    exit: 2
    ----- stderr -----
    error: there is no agent `nobody`
    hint: `skillful hosts` lists the agents
    ");
}
