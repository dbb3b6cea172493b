# The front door. Every target installs what it needs first (scripts/bootstrap) and may be run twice in a row.
#   make            build the library and the tool           make test       every test of them
#   make demo       see what it does, results in out/        make install    into PREFIX (default /usr/local)
# More: make help

PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 60
SOAK_SECONDS ?= 3600
SOAK_SEED ?= 1
RUBBLE_MODELS ?= $(abspath ../shared/models)
export RUBBLE_MODELS

# $(call build,PRESET[,cmake options[,build options]]): configure quietly (a moment when nothing changed), then build.
define build
@mkdir -p build
@cmake --preset $(1) $(2) >build/$(1).log 2>&1 || { cat build/$(1).log; exit 1; }
@cmake --build --preset $(1) $(3)
endef

.PHONY: all help demo test check test-asan test-release test-clang test-tsan test-hash test-install test-tools test-replays bench install \
        wasm web web-test web-test-engine web-parity web-bench web-serve fuzz soak coverage gallery format clean

all:
	@scripts/bootstrap build
	$(call build,release)

help:
	@echo "make              build the library and the tool into build/release"
	@echo "make demo         smash plates on a shelf: animation, film and figures in out/"
	@echo "make test         layers, format, ASan + UBSan (clang), release (gcc), install"
	@echo "make test-clang   the tests in release with clang"
	@echo "make test-tsan    the tests under ThreadSanitizer"
	@echo "make test-hash    same results from gcc and clang, -O0 to -O3, 1 to 8 threads, and WebAssembly"
	@echo "make test-tools   what we write, opened by Blender, VTK, Khronos' validator and others"
	@echo "make test-replays every scene, recorded and replayed with 1, 2, 3 and 8 threads, bit for bit"
	@echo "make bench        all benchmarks, beside peers where they are installed (scripts/bootstrap peers)"
	@echo "make fuzz         every reader, FUZZ_SECONDS each (default 60)"
	@echo "make soak         all scenes, then worlds under random hands for SOAK_SECONDS (default 3600), from SOAK_SEED on"
	@echo "make gallery      a page with frames and charts of every scene, in out/gallery"
	@echo "make coverage     line coverage of src/, report in build/coverage/report"
	@echo "make wasm         the library as WebAssembly"
	@echo "make web          the playground for browsers and the docs around it, a static site in build/web/site"
	@echo "make web-serve    the playground on a local server, for work on it"
	@echo "make web-test     the engine of the playground and the site in node, then both in a real browser, headless"
	@echo "make web-parity   every scene to its end, native and as WebAssembly: the same bits"
	@echo "make web-bench    milliseconds a step, native and as WebAssembly"
	@echo "make install      into PREFIX (default /usr/local), DESTDIR honoured"
	@echo "make format       clang-format on every file"
	@echo "make clean        remove build/ and out/"

demo:
	@scripts/bootstrap build
	$(call build,release,,--target rubble_tool)
	@scripts/demo build/release/apps/rubble/rubble out

test: check test-asan test-release test-install

check:
	@scripts/bootstrap test
	@scripts/check-layers
	@scripts/test-layers
	@scripts/check-format
	@scripts/scene-reference --check
	@scripts/check-constants --check

test-asan test-release test-clang test-tsan: test-%:
	@scripts/bootstrap test
	$(call build,$*)
	@ctest --preset $* -j2

test-install:
	@scripts/bootstrap test
	@scripts/test-install

test-hash:
	@scripts/bootstrap test wasm
	@scripts/test-hash

test-tools: all
	@scripts/bootstrap tools
	@scripts/test-tools

test-replays: all
	@scripts/test-replays

bench: all
	@build/release/apps/rubble/rubble bench all

wasm:
	@scripts/bootstrap wasm
	$(call build,wasm)

# What npm installed, and from which list. Not with `npm ci`: that wants the packages of all platforms in the list, and where the list is
# made from a registry that has them for one platform only it refuses its own list.
web_packages := apps/web/node_modules/.package-lock.json
$(web_packages): apps/web/package-lock.json
	@scripts/bootstrap web
	@cd apps/web && npm install --no-save --silent --engine-strict --no-audit --no-fund && touch node_modules/.package-lock.json

web: $(web_packages)
	@scripts/bootstrap wasm web
	$(call build,wasm,,--target rubble_web)
	$(call build,release,,--target rubble_tool)
	@cd apps/web && npm run --silent build && npm run --silent site

web-serve: $(web_packages)
	@scripts/bootstrap wasm web
	$(call build,wasm,,--target rubble_web)
	@cd apps/web && npm run --silent serve

# The engine in node, beside the native one: all of its tests, all scenes to their ends, the speeds.
web-test-engine web-parity web-bench: $(web_packages)
	@scripts/bootstrap wasm web
	$(call build,wasm,,--target rubble_web)
	$(call build,release,,--target rubble_tool)
	@scripts/test-web-engine $(patsubst web-%,%,$@)

web-test: web web-test-engine
	@cd apps/web && npm run --silent test:browser

fuzz:
	@scripts/bootstrap fuzz
	$(call build,fuzz)
	@scripts/fuzz $(FUZZ_SECONDS)

soak:
	@scripts/bootstrap test
	$(call build,asan,,--target soak rubble_tool)
	@scripts/check-scenes build/asan/apps/rubble/rubble
	@build/asan/tests/soak/soak $(SOAK_SECONDS) $(SOAK_SEED)

gallery:
	@scripts/bootstrap build
	$(call build,release,,--target rubble_tool)
	@scripts/gallery

coverage:
	@scripts/bootstrap test coverage
	$(call build,coverage)
	@scripts/coverage

install:
	@scripts/bootstrap build
	$(call build,release,-DCMAKE_INSTALL_PREFIX=$(PREFIX))
	@DESTDIR=$(DESTDIR) cmake --install build/release

format:
	@scripts/check-format --fix

clean:
	rm -rf build out
