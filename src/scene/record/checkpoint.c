#include "scene/record/checkpoint.h"

#include "base/error.h"
#include "dynamics/snapshot.h"
#include "io/file.h"
#include "rubble/version.h"
#include "scene/read/scene.h"
#include "scene/record/call_codec.h"
#include "scene/record/recording_format.h"
#include "scene/record/shape_ledger.h"

// List the breakers of a prepared scene, in its order. They live as long as the scene is prepared.
static rblResult list_breakers(rblSceneId id, const rblAllocator* allocator, const rblBreaker*** out,
                               uint32_t* count)
{
    rblScene* scene = NULL;
    RBL_TRY(rbl_scene_find(id, &scene));
    *count = (uint32_t)scene->breakers.count;
    const rblBreaker** breakers = RBL_NEW_ARRAY(allocator, const rblBreaker*, (size_t)*count + 1);
    rblResult result = breakers != NULL ? RBL_OK : rbl_fail_memory();
    for (uint32_t i = 0; result == RBL_OK && i < *count; ++i)
    {
        result = rbl_breaker_acquire(scene->breakers.data[i].id, &breakers[i]);
        if (result == RBL_OK)
        {
            rbl_breaker_release(breakers[i]);
        }
    }
    if (result != RBL_OK)
    {
        RBL_FREE_ARRAY(allocator, breakers, (size_t)*count + 1);
        breakers = NULL;
    }
    *out = breakers;
    return result;
}

// ---- writing ----

static rblResult write_statistics(rblRecordingWriter* writer, const rblStatistics* statistics)
{
    rbl_sink_clear(&writer->sink);
    rbl_put_varint(&writer->sink, statistics->steps.count);
    for (size_t i = 0; i < statistics->steps.count; ++i)
    {
        rbl_put_step_record(&writer->sink, &statistics->steps.data[i]);
    }
    rbl_put_events(&writer->sink, statistics, 0);
    for (size_t i = 0; i < statistics->steps.count; ++i)
    {
        rbl_put_varint(&writer->sink, statistics->steps.data[i].counters.fragments);
    }
    rbl_put_break_costs(&writer->sink, statistics, 0);
    return rbl_recording_write_chunk(writer, RBL_CHUNK_STATISTICS);
}

// The number of the breaker that fragments come from: a breaker of the scene.
static rblResult number_breaker(const rblBreaker* breaker, void* context, uint32_t* out)
{
    const rblSimulation* simulation = context;
    const rblBreaker** breakers = NULL;
    uint32_t count = 0;
    RBL_TRY(list_breakers(simulation->scene, simulation->allocator, &breakers, &count));
    uint32_t i = 0;
    while (i < count && breakers[i] != breaker)
    {
        ++i;
    }
    *out = i;
    RBL_FREE_ARRAY(simulation->allocator, breakers, (size_t)count + 1);
    return i < count ? RBL_OK
                     : rbl_fail(RBL_ERROR_UNSUPPORTED, "checkpoint: a fragment's breaker is not the scene's");
}

static rblResult put_image(const rblSimulation* simulation, const rblShapeLedger* ledger, rblByteSink* sink)
{
    const rblBreaker** breakers = NULL;
    rblImageTables tables = {.shapes = ledger->shapes.data, .shape_count = (uint32_t)ledger->shapes.count};
    RBL_TRY(list_breakers(simulation->scene, simulation->allocator, &breakers, &tables.breaker_count));
    tables.breakers = breakers;
    const rblResult result = rbl_world_write_image(simulation->world, &tables, sink);
    RBL_FREE_ARRAY(simulation->allocator, breakers, (size_t)tables.breaker_count + 1);
    return result;
}

static void put_id(rblByteSink* sink, rblBodyId id)
{
    rbl_put_u32(sink, id.index1);
    rbl_put_u32(sink, id.generation);
}

// Write the pieces that exist. No reader needs the others.
static void put_pieces(rblByteSink* sink, const rblSimulation* simulation)
{
    uint32_t count = 0;
    for (size_t i = 0; i < simulation->pieces.count; ++i)
    {
        count += rbl_body_is_valid(simulation->world, simulation->pieces.data[i].id);
    }
    rbl_put_varint(sink, count);
    for (size_t i = 0; i < simulation->pieces.count; ++i)
    {
        const rblRunPiece* piece = &simulation->pieces.data[i];
        if (rbl_body_is_valid(simulation->world, piece->id))
        {
            put_id(sink, piece->id);
            rbl_put_string(sink, piece->name);
            rbl_put_varint(sink, piece->body);
        }
    }
}

