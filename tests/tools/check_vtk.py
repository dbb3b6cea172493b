# VTK opens a PVD collection: times, cells, per-body scalars that agree with the CSV export, crack faces on pieces only.
# Usage: python3 check_vtk.py RUN.pvd RUN.csv
import csv
import os
import sys
import xml.etree.ElementTree as tree

import vtk
from vtk.util.numpy_support import vtk_to_numpy

pvd, table = sys.argv[1:3]
rows = {}
with open(table, newline="") as file:
    for row in csv.DictReader(file):
        rows.setdefault(round(float(row["time_s"]), 9), []).append(row)

frames = tree.parse(pvd).getroot().find("Collection").findall("DataSet")
assert len(frames) == len(rows), (len(frames), len(rows))
worst = 0.0
for frame in frames[:: max(1, len(frames) // 24)]:
    time = round(float(frame.get("timestep")), 9)
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(os.path.join(os.path.dirname(pvd), frame.get("file")))
    errors = []
    reader.AddObserver("ErrorEvent", lambda *_: errors.append(1))
    reader.Update()
    assert not errors
    grid = reader.GetOutput()
    assert grid.GetNumberOfCells() > 0
    ids = vtk_to_numpy(grid.GetCellData().GetArray("id"))
    speeds = vtk_to_numpy(grid.GetCellData().GetArray("speed"))
    cracks = vtk_to_numpy(grid.GetCellData().GetArray("crack"))
    pieces = {int(row["id"]) for row in rows[time] if "_piece_" in row["name"]}
    assert set(ids[cracks != 0]) == pieces
    assert set(ids) == {int(row["id"]) for row in rows[time]}
    for row in rows[time]:
        speed = sum(float(row[k]) ** 2 for k in ("vx_m_per_s", "vy_m_per_s", "vz_m_per_s")) ** 0.5
        worst = max(worst, abs(speed - speeds[ids == int(row["id"])][0]))
    assert grid.GetFieldData().GetArray("TimeValue").GetValue(0) == float(frame.get("timestep"))
print(f"vtk {vtk.VTK_VERSION}: {len(frames)} frames, speeds within {worst:.2g} m/s")
assert worst < 1e-5
