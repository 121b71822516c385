#!/bin/sh
# The short run of CI: every target for 20 seconds, if a nightly compiler is installed. The long
# run is `fuzz/run.sh 3600`. Without a nightly compiler this script prints that fuzzing was not run.
set -eu
cd "$(dirname "$0")/.."
if ! cargo +nightly --version >/dev/null 2>&1; then
    echo "fuzzing NOT RUN: no nightly compiler is installed"
    exit 0
fi
cargo fuzz --version >/dev/null 2>&1 || cargo install cargo-fuzz --locked --quiet --debug
exec fuzz/run.sh "${1:-20}"
