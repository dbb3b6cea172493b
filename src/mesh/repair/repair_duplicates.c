// Faces with the same ring of positions; vertices within the tolerance count as one position, welded or not. Of
// several faces with the same orientation the first one stays. Two faces of opposite orientation are the two sides of
// a sheet without thickness. A sheet is judged as a whole:
//   - not connected to other faces: a double-sided surface, one side stays;
//   - it fills a gap of the surface around it (most rim edges have one other face, or three): one side stays;
//   - the surface around it is complete without it: both sides are removed.
#include "base/error.h"
#include "base/hash_map.h"
#include "mesh/repair/repair.h"
#include <string.h>

typedef struct Sheets
{
    uint32_t* names;  // per vertex: the first vertex within the tolerance
    uint32_t* others; // per face: the face on its other side, or RBL_NONE
    uint32_t* chain;  // per face: an earlier face with the same hash
    bool any;
} Sheets;

// The names of the vertices of a face, starting with the lowest name, in the direction of its lower neighbour. A face
// so small that names repeat uses the vertex numbers instead.
typedef struct Ring
{
    const uint32_t* names; // null: vertex numbers
    uint32_t begin, size;
    uint32_t start; // position of the lowest name
    bool forward;   // the direction equals that of the face
} Ring;

static uint32_t name_at(const rblRepair* r, const Ring* ring, uint32_t i)
{
    const uint32_t vertex = rbl_repair_vertex(r, ring->begin + i);
    return ring->names != NULL ? ring->names[vertex] : vertex;
}

static bool names_repeat(const rblRepair* r, const Ring* ring)
{
    // Names repeat only among vertices closer than twice the tolerance. In a face of more than a few tolerances they
    // are at most a few corners apart, so 16 corners are compared.
    for (uint32_t i = 0; i < ring->size; ++i)
    {
        for (uint32_t k = i + 1; k < ring->size && k < i + 16; ++k)
        {
            if (name_at(r, ring, i) == name_at(r, ring, k))
            {
                return true;
            }
        }
    }
    return false;
}

static Ring find_ring(const rblRepair* r, const uint32_t* names, uint32_t f)
{
    const rblRepairFace* face = &r->faces.data[f];
    Ring ring = {names, face->begin, face->size, 0, true};
    if (names_repeat(r, &ring))
    {
        ring.names = NULL;
    }
    for (uint32_t i = 1; i < face->size; ++i)
    {
        if (name_at(r, &ring, i) < name_at(r, &ring, ring.start))
        {
            ring.start = i;
        }
    }
    const uint32_t after = name_at(r, &ring, (ring.start + 1) % face->size);
    const uint32_t before = name_at(r, &ring, (ring.start + face->size - 1) % face->size);
    ring.forward = after < before;
    return ring;
}

static uint32_t ring_name(const rblRepair* r, const Ring* ring, uint32_t i)
{
    const uint32_t step = ring->forward ? i : ring->size - i;
    return name_at(r, ring, (ring->start + step) % ring->size);
}

static uint64_t hash_ring(const rblRepair* r, const Ring* ring)
{
    uint64_t hash = 2 * (uint64_t)ring->size + (ring->names != NULL);
    for (uint32_t i = 0; i < ring->size; ++i)
    {
        hash = rbl_hash_u64(hash ^ ring_name(r, ring, i)) + i;
    }
    return hash;
}

static bool same_ring(const rblRepair* r, const Ring* a, const Ring* b)
{
    bool same = a->size == b->size && a->names == b->names;
    for (uint32_t i = 0; i < a->size && same; ++i)
    {
        same = ring_name(r, a, i) == ring_name(r, b, i);
    }
    return same;
}

// Compare `f` with the faces kept before it: false when it equals one. A face on its other side is recorded.
static bool is_new(const rblRepair* r, Sheets* sheets, uint32_t f, const Ring* ring)
{
    uint32_t other = RBL_NONE;
    for (uint32_t g = sheets->chain[f]; g != RBL_NONE; g = sheets->chain[g])
    {
        const Ring earlier = find_ring(r, sheets->names, g);
        if (!same_ring(r, ring, &earlier))
        {
            continue;
        }
        if (ring->forward == earlier.forward)
        {
            return false;
        }
        other = g;
    }
    if (other != RBL_NONE)
    {
        sheets->others[f] = other;
        sheets->others[other] = f;
        sheets->any = true;
    }
    return true;
}

