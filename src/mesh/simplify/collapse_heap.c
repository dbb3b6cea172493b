#include "mesh/simplify/collapse_heap.h"

static bool before(const rblHeapEdge* a, const rblHeapEdge* b)
{
    if (a->cost != b->cost)
    {
        return a->cost < b->cost;
    }
    if (a->low != b->low)
    {
        return a->low < b->low;
    }
    return a->high != b->high ? a->high < b->high : a->version < b->version;
}

bool rbl_collapse_heap_push(rblCollapseHeap* heap, rblHeapEdge edge)
{
    if (!rbl_array_push(heap, edge))
    {
        return false;
    }
    size_t at = heap->count - 1;
    while (at > 0 && before(&edge, &heap->data[(at - 1) / 2]))
    {
        heap->data[at] = heap->data[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap->data[at] = edge;
    return true;
}

rblHeapEdge rbl_collapse_heap_pop(rblCollapseHeap* heap)
{
    const rblHeapEdge top = heap->data[0];
    const rblHeapEdge last = heap->data[--heap->count];
    size_t at = 0;
    for (size_t child = 1; child < heap->count; child = 2 * at + 1)
    {
        if (child + 1 < heap->count && before(&heap->data[child + 1], &heap->data[child]))
        {
            ++child;
        }
        if (!before(&heap->data[child], &last))
        {
            break;
        }
        heap->data[at] = heap->data[child];
        at = child;
    }
    heap->data[at] = last;
    return top;
}
