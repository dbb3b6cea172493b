# Our tetrahedra, read by VTK, and VTK's own forms of them, read by us.
# Usage: python3 check_tets.py RUBBLE TETS.vtu FOLDER
import json
import subprocess
import sys

import vtk
from vtk.util.numpy_support import vtk_to_numpy

tool, path, folder = sys.argv[1:]


def info(name):
    return json.loads(subprocess.run([tool, "info", name, "--json"], check=True, capture_output=True).stdout)


def quality(grid, measure):
    filter = vtk.vtkMeshQuality()
    filter.SetInputData(grid)
    getattr(filter, "SetTetQualityMeasureTo" + measure)()
    filter.Update()
    return vtk_to_numpy(filter.GetOutput().GetCellData().GetArray("Quality"))


reader = vtk.vtkXMLUnstructuredGridReader()
reader.SetFileName(path)
reader.Update()
grid = reader.GetOutput()
ours = info(path)
assert grid.GetNumberOfCells() == ours["tetrahedra"] and grid.GetNumberOfPoints() == ours["nodes"]
assert abs(quality(grid, "MinAngle").min() - ours["angles"][0]) < 1e-6
assert abs(quality(grid, "Volume").sum() / ours["volume"] - 1) < 1e-9
assert quality(grid, "Volume").min() > 0

forms = 0
for header in 32, 64:
    for mode in "Ascii", "Binary", "Appended", "Raw":
        writer = vtk.vtkXMLUnstructuredGridWriter()
        writer.SetInputData(grid)
        writer.SetFileName(folder + "/form.vtu")
        writer.SetCompressorTypeToNone()
        writer.SetHeaderType(header)
        getattr(writer, "SetDataModeTo" + ("Appended" if mode == "Raw" else mode))()
        writer.SetEncodeAppendedData(mode == "Appended")
        writer.Write()
        theirs = info(folder + "/form.vtu")
        assert all(theirs[key] == ours[key] for key in ("tetrahedra", "nodes", "regions"))
        assert abs(theirs["volume"] / ours["volume"] - 1) < 1e-6, (mode, header)
        forms += 1
print(f"vtk {vtk.VTK_VERSION}: {ours['tetrahedra']} tetrahedra read alike, {forms} forms written by it read by us")