static rblResult compare_faces(rblRepair* r, Sheets* sheets, rblHashMap* last_with_hash)
{
    for (uint32_t f = 0; f < r->faces.count; ++f)
    {
        if (r->keep_fillings && r->faces.data[f].hole != RBL_NONE)
        {
            continue;
        }
        const Ring ring = find_ring(r, sheets->names, f);
        bool added;
        uint32_t* last = rbl_hash_map_get_or_add(last_with_hash, hash_ring(r, &ring), f, &added);
        if (last == NULL)
        {
            return rbl_fail_memory();
        }
        sheets->chain[f] = added ? RBL_NONE : *last;
        if (is_new(r, sheets, f, &ring))
        {
            *last = f;
        }
        else
        {
            r->faces.data[f].size = 0;
            r->report->dropped_duplicate += 1;
        }
    }
    return RBL_OK;
}

// The faces at an edge: faces without another side, how many of them have a rising half-edge, and sheets (counted
// once).
typedef struct Crowd
{
    uint32_t singles, rising, sheets;
} Crowd;

static bool rises(const rblRepair* r, const Sheets* sheets, uint32_t corner)
{
    return sheets->names[rbl_repair_vertex(r, corner)] <
           sheets->names[rbl_repair_vertex(r, rbl_repair_next(r, corner))];
}

static void count_crowds(const rblRepair* r, const rblRepairEdges* edges, const Sheets* sheets, Crowd* crowds)
{
    for (uint32_t e = 0; e < edges->count; ++e)
    {
        crowds[e] = (Crowd){0, 0, 0};
        for (uint32_t i = edges->starts[e]; i < edges->starts[e + 1]; ++i)
        {
            const uint32_t f = r->corners.data[edges->corners[i]].face;
            const bool single = sheets->others[f] == RBL_NONE;
            crowds[e].singles += single;
            crowds[e].rising += single && rises(r, sheets, edges->corners[i]);
            crowds[e].sheets += !single && sheets->others[f] > f;
        }
    }
}

typedef struct Patch
{
    uint32_t* faces; // the first side of each face
    uint32_t count;
    uint32_t wanting;  // rim edges with an odd number of other faces
    uint32_t complete; // rim edges with an even number of other faces
} Patch;

static uint32_t first_side(const Sheets* sheets, uint32_t f)
{
    const uint32_t other = sheets->others[f];
    return other < f ? other : f;
}

// Collect the sheet that contains face `seed`, across edges where exactly two sheets and no other faces meet.
static void grow_patch(const rblRepair* r, const rblRepairEdges* edges, const Crowd* crowds,
                       const Sheets* sheets, uint32_t seed, uint8_t* seen, Patch* patch)
{
    patch->count = patch->wanting = patch->complete = 0;
    patch->faces[patch->count++] = seed;
    seen[seed] = 1;
    for (uint32_t k = 0; k < patch->count; ++k)
    {
        const rblRepairFace* face = &r->faces.data[patch->faces[k]];
        for (uint32_t c = face->begin; c < face->begin + face->size; ++c)
        {
            const uint32_t e = edges->of_corner[c];
            const Crowd crowd = crowds[e];
            patch->wanting += crowd.singles % 2 == 1;
            patch->complete += crowd.singles > 0 && crowd.singles % 2 == 0;
            for (uint32_t i = edges->starts[e];
                 crowd.singles == 0 && crowd.sheets == 2 && i < edges->starts[e + 1]; ++i)
            {
                const uint32_t side = first_side(sheets, r->corners.data[edges->corners[i]].face);
                if (!seen[side])
                {
                    seen[side] = 1;
                    patch->faces[patch->count++] = side;
                }
            }
        }
    }
}

