// Everything the tool can tell about a mesh, gathered once and told as text or JSON.
#ifndef RUBBLE_TOOL_REPORT_H
#define RUBBLE_TOOL_REPORT_H

#include "rubble/json.h"
#include "rubble/rubble.h"
#include <stdio.h>

typedef struct MeshFacts
{
    rblMeshView view; // of the mesh, which must stay alive
    rblMeshReport report;
    bool looked_for_intersections;
    rblDefect non_finite_vertices;
    bool has_mass; // false: open, not manifold, or without volume
    rblMassProperties mass;
    double density;
} MeshFacts;

// Inspect a mesh. Broken meshes are described, not refused.
rblResult report_gather(rblMeshId mesh, bool self_intersections, double density, MeshFacts* out);

// The same when the inspection has been done already.
rblResult report_complete(rblMeshId mesh, const rblMeshReport* report, double density, MeshFacts* out);

void report_print(FILE* out, const MeshFacts* facts);

// The members of an object that the caller has begun and will end.
void report_write_json(rblJsonWriter* writer, const MeshFacts* facts);

#endif
