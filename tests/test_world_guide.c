// The program of docs/world.md: it is what it says there, and it runs.
#include "testing.h"

#include "rubble/joint.h"
#include <stdlib.h>
#include <string.h>

#ifndef RBL_TEST_CC
#define RBL_TEST_CC "cc"
#endif

static char* read_text(const char* path)
{
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    char* text = calloc(1, 1 << 16);
    const size_t size = fread(text, 1, (1 << 16) - 1, file);
    fclose(file);
    assert_true(size > 0);
    return text;
}

// The same steps as in the guide, with every result checked.
static void the_program_of_the_guide_does_what_it_says(void** state)
{
    (void)state;
    rblWorldDef world_def = rbl_default_world_def();
    rblWorldId world;
    check_ok(rbl_world_create(&world_def, &world));
    rblShapeId ground;
    rblShapeId box;
    check_ok(rbl_shape_create_plane((rblVec3){0.0f, 1.0f, 0.0f}, &ground));
    check_ok(rbl_shape_create_box((rblVec3){1.0f, 0.5f, 0.5f}, &box));
    rblBodyDef def = rbl_default_body_def();
    def.type = RBL_BODY_STATIC;
    def.shape = ground;
    rblBodyId floor;
    check_ok(rbl_body_create(world, &def, &floor));
    def = rbl_default_body_def();
    def.shape = box;
    def.pose.p = (rblVec3){0.0f, 2.0f, 0.0f};
    check_ok(rbl_material_preset("wood", &def.material));
    rblBodyId body;
    check_ok(rbl_body_create(world, &def, &body));
    check_ok(rbl_shape_destroy(ground));
    check_ok(rbl_shape_destroy(box));
    int impacts = 0;
    for (int frame = 0; frame < 60; ++frame)
    {
        check_ok(rbl_world_step(world, 1.0f / 30.0f));
        const rblContactEvent* events;
        uint32_t count;
        check_ok(rbl_world_contact_events(world, &events, &count));
        for (uint32_t i = 0; i < count; ++i)
        {
            impacts += events[i].kind == RBL_CONTACT_IMPACT;
        }
    }
    rblBodyState now;
    check_ok(rbl_body_state(world, body, &now));
    assert_true(impacts > 0);
    check_close(now.pose.p.y, 0.25, 0.02);
    check_ok(rbl_world_destroy(world));
}

// Every call that the guide's program makes is declared; the compiler checks the program itself against the headers.
static void the_program_of_the_guide_compiles(void** state)
{
    (void)state;
    char* text = read_text(RBL_TEST_DOCS "/world.md");
    const char* begin = strstr(text, "```c\n#include");
    assert_non_null(begin);
    const char* end = strstr(begin + 4, "```");
    assert_non_null(end);
    const char* path = "guide_program.c";
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    fwrite(begin + 5, 1, (size_t)(end - begin - 5), file);
    fclose(file);
    const int result =
        system(RBL_TEST_CC " -std=c17 -Wall -Wextra -Werror -fsyntax-only -DRBL_STATIC -I" RBL_TEST_DOCS
                           "/../include guide_program.c");
    (void)remove(path);
    free(text);
    assert_int_equal(result, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_program_of_the_guide_does_what_it_says),
        cmocka_unit_test(the_program_of_the_guide_compiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
