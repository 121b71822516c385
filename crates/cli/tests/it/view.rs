use crate::bare;
use insta::assert_snapshot;

#[test]
fn a_host_that_is_not_known_is_a_usage_error() {
    assert_snapshot!(bare().see("view --as nobody"), @"");
}
