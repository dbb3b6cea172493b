// All that JavaScript calls (src/engine/engine.ts). What returns an rblResult leaves its message in web_error(); pointers are to
// plain numbers that stay valid until the next call.
#ifndef WEB_EXPORTS_H
#define WEB_EXPORTS_H

#include "session.h"

#if defined(__wasm__)
#define WEB_EXPORT(name) __attribute__((export_name(#name)))
#else
#define WEB_EXPORT(name)
#endif

typedef struct WebMesh WebMesh;
typedef struct WebOverlay WebOverlay;
typedef struct WebImport WebImport;

// Memory for what is handed over.
WEB_EXPORT(web_alloc) void* web_alloc(size_t size);
WEB_EXPORT(web_free) void web_free(void* memory);

WEB_EXPORT(web_error) const char* web_error(void);
WEB_EXPORT(web_version) const char* web_version(void);

// What some calls have to say at length.
WEB_EXPORT(web_text) const char* web_text(void);

// ---- scenes (session.c) ----

// A scene takes the place of the one before; one that fails leaves that as it was.
WEB_EXPORT(web_load) rblResult web_load(const char* text, size_t size, const char* name);

// Give up the scene and all that was kept for it.
WEB_EXPORT(web_unload) void web_unload(void);

// The scene, and the presets with their strengths, as JSON in web_text().
WEB_EXPORT(web_describe) rblResult web_describe(void);
WEB_EXPORT(web_presets) rblResult web_presets(void);

WEB_EXPORT(web_step) rblResult web_step(void);

// Seconds of the run that animations have: motion of long runs would fill the memory.
WEB_EXPORT(web_kept_seconds) double web_kept_seconds(void);

// ---- what is seen (bodies.c, surface.c, overlay.c) ----

// What changed since the last call, and where everything is now: in web_frame().
WEB_EXPORT(web_look) rblResult web_look(void);
WEB_EXPORT(web_frame) const WebFrame* web_frame(void);

// The mesh of a number, only while a body has it: in web_drawn().
WEB_EXPORT(web_draw_mesh) rblResult web_draw_mesh(uint32_t number);
WEB_EXPORT(web_drawn) const WebMesh* web_drawn(void);

// What the bits ask for (overlay.c), after web_look(): in web_overlay().
WEB_EXPORT(web_draw_overlay) rblResult web_draw_overlay(uint32_t what);
WEB_EXPORT(web_overlay) const WebOverlay* web_overlay(void);

// ---- the hand (hand.c) ----

WEB_EXPORT(web_throw)
rblResult web_throw(float x, float y, float z, float vx, float vy, float vz, float radius,
                    const char* material);
WEB_EXPORT(web_break) rblResult web_break(float x, float y, float z, float dx, float dy, float dz);

// Take what a ray meets, if it can be moved. The point that was met is written to `point`.
WEB_EXPORT(web_grab)
rblResult web_grab(float x, float y, float z, float dx, float dy, float dz, float* point);

// The slot of what is held; RBL_NONE: nothing.
WEB_EXPORT(web_grabbed) uint32_t web_grabbed(void);
WEB_EXPORT(web_drag) rblResult web_drag(float x, float y, float z);
WEB_EXPORT(web_release) void web_release(void);

// Shapes and events that a scene needs to show what the user did, as JSON in web_text().
WEB_EXPORT(web_actions) rblResult web_actions(void);

// ---- files (files.c) ----

// Read a mesh file, mend it, make it ready for a scene: three calls, because a large one takes long, and people are told between
// them. How far it has come is in web_imported() after each of them, until web_forget_import().
WEB_EXPORT(web_import) rblResult web_import(const void* bytes, size_t size, const char* name);
WEB_EXPORT(web_import_mend) rblResult web_import_mend(void);
WEB_EXPORT(web_import_finish) rblResult web_import_finish(void);
WEB_EXPORT(web_imported) const WebImport* web_imported(void);
WEB_EXPORT(web_forget_import) void web_forget_import(void);

// The run so far as an animated GLB, into a file of the loader's.
WEB_EXPORT(web_export_run) rblResult web_export_run(const char* path);

// All pieces as they lie, each into a file piece_NNNN.obj of the loader's; a list of them as JSON in web_text().
WEB_EXPORT(web_export_pieces) rblResult web_export_pieces(void);

#endif
