# Compiler settings shared by every target of this build.
set(RUBBLE_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
    -Wpointer-arith -Wcast-qual -Wwrite-strings -Wvla -Wdouble-promotion -Wfloat-conversion)
if(CMAKE_C_COMPILER_ID MATCHES "Clang")
    list(REMOVE_ITEM RUBBLE_WARNINGS -Wdouble-promotion) # it complains about INFINITY in a double; gcc knows better
endif()
if(RUBBLE_WERROR)
    list(APPEND RUBBLE_WARNINGS -Werror)
endif()

# Results must not depend on the compiler: no fused multiply-add, no fast-math, no x87.
add_compile_options(-ffp-contract=off -fno-fast-math)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "i[3-6]86")
    add_compile_options(-msse2 -mfpmath=sse)
endif()
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fexcess-precision=standard)
    # Where the target has fused multiply-add (-march=native), gcc 12 forms vfmaddsub while vectorising straight-line code,
    # -ffp-contract=off or not.
    include(CheckCSourceCompiles)
    check_c_source_compiles("#ifndef __FMA__\n#error\n#endif\nint main(void) { return 0; }" RUBBLE_TARGET_HAS_FMA)
    if(RUBBLE_TARGET_HAS_FMA)
        add_compile_options(-fno-tree-slp-vectorize)
    endif()
endif()

if(RUBBLE_SANITIZE)
    add_compile_options(-fsanitize=${RUBBLE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${RUBBLE_SANITIZE})
endif()
if(RUBBLE_COVERAGE)
    add_compile_options(--coverage -O1 -fprofile-update=atomic)
    add_link_options(--coverage)
endif()
if(RUBBLE_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(RUBBLE_ASSERTS)
    string(REPLACE "-DNDEBUG" "" CMAKE_C_FLAGS_RELWITHDEBINFO "${CMAKE_C_FLAGS_RELWITHDEBINFO}")
endif()

if(NOT CMAKE_SYSTEM_NAME STREQUAL "WASI")
    set(THREADS_PREFER_PTHREAD_FLAG ON)
    find_package(Threads REQUIRED)
endif()

# What both the static and the shared library need.
function(rubble_library_settings target)
    target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                               $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_compile_options(${target} PRIVATE ${RUBBLE_WARNINGS})
    target_compile_features(${target} PUBLIC c_std_11)
    set_target_properties(${target} PROPERTIES C_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON)
    if(TARGET Threads::Threads)
        target_link_libraries(${target} PUBLIC Threads::Threads m)
    endif()
endfunction()
