// A run as a table: one line per frame and existing body.
#include "base/error.h"
#include "io/text_write.h"
#include "scene/export/export.h"
#include <string.h>

// Quoted as in RFC 4180, because a name may contain commas.
static void write_quoted(rblWriter* writer, const char* text)
{
    rbl_write_text(writer, "\"");
    for (; *text != '\0'; ++text)
    {
        rbl_write_bytes(writer, text, 1);
        if (*text == '"')
        {
            rbl_write_bytes(writer, text, 1);
        }
    }
    rbl_write_text(writer, "\"");
}

static char* put_vector(char* c, rblVec3 v)
{
    const float values[3] = {v.x, v.y, v.z};
    for (int i = 0; i < 3; ++i)
    {
        *c++ = ',';
        c += rbl_format_float(values[i], c);
    }
    return c;
}

static void write_row(rblWriter* writer, const rblRun* run, uint32_t body, uint32_t step,
                      const rblRunKey* key)
{
    char* c = rbl_writer_reserve(writer);
    c += rbl_format_u64(step, c);
    *c++ = ',';
    c += rbl_format_double((double)step * run->settings.step, c);
    *c++ = ',';
    c += rbl_format_u64(body, c);
    *c++ = ',';
    rbl_writer_advance(writer, c);
    write_quoted(writer, run->bodies.data[body].name);
    const float turn[4] = {key->pose.q.x, key->pose.q.y, key->pose.q.z, key->pose.q.w};
    c = put_vector(rbl_writer_reserve(writer), key->pose.p);
    for (int i = 0; i < 4; ++i)
    {
        *c++ = ',';
        c += rbl_format_float(turn[i], c);
    }
    c = put_vector(c, key->velocity);
    c = put_vector(c, key->spin);
    *c++ = '\n';
    rbl_writer_advance(writer, c);
}

rblResult rbl_export_csv(const rblRun* run, const char* path, const rblExportOptions* options)
{
    rblWriter writer;
    RBL_TRY(rbl_writer_open(&writer, path, run->allocator));
    rbl_write_text(&writer, "step,time_s,id,name,x_m,y_up_m,z_m,qx,qy,qz,qw,"
                            "vx_m_per_s,vy_m_per_s,vz_m_per_s,wx_rad_per_s,wy_rad_per_s,wz_rad_per_s\n");
    const uint32_t frames = rbl_export_frame_count(run, options);
    for (uint32_t f = 0; f < frames; ++f)
    {
        for (uint32_t b = 0; b < run->bodies.count; ++b)
        {
            rblRunKey key;
            if (rbl_run_state(run, b, f * options->every, &key))
            {
                write_row(&writer, run, b, f * options->every, &key);
            }
        }
        const rblResult result = rbl_export_progress(options, f + 1, frames);
        if (result != RBL_OK)
        {
            rbl_writer_discard(&writer);
            return result;
        }
    }
    return rbl_writer_close(&writer);
}
