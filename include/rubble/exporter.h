/// Exports of a run to file formats of other programs. Metres, seconds, right-handed, Y up; the files state these units and axes.
#ifndef RUBBLE_EXPORTER_H
#define RUBBLE_EXPORTER_H

#include "rubble/run.h"

RBL_EXTERN_C_BEGIN

/// Options of an export. Start from rbl_default_export_options() and change fields.
typedef struct rblExportOptions
{
    uint32_t struct_size; ///< bytes of this struct; set by rbl_default_export_options()
    uint32_t cookie;      ///< set by rbl_default_export_options()
    uint32_t every; ///< write every n-th step, at least 1; the initial state is always written; default 1
    bool force;     ///< write into a folder that has other files; default false
    rblProgress progress; ///< default none
} rblExportOptions;

/// The defaults named above.
RBL_API void rbl_export_options_init(rblExportOptions* def, size_t size);
static inline rblExportOptions rbl_default_export_options(void)
{
    rblExportOptions def;
    rbl_export_options_init(&def, sizeof def);
    return def;
}

/// Export a run; the file extension of `path` selects the format. Null options: the defaults. Single files are replaced atomically.
///   .glb   animated glTF 2.0; RBL_ERROR_LIMIT, before anything is written, when it would exceed 4 GiB
///   .png   nine frames on a contact sheet
///   .csv   one line per body and frame
///   .obj   numbered files NAME_0000.obj ... and NAME.mtl
///   .pvd   NAME.pvd, and the frames as VTU in the folder NAME
///   .usda  USD as text, with UsdPhysics attributes
/// Refused: other extensions, runs whose motion was not kept.
RBL_API rblResult rbl_run_export(rblRunId run, const char* path, const rblExportOptions* options);

/// Check before a run whether rbl_run_export() can write to a path. Creates no file.
RBL_API rblResult rbl_export_check(const char* path, const rblExportOptions* options);

/// The supported file extensions, without the dot; null after the last one.
RBL_API const char* rbl_export_ending(uint32_t index);

/// Plot step times, contacts, bodies and energies of a run over time as an SVG picture, readable on light and dark pages. The file is
/// replaced atomically.
RBL_API rblResult rbl_run_plot(rblRunId run, const char* path);

/// The same for a file of rbl_run_save_statistics(). Missing or invalid values are refused; the message gives line, column and path.
RBL_API rblResult rbl_statistics_plot(const char* statistics, const char* path);

RBL_EXTERN_C_END

#endif