static rblResult write_world(rblRecordingWriter* writer, const rblSimulation* simulation,
                             const rblShapeLedger* ledger)
{
    rblByteSink* sink = &writer->sink;
    rbl_sink_clear(sink);
    rbl_put_varint(sink, simulation->step);
    rbl_put_varint(sink, simulation->next_event);
    rbl_put_u64(sink, simulation->run.statistics.hash);
    rbl_put_varint(sink, simulation->view.body_count);
    for (uint32_t i = 0; i < simulation->view.body_count; ++i)
    {
        put_id(sink, simulation->bodies[i]);
    }
    put_pieces(sink, simulation);
    RBL_TRY(put_image(simulation, ledger, sink));
    return rbl_recording_write_chunk(writer, RBL_CHUNK_WORLD);
}

// Shapes of the scene are created from it again; shapes of pieces are written to the file.
static rblResult write_shapes(rblShapeLedger* ledger, const rblSimulation* simulation)
{
    rblWorld* world = NULL;
    RBL_TRY(rbl_world_find(simulation->world, &world));
    for (uint32_t i = 0; i < simulation->view.shape_count; ++i)
    {
        rblShapeId shape;
        rblMeshId surface;
        rblShapeView view;
        RBL_TRY(rbl_scene_shape(simulation->scene, i, &shape, &surface));
        RBL_TRY(rbl_shape_view(shape, &view));
        RBL_TRY(rbl_shape_ledger_know(ledger, view.shape));
    }
    return rbl_shape_ledger_write_world(ledger, world);
}

static rblResult write_all(rblRecordingWriter* writer, const rblSimulation* simulation)
{
    rblShapeLedger ledger;
    RBL_TRY(write_statistics(writer, &simulation->run.statistics));
    rbl_shape_ledger_init(&ledger, writer, number_breaker, (void*)(uintptr_t)simulation);
    rblResult result = write_shapes(&ledger, simulation);
    result = result == RBL_OK ? write_world(writer, simulation, &ledger) : result;
    rbl_shape_ledger_free(&ledger);
    return result == RBL_OK ? rbl_recording_rename(writer) : result;
}

rblResult rbl_checkpoint_save(const rblSimulation* simulation, const char* path)
{
    rblRecordingWriter writer;
    rblRun head = simulation->run; // without the surfaces of pieces
    head.shapes.count = simulation->view.shape_count;
    RBL_TRY(rbl_recording_begin(&writer, path, &head, RBL_RECORDING_OF_CHECKPOINT));
    const rblResult result = write_all(&writer, simulation);
    if (result != RBL_OK && writer.part != writer.path)
    {
        remove(writer.part);
    }
    rbl_recording_abandon(&writer);
    return result;
}

// ---- reading ----

// A shape that is not of the scene, or an event of fragments, in the order of the file.
typedef struct Recipe
{
    uint32_t type; // type of its chunk
    rblByteSource source;
} Recipe;

// Data of the file besides settings and shapes.
typedef struct Loaded
{
    rblRun run;
    uint32_t step, next_event;
    uint64_t hash;
    const uint8_t* ids; // of the bodies of the scene, eight bytes each
    uint32_t body_count;
    rblByteSource pieces; // data of the pieces, and their shapes
    uint32_t piece_count;
    RBL_ARRAY(Recipe) recipes;
    uint32_t shape_count; // number of recipes that are shapes
    const uint8_t* image;
    size_t image_size;
} Loaded;

static rblResult take_breaks(rblStatistics* statistics, rblByteSource* source)
{
    for (size_t i = 0; i < statistics->steps.count; ++i)
    {
        statistics->steps.data[i].counters.fragments = rbl_take_u32_varint(source);
    }
    const uint32_t count = rbl_take_count(source, 3 * sizeof(double));
    if (source->failed || count != statistics->events.count)
    {
        return rbl_fail(RBL_ERROR_FORMAT, "the statistics are cut short");
    }
    rbl_take_break_costs(source, statistics->events.data, count);
    return RBL_OK;
}

