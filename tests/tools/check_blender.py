# Blender imports a GLB: as many objects as bodies, an animation as long as the run, poses as in the CSV export.
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
worst = 0.0
for wanted in (0, last // 2, last):
    time = wanted * step * rate
    bpy.context.scene.frame_set(int(time), subframe=time - int(time))
    for name, row in rows[wanted].items():
        o = objects[name]
        p = Vector((float(row["x_m"]), -float(row["z_m"]), float(row["y_up_m"])))
        q = Quaternion((float(row["qw"]), float(row["qx"]), -float(row["qz"]), float(row["qy"])))
        matrix = o.matrix_world
        turn = matrix.to_quaternion()
        worst = max(worst, (matrix.to_translation() - p).length, 1.0 - abs(turn.dot(q)))
print(f"blender: {len(objects)} objects, {max(ends) / rate:.3f} s, poses within {worst:.2g}")
assert worst < 1e-4, worst
