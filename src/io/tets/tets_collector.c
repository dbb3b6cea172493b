#include "io/tets/tets_files.h"
#include "math/vec.h"

void rbl_tets_collector_init(rblTetsCollector* collector, const rblSource* source)
{
    *collector = (rblTetsCollector){.source = source};
    rbl_array_init(&collector->positions, source->allocator);
    rbl_array_init(&collector->nodes, source->allocator);
    rbl_array_init(&collector->regions, source->allocator);
    rbl_hash_map_init(&collector->numbers, source->allocator);
}

void rbl_tets_collector_free(rblTetsCollector* collector)
{
    rbl_array_free(&collector->positions);
    rbl_array_free(&collector->nodes);
    rbl_array_free(&collector->regions);
    rbl_hash_map_free(&collector->numbers);
}

rblResult rbl_collect_node(rblTetsCollector* collector, uint64_t number, rblVec3d position, const void* at)
{
    if (!rbl_finite3d(position))
    {
        return rbl_fail_line(collector->source, at, RBL_ERROR_FORMAT,
                             "the position of node %llu is not finite", (unsigned long long)number);
    }
    if (collector->positions.count >= RBL_MAX_ELEMENTS)
    {
        return rbl_fail_line(collector->source, at, RBL_ERROR_LIMIT, "more than %u nodes", RBL_MAX_ELEMENTS);
    }
    bool added = false;
    if (rbl_hash_map_get_or_add(&collector->numbers, number, (uint32_t)collector->positions.count, &added) ==
            NULL ||
        !rbl_array_push(&collector->positions, position))
    {
        return rbl_fail_memory();
    }
    return added ? RBL_OK
                 : rbl_fail_line(collector->source, at, RBL_ERROR_FORMAT, "node %llu occurs twice",
                                 (unsigned long long)number);
}

rblResult rbl_collect_tet(rblTetsCollector* collector, const uint64_t numbers[4], uint32_t region,
                          const void* at)
{
    if (collector->regions.count >= RBL_MAX_TETS)
    {
        return rbl_fail_line(collector->source, at, RBL_ERROR_LIMIT, "more than %u tetrahedra", RBL_MAX_TETS);
    }
    for (int i = 0; i < 4; ++i)
    {
        const uint32_t node = rbl_hash_map_find(&collector->numbers, numbers[i]);
        if (node == RBL_MAP_EMPTY)
        {
            return rbl_fail_line(collector->source, at, RBL_ERROR_FORMAT,
                                 "tetrahedron %zu refers to node %llu, which does not exist",
                                 collector->regions.count + 1, (unsigned long long)numbers[i]);
        }
        if (!rbl_array_push(&collector->nodes, node))
        {
            return rbl_fail_memory();
        }
    }
    return rbl_array_push(&collector->regions, region) ? RBL_OK : rbl_fail_memory();
}

// Keep only the nodes that are used, in the order of the file.
static rblResult compact(rblTetsCollector* collector, rblTetsParts* parts)
{
    const size_t count = collector->positions.count;
    rblIndexArray places;
    rbl_array_init(&places, collector->source->allocator);
    if (!rbl_array_resize(&places, count))
    {
        return rbl_fail_memory();
    }
    for (size_t n = 0; n < count; ++n)
    {
        places.data[n] = RBL_NONE;
    }
    for (size_t i = 0; i < collector->nodes.count; ++i)
    {
        places.data[collector->nodes.data[i]] = 0;
    }
    bool ok = true;
    for (size_t n = 0; n < count && ok; ++n)
    {
        if (places.data[n] != RBL_NONE)
        {
            places.data[n] = (uint32_t)parts->positions.count;
            ok = rbl_array_push(&parts->positions, collector->positions.data[n]);
        }
    }
    for (size_t i = 0; i < collector->nodes.count && ok; ++i)
    {
        ok = rbl_array_push(&parts->nodes, places.data[collector->nodes.data[i]]);
    }
    rbl_array_free(&places);
    return ok ? RBL_OK : rbl_fail_memory();
}

rblResult rbl_tets_collector_finish(rblTetsCollector* collector, rblTets** out)
{
    const char* name = rbl_short_name(collector->source->name);
    if (collector->regions.count == 0)
    {
        return rbl_fail(RBL_ERROR_GEOMETRY, "%s: the file has no tetrahedra", name);
    }
    rblTetsParts parts;
    rbl_tets_parts_init(&parts, collector->source->allocator);
    rblResult result = compact(collector, &parts);
    if (result != RBL_OK)
    {
        rbl_tets_parts_free(&parts);
        return result;
    }
    parts.regions = collector->regions;
    rbl_array_init(&collector->regions, collector->source->allocator);
    parts.solid_node_count = (uint32_t)parts.positions.count;
    parts.solid_tet_count = (uint32_t)parts.regions.count;
    result = rbl_tets_new(&parts, NULL, collector->source->allocator, out);
    return result == RBL_OK ? RBL_OK : rbl_fail_within(result, name);
}
