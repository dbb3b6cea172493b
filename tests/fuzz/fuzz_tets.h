// What the targets for tetrahedra share: what a reader returns is sound, and comes back the same after it was written.
#ifndef RBL_FUZZ_TETS_H
#define RBL_FUZZ_TETS_H

#include "fuzz.h"
#include "io/tets/tets_files.h"

typedef rblResult FuzzTetsFcn(rblTetsCollector* collector);

static inline void fuzz_check_message(void)
{
    const char* message = rbl_last_error();
    FUZZ_CHECK(message[0] != '\0' && strchr(message, '\n') == NULL && strchr(message, '\r') == NULL);
}

static inline void fuzz_check_tets(const rblTetsView* view)
{
    FUZZ_CHECK(view->tet_count > 0 && view->tet_count == view->solid_tet_count);
    for (size_t i = 0; i < 4 * (size_t)view->tet_count; ++i)
    {
        FUZZ_CHECK(view->nodes[i] < view->node_count);
        FUZZ_CHECK(view->neighbors[i] == RBL_NONE || view->neighbors[i] < view->tet_count);
    }
}

// Finish what was read; null, with a message that names the file, when it is refused.
static inline rblTets* fuzz_finish(rblTetsCollector* collector, rblResult result)
{
    rblTets* tets = NULL;
    if (result == RBL_OK)
    {
        result = rbl_tets_collector_finish(collector, &tets);
    }
    rbl_tets_collector_free(collector);
    if (result != RBL_OK)
    {
        fuzz_check_message();
        FUZZ_CHECK(strncmp(rbl_last_error(), "fuzz", 4) == 0);
        return NULL;
    }
    fuzz_check_tets(rbl_tets_get_view(tets));
    return tets;
}

static inline rblTets* fuzz_read_tets(FuzzTetsFcn* read, const uint8_t* data, size_t size)
{
    const rblSource source = fuzz_source(data, size);
    rblTetsCollector collector;
    rbl_tets_collector_init(&collector, &source);
    return fuzz_finish(&collector, read(&collector));
}

static inline void fuzz_tets_round_trip(FuzzTetsFcn* read, const rblTets* tets, bool msh)
{
    const rblTetsView* view = rbl_tets_get_view(tets);
    rblWriter writer;
    FUZZ_CHECK(rbl_writer_open_memory(&writer, rbl_default_allocator()) == RBL_OK);
    FUZZ_CHECK((msh ? rbl_write_msh : rbl_write_vtu)(view, view->tet_count, &writer) == RBL_OK);
    FUZZ_CHECK(rbl_writer_close(&writer) == RBL_OK);
    rblTets* back = fuzz_read_tets(read, (const uint8_t*)writer.buffer, writer.size);
    FUZZ_CHECK(back != NULL);
    const rblTetsView* again = rbl_tets_get_view(back);
    FUZZ_CHECK(again->tet_count == view->tet_count && again->node_count == view->node_count);
    FUZZ_CHECK(memcmp(again->nodes, view->nodes, sizeof *view->nodes * 4 * view->tet_count) == 0);
    FUZZ_CHECK(memcmp(again->regions, view->regions, sizeof *view->regions * view->tet_count) == 0);
    rbl_tets_free(back);
    rbl_writer_discard(&writer);
}

#endif
