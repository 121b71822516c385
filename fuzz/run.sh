#!/bin/sh
# Fuzzes every target for SECONDS (20 by default). Needs a nightly compiler and cargo-fuzz.
# Usage: fuzz/run.sh [SECONDS] [TARGET...]
set -eu
cd "$(dirname "$0")"
seconds=${1:-20}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- skill_md body archive agent_profile turn index work stream signers audit
# All targets are built at once, so that no dependency is built twice.
cargo +nightly fuzz build --fuzz-dir .
# Two C grammars define a table of the same name, which is not a memory error.
ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_odr_violation=0"
export ASAN_OPTIONS
for target in "$@"; do
    mkdir -p "corpus/$target"
    echo "fuzzing $target for $seconds s"
    cargo +nightly fuzz run --fuzz-dir . "$target" "corpus/$target" "seeds/$target" -- \
        -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=8192 -print_final_stats=0
done
