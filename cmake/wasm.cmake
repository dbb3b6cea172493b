# WebAssembly: the library, and the reactor that the page runs in a worker (apps/web/engine).
file(GLOB web_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/web/engine/*.c)
add_executable(rubble_web ${web_sources})
target_link_libraries(rubble_web PRIVATE rubble)
target_include_directories(rubble_web PRIVATE ${PROJECT_SOURCE_DIR}/apps/web/engine)
target_compile_options(rubble_web PRIVATE ${RUBBLE_WARNINGS})

# The loader brings the memory, so that it can limit it. The stack lies below the data: when it is full that is a trap, not
# damage.
target_link_options(rubble_web PRIVATE -mexec-model=reactor -Wl,--import-memory -Wl,--initial-memory=16777216 -Wl,--max-memory=4294967296
                    -Wl,--stack-first -Wl,-z,stack-size=2097152 -Wl,--strip-all -Wl,--gc-sections)
set_target_properties(rubble_web PROPERTIES OUTPUT_NAME rubble SUFFIX .wasm)
