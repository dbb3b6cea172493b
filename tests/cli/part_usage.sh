# shellcheck shell=sh disable=SC2154
# Help, versions, completion, manual, and every way to get the command line wrong.

run 0 --help
printed '^Usage: rubble COMMAND'
run 0 -h
for command in $("$tool" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p'); do
    run 0 "$command" --help
    printed "^Usage: rubble $command"
    cp "$work/out" "$work/help"
    run 0 help "$command"
    cmp -s "$work/out" "$work/help" || complain "help $command differs from $command --help"
done
run 0 --version
printed '^rubble [0-9][0-9]*\.[0-9][0-9]*\.[0-9][0-9]*$'
run 0 help
run 2 help nothing
run 2 help benhc
said 'did you mean bench?'
run 2 help bench nothing

run 2
said 'no command given'
run 2 benhc
said 'did you mean bench?'
run 2 --nonsense
run 2 bench --nonsense
run 2 bench nothing
run 2 bench base base
run 2 bench base --json=yes
run 2 bench base --threads
run 2 bench base --threads 0
run 2 bench base --threads 65
run 2 bench base --threads two
run 2 bench base -x
run 2 completion
run 2 completion csh
run 2 "$(printf 'two\nlines\033[31m')"

run 0 bench
printed '^base '
run 0 bench base --quick --threads 2
printed '^base:'
run 0 bench base --quick --json --threads=1
for key in '"bench": "base"' '"version": "' '"machine": "' '"threads": 1,' '"rows": \[' '"case": "' '"metric": "' \
    '"value": ' '"unit": "' '"peer": ' '"peerValue": ' '"paper": null'; do
    printed "$key"
done

run 0 bench mesh --quick
printed '^mesh:'
run 0 --quiet bench bvh --quick
printed '^bvh:'
printed 'build, quality, 2T'
run 0 --quiet bench world --quick
printed '^world:'
printed 'equal hashes with 1, 2, 3, 8 threads *4 of 4'

# Methods and their parameters come from the library's table: all keys of the schema are there, with ranges and defaults.
run 0 methods
printed '^none  *the body never breaks$'
printed '^prescored  '
printed '^  pieces  *whole number, at least 1, at most 10000; default 25$'
printed '^  crumbs  *choice (merge, debris); default merge$'
printed '^  smallest  *number, at least 0, below 1; default 0.001$'
printed '^  variation.layers.spacing  *number, at least 0; required in its group$'
run 0 methods xfem
printed '^xfem  *reserved for a later version$'
[ "$(wc -l <"$work/out")" = 1 ] || complain "methods xfem prints more than its line"
run 2 methods stres
said 'did you mean stress?'
run 2 methods stress stress
run 0 methods --json
cp "$work/out" "$work/methods.json"
if command -v python3 >/dev/null; then
    python3 - "$work/methods.json" "$source_directory/docs/scene.schema.json" <<'END' || complain "methods and schema differ"
import json, sys
methods = {m["name"]: m for m in json.load(open(sys.argv[1]))["methods"]}
schema = json.load(open(sys.argv[2]))["definitions"]["fracture"]["oneOf"]
def walk(rules, group=""):
    for key, rule in rules.items():
        if "properties" in rule:
            yield from walk(rule["properties"], group + key + ".")
        elif group + key != "method":
            yield group + key, rule
named = 0
for variant in schema:
    name = variant["properties"]["method"]["const"]
    named += 1
    rules = dict(walk(variant["properties"]))
    rows = {row["key"]: row for row in methods[name]["parameters"]}
    assert rows.keys() == rules.keys(), (name, rows.keys() ^ rules.keys())
    for key, row in rows.items():
        assert row["about"] == rules[key]["description"], key
        if "default" in rules[key]:
            assert row["default"] == rules[key]["default"], key
assert named == len(methods) and sum(m["breaks"] for m in methods.values()) >= 2
assert not methods["none"]["breaks"] and methods["none"]["parameters"] == []
END
fi

run 0 completion bash
bash -n "$work/out" 2>/dev/null || ! command -v bash >/dev/null || complain "bash does not read its completion"
cp "$work/out" "$work/completion.bash"
if command -v bash >/dev/null; then
    mkdir -p "$work/files/folder"
    : >"$work/files/mesh.obj"
    : >"$work/files/other.txt"
    completed()
    {
        # shellcheck disable=SC2016
        bash -c 'cd "$1" && . "$2" && shift 2 && COMP_WORDS=("$@") && COMP_CWORD=$(($# - 1)) && _rubble &&
            echo "${COMPREPLY[*]}"' bash "$work/files" "$work/completion.bash" "$@"
    }
    [ "$(completed rubble be)" = bench ] || complain "bash does not complete be to bench"
    [ "$(completed rubble bench --js)" = --json ] || complain "bash does not complete --js"
    [ "$(completed rubble demo f)" = folder ] || complain "bash does not complete folders"
    [ "$(completed rubble methods str)" = 'stress' ] || complain "bash does not complete methods"
    [ "$(completed rubble info '')" = 'folder mesh.obj' ] || complain "bash completes the wrong files"
    [ "$(completed rubble convert --axis = y)" = yup-to-zup ] || complain "bash does not complete choices"
    : >"$work/files/old.png"
    [ "$(completed rubble picture mesh.obj -o '')" = 'folder old.png' ] || complain "bash does not complete pictures"
    [ "$(completed rubble picture mesh.obj '')" = 'folder mesh.obj' ] || complain "bash does not complete second files"
    rm "$work/files/old.png"
    [ "$(completed rubble make box --siz)" = --size ] || complain "bash does not complete the options of solids"
    [ "$(completed rubble completion z)" = zsh ] || complain "bash does not complete z to zsh"
fi
run 0 completion zsh
! command -v zsh >/dev/null || zsh -n "$work/out" || complain "zsh does not read its completion"
run 0 completion fish
! command -v fish >/dev/null || fish -n "$work/out" || complain "fish does not read its completion"

run 0 man
printed '^\.TH RUBBLE 1'
if command -v groff >/dev/null; then
    groff -man -ww -z -Tascii "$work/out" >"$work/groff" 2>&1
    [ ! -s "$work/groff" ] || complain "groff warns about the manual: $(head -n 1 "$work/groff")"
fi
run 0 man --markdown
cmp -s "$work/out" "$source_directory/docs/cli.md" ||
    complain "docs/cli.md is stale: rubble man --markdown > docs/cli.md"

# Output that cannot be written is a failure.
if [ -e /dev/full ]; then
    "$tool" --help >/dev/full 2>"$work/err"
    [ $? -eq 1 ] || complain "a full disk under standard output is not noticed"
    said 'standard output: '
fi
"$tool" --help >&- 2>"$work/err"
[ $? -eq 1 ] || complain "a closed standard output is not noticed"
# The tool starts when the other end of the pipe is gone for sure.
(
    (
        trap '' PIPE
        while echo 2>/dev/null; do :; done
    )
    "$tool" man 2>"$work/err"
    echo $? >"$work/code"
) | :
[ "$(cat "$work/code")" -eq 1 ] || complain "a broken pipe is not noticed"
"$tool" nonsense 2>&-
[ $? -eq 2 ] || complain "a closed standard error changes the exit code"
