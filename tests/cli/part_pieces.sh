# shellcheck shell=sh disable=SC2154
# Pieces without a simulation: files that fit, impacts and meshes that do not.

cd "$work" || exit 1
silent make torus ring.obj
silent make box block.glb --size 1,0.5,0.25

# A folder of closed pieces, and a list whose mates are the same triangles turned over.
silent fracture ring.obj -o ring --pattern voronoi --pieces 12
cat >check_pieces.py <<'END'
import json, sys
folder = sys.argv[1]
listed = json.load(open(folder + "/pieces.json"))
pieces = []
for piece in listed["pieces"]:
    vertices, faces, materials, material = [], [], [], None
    for line in open(folder + "/" + piece["file"]):
        words = line.split()
        if words and words[0] == "v":
            vertices.append(words[1:4])
        elif words and words[0] == "usemtl":
            material = words[1]
        elif words and words[0] == "f":
            faces.append([int(w.split("/")[0]) - 1 for w in words[1:]])
            materials.append(material)
    edges = {}
    for face in faces:
        for edge in zip(face, face[1:] + face[:1]):
            edges[edge] = edges.get(edge, 0) + 1
    assert all(n == 1 and edges.get((b, a)) == 1 for (a, b), n in edges.items()), piece["file"] + " is not closed"
    assert set(map(str, range(len(vertices)))) == {str(v) for f in faces for v in f}
    pieces.append((vertices, faces, materials))
seen = set()
for a, face_a, b, face_b in listed["mates"]:
    first = [pieces[a][0][v] for v in pieces[a][1][face_a]]
    second = [pieces[b][0][v] for v in pieces[b][1][face_b]][::-1]
    assert any(first == second[k:] + second[:k] for k in range(3)), "mates do not fit"
    assert b in listed["pieces"][a]["neighbours"] and a in listed["pieces"][b]["neighbours"]
    seen |= {(a, face_a), (b, face_b)}
assert len(seen) == sum(m.count("crack") for _, _, m in pieces), "a crack face has no mate"
volume = sum(piece["volume"] for piece in listed["pieces"])
assert abs(volume - listed["parentVolume"]) < 1e-9 * volume
assert len(pieces) >= int(sys.argv[2]), "only %d pieces" % len(pieces)
END
python3 check_pieces.py ring 8 || complain "the pieces of a ring do not fit"

# Written again, nothing of before is left; into other people's folders only when forced.
silent fracture ring.obj -o ring --pieces 3 --pattern slabs
python3 check_pieces.py ring 3 || complain "the slabs of a ring do not fit"
[ ! -e ring/piece_0009.obj ] || complain "a piece of an earlier break is left"
mkdir other && touch other/mine.txt
run 1 fracture ring.obj -o other
silent fracture ring.obj -o other --force

# The same bytes for the same seed and any number of threads, others for another.
silent fracture ring.obj -o one --threads 1 --seed 7
silent fracture ring.obj -o two --threads 3 --seed 7
silent fracture ring.obj -o three --seed 8
cmp -s one/pieces.json two/pieces.json && cmp -s one/piece_0003.obj two/piece_0003.obj ||
    complain "the number of threads changes the pieces"
! cmp -s one/pieces.json three/pieces.json || complain "the seed changes nothing"

# Regions from a file.
run 0 pattern voronoi -o regions.obj --pieces 30
silent fracture ring.obj -o by_file --pattern regions.obj
python3 check_pieces.py by_file 3 || complain "the pieces by a file's regions do not fit"
run 1 fracture ring.obj -o by_file --pattern missing.obj

# One file with a node for every piece.
silent fracture block.glb -o broken.glb --pattern radial --at 0,0,0.125 --normal 0,0,-1 --pieces 20 --explode 0.5
look broken.glb
is closed true
is manifold true
near volume 0.125
run 0 fracture block.glb -o broken.glb --json --at 0,5,0 --quiet
is moved 4.75
is repaired false
run 0 fracture block.glb -o broken.glb --verbose --quiet
printed '^  pieces  *[0-9]* of 25 asked for$'

# Impacts and numbers that make no sense.
"$tool" fracture block.glb -o broken.glb --at 0,5,0 >out 2>err || complain "an impact outside is refused"
grep -q 'moved to the nearest point of the surface, 0 0.25 0' err || complain "a moved impact is not told"
run 2 fracture block.glb -o broken.glb --normal 0,0,0
said '--normal has no length'
run 2 fracture block.glb -o broken.glb --pieces 0
run 2 fracture block.glb -o broken.glb --pieces 1000000
run 2 fracture block.glb -o broken.glb --at 0,nan,0
run 2 fracture block.glb -o broken.glb --pattern radail
said 'radial'
run 2 fracture block.glb -o pieces --explode 1
run 2 fracture block.glb
run 1 fracture missing.glb -o broken.glb
run 1 fracture block.glb -o nowhere/broken.glb
silent fracture block.glb -o whole --pieces 1
python3 check_pieces.py whole 1 || complain "one piece is not the whole"

# Meshes that are no solids: mended with a note, or refused by name.
lidless lidless.obj
"$tool" fracture lidless.obj -o mended_pieces >out 2>err || complain "a box without a lid is refused"
grep -q '^rubble: note: lidless.obj: is not a solid; it was repaired' err || complain "a mended mesh is not told"
python3 check_pieces.py mended_pieces 10 || complain "the pieces of a mended mesh do not fit"
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >sheet.obj
run 1 fracture sheet.obj -o refused
said 'sheet.obj: is not a solid and cannot be repaired: '
[ ! -e refused ] || complain "a refused mesh leaves a folder"

# Bumps on crack faces: closed all the same.
silent fracture block.glb -o rough --noise 0.01 --pieces 8
run 0 info rough/piece_0000.obj
printed 'closed  *yes$'
printed 'problems  *none$'
run 2 fracture block.glb -o refused --noise -1
said '--noise is -1, must be at least 0'
run 2 fracture block.glb -o refused --noise nan
said '--noise must be finite'