static rblResult take_records(rblRecordingReader* reader, rblByteSource* source)
{
    rblStatistics* statistics = &reader->run->statistics;
    const uint32_t count = rbl_take_count(source, 1);
    for (uint32_t i = 0; i < count; ++i)
    {
        rblStepRecord record = {.time = (double)i * reader->run->settings.step};
        rbl_take_step_record(source, &record);
        if (source->failed)
        {
            return rbl_fail(RBL_ERROR_FORMAT, "the statistics are cut short");
        }
        if (!rbl_array_push(&statistics->steps, record))
        {
            return rbl_fail_memory();
        }
        statistics->hash = record.hash;
    }
    RBL_TRY(rbl_take_events(reader, source));
    return take_breaks(statistics, source);
}

// Data of one piece; the name is not terminated.
typedef struct Piece
{
    rblBodyId id;
    const uint8_t* name;
    uint32_t name_size;
    uint32_t body;
} Piece;

static Piece take_piece(rblByteSource* source, uint32_t world)
{
    Piece piece = {.id = {.index1 = rbl_take_u32(source), .world = world}};
    piece.id.generation = rbl_take_u32(source);
    piece.name_size = rbl_take_count(source, 1);
    piece.name = rbl_take_bytes(source, piece.name_size);
    piece.body = rbl_take_u32_varint(source);
    return piece;
}

// Store a recipe without decoding it: the shapes of the scene that it refers to do not exist yet.
static rblResult take_recipe(Loaded* loaded, uint32_t type, const rblByteSource* source)
{
    const Recipe recipe = {type, *source};
    loaded->shape_count += type == RBL_CHUNK_RECIPE;
    return rbl_array_push(&loaded->recipes, recipe) ? RBL_OK : rbl_fail_memory();
}

static rblResult take_world(rblRecordingReader* reader, rblByteSource* source)
{
    Loaded* loaded = reader->context;
    loaded->step = rbl_take_u32_varint(source);
    loaded->next_event = rbl_take_u32_varint(source);
    loaded->hash = rbl_take_u64(source);
    loaded->body_count = rbl_take_count(source, 8);
    loaded->ids = rbl_take_bytes(source, 8 * (size_t)loaded->body_count);
    loaded->piece_count = rbl_take_count(source, 10);
    loaded->pieces = *source;
    for (uint32_t i = 0; i < loaded->piece_count; ++i)
    {
        (void)take_piece(source, 0);
    }
    loaded->image_size = rbl_source_left(source);
    loaded->image = rbl_take_bytes(source, loaded->image_size);
    const rblStatistics* statistics = &reader->run->statistics;
    const bool fits = !source->failed && statistics->steps.count == (size_t)loaded->step + 1 &&
                      statistics->hash == loaded->hash;
    return fits ? RBL_OK : rbl_fail(RBL_ERROR_FORMAT, "the world does not match the statistics");
}

static rblResult take_other(rblRecordingReader* reader, uint32_t type, rblByteSource* source)
{
    switch (type)
    {
    case RBL_CHUNK_STATISTICS:
        return take_records(reader, source);
    case RBL_CHUNK_RECIPE:
    case RBL_CHUNK_EVENT:
        return take_recipe(reader->context, type, source);
    case RBL_CHUNK_WORLD:
        return take_world(reader, source);
    default:
        return rbl_fail(RBL_ERROR_UNSUPPORTED, "a type of chunk that this version does not know");
    }
}

static rblResult load(const rblFileBytes* file, const char* path, Loaded* loaded)
{
    rblRecordingReader reader;
    char problem[256] = "";
    rbl_recording_reader_init(&reader, file->bytes, file->size, path, &loaded->run);
    reader.kind = RBL_RECORDING_OF_CHECKPOINT;
    reader.take_other = take_other;
    reader.context = loaded;
    rblResult result = rbl_chunks_read(&reader, problem);
    rbl_recording_reader_free(&reader);
    if (result == RBL_OK && (problem[0] != '\0' || loaded->image == NULL))
    {
        result = rbl_fail(RBL_ERROR_FORMAT, "%s: %s", rbl_short_name(path),
                          problem[0] != '\0' ? problem : "the world is missing");
    }
    return result;
}

// ---- resuming ----

static rblResult check_scene(const rblSimulation* simulation, const Loaded* loaded, const char* path)
{
    const rblSceneView* view = &simulation->view;
    const rblRunSettings* settings = &loaded->run.settings;
    const bool same = settings->text_size == view->text_size &&
                      memcmp(settings->text, view->text, view->text_size) == 0 &&
                      loaded->run.shapes.count == view->shape_count &&
                      loaded->body_count == view->body_count && loaded->next_event <= view->event_count;
    return same ? RBL_OK
                : rbl_fail(RBL_ERROR_ARGUMENT, "%s: the checkpoint is of another scene (%s)",
                           rbl_short_name(path), settings->name);
}

