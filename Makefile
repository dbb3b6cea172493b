# The front door. Every target installs what it needs first (scripts/bootstrap) and may be run twice in a row.
#   make            build the library and the tool           make test       every test, as CI runs it
#   make demo       see what it does, results in out/        make install    into PREFIX (default /usr/local)
# More: make help

PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 60
RUBBLE_MODELS ?= $(abspath ../shared/models)
export RUBBLE_MODELS

TOOL := build/release/apps/rubble/rubble

.PHONY: all help demo test check test-asan test-release test-clang test-tsan test-hash bench install uninstall \
        wasm fuzz coverage format clean

all: build-release

help:
	@echo "make              build the library and the tool into build/release"
	@echo "make demo         make the procedural solids, write them to out/, print their table"
	@echo "make test         everything that CI checks: layers, format, ASan + UBSan, release, clang, install"
	@echo "make test-tsan    the tests under ThreadSanitizer"
	@echo "make test-hash    same results from gcc and clang, -O0 to -O3, 1 to 8 threads, and WebAssembly"
	@echo "make bench        all benchmarks, with peers where they are installed"
	@echo "make fuzz         every reader, FUZZ_SECONDS each (default 60)"
	@echo "make coverage     line coverage of src/, report in build/coverage/report"
	@echo "make wasm         the library as WebAssembly"
	@echo "make install      into PREFIX (default /usr/local), DESTDIR honoured"
	@echo "make format       clang-format on every file"
	@echo "make clean        remove build/ and out/"

# Configure once per preset; ninja notices later changes by itself.
build/%/build.ninja: CMakePresets.json
	@cmake --preset $* >build/$*.log 2>&1 || { cat build/$*.log; exit 1; }

.PHONY: build-%
build-release: | bootstrap-build
build-asan build-tsan build-clang: | bootstrap-test
build-%: | build
	@$(MAKE) --no-print-directory build/$*/build.ninja
	@cmake --build --preset $*

build:
	@mkdir -p build

bootstrap-%:
	@scripts/bootstrap $*

.PHONY: build-release build-asan build-tsan build-clang build-wasm build-coverage build-fuzz

demo: | bootstrap-build build
	@cmake --preset release -DRUBBLE_BUILD_TESTS=OFF -B build/demo >build/demo.log 2>&1 || { cat build/demo.log; exit 1; }
	@cmake --build build/demo --target rubble_tool >build/demo.log 2>&1 || { cat build/demo.log; exit 1; }
	@scripts/demo build/demo/apps/rubble/rubble out

test: check test-asan test-release test-clang test-install

check: | bootstrap-test
	@scripts/check-layers
	@scripts/check-format

test-asan: build-asan
	@ctest --preset asan -j2

test-release: build-release-tests
	@ctest --preset release -j2

test-clang: build-clang
	@ctest --preset clang -j2

test-tsan: build-tsan
	@ctest --preset tsan -j2

build-release-tests: | bootstrap-test
	@$(MAKE) --no-print-directory build-release

.PHONY: test-install build-release-tests
test-install: build-release-tests
	@scripts/test-install

test-hash: | bootstrap-test bootstrap-wasm
	@scripts/test-hash

bench: build-release
	@$(TOOL) bench all

wasm: | bootstrap-wasm
	@$(MAKE) --no-print-directory build-wasm

fuzz: | bootstrap-fuzz
	@$(MAKE) --no-print-directory build-fuzz
	@scripts/fuzz $(FUZZ_SECONDS)

coverage: | bootstrap-coverage
	@$(MAKE) --no-print-directory build-coverage
	@scripts/coverage

install: | bootstrap-build build
	@cmake --preset release -DRUBBLE_BUILD_TESTS=OFF -B build/install -DCMAKE_INSTALL_PREFIX=$(PREFIX) >build/install.log 2>&1 \
	    || { cat build/install.log; exit 1; }
	@cmake --build build/install
	@DESTDIR=$(DESTDIR) cmake --install build/install

format:
	@scripts/check-format --fix

clean:
	rm -rf build out
