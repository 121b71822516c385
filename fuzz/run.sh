#!/bin/sh
# Fuzzes every target for SECONDS (20 by default). Needs a nightly compiler and cargo-fuzz.
# Usage: fuzz/run.sh [SECONDS] [TARGET...]
set -eu
cd "$(dirname "$0")"
seconds=${1:-20}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- skill_md body archive agent_profile turn index work stream signers audit
for target in "$@"; do
    case "$target" in
        agent_profile) features='--features profiles' ;;
        turn | index | work) features='--features turn' ;;
        signers) features='--features registry' ;;
        stream) features='--features llm' ;;
        audit) features='--features audit' ;;
        *) features= ;;
    esac
    # Two C grammars define a table of the same name, which is not a memory error.
    ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_odr_violation=0"
    export ASAN_OPTIONS
    mkdir -p "corpus/$target"
    echo "fuzzing $target for $seconds s"
    # shellcheck disable=SC2086 # the features are two words
    cargo +nightly fuzz run --fuzz-dir . $features "$target" "corpus/$target" "seeds/$target" -- \
        -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=8192 -print_final_stats=0
done