// The image of the world depends on the build.
static rblResult check_version(const Loaded* loaded, const char* path)
{
    const char* version = loaded->run.settings.version;
    return strcmp(version, rbl_version()) == 0
               ? RBL_OK
               : rbl_fail(
                     RBL_ERROR_UNSUPPORTED,
                     "%s: a checkpoint of Rubble %.32s, and this is Rubble %s; only the version that wrote "
                     "a checkpoint can resume it",
                     rbl_short_name(path), version, rbl_version());
}

static rblResult adopt(rblSceneId scene, const Loaded* loaded)
{
    for (uint32_t i = 0; i < loaded->run.shapes.count; ++i)
    {
        RBL_TRY(rbl_scene_adopt_surface(scene, i, loaded->run.shapes.data[i].surface));
    }
    return RBL_OK;
}

// Objects that are created again from a file, in its order.
typedef struct Restoring
{
    rblSimulation* simulation;
    rblShapeId* shapes; // those of the scene, then those of pieces, which the simulation owns
    uint32_t shape_count;
    RBL_ARRAY(rblFragmentEvent*) events; // retained until the shapes retain them
    const rblBreaker** breakers;
    uint32_t breaker_count;
} Restoring;

static rblResult restore_recipe(Restoring* r, const Recipe* recipe)
{
    rblByteSource source = recipe->source;
    RBL_TRY(rbl_array_reserve_more(&r->events, 1) ? RBL_OK : rbl_fail_memory());
    const rblRecipeTables tables = {.made = {.shapes = r->shapes,
                                             .events = r->events.data,
                                             .shape_count = r->shape_count,
                                             .event_count = (uint32_t)r->events.count},
                                    .breakers = r->breakers,
                                    .breaker_count = r->breaker_count};
    if (recipe->type == RBL_CHUNK_EVENT)
    {
        RBL_TRY(rbl_take_event(&source, &tables, &r->events.data[r->events.count]));
        r->events.count += 1;
        return RBL_OK;
    }
    RBL_TRY(rbl_take_shape(&source, &tables.made, &r->shapes[r->shape_count]));
    r->simulation->shapes.data[r->simulation->shapes.count++] = r->shapes[r->shape_count++];
    return RBL_OK;
}

static rblResult list_shapes(Restoring* r, const Loaded* loaded)
{
    rblSimulation* simulation = r->simulation;
    for (; r->shape_count < simulation->view.shape_count; r->shape_count += 1)
    {
        rblMeshId surface;
        RBL_TRY(rbl_scene_shape(simulation->scene, r->shape_count, &r->shapes[r->shape_count], &surface));
    }
    RBL_TRY(rbl_array_reserve(&simulation->shapes, loaded->shape_count) ? RBL_OK : rbl_fail_memory());
    for (uint32_t i = 0; i < loaded->recipes.count; ++i)
    {
        RBL_TRY(restore_recipe(r, &loaded->recipes.data[i]));
    }
    return RBL_OK;
}

static rblResult read_image(rblSimulation* simulation, const Loaded* loaded, rblShapeId* shapes)
{
    Restoring r = {.simulation = simulation, .shapes = shapes};
    rbl_array_init(&r.events, simulation->allocator);
    RBL_TRY(list_breakers(simulation->scene, simulation->allocator, &r.breakers, &r.breaker_count));
    rblResult result = list_shapes(&r, loaded);
    if (result == RBL_OK)
    {
        const rblImageTables tables = {.ids = shapes,
                                       .shape_count = r.shape_count,
                                       .breakers = r.breakers,
                                       .breaker_count = r.breaker_count};
        result = rbl_world_read_image(simulation->world, &tables, loaded->image, loaded->image_size);
    }
    for (size_t i = 0; i < r.events.count; ++i)
    {
        rbl_fragment_event_release(r.events.data[i]);
    }
    rbl_array_free(&r.events);
    RBL_FREE_ARRAY(simulation->allocator, r.breakers, (size_t)r.breaker_count + 1);
    return result;
}

