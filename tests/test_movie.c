// Moving pictures of runs: frames, camera, floor.
#include "testing.h"

#include "math/vec.h"
#include "scene/movie/movie.h"
#include "scene/run/simulate.h"
#include <stdlib.h>
#include <string.h>

#define BODIES                                                                                               \
    "\"shapes\":{\"ground\":{\"kind\":\"plane\",\"normal\":[0,1,0]},\"slab\":{\"kind\":\"box\",\"size\":[4," \
    "1,4]},"                                                                                                 \
    "\"ball\":{\"kind\":\"sphere\",\"radius\":0.1}},\"bodies\":["

static const char falling[] =
    "{\"rubble\":1,\"step\":0.02,\"duration\":2," BODIES
    "{\"name\":\"floor\",\"shape\":\"ground\",\"type\":\"static\",\"material\":\"stone\",\"position\":[0,-0."
    "5,0]},"
    "{\"name\":\"ball\",\"shape\":\"ball\",\"material\":\"steel\",\"position\":[0,4,0]}]}";

static const char on_slab[] =
    "{\"rubble\":1,\"step\":0.02,\"duration\":0.2,\"camera\":{\"eye\":[0,2,6],\"target\":[0,1,0],\"fov\":40}"
    "," BODIES "{\"name\":\"slab\",\"shape\":\"slab\",\"type\":\"static\",\"material\":\"stone\"},"
    "{\"name\":\"ball\",\"shape\":\"ball\",\"material\":\"steel\",\"position\":[0,1,0]}]}";

typedef struct Shot
{
    rblSceneId scene;
    rblSimulation simulation;
} Shot;

static void shoot(Shot* shot, const char* text)
{
    check_ok(rbl_scene_load_memory(text, strlen(text), "test.json", &shot->scene));
    check_ok(rbl_simulation_start(&shot->simulation, shot->scene, true));
    while (!rbl_simulation_done(&shot->simulation))
    {
        check_ok(rbl_simulation_advance(&shot->simulation));
    }
    check_ok(rbl_simulation_finish(&shot->simulation));
}

static void pack_up(Shot* shot)
{
    rbl_simulation_free(&shot->simulation);
    check_ok(rbl_scene_destroy(shot->scene));
}

static rblMovieDef small(void)
{
    rblMovieDef def = rbl_default_movie_def();
    def.width = 64;
    def.height = 48;
    def.samples = 1;
    return def;
}

static void frames_cover_the_time_asked_for(void** state)
{
    (void)state;
    Shot shot;
    rblMovie movie;
    shoot(&shot, falling);
    rblMovieDef def = small();
    check_ok(rbl_movie_open(&movie, &shot.simulation.run, &def));
    assert_int_equal(movie.frame_count, 61); // 2 s at 30, both ends
    check_close(rbl_movie_time(&movie, 60), 2.0, 1e-9);
    rbl_movie_close(&movie);
    def.speed = 0.5;
    def.begin = 0.5;
    def.end = 1.0;
    check_ok(rbl_movie_open(&movie, &shot.simulation.run, &def));
    assert_int_equal(movie.frame_count, 31);
    check_close(rbl_movie_time(&movie, 30), 1.0, 1e-9);
    rbl_movie_close(&movie);
    pack_up(&shot);
}

static void the_floor_is_the_plane_or_what_stands_lowest(void** state)
{
    (void)state;
    static const char* const scenes[] = {falling, on_slab};
    for (int i = 0; i < 2; ++i)
    {
        Shot shot;
        rblMovie movie;
        const rblMovieDef def = small();
        shoot(&shot, scenes[i]);
        check_ok(rbl_movie_open(&movie, &shot.simulation.run, &def));
        check_close(movie.floor, -0.5, 1e-6);
        rbl_movie_close(&movie);
        pack_up(&shot);
    }
}

