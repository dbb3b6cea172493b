// Adds fragments to a run: names, shapes, parents.
#include "base/error.h"
#include "scene/read/scene.h"
#include "scene/run/simulate.h"
#include <stdio.h>
#include <string.h>

// ---- identification ----

static bool same_id(rblBodyId a, rblBodyId b)
{
    return a.index1 == b.index1 && a.generation == b.generation;
}

const rblRunPiece* rbl_simulation_piece_of(const rblSimulation* simulation, rblBodyId id)
{
    const uint32_t slot = id.index1 - 1;
    const uint32_t piece =
        slot < simulation->piece_of_slot.count ? simulation->piece_of_slot.data[slot] : RBL_NONE;
    return piece != RBL_NONE && same_id(simulation->pieces.data[piece].id, id)
               ? &simulation->pieces.data[piece]
               : NULL;
}

uint32_t rbl_simulation_scene_body_of(const rblSimulation* simulation, rblBodyId id)
{
    for (uint32_t i = 0; id.index1 != 0 && i < simulation->view.body_count; ++i)
    {
        if (same_id(simulation->bodies[i], id))
        {
            return i;
        }
    }
    return RBL_NONE;
}

// A body of the scene or a piece, described as a piece.
static rblRunPiece describe(const rblSimulation* simulation, rblBodyId id)
{
    const rblRunPiece* piece = rbl_simulation_piece_of(simulation, id);
    if (piece != NULL)
    {
        return *piece;
    }
    const uint32_t body = rbl_simulation_scene_body_of(simulation, id);
    const bool known = body != RBL_NONE;
    return (rblRunPiece){.id = id,
                         .name = known ? simulation->view.bodies[body].name : "",
                         .body = body,
                         .material = known ? simulation->view.bodies[body].material : RBL_NONE,
                         .parent = RBL_NONE,
                         .run_body = known ? simulation->run_body[body] : RBL_NONE};
}

const char* rbl_simulation_name_of(const rblSimulation* simulation, rblBodyId body)
{
    return describe(simulation, body).name;
}

rblBodyId rbl_simulation_find_piece(const rblSimulation* simulation, const char* name)
{
    for (size_t i = 0; i < simulation->pieces.count; ++i)
    {
        if (strcmp(simulation->pieces.data[i].name, name) == 0)
        {
            return simulation->pieces.data[i].id;
        }
    }
    return (rblBodyId){0};
}

// ---- breaks ----

static rblResult add_break_event(rblSimulation* simulation, const rblBreakEvent* event, const char* name)
{
    const rblEventRecord record = {
        .time = (double)simulation->step * simulation->view.step,
        .type = rbl_scene_event_name(RBL_EVENT_BREAK),
        .body = name,
        .pieces = event->fragment_count,
        .impulse = (double)event->impulse,
        .surface_energy = event->surface_energy,
        .elastic_energy = event->elastic_energy,
        .heat = event->heat,
        .mass_error = event->mass_error,
    };
    return rbl_array_push(&simulation->run.statistics.events, record) ? RBL_OK : rbl_fail_memory();
}

static bool store_piece(rblSimulation* simulation, rblRunPiece piece)
{
    while (simulation->piece_of_slot.count < piece.id.index1)
    {
        if (!rbl_array_push(&simulation->piece_of_slot, RBL_NONE))
        {
            return false;
        }
    }
    simulation->piece_of_slot.data[piece.id.index1 - 1] = (uint32_t)simulation->pieces.count;
    return rbl_array_push(&simulation->pieces, piece);
}

rblResult rbl_simulation_remember_piece(rblSimulation* simulation, const rblRunPiece* piece)
{
    rblRunPiece kept = *piece;
    kept.material = simulation->view.bodies[piece->body].material;
    if (!store_piece(simulation, kept))
    {
        return rbl_fail_memory();
    }
    simulation->new_pieces = simulation->pieces.count;
    return RBL_OK;
}

