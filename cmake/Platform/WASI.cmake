# CMake 3.25 does not know WASI yet: static libraries are all we need of it.
set(CMAKE_EXECUTABLE_SUFFIX ".wasm")
