# shellcheck shell=sh disable=SC2154
# Simulating scenes: files, tables, and everything a scene can have wrong.

scenes=$source_directory/scenes
run 0 simulate "$scenes/slide_and_stop.json" -o "$work/slide.glb" --stats "$work/slide.json" --threads 2
printed '^  steps  *90 (3 s)'
printed '^  hash  *[0-9a-f]\{16\}$'
printed '^  solve  *[0-9]'
[ -s "$work/slide.glb" ] || complain "no animation was written"
for key in '"scene": "' '"version": "' '"threads": 2,' '"portable": true' '"steps": \[' '"events": \[' '"massError": 0' \
    '"peakBytes": [1-9]' '"hash": "[0-9a-f]\{16\}"'; do
    grep -q "$key" "$work/slide.json" || complain "the statistics have no $key"
done
[ "$(grep -c '"t": ' "$work/slide.json")" -eq 91 ] || complain "there is not one entry per step and one for the start"
first=$(sed -n 's/.*"hash": "\(.*\)".*/\1/p' "$work/slide.json")
run 0 simulate "$scenes/slide_and_stop.json" --json --threads 1
printed "\"hash\": \"$first\""
run 0 info "$work/slide.glb"
run 0 simulate "$scenes/free_spin_needle.json" -o "$work/needle.png"
run 0 simulate "$scenes/slide_and_stop.json" --quiet --stats /dev/null

run 2 simulate
said 'SCENE is missing'
run 2 simulate "$scenes/slide_and_stop.json" -o "$work/slide.avi"
said 'does not end in one of .glb .png'
run 1 simulate "$work/no_such.json"
run 1 simulate "$scenes/slide_and_stop.json" -o "$work/no_such_folder/slide.glb"
run 1 simulate "$scenes/slide_and_stop.json" --stats "$work/no_such_folder/slide.json"

# refused PATH_AND_MESSAGE TEXT: the scene is refused with that path, and what was there before is untouched.
refused()
{
    echo "$2" >"$work/scene.json"
    echo before >"$work/kept.glb"
    run 1 simulate "$work/scene.json" -o "$work/kept.glb"
    said "$1"
    [ "$(cat "$work/kept.glb")" = before ] || complain "a failed run touched its output"
}
shapes='"shapes":{"ball":{"kind":"sphere","radius":0.1},"plate":{"kind":"box","size":[1,1,1]}}'
refused 'scene.json:2:1: expected a key in quotes' '{'
refused "bodies[0].shape: no shape 'plat'; did you mean 'plate'?" "{\"rubble\":1,$shapes,\"bodies\":[{\"shape\":\"plat\"}]}"
refused "bodies[0].position[1]: expected a number" "{\"rubble\":1,$shapes,\"bodies\":[{\"shape\":\"ball\",\"position\":[0,\"a\",0]}]}"
refused "bodies[0].mass: is -1, must be positive" "{\"rubble\":1,$shapes,\"bodies\":[{\"shape\":\"ball\",\"mass\":-1}]}"
refused "grvity: unknown key; did you mean 'gravity'?" "{\"rubble\":1,$shapes,\"bodies\":[],\"grvity\":1}"
refused "shapes.m.file: " '{"rubble":1,"shapes":{"m":{"kind":"mesh","file":"missing.obj"}},"bodies":[]}'

# Files are looked for beside the scene, whatever the current folder is; breaking is announced.
silent make torus "$work/ring.obj" --segments 24 --sides 12
echo '{"rubble":1,"duration":0.1,"shapes":{"ring":{"kind":"mesh","file":"ring.obj","height":0.2,"cells":24}},
    "bodies":[{"shape":"ring"}]}' >"$work/ring.json"
(cd / && "$tool" simulate "$work/ring.json" >/dev/null) || complain "files are not found beside the scene"
echo "{\"rubble\":1,\"duration\":0.1,$shapes,\"bodies\":[{\"shape\":\"ball\",\"fracture\":{\"method\":\"voronoi\"}}]}" \
    >"$work/break.json"
"$tool" simulate "$work/break.json" >/dev/null 2>"$work/err" || complain "a body that should break is refused"
[ "$(grep -c 'stay whole' "$work/err")" -eq 1 ] || complain "breaking is not announced once"
run 0 simulate "$work/break.json" --quiet

# Outputs are tried before the run: when one cannot be written, nothing is simulated and the other is not touched.
echo "{\"rubble\":1,\"duration\":0.1,$shapes,\"bodies\":[{\"shape\":\"ball\"}]}" >"$work/short.json"
echo before >"$work/kept.glb"
run 1 simulate "$work/short.json" -o "$work/kept.glb" --stats "$work/none/stats.json"
said "none/stats.json: cannot be written"
[ "$(cat "$work/kept.glb")" = before ] || complain "an output was written although the other cannot be"

# Charts from statistics.
run 0 simulate "$scenes/slide_and_stop.json" --quiet --stats "$work/slide.json"
run 0 plot "$work/slide.json" -o "$work/slide.svg"
grep -q '<svg ' "$work/slide.svg" || complain "plot writes no SVG"
run 2 plot "$work/slide.json"
run 2 plot "$work/slide.json" -o "$work/slide.png"
run 1 plot "$scenes/slide_and_stop.json" -o "$work/slide.svg"
run 1 plot "$work/no_such.json" -o "$work/slide.svg"

