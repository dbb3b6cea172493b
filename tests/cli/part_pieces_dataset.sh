# shellcheck shell=sh disable=SC2154
# Datasets: killed at any moment and gone on with, for any number of threads, in folders of others. After part_pieces.sh,
# whose check of pieces and whose meshes are used here.

mkdir "$work/datasets" && cd "$work/datasets" || exit 1
cp ../ring.obj ../block.glb ../sheet.obj ../lidless.obj ../check_pieces.py .
mkdir other && touch other/mine.txt
silent fracture ring.obj -o pieces --pieces 3
dataset()
{
    dataset_folder=$1
    shift
    "$tool" dataset ring.obj block.glb -o "$dataset_folder" --count 6 --pieces 4:9 --seed 5 "$@" >"$work/out" 2>"$work/err"
}

dataset whole --threads 1 || complain "a dataset is refused: $(cat "$work/err")"
[ ! -s "$work/out" ] && [ ! -s "$work/err" ] || complain "words on success: $(cat "$work/out" "$work/err")"

# The list names every item, and its pieces are what it says.
cat >check_dataset.py <<'END'
import json, os, subprocess, sys
folder = sys.argv[1]
listed = json.load(open(folder + "/dataset.json"))
assert listed["complete"] and listed["count"] == 6 and len(listed["items"]) == 12
for number, item in enumerate(listed["items"]):
    mesh = listed["meshes"][item["mesh"]]
    path = folder + "/" + item["path"]
    pieces = json.load(open(path + "/pieces.json"))
    assert item["item"] == number and item["mesh"] == number // 6
    assert item["pattern"] in listed["patterns"] and 4 <= item["asked"] <= 9
    assert item["volumes"] == [piece["volume"] for piece in pieces["pieces"]]
    assert item["pieces"] == len(item["volumes"]) >= 0.6 * item["asked"]
    assert abs(sum(item["volumes"]) - mesh["volume"]) < 1e-9 * mesh["volume"]
    assert abs(sum(x * x for x in item["normal"]) - 1) < 1e-12
    assert json.load(open(path + "/item.json")) == item
    subprocess.check_call([sys.executable, "check_pieces.py", path, "1"])
    assert len(os.listdir(path)) == item["pieces"] + 2
for x, y, z in [item["at"] for item in listed["items"] if item["mesh"] == 1]:
    assert abs(max(abs(x) / 0.5, abs(y) / 0.25, abs(z) / 0.125) - 1) < 1e-6, "an impact is not on the surface"
assert len({item["seed"] for item in listed["items"]}) == 12 and len({item["pattern"] for item in listed["items"]}) > 2
END
python3 check_dataset.py whole || complain "the list of a dataset does not say what is there"

# Items can be made again from what the list says, whatever else is in the dataset.
cat >remake.py <<'END'
import filecmp, json, os, subprocess, sys
tool, folder = sys.argv[1:]
listed = json.load(open(folder + "/dataset.json"))
for item in listed["items"]:
    mesh = folder + "/" + listed["meshes"][item["mesh"]]["folder"] + "/mesh.obj"
    words = {"pattern": item["pattern"], "seed": str(item["seed"]), "pieces": str(item["asked"])}
    for key in ("at", "normal", "axis"):
        if key in item:
            words[key] = ",".join(map(repr, item[key]))
    options = [word for key, value in words.items() for word in ("--" + key, value)]
    subprocess.check_call([tool, "fracture", mesh, "-o", "remade", "--force", "-q"] + options)
    files = [name for name in os.listdir(folder + "/" + item["path"]) if name != "item.json"]
    assert sorted(files) == sorted(name for name in os.listdir("remade") if name != ".rubble"), item["path"]
    same, _, _ = filecmp.cmpfiles(folder + "/" + item["path"], "remade", files, shallow=False)
    assert len(same) == len(files), item["path"]
END
python3 remake.py "$tool" whole || complain "an item cannot be made again from the list"

# A dataset with more items begins with those of a smaller one.
run 0 dataset ring.obj -o small --count 3 --pieces 4:9 --seed 5 --json
is items 3
is found 0
is failed 0
for item in 000000 000001 000002; do
    diff -r small/00_ring/$item/pieces.json whole/00_ring/$item/pieces.json >/dev/null || complain "item $item depends on --count"
done

# Any number of threads; killed at several moments; with what a killed program can leave behind.
dataset threads --threads 3
diff -r whole threads >/dev/null || complain "the number of threads changes a dataset"
for delay in 0.01 0.03 0.05 0.08 0.12 0.2 0.3; do
    "$tool" dataset ring.obj block.glb -o killed --count 6 --pieces 4:9 --seed 5 --threads 2 >"$work/out" 2>"$work/err" &
    killed=$!
    sleep $delay
    kill -9 $killed 2>/dev/null
    wait $killed 2>/dev/null
