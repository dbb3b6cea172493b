# WebAssembly: the library alone; the page links its own reactor from it.
