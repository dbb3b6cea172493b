#include "io/file.h"

#include <string.h>

// Bytes of a file name in a message; of longer names only the end is shown, so that the reason still fits.
#define LONGEST_NAME 200

const char* rbl_short_name(const char* name)
{
    const size_t length = strlen(name);
    const char* end = length > LONGEST_NAME ? name + (length - LONGEST_NAME) : name;
    while (((unsigned char)*end & 0xC0) == 0x80) // do not start in the middle of a UTF-8 character
    {
        ++end;
    }
    return end;
}

static bool ends_with(const char* path, const char* ending)
{
    const size_t length = strlen(path);
    const size_t wanted = strlen(ending);
    if (length < wanted)
    {
        return false;
    }
    const char* c = path + (length - wanted);
    for (size_t i = 0; i < wanted; ++i)
    {
        const char lower = c[i] >= 'A' && c[i] <= 'Z' ? (char)(c[i] - 'A' + 'a') : c[i];
        if (lower != ending[i])
        {
            return false;
        }
    }
    return true;
}

rblFileFormat rbl_format_of_path(const char* path)
{
    static const char* const endings[RBL_FORMAT_COUNT] = {
        [RBL_FORMAT_OBJ] = ".obj", [RBL_FORMAT_PLY] = ".ply", [RBL_FORMAT_STL] = ".stl",
        [RBL_FORMAT_OFF] = ".off", [RBL_FORMAT_GLB] = ".glb", [RBL_FORMAT_GLTF] = ".gltf"};
    for (int i = RBL_FORMAT_AUTO + 1; path != NULL && i < RBL_FORMAT_COUNT; ++i)
    {
        if (ends_with(path, endings[i]))
        {
            return (rblFileFormat)i;
        }
    }
    return RBL_FORMAT_AUTO;
}