// Of the two sides of a face, the one whose orientation agrees with more neighbours; the first when the numbers are
// equal.
static uint32_t better_side(const rblRepair* r, const rblRepairEdges* edges, const Crowd* crowds,
                            const Sheets* sheets, uint32_t f)
{
    int64_t votes = 0;
    const rblRepairFace* face = &r->faces.data[f];
    for (uint32_t c = face->begin; c < face->begin + face->size; ++c)
    {
        const Crowd crowd = crowds[edges->of_corner[c]];
        const int64_t surplus = 2 * (int64_t)crowd.rising - (int64_t)crowd.singles;
        votes += rises(r, sheets, c) ? -surplus : surplus;
    }
    return votes >= 0 ? f : sheets->others[f];
}

static void judge_patch(const rblRepair* r, const rblRepairEdges* edges, const Crowd* crowds,
                        const Sheets* sheets, const Patch* patch, uint8_t* doomed)
{
    const bool stays = patch->wanting >= patch->complete;
    for (uint32_t k = 0; k < patch->count; ++k)
    {
        const uint32_t f = patch->faces[k];
        const uint32_t kept = stays ? better_side(r, edges, crowds, sheets, f) : RBL_NONE;
        doomed[f] = f != kept;
        doomed[sheets->others[f]] = sheets->others[f] != kept;
    }
}

static rblResult judge_sheets(rblRepair* r, const Sheets* sheets)
{
    rblRepairEdges edges;
    RBL_TRY(rbl_repair_edges(r, sheets->names, &edges));
    Patch patch = {.faces = RBL_SCRATCH(r, uint32_t, r->faces.count)};
    uint8_t* seen = RBL_SCRATCH(r, uint8_t, r->faces.count);
    uint8_t* doomed = RBL_SCRATCH(r, uint8_t, r->faces.count);
    Crowd* crowds = RBL_SCRATCH(r, Crowd, edges.count);
    if (patch.faces == NULL || seen == NULL || doomed == NULL || crowds == NULL)
    {
        return rbl_fail_memory();
    }
    count_crowds(r, &edges, sheets, crowds);
    memset(seen, 0, r->faces.count);
    memset(doomed, 0, r->faces.count);
    for (uint32_t f = 0; f < r->faces.count; ++f)
    {
        if (r->faces.data[f].size > 0 && sheets->others[f] != RBL_NONE && sheets->others[f] > f && !seen[f])
        {
            grow_patch(r, &edges, crowds, sheets, f, seen, &patch);
            judge_patch(r, &edges, crowds, sheets, &patch, doomed);
        }
    }
    for (size_t f = 0; f < r->faces.count; ++f)
    {
        if (doomed[f])
        {
            r->faces.data[f].size = 0;
            r->report->dropped_duplicate += 1;
        }
    }
    return RBL_OK;
}

rblResult rbl_repair_drop_duplicates(rblRepair* r)
{
    uint8_t* used = RBL_SCRATCH(r, uint8_t, r->positions.count);
    Sheets sheets = {.names = RBL_SCRATCH(r, uint32_t, r->positions.count),
                     .others = RBL_SCRATCH(r, uint32_t, r->faces.count),
                     .chain = RBL_SCRATCH(r, uint32_t, r->faces.count)};
    if (used == NULL || sheets.names == NULL || sheets.others == NULL || sheets.chain == NULL)
    {
        return rbl_fail_memory();
    }
    rbl_repair_mark_used(r, used);
    RBL_TRY(rbl_repair_cluster(r, used, sheets.names));
    memset(sheets.others, 0xFF, sizeof *sheets.others * r->faces.count);
    rblHashMap last_with_hash;
    rbl_hash_map_init(&last_with_hash, r->allocator);
    const rblResult result = compare_faces(r, &sheets, &last_with_hash);
    rbl_hash_map_free(&last_with_hash);
    RBL_TRY(result);
    if (sheets.any)
    {
        RBL_TRY(judge_sheets(r, &sheets));
    }
    return rbl_repair_compact(r);
}
