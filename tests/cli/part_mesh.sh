# shellcheck shell=sh disable=SC2154
# Making, looking at and converting meshes.

# value KEY: what the last JSON output has at its top level.
value()
{
    sed -n "s/^  \"$1\": \(.*[^,]\),\{0,1\}\$/\1/p" "$work/out"
}

# is KEY VALUE: exactly; near KEY NUMBER: within 1e-6 of a positive number, relatively.
is()
{
    [ "$(value "$1")" = "$2" ] || complain "$1 is $(value "$1"), not $2 (rubble $last)"
}

near()
{
    value "$1" | awk -v wanted="$2" '{ d = $1 - wanted; ok = d <= 1e-6 * wanted && -d <= 1e-6 * wanted }
        END { exit !ok }' ||
        complain "$1 is $(value "$1"), not $2 (rubble $last)"
}

# look FILE: its JSON in $work/out.
look()
{
    last="info $1"
    run 0 info "$@" --json
}

cd "$work" || exit 1

# A box against closed forms.
silent make box box.obj --size 1,2,3
look box.obj --density 1000
is file '"box.obj"'
is triangles 12
for key in closed manifold oriented outward; do
    is $key true
done
is components 1
is genus 0
is selfIntersections 0
is problems '[]'
near volume 6
near area 22
near mass 6000
printed '"center": \['
# Along x: m (y^2 + z^2) / 12.
sed -n '/"inertia"/{n;s/.*\[\([^,]*\),.*/\1/p;}' out | awk '{ n = $1 > 6499.99 && $1 < 6500.01 } END { exit !n }' ||
    complain "the inertia of a box is wrong"
# Every key is documented.
sed -n 's/^ *"\([a-zA-Z]*\)": .*/\1/p' out >keys
while read -r key; do
    grep -q "\`$key\`" "$source_directory/docs/cli-json.md" || complain "docs/cli-json.md has no $key"
done <keys
run 0 info box.obj
printed '^  volume  *6 m^3$'
printed '^  problems  *none$'
look box.obj --no-intersections
is selfIntersections null
run 0 info box.obj --quiet --threads 3

# Numbers do not depend on the locale, results not on threads.
look box.obj
cp out expected
for name in de_DE.UTF-8 fr_FR.UTF-8 C.UTF-8 POSIX; do
    LC_ALL=$name
    export LC_ALL
    look box.obj
    cmp -s out expected || complain "the locale $name changes info"
    silent make box locale.obj --size 1,2,3
    cmp -s locale.obj box.obj || complain "the locale $name changes OBJ"
done
unset LC_ALL
for threads in 1 2 8; do
    look box.obj --threads $threads
    cmp -s out expected || complain "$threads threads change info"
done

# Every kind of solid is a solid.
"$tool" make --list | sed 's/ .*//' >kinds
[ "$(wc -l <kinds)" -ge 10 ] || complain "make --list lists too few kinds"
while read -r kind; do
    silent make "$kind" "$kind.glb"
    look "$kind.glb" --no-intersections
    for key in closed manifold oriented outward; do
        is $key true
    done
    case $(value volume) in
    -* | 0 | null) complain "$kind has no volume" ;;
    esac
    run 0 make "$kind" --help
    printed "^Usage: rubble make $kind OUT"
done <kinds

run 0 demo solids --samples 1
printed '^box  *12  yes  *0  *8  *20.8$'
[ "$(grep -c ' yes ' out)" -eq "$(wc -l <kinds)" ] || complain "demo does not show every kind as a solid"
[ "$(find solids -name '*.glb' | wc -l)" -eq "$(wc -l <kinds)" ] || complain "demo does not write every kind"
[ -s solids/solids.png ] || complain "demo draws no contact sheet"
run 1 demo kinds/solids
run 1 demo nowhere/solids

# From every format to every format.
silent make torus torus.obj --segments 12 --sides 8
silent convert torus.obj torus.obj --triangulate
look torus.obj
is genus 1
volume=$(value volume)
triangles=$(value triangles)
for from in obj ply stl off glb; do
    silent convert torus.obj "from.$from"
    for to in obj ply stl off glb; do
        silent convert "from.$from" "to.$to"
        look "to.$to" --no-intersections
        is triangles "$triangles"
        is genus 1
        near volume "$volume"
    done
done
for ending in ply stl; do
    silent convert torus.obj "text.$ending" --text
    look "text.$ending"
    near volume "$volume"
done
grep -q '^format ascii' text.ply || complain "--text does not write text PLY"
grep -q '^solid' text.stl || complain "--text does not write text STL"

# Changes on the way.
silent convert box.obj scaled.obj --scale 2
look scaled.obj
near volume 48
silent convert box.obj scaled.obj --scale=-1,2,0.5
look scaled.obj
near volume 6
is outward true
silent convert box.obj turned.obj --axis yup-to-zup
look turned.obj
near volume 6
is outward true
silent convert turned.obj back.obj --axis zup-to-yup
cmp -s back.obj box.obj || complain "there and back again is not the same box"
silent convert box.obj tall.obj --height 10
look tall.obj
near volume 750
silent convert box.obj tall.obj --axis yup-to-zup --height 10
look tall.obj
near volume 750
silent make icosphere ball.ply --frequency 20
silent convert ball.ply coarse.ply --simplify 500
look coarse.ply
is closed true
is manifold true
[ "$(value triangles)" -le 500 ] || complain "--simplify 500 leaves $(value triangles) triangles"

