// Tables of unique names.
#include "scene/read/scene.h"
#include <string.h>

void rbl_scene_names_init(rblSceneNames* table, const rblAllocator* allocator)
{
    rbl_hash_map_init(&table->map, allocator);
    rbl_array_init(&table->names, allocator);
}

void rbl_scene_names_free(rblSceneNames* table)
{
    rbl_hash_map_free(&table->map);
    rbl_array_free(&table->names);
}

// The key of a name in the hash map. Names with equal hashes use the following keys.
static uint64_t key_of(const rblSceneNames* table, const char* name, uint32_t* found)
{
    uint64_t key = rbl_hash_bytes(RBL_HASH_START, name, strlen(name));
    for (;;)
    {
        *found = rbl_hash_map_find(&table->map, key);
        if (*found == RBL_MAP_EMPTY || strcmp(table->names.data[*found], name) == 0)
        {
            return key;
        }
        key = rbl_hash_u64(key + 1);
    }
}

uint32_t rbl_scene_names_find(const rblSceneNames* table, const char* name)
{
    uint32_t found;
    (void)key_of(table, name, &found);
    return found == RBL_MAP_EMPTY ? RBL_NONE : found;
}

bool rbl_scene_names_add(rblSceneNames* table, const char* name)
{
    uint32_t found;
    bool added;
    const uint64_t key = key_of(table, name, &found);
    if (!rbl_array_reserve_more(&table->names, 1) ||
        rbl_hash_map_get_or_add(&table->map, key, (uint32_t)table->names.count, &added) == NULL)
    {
        return false;
    }
    table->names.data[table->names.count++] = name;
    return true;
}
