// A solid filled with tetrahedra: isosurface stuffing (Labelle and Shewchuk 2007) of a mesh, on both sides of its surface.
#include "base/def.h"
#include "base/error.h"
#include "base/number.h"
#include "math/trig.h"
#include "math/vec.h"
#include "mesh/inspect.h"
#include "mesh/tets/tets_filling.h"

// Tolerance of `count`: the result may be above it by at most this fraction. After COUNT_TRIES fillings the best one is
// used.
#define COUNT_TOLERANCE 0.03
#define COUNT_TRIES     8

// The solid is too thin for `count` when the lattice has more than THIN_CUBES cubes per requested tetrahedron, plus
// THIN_CUBES_MORE for small counts, and still too few tetrahedra are inside. A compact solid has about 12 tetrahedra
// per cube.
#define THIN_CUBES      16.0
#define THIN_CUBES_MORE 20000.0

RBL_DEF_KIND(tets_def, rblTetsDef, "fill", rbl_default_tets_def, 0x54455453u);

void rbl_tets_def_init(rblTetsDef* def, size_t size)
{
    const rblTetsDef defaults = {.count = 20000, .levels = 2};
    rbl_def_init(&tets_def, &defaults, def, size);
}

static rblResult check_def(const rblTetsDef* def)
{
    if (!(def->edge >= 0.0) || !rbl_finite(def->edge) || !(def->margin >= 0.0) || !rbl_finite(def->margin))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "tetrahedra: edge is %g, margin %g; they must be finite, 0 or more", def->edge,
                        def->margin);
    }
    if (def->edge == 0.0 && (def->count == 0 || def->count > 100000000))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "tetrahedra: edge is 0 and count %u; edge must be positive, or count 1 to 100000000",
                        def->count);
    }
    if (def->levels > 8 || def->halvings > 8)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "tetrahedra: levels is %u, halvings %u; they must be 0 to 8",
                        def->levels, def->halvings);
    }
    return RBL_OK;
}

typedef struct Filling
{
    const rblTetsDef* def;
    rblFillSolid solid;
    double edge;
    rblTetsParts parts;
    rblTetsLocator* locator;
    rblTetsFill fill;
    uint32_t parts_wanted; // of the given surface
    int32_t handles_wanted;
} Filling;

static void drop_result(Filling* filling)
{
    rbl_tets_parts_free(&filling->parts);
    rbl_tets_locator_free(filling->locator);
    filling->locator = NULL;
}

static rblResult cut_lattice(Filling* filling, rblLattice* lattice)
{
    rblCuts cuts;
    RBL_TRY(rbl_cuts_find(&cuts, lattice, &filling->solid, lattice->nodes.allocator));
    rblResult result = rbl_cuts_move_nodes(&cuts, lattice);
    if (result == RBL_OK)
    {
        filling->fill = (rblTetsFill){.edge = filling->edge};
        result = rbl_fill_output(lattice, &cuts, &filling->solid, &filling->parts, &filling->locator,
                                 &filling->fill);
    }
    rbl_cuts_free(&cuts);
    return result;
}

static rblResult fill_once(Filling* filling)
{
    const rblAllocator* allocator = rbl_default_allocator();
    drop_result(filling);
    rblCubeTree tree;
    RBL_TRY(rbl_cube_tree_build(&tree, &filling->solid, filling->edge, filling->def->levels,
                                filling->def->margin, allocator));
    rblLattice lattice;
    rblResult result = rbl_lattice_build(&lattice, &tree, &filling->solid, allocator);
    if (result == RBL_OK)
    {
        result = cut_lattice(filling, &lattice);
        rbl_lattice_free(&lattice);
    }
    rbl_cube_tree_free(&tree);
    return result;
}

// State of the search for a count: the longest edge that gave enough tetrahedra, and the shortest edge that did not.
typedef struct CountSearch
{
    double wanted;
    double enough, enough_count; // 0: none yet
    double short_of;             // infinite: none yet
} CountSearch;

// The count is proportional to the edge to the power of -2 to -3. A step with the power -2.5 converges; it aims a
// little above the count. Between two known edges it keeps 10 % of their difference from both.
static double next_edge(const CountSearch* search, double edge, double count)
{
    const double aim = search->wanted * (1.0 + 0.5 * COUNT_TOLERANCE);
    const double step = rbl_exp(rbl_clampd(rbl_log(count / aim) / 2.5, -0.7, 0.7));
    const bool bracketed = search->enough > 0.0 && search->short_of < (double)INFINITY;
    const double span = search->short_of - search->enough;
    return bracketed ? rbl_clampd(edge * step, search->enough + 0.1 * span, search->short_of - 0.1 * span)
                     : edge * step;
}

static rblResult fail_count(const Filling* filling)
{
    char text[RBL_NUMBER_SIZE];
    rbl_format_double(filling->edge, text);
    return rbl_fail(
        RBL_ERROR_GEOMETRY,
        "tetrahedra: the solid is too thin for %u tetrahedra: with an edge of %s m the lattice has %u "
        "cubes around it, but %u tetrahedra fit; use a larger count, or an edge",
        filling->def->count, text, filling->fill.cubes, filling->parts.solid_tet_count);
}

