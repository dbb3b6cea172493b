# shellcheck shell=sh disable=SC2154
# Recordings: written, looked at, replayed, cut, killed.

scenes=$source_directory/scenes
run 0 simulate "$scenes/disrupted_stack.json" -o "$work/stack.rbl" --stats "$work/stack.json" --threads 2
[ ! -e "$work/stack.rbl.part" ] || complain "a complete recording left its .part behind"
hash=$(sed -n 's/.*"hash": "\(.*\)".*/\1/p' "$work/stack.json")
run 0 info "$work/stack.rbl"
printed '^  state  *complete$'
printed '^  steps  *240 of 240 (8 s'
printed "^  hash  *$hash\$"
run 0 info "$work/stack.rbl" --json
printed '"complete": true'
printed '"bodies": 10,'
printed '"events": 1,'
for threads in 1 3; do
    run 0 replay "$work/stack.rbl" --verify --threads "$threads"
    printed 'every step is the same'
done
run 0 replay "$work/stack.rbl" --json
printed '"same": true'
printed "\"hash\": \"$hash\""
run 0 simulate "$scenes/disrupted_stack.json" -o "$work/small.rbl" --quantise
run 0 replay "$work/small.rbl" --verify
[ "$(wc -c <"$work/small.rbl")" -lt "$(wc -c <"$work/stack.rbl")" ] || complain "rounding does not make recordings smaller"

# Cut short: what is whole is used, and a note names the byte.
head -c "$(($(wc -c <"$work/stack.rbl") - 40))" "$work/stack.rbl" >"$work/cut.rbl"
"$tool" info "$work/cut.rbl" >"$work/out" 2>"$work/err" || complain "a recording that was cut short is refused"
grep -q 'cut.rbl: byte [0-9]*: the file ends within a chunk.* steps before it are used' "$work/err" ||
    complain "no note about the cut: $(cat "$work/err")"
"$tool" export "$work/cut.rbl" --quiet -o "$work/cut.csv" 2>"$work/err" || complain "a recording that was cut short is not exported"
grep -q 'cut.rbl: byte [0-9]*: the file ends within a chunk.* steps before it are used' "$work/err" ||
    complain "no note about the cut of what is exported: $(cat "$work/err")"
run 0 replay "$work/cut.rbl" --verify --quiet
run 0 info "$work/cut.rbl" --quiet
printed '^  state  *byte [0-9]*: '

# Refused: no recording, too short, another version, a step that is not what it was.
run 1 replay "$scenes/disrupted_stack.json"
said 'byte 0: this is not a recording'
printf 'no recording at all' >"$work/letter.rbl"
run 1 info "$work/letter.rbl"
said 'letter.rbl: byte 0: this is not a recording'
head -c 40 "$work/stack.rbl" >"$work/short.rbl"
run 1 info "$work/short.rbl"
said 'byte 16: the file ends within a chunk'
{ head -c 8 "$work/stack.rbl" && printf '\007' && tail -c +10 "$work/stack.rbl"; } >"$work/new.rbl"
run 1 info "$work/new.rbl"
said 'version 7 of recordings; this version of Rubble reads version 2'
run 1 replay "$work/none.rbl"
cp "$work/stack.rbl" "$work/left.rbl.part"
run 1 info "$work/left.rbl"
run 1 replay "$work/left.rbl"
said 'left.rbl.part holds an unfinished run'
run 1 simulate "$scenes/slide_and_stop.json" -o "$work/no_such_folder/run.rbl"
run 2 replay

# A disk that fills up in mid-run: said in one line, the old recording stays, and what was written is there.
cp "$work/stack.rbl" "$work/filled.rbl"
(
    trap '' XFSZ
    ulimit -f 32
    "$tool" simulate "$scenes/disrupted_stack.json" -o "$work/filled.rbl" --quiet
) >"$work/out" 2>"$work/err"
[ $? -eq 1 ] || complain "a recording on a full disk is not noticed"
[ "$(wc -l <"$work/err")" -eq 1 ] || complain "a full disk is not told in one line: $(cat "$work/err")"
grep -q 'filled.rbl.part: cannot be written: ' "$work/err" || complain "a full disk: $(cat "$work/err")"
cmp -s "$work/filled.rbl" "$work/stack.rbl" || complain "a full disk destroys the old recording"
run 0 replay "$work/filled.rbl.part" --verify --quiet
run 0 info "$work/filled.rbl.part" --json --quiet
printed '"complete": false'
for ending in glb usda csv obj pvd; do
    mkdir "$work/full"
    run 0 export "$work/stack.rbl" -o "$work/full/run.$ending" --every 100 --quiet
    (cd "$work/full" && find . -type f -exec cksum {} + | sort) >"$work/before"
    (
        trap '' XFSZ
        ulimit -f 2
        "$tool" export "$work/stack.rbl" -o "$work/full/run.$ending" --every 50 --quiet
    ) >"$work/out" 2>"$work/err"
    [ $? -eq 1 ] || complain "an export to $ending on a full disk is not noticed"
    [ "$(wc -l <"$work/err")" -eq 1 ] || complain "a full disk, $ending: $(cat "$work/err")"
    (cd "$work/full" && find . -type f -exec cksum {} + | sort) | cmp -s - "$work/before" ||
        complain "a full disk changes what an export to $ending had written"
    rm -r "$work/full"
