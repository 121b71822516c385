use super::sort_tokens;
use crate::ranking::math::mix;

#[test]
fn any_number_of_tokens_is_sorted() {
    for length in [0, 1, 20, 32, 33, 127, 128, 129, 5000] {
        for spread in [u64::MAX, u64::MAX >> 8, 3 << 60, 0] {
            let mut tokens: Vec<u64> = (0..length).map(|seed| mix(mix(seed % 700 + 1)) & spread).collect();
            let mut sorted = tokens.clone();
            sorted.sort_unstable();
            sort_tokens(&mut tokens, &mut vec![7; 9]);
            assert_eq!(tokens, sorted);
        }
    }
}
