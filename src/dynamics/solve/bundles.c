// Bundles of four manifolds of a colour, and the scalar form of the contacts of one lane.
#include "dynamics/solve/wide.h"
#include "math/simd.h"

// ---- tuning ----
// These affect speed only.
#define FETCHED 12 // number of manifolds that pairs are prefetched ahead

// Manifolds of the last colour may share bodies, so each has a bundle of its own.
static uint32_t lanes_of(uint32_t color)
{
    return color + 1 < RBL_MAX_COLORS ? 4 : 1;
}

static uint32_t count_bundles(rblStep* step)
{
    uint32_t count = 0;
    for (uint32_t c = 0; c < RBL_MAX_COLORS; ++c)
    {
        const uint32_t lanes = lanes_of(c);
        step->color_bundles[c] = count;
        count += (step->color_starts[c + 1] - step->color_starts[c] + lanes - 1) / lanes;
    }
    step->color_bundles[RBL_MAX_COLORS] = count;
    return count;
}

static rblBundle make_bundle(rblStep* step, uint32_t index, uint32_t manifold, uint32_t lanes)
{
    rblWorld* world = step->world;
    rblBundle bundle = {.manifold = manifold, .lanes = (uint16_t)lanes};
    for (uint32_t i = 0; i < lanes; ++i)
    {
        rblManifold* from = &step->manifolds.data[manifold + i];
        from->bundle = index;
        bundle.a[i] = from->a;
        bundle.b[i] = from->b;
        bundle.friction[i] = from->friction;
        bundle.slot_a[i] = world->pairs.data[from->pair].a;
        bundle.slot_b[i] = world->pairs.data[from->pair].b;
        bundle.contact[i] = from->contact;
        bundle.counts[i] = from->count;
        bundle.redundant_counts[i] = from->redundant;
        bundle.slop[i] = from->slop;
        bundle.free |= (uint8_t)(from->siblings || from->misses ? 1u << i : 0u);
        bundle.rounds |= (uint8_t)(from->round ? 1u << i : 0u);
        bundle.count = from->count > bundle.count ? from->count : bundle.count;
        bundle.redundant = from->redundant > bundle.redundant ? from->redundant : bundle.redundant;
    }
    return bundle;
}

static void make_block(rblRange range, void* context)
{
    rblStep* step = context;
    uint32_t color = 0;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        while (i >= step->color_bundles[color + 1])
        {
            ++color;
        }
        const uint32_t most = lanes_of(color);
        const uint32_t manifold = step->color_starts[color] + most * (i - step->color_bundles[color]);
        const uint32_t left = step->color_starts[color + 1] - manifold;
        // The pairs of a colour are scattered: the next ones are prefetched.
        for (uint32_t k = manifold + FETCHED; k < manifold + FETCHED + most && k < step->manifolds.count; ++k)
        {
            rbl_prefetch(&step->world->pairs.data[step->manifolds.data[k].pair]);
        }
        step->bundles.data[i] = make_bundle(step, i, manifold, left < most ? left : most);
    }
}

bool rbl_bundles_build(rblStep* step)
{
    rblWorld* world = step->world;
    const uint32_t count = count_bundles(step);
    if (!rbl_array_renew(&step->bundles, count, rbl_pile_capacity(step, RBL_PILE_CONTACTS) / 8))
    {
        return false;
    }
    rbl_parallel_for(world->jobs, count, 64, make_block, step);
    uint32_t contacts = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        step->bundles.data[i].first = contacts;
        contacts += step->bundles.data[i].count + step->bundles.data[i].redundant;
    }
    return rbl_array_renew(&step->wide_contacts, contacts, rbl_pile_capacity(step, RBL_PILE_CONTACTS) / 3);
}

void rbl_manifold_unpack(rblStep* step, const rblManifold* manifold)
{
    const rblBundle* bundle = &step->bundles.data[manifold->bundle];
    const uint32_t lane = rbl_manifold_lane(step, manifold);
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        const rblWideContact* from = &step->wide_contacts.data[bundle->first + i];
        rblSolverContact* contact = &step->solver_contacts.data[manifold->first + i];
        contact->normal = rbl_lane3(from->normal, lane);
        contact->arm_a = rbl_lane3(from->arm_a, lane);
        contact->arm_b = rbl_lane3(from->arm_b, lane);
        contact->tangent = rbl_lane3(from->tangent, lane);
        contact->normal_mass = from->normal_mass[lane];
        for (int k = 0; k < 4; ++k)
        {
            contact->tangent_mass[k] = from->tangent_mass[k][lane];
        }
        contact->coupling[0] = from->coupling[0][lane];
        contact->coupling[1] = from->coupling[1][lane];
        contact->target = from->target[lane];
        contact->normal_impulse = from->normal_impulse[lane];
        contact->tangent_impulse[0] = from->tangent_impulse[0][lane];
        contact->tangent_impulse[1] = from->tangent_impulse[1][lane];
    }
}

void rbl_impulses_repack(rblStep* step, const rblManifold* manifold)
{
    const rblBundle* bundle = &step->bundles.data[manifold->bundle];
    const uint32_t lane = rbl_manifold_lane(step, manifold);
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        const rblSolverContact* from = &step->solver_contacts.data[manifold->first + i];
        rblWideContact* contact = &step->wide_contacts.data[bundle->first + i];
        contact->normal_impulse[lane] = from->normal_impulse;
        contact->tangent_impulse[0][lane] = from->tangent_impulse[0];
        contact->tangent_impulse[1][lane] = from->tangent_impulse[1];
    }
}
