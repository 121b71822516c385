#!/usr/bin/env bash
# The steps of the GitHub Action. Runs anywhere: it installs the program unless it is there, runs the commands, prints the
# findings, and writes SARIF files for an upload.
set -euo pipefail
path=${SKILLFUL_PATH:-.} commands=${SKILLFUL_COMMANDS:-check audit} version=${SKILLFUL_VERSION:-}
fail_on=${SKILLFUL_FAIL_ON:-warning} sarif=${SKILLFUL_SARIF:-}

if ! command -v skillful >/dev/null; then
    python3 -m pip install --quiet "skillful-rs${version:+==$version}"
fi
skillful --version

failed=0
for command in $commands; do
    case $command in
        check) words=(check "$path" --fail-on "$fail_on") ;;
        audit)
            case $fail_on in error) weight=block ;; warning) weight=warn ;; *) weight=note ;; esac
            words=(audit "$path" --fail-on "$weight")
            ;;
        *) echo "error: unknown command \"$command\"; use check or audit" >&2; exit 2 ;;
    esac
    if [ -n "$sarif" ]; then
        mkdir -p "$sarif"
        # The text below decides about the result; this file is for code scanning.
        skillful "${words[@]}" --format sarif >"$sarif/$command.sarif" || true
    fi
    code=0
    skillful "${words[@]}" || code=$?
    if [ "$code" -ne 0 ]; then
        failed=1
        [ -z "${GITHUB_ACTIONS:-}" ] || echo "::error title=skillful $command::findings in $path (exit code $code)"
    fi
done
exit "$failed"
