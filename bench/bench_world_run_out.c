// Where a block comes to rest that slides down ice onto a rough floor: the plane motion, as exactly as one likes.
//
// It has the speed of its drop when its front meets the floor. That is a plastic impact at two edges at once, for the rear stays
// on the ice; then both edges are held until the rear comes to the bend, a second impact, and from there on it is the way of a
// block on a floor, v^2 / (2 mu g). Friction slides forward all the time, mu times what the floor pushes.
#include "bench/bench_world.h"

#include <math.h>

#define GRAVITY 9.81
#define STEP    1e-5 // s

// Unknowns: x, y, tilt; the block has a mass of 1.
typedef struct Block
{
    double q[3], u[3];
    double weight[3]; // inverse masses
} Block;

// How an impulse at an edge acts on the unknowns, and the velocity that it is measured by.
typedef struct Row
{
    double measure[3], push[3];
} Row;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// From the centre to the lower edge in front or at the rear.
static void arm_of(const rblRunOut* scene, double tilt, double side, double out[2])
{
    const double c = cos(tilt);
    const double s = sin(tilt);
    out[0] = 0.5 * (side * c * scene->length + s * scene->height);
    out[1] = 0.5 * (side * s * scene->length - c * scene->height);
}

static Row row_of(const double arm[2], double normal_x, double normal_y, double friction)
{
    Row row = {{normal_x, normal_y, arm[0] * normal_y - arm[1] * normal_x}, {0, 0, 0}};
    const double along[3] = {normal_y, -normal_x, -arm[0] * normal_x - arm[1] * normal_y};
    for (int k = 0; k < 3; ++k)
    {
        row.push[k] = row.measure[k] - friction * along[k];
    }
    return row;
}

// The front on the floor, the rear on ice or on the floor as well.
static void rows_of(const rblRunOut* scene, const double q[3], bool on_ice, Row rows[2])
{
    double front[2];
    double rear[2];
    arm_of(scene, q[2], 1.0, front);
    arm_of(scene, q[2], -1.0, rear);
    rows[0] = row_of(front, 0.0, 1.0, scene->friction);
    rows[1] = on_ice ? row_of(rear, sin(scene->angle), cos(scene->angle), 0.0)
                     : row_of(rear, 0.0, 1.0, scene->friction);
}

// The two impulses that change the measured velocities by `wanted`, added to the velocities.
static void push(Block* block, const Row rows[2], const double wanted[2])
{
    double a[2][2];
    for (int i = 0; i < 2; ++i)
    {
        for (int k = 0; k < 2; ++k)
        {
            a[i][k] = 0.0;
            for (int j = 0; j < 3; ++j)
            {
                a[i][k] += rows[i].measure[j] * block->weight[j] * rows[k].push[j];
            }
        }
    }
    const double determinant = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    const double first = (wanted[0] * a[1][1] - a[0][1] * wanted[1]) / determinant;
    const double second = (a[0][0] * wanted[1] - a[1][0] * wanted[0]) / determinant;
    for (int j = 0; j < 3; ++j)
    {
        block->u[j] += block->weight[j] * (rows[0].push[j] * first + rows[1].push[j] * second);
    }
}

static void stop_edges(const rblRunOut* scene, Block* block, bool on_ice)
{
    Row rows[2];
    rows_of(scene, block->q, on_ice, rows);
    const double wanted[2] = {-dot(rows[0].measure, block->u), -dot(rows[1].measure, block->u)};
    push(block, rows, wanted);
}

// Forces, and impulses that leave both edges on their planes where they are at the end of the step.
static void glide(const rblRunOut* scene, Block* block)
{
    double ahead[3];
    for (int k = 0; k < 3; ++k)
    {
        ahead[k] = block->q[k] + STEP * block->u[k];
    }
    block->u[1] -= STEP * GRAVITY;
    Row rows[2];
    rows_of(scene, ahead, true, rows);
    const double wanted[2] = {-dot(rows[0].measure, block->u), -dot(rows[1].measure, block->u)};
    push(block, rows, wanted);
    for (int k = 0; k < 3; ++k)
    {
        block->q[k] += STEP * block->u[k];
    }
}

double rbl_run_out(const rblRunOut* scene)
{
    const double s = sin(scene->angle);
    const double c = cos(scene->angle);
    const double x = -scene->run * c + 0.5 * scene->height * s;
    const double y = scene->run * s + 0.5 * scene->height * c;
    double front[2];
    arm_of(scene, -scene->angle, 1.0, front);
    const double way = (y + front[1]) / s; // until the front touches the floor
    const double speed = sqrt(2.0 * GRAVITY * s * way);
    const double square = scene->length * scene->length + scene->height * scene->height;
    Block block = {
        {x + way * c, y - way * s, -scene->angle}, {speed * c, -speed * s, 0}, {1, 1, 12.0 / square}};
    stop_edges(scene, &block, true);
    double rear[2];
    do
    {
        glide(scene, &block);
        arm_of(scene, block.q[2], -1.0, rear);
    } while (block.q[1] + rear[1] > 0.0);
    stop_edges(scene, &block, false);
    return block.q[0] + block.u[0] * block.u[0] / (2.0 * scene->friction * GRAVITY);
}
