/// Exports: a run into the formats that other programs open. Metres, seconds, right-handed, Y up: each file says so itself.
#ifndef RUBBLE_EXPORTER_H
#define RUBBLE_EXPORTER_H

#include "rubble/run.h"

RBL_EXTERN_C_BEGIN

/// How to export. Start from rbl_default_export_options() and change fields.
typedef struct rblExportOptions
{
    uint32_t struct_size; ///< bytes of this struct; set by rbl_default_export_options()
    uint32_t cookie;      ///< set by rbl_default_export_options()
    uint32_t every;       ///< write every n-th step, at least 1; the start is always written; default 1
    bool force;           ///< write into a folder that holds other files; default false
    rblProgress progress; ///< default nobody
} rblExportOptions;

/// The defaults named above.
RBL_API void rbl_export_options_init(rblExportOptions* def, size_t size);
static inline rblExportOptions rbl_default_export_options(void)
{
    rblExportOptions def;
    rbl_export_options_init(&def, sizeof def);
    return def;
}

/// Write a run as the ending of `path` says. Null options: the defaults. Single files are replaced whole or not at all.
///   .glb   animated glTF 2.0; RBL_ERROR_LIMIT, before anything is written, when it would be more than 4 GiB
///   .png   nine frames on a contact sheet
///   .csv   a line per body and frame
///   .obj   numbered files NAME_0000.obj ... and NAME.mtl
///   .pvd   NAME.pvd, and the frames as VTU in the folder NAME
///   .usda  USD as text, with UsdPhysics attributes
/// Refused: other endings, runs whose motion was not kept.
RBL_API rblResult rbl_run_export(rblRunId run, const char* path, const rblExportOptions* options);

/// Whether rbl_run_export() can write there, to be asked before the run. Leaves nothing behind.
RBL_API rblResult rbl_export_check(const char* path, const rblExportOptions* options);

/// The endings that are known, without the dot; null after the last one.
RBL_API const char* rbl_export_ending(uint32_t index);

/// Draw milliseconds, contacts, bodies and energies of a run over time as an SVG picture, readable on light and dark pages. The
/// file is replaced whole or not at all.
RBL_API rblResult rbl_run_plot(rblRunId run, const char* path);

/// The same from statistics that rbl_run_save_statistics() wrote. Refused, with line, column and path: anything that is not there
/// or not as it should be.
RBL_API rblResult rbl_statistics_plot(const char* statistics, const char* path);

RBL_EXTERN_C_END

#endif
