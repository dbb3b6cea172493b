// Recordings of worlds whose bodies break by regions from files: the files are not needed again.
#include "testing.h"

#include "base/random.h"
#include "cut/labels/label_volume.h"
#include "io/file.h"
#include "replay_testing.h"
#include "rubble/prescored.h"
#include "scene/record/call_codec.h"
#include <stdlib.h>
#include <string.h>

static const char octants[] = "recorder_octants.nrrd";
static const char columns[] = "recorder_columns.nrrd";
static const char recording[] = "recorder_labels.rbl";

static void write_file(const char* path, const char* header, const char* numbers)
{
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    fprintf(file, "NRRD0004\ntype: uint8\ndimension: 3\n%s\nencoding: raw\n\n%s", header, numbers);
    fclose(file);
}

static rblBreakerId breaker_from(const char* path)
{
    rblPrescoredDef def = rbl_default_prescored_def();
    rblBreakerId breaker;
    def.pattern.kind = RBL_PATTERN_FILE;
    def.pattern.file = path;
    check_ok(rbl_breaker_create_prescored(&def, &breaker));
    return breaker;
}

static rblBodyId put_box(rblWorldId world, rblBreakerId breaker, float x)
{
    rblBodyDef def = rbl_default_body_def();
    rblBodyId body;
    check_ok(rbl_material_preset("plaster", &def.material));
    check_ok(rbl_shape_create_box((rblVec3){0.5f, 0.3f, 0.4f}, &def.shape));
    def.pose.p = (rblVec3){x, 2, 0};
    def.breaker = breaker;
    check_ok(rbl_body_create(world, &def, &body));
    check_ok(rbl_shape_destroy(def.shape));
    return body;
}

static void break_box(rblWorldId world, rblBodyId body, float x)
{
    check_ok(rbl_body_break(world, body, (rblVec3){x, 2, 0}, (rblVec3){0, -1, 0}));
    check_ok(rbl_world_step(world, 1.0f / 60.0f));
}

// Three breakers of two files, each given up as soon as its body has it, and the files with them.
static void put_boxes(rblWorldId world, rblBodyId bodies[3])
{
    write_file(octants, "sizes: 2 2 2\nspacings: 0.2 0.2 0.2", "abcdefgh");
    write_file(columns, "sizes: 3 1 2\nspacings: 0.1 1 0.2", "abbccd");
    const char* const paths[3] = {octants, columns, octants};
    for (int i = 0; i < 3; ++i)
    {
        const rblBreakerId breaker = breaker_from(paths[i]);
        bodies[i] = put_box(world, breaker, 2.0f * (float)i);
        check_ok(rbl_breaker_destroy(breaker));
    }
    remove(octants);
    remove(columns);
}

// How the recording begins: with an empty world, or one in which something has broken already.
static void record_breaks(bool late, uint32_t* fragments)
{
    rblWorldDef def = rbl_default_world_def();
    rblWorldId world;
    rblBodyId bodies[3];
    rblCounters counters;
    check_ok(rbl_world_create(&def, &world));
    check_ok(late ? RBL_OK : rbl_world_record(world, recording));
    put_boxes(world, bodies);
    break_box(world, bodies[0], 0.0f);
    check_ok(late ? rbl_world_record(world, recording) : RBL_OK);
    break_box(world, bodies[1], 2.0f);
    break_box(world, bodies[2], 4.0f);
    check_ok(rbl_world_counters(world, &counters));
    *fragments = counters.fragments;
    check_ok(rbl_world_stop_recording(world));
    check_ok(rbl_world_destroy(world));
    assert_int_equal(rbl_breaker_alive_count(), 0);
}