static rblResult restore_pieces(rblSimulation* simulation, const Loaded* loaded, uint32_t world)
{
    rblByteSource source = loaded->pieces;
    for (uint32_t i = 0; i < loaded->piece_count; ++i)
    {
        const Piece piece = take_piece(&source, world);
        rblRunPiece kept = {.id = piece.id, .body = piece.body, .parent = RBL_NONE, .run_body = RBL_NONE};
        if (piece.body >= simulation->view.body_count || !rbl_body_is_valid(simulation->world, piece.id))
        {
            return rbl_fail(RBL_ERROR_FORMAT, "piece %u is invalid", i);
        }
        kept.name = rbl_run_text(&simulation->run, (const char*)piece.name, piece.name_size);
        RBL_TRY(kept.name != NULL ? rbl_simulation_remember_piece(simulation, &kept) : rbl_fail_memory());
    }
    return RBL_OK;
}

static rblResult restore_world(rblSimulation* simulation, const Loaded* loaded)
{
    const size_t count = (size_t)simulation->view.shape_count + loaded->shape_count + 1;
    uint64_t hash = 0;
    rblShapeId* shapes = RBL_NEW_ARRAY(simulation->allocator, rblShapeId, count);
    rblResult result = shapes != NULL ? read_image(simulation, loaded, shapes) : rbl_fail_memory();
    RBL_FREE_ARRAY(simulation->allocator, shapes, count);
    RBL_TRY(result);
    RBL_TRY(rbl_world_hash(simulation->world, &hash));
    return hash == loaded->hash ? RBL_OK : rbl_fail(RBL_ERROR_FORMAT, "the world has another hash");
}

// Copy the statistics. Events get copies of their texts, because those of the loaded run are freed with it.
static rblResult take_statistics(rblRun* run, const rblStatistics* from)
{
    for (size_t i = 0; i < from->steps.count; ++i)
    {
        RBL_TRY(rbl_array_push(&run->statistics.steps, from->steps.data[i]) ? RBL_OK : rbl_fail_memory());
    }
    for (size_t i = 0; i < from->events.count; ++i)
    {
        rblEventRecord event = from->events.data[i];
        event.type = rbl_run_text(run, event.type, strlen(event.type));
        event.body = rbl_run_text(run, event.body, strlen(event.body));
        const bool kept =
            event.type != NULL && event.body != NULL && rbl_array_push(&run->statistics.events, event);
        RBL_TRY(kept ? RBL_OK : rbl_fail_memory());
    }
    run->statistics.hash = from->hash;
    return RBL_OK;
}

// Add the path to an error message, because the world does not know it.
static rblResult with_name(rblResult result, const char* path)
{
    char reason[RBL_ERROR_TEXT_SIZE];
    if (result == RBL_OK || result == RBL_ERROR_MEMORY)
    {
        return result;
    }
    snprintf(reason, sizeof reason, "%s", rbl_last_error());
    return rbl_fail(result, "%s: %s", rbl_short_name(path), reason);
}

static rblResult resume(rblSimulation* simulation, const Loaded* loaded, const char* path)
{
    uint32_t world = 0;
    RBL_TRY(check_version(loaded, path));
    RBL_TRY(check_scene(simulation, loaded, path));
    RBL_TRY(adopt(simulation->scene, loaded));
    RBL_TRY(rbl_simulation_make_world(simulation));
    RBL_TRY(with_name(restore_world(simulation, loaded), path));
    RBL_TRY(rbl_world_serial(simulation->world, &world));
    RBL_TRY(with_name(restore_pieces(simulation, loaded, world), path));
    RBL_TRY(take_statistics(&simulation->run, &loaded->run.statistics));
    for (uint32_t i = 0; i < loaded->body_count; ++i)
    {
        const rblBodyId id = {rbl_load_u32(loaded->ids + 8 * i), rbl_load_u32(loaded->ids + 8 * i + 4),
                              world};
        simulation->bodies[i] = id.index1 != 0 ? id : (rblBodyId){0};
    }
    simulation->step = loaded->step;
    simulation->next_event = loaded->next_event;
    return RBL_OK;
}

rblResult rbl_checkpoint_resume(rblSimulation* simulation, rblSceneId scene, const char* path)
{
    rblFileBytes file;
    Loaded loaded = {0};
    rbl_array_init(&loaded.recipes, rbl_default_allocator());
    RBL_TRY(rbl_simulation_init(simulation, scene, false));
    RBL_TRY(rbl_file_read(path, SIZE_MAX, rbl_default_allocator(), &file));
    rblResult result = load(&file, path, &loaded);
    if (result == RBL_OK)
    {
        result = resume(simulation, &loaded, path);
    }
    rbl_array_free(&loaded.recipes);
    rbl_run_free(&loaded.run);
    rbl_file_bytes_free(&file);
    return result;
}