# Frames: written, kept when the same command comes again, made anew when it differs, refused in other people's folders.
movie="--size 32,24 --samples 1 --fps 5 --end 0.6"
run 0 render "$scenes/slide_and_stop.json" -o "$work/frames" $movie
[ "$(ls "$work/frames" | grep -c '^frame_0000[0-3].png$')" = 4 ] || complain "render does not write four frames"
rm "$work/frames/frame_00002.png"
run 0 render "$scenes/slide_and_stop.json" -o "$work/frames" $movie
printed '^1 frames drawn.* 3 were there' # goes on where it stopped
run 0 render "$scenes/slide_and_stop.json" -o "$work/frames" $movie --plain
printed '^4 frames drawn'  # of another rendering
run 0 render "$scenes/slide_and_stop.json" -o "$work/frames" --size 32,24 --samples 1 --fps 5 --end 0.2
[ "$(ls "$work/frames" | grep -c '^frame_')" = 2 ] || complain "frames of a longer movie are left over"
cp "$scenes/slide_and_stop.json" "$work/turned.json"
run 0 render "$work/turned.json" -o "$work/turned" $movie
sed 's/"eye": *\[0, 1.2, 3.5\]/"eye": [0, 2, 5]/' "$scenes/slide_and_stop.json" >"$work/turned.json"
run 0 render "$work/turned.json" -o "$work/turned" $movie
printed '^4 frames drawn' # seen by another camera
mkdir "$work/theirs" && echo hello >"$work/theirs/letter"
run 1 render "$scenes/slide_and_stop.json" -o "$work/theirs" $movie
run 0 render "$scenes/slide_and_stop.json" -o "$work/theirs" $movie --force
run 1 render "$work/no_such.json" -o "$work/no_such_folder/frames" $movie
said 'no_such_folder/frames: cannot be used as a folder' # told before anything is read
run 2 render "$scenes/slide_and_stop.json"
run 2 render "$scenes/slide_and_stop.json" -o "$work/frames" --fps 0
run 2 render "$scenes/slide_and_stop.json" -o "$work/sheet.png" --end 1
said '--end: a sheet always has nine frames'
run 1 render "$scenes/slide_and_stop.json" -o "$work/frames" --begin 1000
said 'begin is 1000 s, must not be after the end of the run at'
# Told before anything is read: this scene is not there.
run 1 render "$work/no_such.json" -o "$work/frames" --begin 2 --end 1
said 'begin is 2 s, end 1 s; they must be 0 or more, and in this order'
mkdir "$work/empty"
path=$PATH
PATH=$work/empty
"$tool" render "$scenes/slide_and_stop.json" -o "$work/slide.mp4" $movie 2>"$work/err"
code=$?
PATH=$path
[ "$code" -eq 1 ] || complain "a video without ffmpeg"
said "install it"

if command -v ffmpeg >/dev/null; then
    for video in '100%d.mp4' 'a:b.gif'; do
        (cd "$work" && "$tool" render "$scenes/slide_and_stop.json" -o "$video" $movie --quiet) 2>"$work/err" ||
            complain "$video: $(cat "$work/err")"
        [ -s "$work/$video" ] && [ ! -e "$work/$video.frames" ] || complain "no $video, or its frames are left over"
    done
fi

# Nothing there at first: the floor is drawn until something is. Nothing there at all: every export is still a proper file.
cat >"$work/late.json" <<'END'
{"rubble": 1, "duration": 0.5,
 "shapes": {"ground": {"kind": "plane", "normal": [0, 1, 0]}, "box": {"kind": "box", "size": [1, 1, 1]}},
 "bodies": [{"name": "floor", "shape": "ground", "type": "static", "material": "stone"}],
 "events": [{"time": 0.3, "spawn": {"name": "box", "shape": "box", "material": "stone", "position": [0, 1, 0]}}]}
END
run 0 render "$work/late.json" -o "$work/late" --size 32,24 --samples 1 --fps 5
printed '^3 frames drawn'
cat >"$work/bare.json" <<'END'
{"rubble": 1, "duration": 0.1, "shapes": {"box": {"kind": "box", "size": [1, 1, 1]}}, "bodies": []}
END
for ending in glb csv usda obj pvd png rbl; do
    run 0 simulate "$work/bare.json" -o "$work/bare.$ending"
done
grep -q '\[\]' "$work/bare.glb" && complain "glTF allows no empty lists"

# Exports by ending.
for ending in csv usda obj pvd; do
    run 0 simulate "$scenes/slide_and_stop.json" -o "$work/export.$ending" --every 20
done
[ -s "$work/export.csv" ] && [ -s "$work/export.usda" ] && [ -s "$work/export_0000.obj" ] && [ -s "$work/export/0000.vtu" ] ||
    complain "an export is not there"
mkdir "$work/taken" && echo hello >"$work/taken/letter"
run 1 simulate "$scenes/slide_and_stop.json" -o "$work/taken.pvd"
said 'only force'
run 1 export "$work/no_such.rbl" -o "$work/taken.pvd"
said 'only force' # told before anything is read
run 2 simulate "$scenes/slide_and_stop.json" -o "$work/same.rbl" --checkpoint "$work/same.rbl"
said "must be different files"
run 0 simulate "$scenes/slide_and_stop.json" -o "$work/taken.pvd" --every 50 --force
run 2 simulate "$scenes/slide_and_stop.json" -o "$work/export.csv" --every 0

# The same from a recording.
run 0 simulate "$scenes/slide_and_stop.json" -o "$work/run.rbl"
run 0 export "$work/run.rbl" -o "$work/run.csv" --every 20
cmp -s "$work/run.csv" "$work/export.csv" || complain "a recording and its run export different tables"
run 0 export "$work/run.rbl" -o "$work/run.glb"
run 0 plot "$work/run.rbl" -o "$work/run.svg"
run 0 render "$work/run.rbl" -o "$work/run_frames" --size 32,24 --samples 1 --fps 2
run 1 export "$work/no_such.rbl" -o "$work/run.csv"
run 2 export "$work/run.rbl" -o "$work/run.rbl"
