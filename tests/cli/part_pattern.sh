# shellcheck shell=sh disable=SC2154
# Patterns: made, checked, drawn, read back, and every way to get them wrong.

cd "$work" || exit 1
tiny='--pixels 48x36 --samples 2'

run 0 pattern --list
# shellcheck disable=SC2086
for kind in radial voronoi clustered slabs splinters bricks planes; do
    printed "^$kind "
    run 0 pattern $kind --pieces 12 -o pattern.png $tiny --json
    for key in file pattern seed asked pieces smallest largest closed makeSeconds tilingError; do
        printed "\"$key\": "
        grep -q "\`$key\`" "$source_directory/docs/cli-json.md" || complain "docs/cli-json.md has no $key"
    done
    printed '"asked": 12'
    printed '"closed": true'
    [ -s pattern.png ] || complain "pattern $kind draws nothing"
    silent pattern $kind --pieces 12 -o pieces.glb --quiet
    silent pattern $kind --pieces 12 -o pieces.obj --quiet
    for file in pieces.glb pieces.obj; do
        run 0 pattern $file -o again.png $tiny
        printed 'closed'
    done
    run 0 pattern --list
done

# The seed decides, the number of threads does not.
silent pattern clustered -o one.obj --threads 1 --quiet
silent pattern clustered -o two.obj --threads 2 --quiet
silent pattern clustered -o other.obj --seed 2 --quiet
cmp -s one.obj two.obj || complain "2 threads change a pattern"
cmp -s one.obj other.obj && complain "--seed changes nothing"
run 0 pattern bricks --pieces 40 --size 2,1,0.2 -o wall.obj
printed 'asked for'
run 0 info wall.obj
printed '(-1 -0.5 -0.1) to (1 0.5 0.1) m'

# Files that do not tile are refused with the place.
silent make box box.obj
silent pattern slabs --pieces 3 -o slabs.obj --quiet

awk '/^v / { n++; if (n == 1) $2 -= 0.3 } { print }' slabs.obj >gap.obj
run 1 pattern gap.obj -o no.png
said 'does not tile its box'
said ' at ('
run 1 pattern missing.obj -o no.png
said 'missing.obj'
run 0 pattern box.obj -o box.png --pixels 48x36 --samples 2
printf 'NRRD0004\ntype: uint8\ndimension: 3\nsizes: 4 2 2\nencoding: raw\n\naabbaabbaabbaabb' >halves.nrrd
run 0 pattern halves.nrrd -o halves.obj
printed 'pieces  *2$'
printf 'NRRD0004\ntype: uint8\ndimension: 3\nsizes: 4 2 3\nencoding: raw\n\naabbaabbaabbaabb' >short.nrrd
run 1 pattern short.nrrd -o no.png
said 'short.nrrd: 16 bytes of numbers, not 4 x 2 x 3 of 1'
rm -f no.png

run 2 pattern radiall -o no.png
said 'did you mean radial'
run 2 pattern nothing -o no.png
said 'no pattern and no file'
run 2 pattern radial
said '--output OUT is missing'
run 2 pattern radial -o no.gif
for pieces in 0 1000000 1.5 -3 nan; do
    run 2 pattern radial -o no.png --pieces $pieces
    said '--pieces'
done
for size in 0 1,2 1,2,3,4 -1 nan; do
    run 2 pattern radial -o no.png --size $size
    said '--size'
done
run 2 pattern radial -o no.png --jitter 2
run 2 pattern radial -o no.png --radius -1
run 1 pattern radial -o nowhere/no.png
[ ! -e no.png ] || complain "a pattern that was refused was written"
