# Blender imports a GLB: as many objects as bodies, an animation as long as the run, poses as in the CSV export, nothing to be
# seen of bodies that are not there; pieces know their parents and have crack faces of a second material.
# Usage: blender --background --factory-startup --python check_blender.py -- RUN.glb RUN.csv STEP_SECONDS
import csv
import sys

import bpy
import numpy
from mathutils import Quaternion, Vector

glb, table, step = sys.argv[sys.argv.index("--") + 1:][:3]
step = float(step)
if not hasattr(numpy, "bool"):
    numpy.bool = bool  # Debian 12 ships an importer that is older than its NumPy
rate = 24.0

rows = {}
with open(table, newline="") as file:
    for row in csv.DictReader(file):
        rows.setdefault(int(row["step"]), {})[row["name"]] = row
names = {name for frame in rows.values() for name in frame}
last = max(rows)

bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.context.scene.render.fps = int(rate)
bpy.ops.import_scene.gltf(filepath=glb)
objects = {o.name: o for o in bpy.data.objects if o.type == "MESH"}
assert set(objects) == names, (sorted(set(objects) ^ names)[:5], len(objects), len(names))

ends = [a.frame_range[1] for a in bpy.data.actions]
assert abs(max(ends) / rate - last * step) < 1.5 / rate, (max(ends) / rate, last * step)

# Blender has Z up: its importer turns (x, y, z) into (x, -z, y).
births = {name: min(s for s in rows if name in rows[s]) for name in names}
changes = {s + d for s in births.values() for d in (-1, 0) if s > 0}
worst = 0.0
for wanted in sorted(changes | {0, last // 2, last}):
    time = wanted * step * rate
    bpy.context.scene.frame_set(int(time), subframe=time - int(time))
    for name in names - set(rows[wanted]):
        assert objects[name].matrix_world.median_scale < 1e-6, (name, wanted)
    for name, row in rows[wanted].items():
        o = objects[name]
        assert abs(o.matrix_world.median_scale - 1.0) < 1e-5, (name, wanted)
        p = Vector((float(row["x_m"]), -float(row["z_m"]), float(row["y_up_m"])))
        q = Quaternion((float(row["qw"]), float(row["qx"]), -float(row["qz"]), float(row["qy"])))
        matrix = o.matrix_world
        turn = matrix.to_quaternion()
        worst = max(worst, (matrix.to_translation() - p).length, 1.0 - abs(turn.dot(q)))
pieces = 0
for name, o in objects.items():
    assert abs(o["birth"] - births[name] * step) < 1e-6 and o["mass"] >= 0.0, name
    if "parent" in o:
        parent = next(p for p in objects.values() if p["id"] == o["parent"])
        assert name.startswith(parent.name + "_piece_"), (name, parent.name)
        assert parent.name not in rows[births[name]] and parent.name in rows[births[name] - 1], name
        used = {o.data.materials[p.material_index].name for p in o.data.polygons}
        assert any(m.endswith(" crack") for m in used), (name, used)
        pieces += 1
print(f"blender: {len(objects)} objects, {pieces} of them pieces, {max(ends) / rate:.3f} s, poses within {worst:.2g}")
assert worst < 1e-4, worst