// The camera follows the falling ball without a jolt: its speed changes slowly although the ball stops dead.
static void the_camera_follows_calmly(void** state)
{
    (void)state;
    Shot shot;
    rblMovie movie;
    const rblMovieDef def = small();
    shoot(&shot, falling);
    check_ok(rbl_movie_open(&movie, &shot.simulation.run, &def));
    double last = rbl_movie_view(&movie, 0.0).target.y;
    double speed = (rbl_movie_view(&movie, 0.05).target.y - last) / 0.05;
    for (double t = 0.05; t <= 2.0; t += 0.05)
    {
        const double y = rbl_movie_view(&movie, t).target.y;
        const double now = (y - last) / 0.05;
        assert_true(fabs(now - speed) < 1.5); // the ball itself loses 9 m/s at once
        assert_true(rbl_movie_view(&movie, t).radius > 0.1);
        speed = now;
        last = y;
    }
    check_close(last, -0.4, 0.6); // ends where the ball lies
    rbl_movie_close(&movie);
    pack_up(&shot);
}

static void frames_are_the_same_in_any_order(void** state)
{
    (void)state;
    Shot shot;
    rblMovie movie;
    rblMovieDef def = small();
    shoot(&shot, on_slab);
    check_ok(rbl_movie_open(&movie, &shot.simulation.run, &def));
    const size_t bytes = (size_t)4 * 64 * 48;
    uint8_t* first = malloc(bytes);
    uint8_t* again = malloc(bytes);
    check_ok(rbl_movie_frame(&movie, 0, first, NULL));
    check_ok(rbl_movie_frame(&movie, 6, again, NULL));
    assert_memory_not_equal(first, again, bytes); // the ball moved, the overlay counts
    check_ok(rbl_movie_frame(&movie, 0, again, NULL));
    assert_memory_equal(first, again, bytes);
    rbl_movie_close(&movie);
    def.overlay = false;
    check_ok(rbl_movie_open(&movie, &shot.simulation.run, &def));
    check_ok(rbl_movie_frame(&movie, 0, again, NULL));
    assert_memory_not_equal(first, again, bytes);
    check_ok(rbl_movie_picture(&movie, 0.0, first, NULL));
    assert_memory_equal(first, again, bytes);
    free(first);
    free(again);
    rbl_movie_close(&movie);
    pack_up(&shot);
}

static void senseless_movies_are_refused(void** state)
{
    (void)state;
    Shot shot;
    rblMovie movie;
    shoot(&shot, on_slab);
    const rblRun* run = &shot.simulation.run;
    rblMovieDef def = small();
    def.rate = 0.0;
    check_fails(RBL_ERROR_ARGUMENT, rbl_movie_open(&movie, run, &def));
    def = small();
    def.speed = (double)NAN;
    check_fails(RBL_ERROR_ARGUMENT, rbl_movie_open(&movie, run, &def));
    def = small();
    def.begin = 1.0;
    def.end = 0.5;
    check_fails(RBL_ERROR_ARGUMENT, rbl_movie_open(&movie, run, &def));
    def.end = 2.0;
    check_fails(RBL_ERROR_ARGUMENT, rbl_movie_open(&movie, run, &def)); // the run lasts 0.2 s
    rbl_movie_close(&movie);
    pack_up(&shot);
}

// However fast something moves, it is within the view at every step.
static void the_camera_loses_nothing(void** state)
{
    (void)state;
    Shot shot;
    rblMovie movie;
    const rblMovieDef def = small();
    shoot(&shot, falling);
    check_ok(rbl_movie_open(&movie, &shot.simulation.run, &def));
    const rblRun* run = &shot.simulation.run;
    for (uint32_t step = 0; step <= rbl_run_last_step(run); ++step)
    {
        const rblMovieView view = rbl_movie_view(&movie, step * run->settings.step);
        for (uint32_t i = 0; i < run->bodies.count; ++i)
        {
            rblRunKey key;
            if (run->bodies.data[i].type != RBL_BODY_STATIC && rbl_run_state(run, i, step, &key))
            {
                assert_true(rbl_distance3d(rbl_to_double3(key.pose.p), view.target) < view.radius);
            }
        }
    }
    rbl_movie_close(&movie);
    pack_up(&shot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_cover_the_time_asked_for),
        cmocka_unit_test(the_floor_is_the_plane_or_what_stands_lowest),
        cmocka_unit_test(the_camera_follows_calmly),
        cmocka_unit_test(the_camera_loses_nothing),
        cmocka_unit_test(frames_are_the_same_in_any_order),
        cmocka_unit_test(senseless_movies_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
