# shellcheck shell=sh disable=SC2154
# Verdicts: what cannot be mended is not written.

cd "$work" || exit 1

# A box without its lid becomes a box again, silently.
lidless open.obj
silent repair open.obj closed.obj
look closed.obj
is closed true
is problems '[]'
near volume 1
run 0 repair open.obj closed.obj --verbose
printed '^  holes filled  *1$'
printed '^  verdict  *solid$'
run 0 repair open.obj closed.obj --json
is solid true
is written true
printed '"filledHoles": 1,'
run 0 repair closed.obj closed.obj --verbose
printed '^  changes  *none$'

# Told not to fill holes it refuses, unless forced.
rm -f refused.obj
run 1 repair open.obj refused.obj --max-hole 0
said 'open.obj: not solid: '
[ ! -e refused.obj ] || complain "a refused result is written"
"$tool" repair open.obj refused.obj --max-hole 0 --json >out 2>err
[ $? -eq 1 ] || complain "a refusal with --json is not told by the exit code"
is solid false
is written false
[ ! -e refused.obj ] || complain "a refused result is written with --json"
silent repair open.obj refused.obj --max-hole 0 --force
[ -e refused.obj ] || complain "--force does not write"
run 1 repair missing.obj new.obj
run 1 repair open.obj nowhere/new.obj
run 2 repair open.obj
run 2 repair open.obj new.obj --remesh 8
run 2 repair open.obj new.obj --weld -1

# refused NAME TEXT, mends NAME: one of the broken meshes.
refused()
{
    run 1 repair "$source_directory/tests/data/broken/$1" refused.ply
    said "$2"
    [ ! -e refused.ply ] || complain "$1 is refused and written"
}

mends()
{
    run 0 repair "$source_directory/tests/data/broken/$1" mended.ply --json
    is solid true
    printed "$2"
}

refused moebius.obj 'one-sided'
refused self_intersecting.obj 'intersect'
refused nothing_left.off 'no face remains'
mends hole.obj '"filledHoles": 1,'
mends nan_vertex.off '"droppedNonFinite": [1-9]'
mends duplicate_faces.off '"droppedDuplicate": [1-9]'
mends fin.ply '"droppedFins": [1-9]'
mends t_junctions.obj '"resolvedTJunctions": [1-9]'
mends flipped_faces.off '"flippedFaces": [1-9]'
mends soup.obj '"weldedVertices": [1-9]'

run 0 repair "$source_directory/tests/data/broken/self_intersecting.obj" rebuilt.ply --remesh 32 --json
is solid true
printed '"remeshed": true'

# All of them: mended, or refused with a reason.
mkdir mended
for broken in "$source_directory"/tests/data/broken/*.*; do
    [ -e "$broken" ] || continue
    case $broken in
    *.obj | *.ply | *.stl | *.off | *.glb) ;;
    *) continue ;;
    esac
    "$tool" repair "$broken" mended/out.obj >out 2>err
    case $? in
    0)
        look mended/out.obj
        is closed true
        is manifold true
        is oriented true
        ;;
    1) [ "$(wc -l <err)" -eq 1 ] || complain "$broken is refused in $(wc -l <err) lines" ;;
    *) complain "$broken ends repair with an unexpected code" ;;
    esac
    rm -f mended/out.obj
done