// Pieces get the name of their parent: plate_piece_3, plate_piece_3_piece_1.
static rblResult add_fragments(rblSimulation* simulation, const rblBreakEvent* event,
                               const rblRunPiece* parent)
{
    for (uint32_t i = 0; i < event->fragment_count; ++i)
    {
        char name[RBL_SCENE_PIECE_NAME];
        snprintf(name, sizeof name, "%.120s_piece_%u", parent->name, i);
        const rblRunPiece piece = {
            .id = event->fragments[i],
            .name = rbl_run_text(&simulation->run, name, strlen(name)),
            .body = parent->body,
            .material = parent->material,
            .parent = parent->run_body != RBL_NONE ? parent->run_body : parent->parent,
            .run_body = RBL_NONE,
        };
        if (piece.name == NULL || !store_piece(simulation, piece))
        {
            return rbl_fail_memory();
        }
    }
    return RBL_OK;
}

rblResult rbl_simulation_note_breaks(rblSimulation* simulation)
{
    const rblBreakEvent* events = NULL;
    uint32_t count = 0;
    RBL_TRY(rbl_world_break_events(simulation->world, &events, &count));
    for (uint32_t i = 0; i < count; ++i)
    {
        const rblRunPiece parent = describe(simulation, events[i].body);
        RBL_TRY(add_break_event(simulation, &events[i], parent.name));
        const bool known = parent.material != RBL_NONE; // of the scene, a piece, or added by the caller
        RBL_TRY(known ? add_fragments(simulation, &events[i], &parent) : RBL_OK);
    }
    return RBL_OK;
}

// ---- bodies of the program ----

// The material of the run with that name; it is added when it does not exist.
static rblResult find_material(rblRun* run, const rblSceneMaterial* material, uint32_t* out)
{
    for (uint32_t i = 0; i < run->materials.count; ++i)
    {
        if (strcmp(run->materials.data[i].name, material->name) == 0)
        {
            *out = i;
            return RBL_OK;
        }
    }
    rblSceneMaterial copy = *material;
    copy.name = rbl_run_text(run, material->name, strlen(material->name));
    *out = (uint32_t)run->materials.count;
    return copy.name != NULL && rbl_array_push(&run->materials, copy) ? RBL_OK : rbl_fail_memory();
}

rblResult rbl_simulation_add_body(rblSimulation* simulation, rblBodyId id, const char* name,
                                  const rblSceneMaterial* material)
{
    rblRunPiece added = {.id = id, .body = RBL_NONE, .parent = RBL_NONE, .run_body = RBL_NONE};
    RBL_TRY(find_material(&simulation->run, material, &added.material));
    added.name = rbl_run_text(&simulation->run, name, strlen(name));
    return added.name != NULL && store_piece(simulation, added) ? RBL_OK : rbl_fail_memory();
}

// ---- adding to the run ----

static rblResult add_piece(rblSimulation* simulation, rblRunPiece* piece)
{
    rblRun* run = &simulation->run;
    rblBodyState state;
    rblShapeView view;
    rblMeshId surface;
    RBL_TRY(rbl_body_state(simulation->world, piece->id, &state));
    RBL_TRY(rbl_shape_view(state.shape, &view));
    RBL_TRY(rbl_shape_surface(&view, &surface));
    const rblRunBody body = {.name = piece->name,
                             .shape = (uint32_t)run->shapes.count,
                             .material = piece->material,
                             .parent = piece->parent,
                             .type = state.type,
                             .mass = state.mass,
                             .birth = simulation->step,
                             .death = RBL_NONE};
    const bool added = piece->body == RBL_NONE && piece->parent == RBL_NONE;
    const char* source = added ? view.kind : "piece";
    RBL_TRY(rbl_run_add_shape(run, piece->name, source, &view, surface));
    piece->run_body = (uint32_t)run->bodies.count;
    RBL_TRY(rbl_run_push_body(run, &body));
    return rbl_tracker_watch(&simulation->tracker, piece->id);
}

rblResult rbl_simulation_add_pieces(rblSimulation* simulation)
{
    for (size_t i = simulation->new_pieces; i < simulation->pieces.count; ++i)
    {
        rblRunPiece* piece = &simulation->pieces.data[i];
        if (rbl_body_is_valid(simulation->world, piece->id))
        {
            RBL_TRY(add_piece(simulation, piece));
        }
    }
    simulation->new_pieces = simulation->pieces.count;
    return RBL_OK;
}
