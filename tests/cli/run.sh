#!/bin/sh
# The command-line tool as a user meets it: exit codes, error lines, files. Usage: run.sh TOOL SOURCE_DIRECTORY
set -u
tool=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
source_directory=$(cd "$2" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/rubble-cli.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
unset LC_ALL LANG RUBBLE_MODELS

complain()
{
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# run CODE ARGUMENT...: the exit code must be CODE; standard output and error are left in $work/out and $work/err. A
# failure says so in exactly one line that begins with "rubble: ", a success says nothing on standard error.
run()
{
    expected=$1
    shift
    "$tool" "$@" >"$work/out" 2>"$work/err"
    code=$?
    lines=$(wc -l <"$work/err")
    [ "$code" -eq "$expected" ] || complain "exit code $code instead of $expected: rubble $* ($(head -n 1 "$work/err"))"
    if [ "$expected" -eq 0 ]; then
        [ "$lines" -eq 0 ] || complain "words on standard error: rubble $*: $(cat "$work/err")"
    else
        [ "$lines" -eq 1 ] || complain "$lines error lines instead of one: rubble $*"
        grep -q '^rubble: .' "$work/err" || complain "error line without 'rubble: ': rubble $*"
    fi
}

# silent ARGUMENT...: succeeds and prints nothing at all.
silent()
{
    run 0 "$@"
    [ ! -s "$work/out" ] || complain "words on success: rubble $*: $(head -n 1 "$work/out")"
}

# said TEXT: the last error line contains it.
said()
{
    grep -qF -- "$1" "$work/err" || complain "the error line has no '$1': $(cat "$work/err")"
}

# printed PATTERN: a line of the last standard output matches.
printed()
{
    grep -q -- "$1" "$work/out" || complain "the output has no '$1'"
}

# lidless FILE: a unit box without its lid.
lidless()
{
    cat >"$1" <<'END'
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v 0 0 1
v 1 0 1
v 1 1 1
v 0 1 1
f 1 4 3 2
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
END
}

for part in "$source_directory"/tests/cli/part_*.sh; do
    # shellcheck disable=SC1090
    . "$part"
done

if [ "$failures" -ne 0 ]; then
    echo "$failures failures" >&2
    exit 1
fi
echo "all as expected"
