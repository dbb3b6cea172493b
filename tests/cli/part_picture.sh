# shellcheck shell=sh disable=SC2154
# Pictures: what is drawn, what is told, and every way to get it wrong.

cd "$work" || exit 1
small='--size 48x32 --samples 2'

# is_png FILE WIDTH HEIGHT (both below 256)
is_png()
{
    [ "$(head -c 24 "$1" | od -An -tu1 | tr -s ' \n' ' ')" = " 137 80 78 71 13 10 26 10 0 0 0 13 73 72 68 82 0 0 0 $2 0 0 0 $3 " ] ||
        complain "$1 is not a PNG of $2 x $3"
}

silent make box box.obj
silent make torus torus.stl
silent make rock rock.glb
# shellcheck disable=SC2086
{
    silent picture box.obj -o box.png $small
    is_png box.png 48 32
    silent picture box.obj torus.stl rock.glb --output=all.png $small --explode 0.5
    cp all.png again.png
    for threads in 1 2 8; do
        silent picture box.obj torus.stl rock.glb -o all.png $small --explode 0.5 --threads $threads
        cmp -s all.png again.png || complain "$threads threads change the picture"
    done
    silent picture rock.glb -o rock.png $small --eye 1,1,1 --target 0,0,0
    for plane in x y z x=0.01 z=-0.02 0,0,0,1,1,0; do
        silent picture rock.glb -o cut.png $small --cut-plane $plane
        cmp -s cut.png rock.png && complain "--cut-plane $plane changes nothing"
    done
    run 0 picture box.obj -o box.png $small --json
    for key in '"file": "box.png"' '"width": 48' '"height": 32' '"samples": 2' '"triangles": 12' '"parts": 1' '"rays": '; do
        printed "$key"
    done
    sed -n 's/^ *"\([a-zA-Z]*\)": .*/\1/p' out >keys
    while read -r key; do
        grep -q "\`$key\`" "$source_directory/docs/cli-json.md" || complain "docs/cli-json.md has no $key"
    done <keys
    "$tool" picture box.obj -o box.png $small --verbose 2>err || complain "--verbose fails"
    grep -q 'million a second' err || complain "--verbose does not tell the rate"
    rm -f no.png

    run 1 picture missing.obj -o no.png $small
    said 'missing.obj'
    run 1 picture box.obj missing.obj -o no.png $small
    run 1 picture box.obj -o nowhere/no.png $small
    run 1 picture box.obj -o no.png $small --eye 1,1,1 --target 1,1,1
    said 'eye and target must be different points'
    run 1 picture box.obj -o no.png $small --cut-plane x=-9
    said 'takes everything away'
    printf 'v 0 0 0\nv 1 0 0\n' >empty.obj
    run 1 picture empty.obj -o no.png $small
    said 'empty.obj'
}
run 2 picture -o no.png
said 'FILE is missing'
run 2 picture box.obj
said '--output OUT.png is missing'
run 2 picture box.obj -o no.jpg
said "does not end in .png"
run 2 picture '' -o no.png
for size in 0x10 10x0 16385x10 10 10x 10x10x10 10,10 axb 1.5x2 -1x5; do
    run 2 picture box.obj -o no.png --size "$size"
    said '--size'
done
for plane in w x= x=a 1,2,3 1,2,3,0,0,0 1,2,3,4,5,6,7 1,2,3,4,5,nan y=inf ''; do
    run 2 picture box.obj -o no.png --cut-plane "$plane"
    said '--cut-plane'
done
run 2 picture box.obj -o no.png --eye nan,0,0
run 2 picture box.obj -o no.png --eye 1,2
run 2 picture box.obj -o no.png --samples 0
run 2 picture box.obj -o no.png --explode -1
[ ! -e no.png ] || complain "a picture that was refused was written"

# An output that cannot be written is told before anything is read or traced.
run 1 picture "$work/missing.obj" -o "$work/none/picture.png"
said "none/picture.png: cannot be written"
