#!/bin/sh
# The short run of CI: every target for 20 seconds, where a nightly compiler is at hand. The long
# run is `fuzz/run.sh 3600`. Without a nightly the property tests stand alone, and this says so.
set -eu
cd "$(dirname "$0")/.."
if ! cargo +nightly --version >/dev/null 2>&1; then
    echo "fuzzing NOT RUN: there is no nightly compiler on this machine"
    exit 0
fi
cargo fuzz --version >/dev/null 2>&1 || cargo install cargo-fuzz --locked --quiet
exec fuzz/run.sh "${1:-20}"