static void breaks_by_regions_of_files_happen_again_without_the_files(void** state)
{
    (void)state;
    for (int late = 0; late < 2; ++late)
    {
        rblFileBytes file;
        uint32_t fragments = 0;
        record_breaks(late != 0, &fragments);
        assert_true(fragments >= 12); // 8, 4 and 8 but for crumbs that were merged
        check_ok(rbl_file_read(recording, SIZE_MAX, rbl_default_allocator(), &file));
        assert_int_equal(recording_count_chunks(&file, RBL_CHUNK_DATA),
                         2); // the same regions are there once
        check_recording_replays(&file, "labels");
        rbl_file_bytes_free(&file);
        remove(recording);
    }
}

static void hostile_labels_do_no_harm(void** state)
{
    (void)state;
    rblFileBytes file;
    uint32_t fragments = 0;
    rblRandom random = rbl_random_seed(12, 0);
    record_breaks(false, &fragments);
    check_ok(rbl_file_read(recording, SIZE_MAX, rbl_default_allocator(), &file));
    remove(recording);
    size_t offset = RBL_FILE_HEADER_SIZE;
    while (rbl_load_u32(file.bytes + offset) != RBL_CHUNK_DATA)
    {
        offset = recording_chunk_end(file.bytes, file.size, offset);
    }
    const size_t length = recording_chunk_end(file.bytes, file.size, offset) - offset - RBL_CHUNK_HEADER_SIZE;
    uint8_t* bytes = malloc(file.size);
    for (int trial = 0; trial < 200; ++trial)
    {
        memcpy(bytes, file.bytes, file.size);
        for (uint32_t k = 1 + rbl_random_below(&random, 3); k > 0; --k)
        {
            const uint32_t place = rbl_random_below(&random, (uint32_t)length);
            bytes[offset + RBL_CHUNK_HEADER_SIZE + place] = (uint8_t)rbl_random_u32(&random);
        }
        recording_seal(bytes, file.size);
        rblReplayReport report;
        (void)rbl_calls_replay_memory(bytes, file.size, "hostile", &report);
        assert_int_equal(rbl_breaker_alive_count(), 0);
    }
    free(bytes);
    rbl_file_bytes_free(&file);
}

// The payload of two voxels with two labels, and one thing wrong with it.
static void labels_that_do_not_fit_together_are_refused(void** state)
{
    (void)state;
    uint16_t numbers[2] = {0, 1};
    const rblLabelVolume good = {{2, 1, 1}, {{0, 0, 0}, {2, 1, 1}}, numbers, 2};
    rblByteSink sink;
    rbl_sink_init(&sink, rbl_default_allocator());
    rbl_labels_put(&sink, &good);
    const size_t size = sink.bytes.count;
    const struct
    {
        size_t place;
        uint8_t value;
    } wrong[] = {{0, 3}, {0, 0}, {8, 2}, {60, 0}, {60, 3}, {size - 1, 0}, {size - 1, 2}, {43, 0xc0}};
    rblLabelVolume* volume = NULL;
    rblByteSource source = {.data = sink.bytes.data, .size = size};
    check_ok(rbl_labels_take(&source, rbl_default_allocator(), &volume));
    assert_int_equal(volume->label_count, 2);
    assert_memory_equal(volume->labels, numbers, sizeof numbers);
    rbl_labels_free(volume, rbl_default_allocator());
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
    {
        const uint8_t right = sink.bytes.data[wrong[i].place];
        sink.bytes.data[wrong[i].place] = wrong[i].value;
        source = (rblByteSource){.data = sink.bytes.data, .size = size};
        check_fails(RBL_ERROR_FORMAT, rbl_labels_take(&source, rbl_default_allocator(), &volume));
        sink.bytes.data[wrong[i].place] = right;
    }
    rbl_sink_free(&sink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(breaks_by_regions_of_files_happen_again_without_the_files),
        cmocka_unit_test(hostile_labels_do_no_harm),
        cmocka_unit_test(labels_that_do_not_fit_together_are_refused),
    };
    return cmocka_run_group_tests_name("recorder_labels", tests, NULL, NULL);
}