done

# Frames of a sheet and steps of a recording cannot be left out.
run 1 export "$work/stack.rbl" -o "$work/sheet.png" --every 2
said 'sheet.png: --every means nothing here: a sheet always has nine frames'
run 1 simulate "$scenes/disrupted_stack.json" -o "$work/sheet.rbl" --every 2
said 'sheet.rbl: --every means nothing here: a recording has every step'

# Killed at any moment: every file is readable up to its last whole chunk, and replays as far as it goes.
sed 's/"duration": *[0-9.]*/"duration": 60/' "$scenes/dominoes.json" >"$work/long.json"
for moment in 0.05 0.11 0.17 0.23 0.31 0.4 steps; do
    rm -f "$work/killed.rbl.part"
    "$tool" simulate "$work/long.json" -o "$work/killed.rbl" --quiet >/dev/null 2>&1 &
    process=$!
    if [ "$moment" = steps ]; then # as soon as there is something to read
        while kill -0 "$process" 2>/dev/null && ! "$tool" info "$work/killed.rbl.part" --quiet >/dev/null 2>&1; do
            sleep 0.02
        done
    else
        sleep "$moment"
    fi
    kill -9 "$process" 2>/dev/null
    wait "$process" 2>/dev/null
    if "$tool" info "$work/killed.rbl.part" --quiet --json >"$work/out" 2>"$work/err"; then
        grep -q '"complete": false' "$work/out" || complain "a run that was killed left a complete recording"
    else
        grep -q 'killed.rbl.part: ' "$work/err" || complain "a killed run: $(cat "$work/err")"
    fi
done
run 0 replay "$work/killed.rbl.part" --verify --quiet

# Stopped and resumed: the statistics and the recording are those of a run that was not stopped.
cp "$scenes/wrecking_ball.json" "$work/wall.json"
run 0 simulate "$work/wall.json" --quiet --stats "$work/whole.json"
hash=$(sed -n 's/.*"hash": "\(.*\)".*/\1/p' "$work/whole.json")
rm -f "$work/wall.check"
"$tool" simulate "$work/wall.json" -o "$work/wall.rbl" --checkpoint "$work/wall.check" --checkpoint-every 0 --quiet >/dev/null 2>&1 &
process=$!
while [ ! -e "$work/wall.check" ] && kill -0 "$process" 2>/dev/null; do sleep 0.01; done
kill -9 "$process" 2>/dev/null
wait "$process" 2>/dev/null
run 0 simulate "$work/wall.json" -o "$work/wall.rbl" --resume "$work/wall.check" --stats "$work/resumed.json" --quiet
printed "^  hash  *$hash\$"
[ "$(grep -c '"t": ' "$work/whole.json")" -eq "$(grep -c '"t": ' "$work/resumed.json")" ] ||
    complain "a resumed run has other statistics"
run 0 replay "$work/wall.rbl" --verify
run 0 info "$work/wall.rbl"
printed '^  state  *complete$'
run 2 simulate "$work/wall.json" -o "$work/wall.glb" --resume "$work/wall.check"
run 1 simulate "$scenes/dominoes.json" --resume "$work/wall.check"
said 'the checkpoint is of another scene'
run 1 simulate "$work/wall.json" --resume "$work/wall.rbl"
said 'this is a recording of a run, not a checkpoint'
run 1 simulate "$work/wall.json" --checkpoint "$work/no_such_folder/wall.check"

# A recording of calls: a box that falls on a plane, made by a program with rbl_world_record(). Steps are the same as long as
# the engine is; the file is read either way.
run 0 info "$source_directory/tests/data/calls.rbl"
printed '^  calls  *102$'
run 0 info "$source_directory/tests/data/calls.rbl" --json
printed '"format": "rbl calls"'
run 0 replay "$source_directory/tests/data/calls.rbl"
printed '^  verdict '
run 0 replay "$source_directory/tests/data/calls.rbl" --json
printed '"steps": '
run 1 render "$source_directory/tests/data/calls.rbl" -o "$work/calls.png"
said 'a recording of calls, not a recording of a run'
