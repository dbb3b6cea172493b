// The reader of recordings: whatever the bytes, they are refused with a line that names the file and the byte, or what was
// taken holds together. The first byte chooses: the file as it is, or with right checks, so that contents are reached.
#include "../recording_files.h"
#include "fuzz.h"

static void check_body(const rblRun* run, const rblRunBody* body)
{
    const uint32_t last = rbl_run_last_step(run);
    FUZZ_CHECK(body->shape < run->shapes.count && body->material < run->materials.count);
    FUZZ_CHECK(body->parent == RBL_NONE || body->parent < run->bodies.count);
    FUZZ_CHECK(body->birth <= last && (body->death == RBL_NONE || body->death <= last));
    FUZZ_CHECK(body->birth < body->death && body->keys.count > 0);
    FUZZ_CHECK(body->keys.data[0].step == body->birth);
    for (size_t i = 0; i < body->keys.count; ++i)
    {
        const float* numbers = &body->keys.data[i].pose.p.x;
        FUZZ_CHECK(i == 0 || body->keys.data[i].step > body->keys.data[i - 1].step);
        FUZZ_CHECK(body->keys.data[i].step <= last && body->keys.data[i].step < body->death);
        for (int k = 0; k < 7; ++k)
        {
            FUZZ_CHECK(numbers[k] - numbers[k] == 0.0f);
        }
    }
}

static void check_run(const rblRun* run)
{
    FUZZ_CHECK(run->statistics.steps.count > 0 && run->settings.step > 0.0);
    for (size_t i = 0; i < run->bodies.count; ++i)
    {
        check_body(run, &run->bodies.data[i]);
    }
    for (size_t i = 0; i < run->contacts.count; ++i)
    {
        const rblRunContact* contact = &run->contacts.data[i];
        FUZZ_CHECK(contact->a == RBL_NONE || contact->a < run->bodies.count);
        FUZZ_CHECK(contact->b == RBL_NONE || contact->b < run->bodies.count);
        FUZZ_CHECK(contact->step <= rbl_run_last_step(run));
    }
    for (size_t i = 0; i < run->shapes.count; ++i)
    {
        rblMeshView view;
        if (run->shapes.data[i].surface.index1 != 0)
        {
            FUZZ_CHECK(rbl_mesh_view(run->shapes.data[i].surface, &view) == RBL_OK);
            fuzz_check_mesh(&view, false);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    if (size == 0)
    {
        return 0;
    }
    uint8_t* bytes = malloc(size);
    memcpy(bytes, data + 1, size - 1);
    if (data[0] % 2 != 0)
    {
        recording_seal(bytes, size - 1);
    }
    rblRun run;
    rblRecordingReport report;
    if (rbl_recording_load_memory(bytes, size - 1, "fuzz", &run, &report) == RBL_OK)
    {
        FUZZ_CHECK(report.used <= size - 1 && (report.used == size - 1) == (report.problem[0] == '\0'));
        check_run(&run);
        rbl_run_free(&run);
    }
    else
    {
        FUZZ_CHECK(strncmp(rbl_last_error(), "fuzz: byte", 10) == 0);
        FUZZ_CHECK(strchr(rbl_last_error(), '\n') == NULL);
    }
    free(bytes);
    FUZZ_CHECK(rbl_bytes_in_use() == 0);
    FUZZ_CHECK(rbl_mesh_alive_count() == 0);
    return 0;
}