done
dataset killed || complain "a killed dataset is not gone on with: $(cat "$work/err")"
diff -r whole killed >/dev/null || complain "a dataset that was killed is not the same"
mkdir left
echo half >left/.rubble.tmp0
dataset left || complain "a folder without a whole mark is refused: $(cat "$work/err")"
rm -r left/01_block/000003 left/00_ring/mesh.obj
mkdir left/01_block/000003.part left/00_ring/000009.part
echo half >left/01_block/000003.part/piece_0000.obj
echo half >left/00_ring/000009.part/pieces.json.tmp0
echo half >left/00_ring/mesh.obj.tmp1
echo half >left/dataset.json.tmp0
run 0 dataset ring.obj block.glb -o left --count 6 --pieces 4:9 --seed 5 --json
is items 12
is found 11
diff -r whole left >/dev/null || complain "what a killed program left is still there"
rm left/dataset.json
run 1 dataset ring.obj block.glb -o left --count 6 --pieces 4:9 --seed 5
said 'left: holds files, but no dataset; only force'

# Other options, other meshes, other folders.
run 1 dataset ring.obj block.glb -o whole --count 7 --pieces 4:9 --seed 5
said 'whole/dataset.json: was made with other options: "count": 6, now "count": 7; only force replaces it'
run 1 dataset block.glb block.glb -o whole --count 6 --pieces 4:9 --seed 5
said '"file": "ring.obj", now "file": "block.glb"'
diff -r whole threads >/dev/null || complain "a refused command changes a dataset"
echo mine >threads/00_ring/mine.txt
silent dataset block.glb -o threads --force --count 2 --pattern slabs,planes --pieces 3
[ "$(cat threads/00_ring/mine.txt)" = mine ] || complain "--force removes a file of somebody else"
[ ! -e threads/00_ring/000000 ] && [ ! -e threads/01_block ] || complain "--force leaves items of another dataset"
silent dataset block.glb -o fresh --count 2 --pattern slabs,planes --pieces 3
diff -r fresh/00_block threads/00_block >/dev/null && cmp -s fresh/dataset.json threads/dataset.json ||
    complain "a dataset begun anew is not the same as a new one"
run 1 dataset block.glb -o other
said 'other: the folder has files that are not Rubble'
run 1 dataset block.glb -o pieces
said 'pieces: holds files, but no dataset'
run 1 dataset block.glb -o ring.obj
echo '{"item":0}' >fresh/00_block/000001/item.json
run 1 dataset block.glb -o fresh --count 2 --pattern slabs,planes --pieces 3
said 'a damaged item'


# Nor is one complete whose files are gone or empty.
run 0 dataset ring.obj -o gaps --count 2 --pieces 4
rm gaps/00_ring/000001/piece_0002.obj
run 1 dataset ring.obj -o gaps --count 2 --pieces 4
said 'piece_0002.obj: is missing or empty'
rm -r gaps/00_ring/000001
run 0 dataset ring.obj -o gaps --count 2 --pieces 4
: >gaps/00_ring/000000/pieces.json
run 1 dataset ring.obj -o gaps --count 2 --pieces 4
said 'pieces.json: is missing or empty'

# Two at once: the second is refused, and the first goes on.
"$tool" dataset ring.obj -o busy --count 60 >/dev/null 2>&1 &
first=$!
tries=0
while [ ! -e busy/dataset.json ] && [ $tries -lt 600 ]; do
    sleep 0.05
    tries=$((tries + 1))
done
"$tool" dataset ring.obj -o busy --count 60 >"$work/out" 2>"$work/err"
[ $? -eq 0 ] || said 'another program is writing this dataset'
wait $first || complain "a second program disturbs the first"

# What cannot be written, read or understood.
(
    trap '' XFSZ
    ulimit -f 8
    exec "$tool" dataset block.glb -o full --count 3 >"$work/out" 2>"$work/err"
)
[ $? -eq 1 ] && grep -q 'cannot be written: File too large' "$work/err" || complain "a full disk is not told: $(cat "$work/err")"
[ -z "$(find full -name '*.part')" ] || complain "a failed item leaves its part"
silent dataset block.glb -o full --count 3
silent dataset block.glb -o never_full --count 3
diff -r full never_full >/dev/null || complain "a dataset is not the same after a full disk"
mkdir blocked && touch blocked/00_block
run 1 dataset block.glb -o blocked --force
said 'blocked/00_block: cannot be made'
run 1 dataset block.glb sheet.obj -o refused
said 'sheet.obj: is not a solid and cannot be repaired: '
run 1 dataset block.glb missing.obj -o refused
[ ! -e refused ] || complain "a refused mesh leaves a dataset"
run 2 dataset block.glb
run 2 dataset -o refused
run 2 dataset block.glb -o refused --count 0
run 2 dataset block.glb -o refused --pieces 9:4
said 'from 9 to 4'
run 2 dataset block.glb -o refused --pieces 0:4
run 2 dataset block.glb -o refused --pieces 4:20000
run 2 dataset block.glb -o refused --pieces 4:5:6
run 2 dataset block.glb -o refused --pattern radial,voronio
said 'voronoi'
run 2 dataset block.glb -o refused --pattern radial,radial
run 2 dataset block.glb -o refused --pattern radial,
run 2 dataset block.glb -o refused --seed -1
[ ! -e refused ] || complain "a wrong command line leaves a dataset"
"$tool" dataset lidless.obj -o mended --count 2 >"$work/out" 2>"$work/err" || complain "a box without a lid is refused"
grep -q '^rubble: note: lidless.obj: is not a solid; it was repaired' "$work/err" || complain "a mended mesh is not told"
grep -q '"repaired": true' mended/dataset.json || complain "the list does not say that a mesh was mended"