# IN and OUT may be one file.
cp box.obj same.obj
silent convert same.obj same.obj --scale 2
look same.obj
near volume 48

# Wrong usage.
run 2 make
run 2 make box
run 2 make bxo bxo.obj
said 'did you mean box?'
run 2 make box box.xyz
run 2 make box box.gltf
run 2 make box new.obj --size 1,2
run 2 make box new.obj --size 1,2,-3
run 2 make box new.obj --tube 1
run 2 make box new.glb --text
run 2 make torus new.obj --radius 0.1 --tube 0.2
run 2 convert box.obj
run 2 convert box.obj new.obj --scale 0
run 2 convert box.obj new.obj --scale 1,2
run 2 convert box.obj new.obj --axis sideways
said 'takes zup-to-yup or yup-to-zup'
run 2 convert box.obj new.obj --height -1
run 2 convert box.obj new.obj --simplify 3
run 2 convert box.obj new
run 2 info
run 2 info box.obj torus.obj
run 2 info --density 0 box.obj
[ ! -e new.obj ] || complain "wrong usage writes files"

# Files that cannot be used.
run 1 info missing.obj
said missing.obj
run 1 info "$(printf 'two\nlines.obj')"
run 1 info .
mkdir folder.obj
run 1 info folder.obj
: >empty.ply
run 1 info empty.ply
said empty.ply
echo nonsense >nonsense.ply
run 1 info nonsense.ply
said nonsense.ply
run 1 convert nonsense.ply new.obj
run 1 info kinds
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n' >index.obj
run 1 info index.obj
said 'index.obj:4'
run 1 make box nowhere/box.obj
said nowhere/box.obj
run 1 make box folder.obj
run 1 convert box.obj nowhere/box.obj
printf 'v 0 1 0\nv 1 1 0\nv 0 1 1\nf 1 2 3\n' >flat.obj
run 1 convert flat.obj new.obj --height 1
said flat.obj
[ ! -e new.obj ] || complain "refused input writes files"

# An open, broken mesh is described.
look flat.obj
is closed false
is center null
is inertia null
printed '"kind": "boundary-edges"'
run 0 info flat.obj
printed '3 edges of one face only'
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv nan 1 1\nf 1 2 3\nf 2 3 4\n' >nan.obj
look nan.obj
printed '"kind": "non-finite-vertices"'
run 1 convert nan.obj new.obj

# A disk that fills up: the old file stays, nothing else is left behind.
silent make icosphere large.obj --frequency 30
mkdir small
cp box.obj small/out.obj
(
    trap '' XFSZ
    ulimit -f 16
    "$tool" convert large.obj small/out.obj
) >out 2>err
[ $? -eq 1 ] || complain "a full disk is not noticed"
[ "$(wc -l <err)" -eq 1 ] || complain "a full disk is not told in one line: $(cat err)"
cmp -s small/out.obj box.obj || complain "a full disk destroys the old file"
[ "$(ls small)" = out.obj ] || complain "a full disk leaves $(ls small)"
if [ -e /dev/full ]; then
    "$tool" info box.obj --json >/dev/full 2>err
    [ $? -eq 1 ] || complain "info does not notice a full disk"
fi

# Tetrahedra: made, looked at, written in both formats; thin solids and open ones.
run 0 make box whole.obj --size 0.2,0.1,0.1
last="tetrahedralize whole.obj"
run 0 tetrahedralize whole.obj --edge 0.05 --levels 0 -o whole.vtu --json
near volumeRatio 1
is sameTopology true
run 0 tetrahedralize whole.obj --edge 0.05 --levels 0 --no-rim -o whole.msh --json
is regions 1
grep -q rim "$work/out" && complain "a solid without its rim is told to have one"
look whole.msh
near volume 0.002
is regions 1
is parts 1
look whole.vtu
is regions 2
run 1 tetrahedralize whole.obj --edge 3 -o never.vtu
grep -q 'too thin' "$work/err" || complain "a solid that is too thin is not named so: $(cat "$work/err")"
[ -e never.vtu ] && complain "a refused fill leaves a file"
printf '$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\nnone\n' >bad.msh
run 1 info bad.msh
grep -q "bad.msh:5: expected an integer, found 'none'" "$work/err" ||
    complain "the place in a wrong file is not named: $(cat "$work/err")"

# Convex parts: groups of one mesh that together are as large as told.
last="decompose ring.obj"
silent make torus ring.obj
silent decompose ring.obj -o parts.obj
run 0 decompose ring.obj -o parts.obj --parts 6 --json
is parts 6
is withinTolerance false
[ "$(grep -c '^g part' parts.obj)" -eq 6 ] || complain "the parts are not groups"
run 0 decompose ring.obj -o parts.obj --parts 1 --verbose
printed '^1 parts, '
lidless open_box.obj
run 1 decompose open_box.obj -o never.obj
said 'open_box.obj: decompose: the mesh is open, must be closed'
[ -e never.obj ] && complain "a refused decomposition leaves a file"
run 2 decompose ring.obj
run 2 decompose ring.obj -o never.obj --parts 0