// The first edge assumes twelve tetrahedra per cube. Another edge moves the whole lattice, so counts change
// irregularly; the result is the smallest count that is enough.
static rblResult fill_by_count(Filling* filling)
{
    CountSearch search = {.wanted = (double)filling->def->count, .short_of = (double)INFINITY};
    filling->edge = rbl_cbrt(12.0 * filling->solid.volume / search.wanted);
    const double most = search.wanted * (1.0 + COUNT_TOLERANCE);
    for (uint32_t t = 0; t < COUNT_TRIES || search.enough == 0.0; ++t)
    {
        RBL_TRY(fill_once(filling));
        const double count = rbl_maxd((double)filling->parts.solid_tet_count, 1.0);
        const double edge = filling->edge;
        if (count >= search.wanted && (search.enough == 0.0 || count < search.enough_count))
        {
            search.enough = edge;
            search.enough_count = count;
        }
        else if (count < search.wanted)
        {
            search.short_of = rbl_mind(edge, search.short_of);
            if ((double)filling->fill.cubes > THIN_CUBES * search.wanted + THIN_CUBES_MORE)
            {
                return fail_count(filling);
            }
        }
        if (count >= search.wanted && count <= most)
        {
            return RBL_OK;
        }
        filling->edge = next_edge(&search, edge, count);
    }
    filling->edge = search.enough;
    return fill_once(filling);
}

static rblResult fail_thin(double edge)
{
    char text[RBL_NUMBER_SIZE];
    rbl_format_double(edge, text);
    return rbl_fail(
        RBL_ERROR_GEOMETRY,
        "tetrahedra: the solid is too thin for an edge of %s m, no tetrahedron fits; use a shorter edge",
        text);
}

// The quantities to compare between two surfaces; handles can be counted only for manifold surfaces.
static rblResult count_parts(const rblMeshView* view, uint32_t* parts, int32_t* handles)
{
    rblInspectOptions options = rbl_default_inspect_options();
    options.self_intersections = false;
    rblMeshReport report;
    RBL_TRY(rbl_inspect_view(view, &options, &report));
    *parts = report.components;
    *handles = report.genus;
    return RBL_OK;
}

static rblResult compare_topology(Filling* filling, const rblTets* tets)
{
    const rblTetsView* view = rbl_tets_get_view(tets);
    rblMesh* surface;
    RBL_TRY(rbl_tets_surface_mesh(view, view->solid_tet_count, &surface));
    uint32_t parts = 0;
    int32_t handles = 0;
    const rblResult result = count_parts(rbl_mesh_get_view(surface), &parts, &handles);
    rbl_mesh_free(surface);
    filling->fill.same_topology =
        parts == filling->parts_wanted && (handles == filling->handles_wanted || filling->handles_wanted < 0);
    return result;
}

static rblResult finish(Filling* filling, rblTets** out)
{
    if (filling->parts.solid_tet_count == 0)
    {
        return fail_thin(filling->edge);
    }
    rblTetsLocator* locator = filling->locator;
    filling->locator = NULL;
    rblTets* tets;
    RBL_TRY(rbl_tets_new(&filling->parts, locator, rbl_default_allocator(), &tets));
    const rblResult result = compare_topology(filling, tets);
    if (result != RBL_OK)
    {
        rbl_tets_free(tets);
        return result;
    }
    *out = tets;
    return RBL_OK;
}

static rblResult fill_kept(Filling* filling, rblTets** out)
{
    const rblTetsDef* def = filling->def;
    filling->edge = def->edge;
    RBL_TRY(def->edge > 0.0 ? fill_once(filling) : fill_by_count(filling));
    for (uint32_t halvings = 0;; ++halvings)
    {
        const bool last = halvings == def->halvings;
        if (last || filling->parts.solid_tet_count > 0)
        {
            RBL_TRY(finish(filling, out));
            if (last || filling->fill.same_topology)
            {
                return RBL_OK;
            }
            rbl_tets_free(*out);
            *out = NULL;
        }
        filling->edge *= 0.5;
        RBL_TRY(fill_once(filling));
    }
}

static rblResult fill_view(const rblMeshView* view, const rblTetsDef* def, rblTetsFill* fill, rblTets** out)
{
    const rblAllocator* allocator = rbl_default_allocator();
    Filling filling = {.def = def};
    RBL_TRY(count_parts(view, &filling.parts_wanted, &filling.handles_wanted));
    rbl_tets_parts_init(&filling.parts, allocator);
    RBL_TRY(rbl_fill_solid_init(&filling.solid, view, rbl_default_jobs(), allocator));
    const rblResult result = fill_kept(&filling, out);
    rbl_fill_solid_free(&filling.solid);
    drop_result(&filling);
    *fill = filling.fill;
    return result;
}

rblResult rbl_tets_fill(rblMeshId id, const rblTetsDef* def, rblTetsFill* fill, rblTetsId* out)
{
    rblTetsDef chosen = rbl_default_tets_def();
    RBL_TRY(def != NULL ? rbl_def_read(&tets_def, def, &chosen) : RBL_OK);
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "tetrahedra: out must not be null");
    }
    RBL_TRY(check_def(&chosen));
    rblMesh* mesh;
    RBL_TRY(rbl_mesh_acquire(id, &mesh));
    rblTets* tets = NULL;
    rblTetsFill made;
    const rblResult result = fill_view(rbl_mesh_get_view(mesh), &chosen, &made, &tets);
    rbl_mesh_release(mesh);
    RBL_TRY(result);
    RBL_TRY(rbl_tets_register(tets, out));
    if (fill != NULL)
    {
        *fill = made;
    }
    return RBL_OK;
}
