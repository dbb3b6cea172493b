#include "base/error.h"
#include "io/file.h"
#include "io/image/png.h"

static rblResult save(const char* path, const rblByteArray* file)
{
    rblWriter writer;
    RBL_TRY(rbl_writer_open(&writer, path, file->allocator));
    rbl_write_bytes(&writer, file->data, file->count);
    return rbl_writer_close(&writer);
}

rblResult rbl_image_save_png(const char* path, const uint8_t* pixels, uint32_t width, uint32_t height,
                             uint32_t channels)
{
    if (path == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "png: path must not be null");
    }
    rblByteArray file;
    rbl_array_init(&file, rbl_default_allocator());
    rblResult result = rbl_png_encode(pixels, width, height, channels, &file);
    result = result == RBL_OK ? save(path, &file) : rbl_fail_within(result, path);
    rbl_array_free(&file);
    return result;
}
