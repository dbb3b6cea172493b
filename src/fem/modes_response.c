// Response of modes to impacts.
#include "base/error.h"
#include "fem/modes.h"
#include "math/trig.h"
#include <string.h>

#define INSTANTS 256 // sample times at which the energy is evaluated

// q'' + w^2 q = w^2 sin(W t), W = pi / duration: q = (sin W t - W / w sin w t) / (1 - W^2 / w^2) during the impact,
// and q = (sin w t - w t cos w t) / 2 if w = W. Afterwards it vibrates freely.
double rbl_pulse_response(double frequency, double duration, double time)
{
    if (!(duration > 0.0))
    {
        return 1.0;
    }
    if (!(time > 0.0))
    {
        return 0.0;
    }
    const double ratio = RBL_PI / (duration * frequency);
    const bool equal = fabs(ratio - 1.0) < 1e-6;
    const double pushed = time < duration ? time : duration, angle = frequency * pushed;
    double sine, cosine;
    rbl_sincos(angle, &sine, &cosine);
    const double scale = equal ? 0.5 : 1.0 / (1.0 - ratio * ratio);
    const double outer = time < duration ? rbl_sin(RBL_PI * time / duration) : 0.0;
    const double q = equal ? scale * (sine - angle * cosine) : scale * (outer - ratio * sine);
    if (time < duration)
    {
        return q;
    }
    const double speed = equal ? scale * angle * sine : -scale * ratio * (1.0 + cosine); // in units of w
    rbl_sincos(frequency * (time - duration), &sine, &cosine);
    return q * cosine + speed * sine;
}

// The loads in modal coordinates: `pushes` has one row of modes per load.
typedef struct Response
{
    const double* frequencies;
    const rblElasticLoad* loads;
    const double* pushes; // N kg^-1/2
    uint32_t mode_count, load_count;
} Response;

static double amplitude(const Response* response, uint32_t mode, double time)
{
    const double w = response->frequencies[mode];
    double sum = 0.0;
    for (uint32_t k = 0; k < response->load_count; ++k)
    {
        sum += response->pushes[(size_t)k * response->mode_count + mode] *
               rbl_pulse_response(w, response->loads[k].duration, time);
    }
    return sum / (w * w);
}

static double energy_at(const Response* response, double time)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < response->mode_count; ++i)
    {
        const double speed = response->frequencies[i] * amplitude(response, i, time);
        sum += 0.5 * speed * speed;
    }
    return sum;
}

// The time of the largest energy, up to one period of the lowest mode after the longest impact; the first of equal
// samples.
static double peak_time(const Response* response)
{
    double longest = 0.0;
    for (uint32_t k = 0; k < response->load_count; ++k)
    {
        longest = rbl_maxd(longest, response->loads[k].duration);
    }
    if (longest == 0.0)
    {
        return 0.0;
    }
    const double end = longest + 2.0 * RBL_PI / response->frequencies[0];
    double best = 0.0, most = -1.0;
    for (uint32_t i = 1; i <= INSTANTS; ++i)
    {
        const double time = end * i / INSTANTS, energy = energy_at(response, time);
        if (energy > most)
        {
            most = energy;
            best = time;
        }
    }
    return best;
}

static void project(const rblElastic* elastic, const rblVec3d* forces, const rblVec3d* shapes, uint32_t count,
                    double* pushes)
{
    const size_t nodes = elastic->mesh_nodes.count;
    for (uint32_t i = 0; i < count; ++i)
    {
        pushes[i] = 0.0;
    }
    for (size_t node = 0; node < nodes; ++node)
    {
        const rblVec3d force = forces[node];
        if (force.x == 0.0 && force.y == 0.0 && force.z == 0.0)
        {
            continue;
        }
        for (uint32_t i = 0; i < count; ++i)
        {
            pushes[i] += rbl_dot3d(force, shapes[i * nodes + node]);
        }
    }
}

static rblResult project_loads(const rblElastic* elastic, const rblVec3d* shapes, uint32_t mode_count,
                               const rblElasticLoad* loads, uint32_t load_count, rblVec3d* forces,
                               double* pushes)
{
    for (uint32_t k = 0; k < load_count; ++k)
    {
        memset(forces, 0, sizeof *forces * elastic->mesh_nodes.count);
        RBL_TRY(rbl_elastic_add_loads(elastic, &loads[k], 1, forces));
        project(elastic, forces, shapes, mode_count, pushes + (size_t)k * mode_count);
    }
    return RBL_OK;
}

static void superpose(const Response* response, const rblVec3d* shapes, size_t nodes, double time,
                      rblVec3d* out)
{
    memset(out, 0, sizeof *out * nodes);
    for (uint32_t i = 0; i < response->mode_count; ++i)
    {
        const double share = amplitude(response, i, time);
        const rblVec3d* shape = shapes + i * nodes;
        for (size_t node = 0; node < nodes; ++node)
        {
            out[node] = rbl_mul_add3d(out[node], share, shape[node]);
        }
    }
}

static rblResult check_response(const double* frequencies, uint32_t mode_count, double time)
{
    if (!rbl_finite(time))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "elastic solid: the time is %g, must be finite", time);
    }
    for (uint32_t i = 0; i < mode_count; ++i)
    {
        if (!(frequencies[i] > 0.0) || !rbl_finite(frequencies[i]))
        {
            return rbl_fail(RBL_ERROR_ARGUMENT, "elastic solid: the frequency of mode %u must be above 0", i);
        }
    }
    return RBL_OK;
}

rblResult rbl_elastic_respond_modes(const rblElastic* elastic, const double* frequencies,
                                    const rblVec3d* shapes, uint32_t mode_count, const rblElasticLoad* loads,
                                    uint32_t load_count, double* time, rblVec3d* displacements)
{
    RBL_TRY(check_response(frequencies, mode_count, *time));
    const rblAllocator* allocator = elastic->allocator;
    const size_t nodes = elastic->mesh_nodes.count, numbers = (size_t)mode_count * load_count + 1;
    rblVec3d* forces = RBL_NEW_ARRAY(allocator, rblVec3d, nodes);
    double* pushes = RBL_NEW_ARRAY(allocator, double, numbers);
    rblResult result = forces != NULL && pushes != NULL ? RBL_OK : rbl_fail_memory();
    if (result == RBL_OK)
    {
        result = project_loads(elastic, shapes, mode_count, loads, load_count, forces, pushes);
    }
    if (result == RBL_OK)
    {
        const Response response = {frequencies, loads, pushes, mode_count, load_count};
        *time = *time < 0.0 && mode_count > 0 ? peak_time(&response) : *time;
        superpose(&response, shapes, nodes, *time, displacements);
    }
    RBL_FREE_ARRAY(allocator, pushes, numbers);
    RBL_FREE_ARRAY(allocator, forces, nodes);
    return result;
}
