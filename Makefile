# ilinject - build, tests, benchmarks. One file, no recursion; everything made goes under $(BUILD).
#
#   make            the program, build/ilinject, with the tracker inside it
#   make demo       installs what is missing, builds, instruments the sample, runs it, prints the report
#   make check      installs what is missing, builds, runs the tests (10 minutes on two processors);
#                   make check-full adds the long ones, make check-quick runs the short ones alone.
#                   NAME=e2e/serve runs that suite, or those whose name has that; CHECK='words' the
#                   checks whose sentence has them; JOBS=4 so many suites at a time, FAIL_FAST=1
#                   stops at the first failure (tests/README.md)
#   make compile_commands.json   for editors: how each C file is compiled, in build/
#   make install    to $(PREFIX), under $(DESTDIR); make uninstall takes it away again
#   make lib        the library as it is installed, static and shared, in build/lib (docs/api.md)
#   make nupkg      the NuGet package for MSBuild, build/ILInject.MSBuild.VERSION.nupkg (docs/msbuild.md)
#   make benchmark-nupkg   the NuGet package for BenchmarkDotNet (src/benchmark)
#   make deb        Debian's package of this machine's processor, make deb-arm64 that of arm64
#   make wasi       build/wasi/ilinject.wasm, which node and the .NET tool run; make npm packs it for
#                   npx, build/ilinject-VERSION.tgz (docs/install.md)
#   make tool       the .NET tool, build/ilinject.VERSION.nupkg and a package for each system, of
#                   make windows, linux-x64 and linux-arm64; make packages makes all of NuGet's
#                   (docs/install.md)
#   make release VERSION=x.y.z   all of them and more into build/release, with their sums and the list of what is
#                   in them; refused when a document or a program is of another version (docs/install.md)
#   make bench      speed, memory, growth and overhead beside the peers, and how true the times
#                   are, into docs/how-good.md and build/docs/benchmarks.md (54 minutes; bench-quick:
#                   2, bench-tables: none of the measuring); make fuzz runs the fuzz targets
#   make site       build/site: README and docs/ as a site with a search, which needs no server
#   make pages      the outputs that docs/tasks and docs/places show, by the program as it is: look at each change
#   make SAN=1 …    the same under address and undefined-behaviour sanitizers, in build/san
#   make TSAN=1 …   under the thread sanitizer, in build/tsan
#   make coverage   which lines of the C code the tests run, from a build in build/coverage
#
# Each step is one line; V=1 shows its commands. As many steps run at a time as there are
# processors; -j1 says otherwise.

.DELETE_ON_ERROR:
.SUFFIXES:
silent := $(findstring s,$(filter-out --% %=%,$(firstword -$(MAKEFLAGS))))
MAKEFLAGS += --no-builtin-rules
# As many steps at a time as there are processors, but where the command line says (which MAKEFLAGS
# does not have yet) or this is a make within another.
ifeq ($(MAKELEVEL)$(shell tr '\0' '\n' <"/proc/$$PPID/cmdline" 2>/dev/null | grep -E '^(-[A-Za-z]*j|--jobs)'),0)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 2)
endif

# The version's one place is the header. A VERSION of the command line is the one that `make release` is to find there.
ASKED_VERSION := $(if $(filter command,$(firstword $(origin VERSION))),$(VERSION))
override VERSION := $(shell sed -n 's/^\#define ILJ_VERSION "\(.*\)"/\1/p' include/ilinject.h)
# As the compiler names it; where it is to be installed first, as the system does.
MACHINE = $(shell $(CC) -dumpmachine 2>/dev/null || echo "$$(uname -m)-linux-gnu")
BUILD    := build
# The system that is built for: its folder of src/platform.
SYSTEM   := posix
# Given by rules of src/platform/build.mk and src/msbuild/build.mk, not by the environment.
TARGET     :=
HOST_BUILD :=
OTHERS     :=
AR       := ar
CC       := $(if $(filter default,$(origin CC)),gcc,$(CC))
# -g1: functions and lines in backtraces. Variables too, for a debugger: make CFLAGS='-O0 -g3'; they
# cost a quarter of the compile time.
CFLAGS   ?= -O2 -g1
WARNINGS := -Wall -Wextra -Wconversion -Werror
PREFIX   ?= /usr/local
DESTDIR  ?=
# Where libraries go, below PREFIX.
LIBDIR   ?= lib

# $(call step,WORD) stands before the first command of a recipe, $(Q) before each of the others.
verbose := $(filter-out 0,$(V))
step = $(if $(verbose),,@$(if $(silent),,printf '  %-7s %s\n' '$(1)' '$@';))
Q    = $(if $(verbose),,@)

ifdef SAN
BUILD := build/san
CC    := clang
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
CFLAGS := -O1 -g
endif
ifdef TSAN
BUILD := build/tsan
CC    := clang
SANITIZE := -fsanitize=thread -fno-omit-frame-pointer
CFLAGS := -O1 -g
endif

# Lines that the tests run are counted; threads count, too.
ifneq ($(COVERAGE)$(filter coverage,$(MAKECMDGOALS)),)
BUILD := build/coverage
CC    := gcc
SANITIZE := --coverage -fprofile-update=atomic
CFLAGS := -O1 -g
endif

# One set of objects makes the program and the shared library, which shows the functions of include/ alone.
SHAREABLE := -fPIC -fno-semantic-interposition -fvisibility=hidden

# Obstacles that a fault of ours would have to get past, and no path of the tree in what is made: two folders give
# the same bytes (tests/e2e/repo/suite-hardened.sh). The sanitizers bring their own checks. The compiler is asked for
# its processor when it compiles: on a bare machine it is not there before.
ifndef SANITIZE
HARDENED = $(SHAREABLE) -fstack-protector-strong $(if $(filter -O1 -O2 -O3 -Os,$(CFLAGS)),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2) \
	$(if $(filter x86_64-% i686-%,$(MACHINE)),-fcf-protection)
HARDENED_LINK := -pie -Wl,-z,relro,-z,now,-z,noexecstack
else
HARDENED = $(SHAREABLE)
endif
HARDENED += -ffile-prefix-map=$(CURDIR)=.

COMPILE = $(call step,CC)$(CC) -std=gnu11 $(CFLAGS) $(WARNINGS) $(HARDENED) $(SANITIZE) -MMD -MP
# libxml2 is loaded when a configuration file is read: Debian's static one would bring 30 MB of Unicode tables.
XML_HEADERS := -isystem /usr/include/libxml2
STATIC_LIBS := -l:libdeflate.a -l:libxxhash.a -l:libjansson.a -l:libz.a
PROGRAM := $(BUILD)/ilinject$(if $(filter windows,$(SYSTEM)),.exe)$(if $(filter wasi,$(SYSTEM)),.wasm)

ECMA_C := $(wildcard ecma335/*/*.c)
SRC_C  := $(filter-out src/cli/%,$(wildcard src/*.c src/*/*.c src/inject/*/*.c src/report/*/*.c src/platform/$(SYSTEM)/*.c))
CLI_C  := $(wildcard src/cli/*.c)
UNIT_C := $(wildcard tests/unit/test_*.c tests/unit/*/test_*.c)

ECMA_O := $(ECMA_C:%.c=$(BUILD)/%.o)
SRC_O  := $(SRC_C:%.c=$(BUILD)/%.o)
CLI_O  := $(CLI_C:%.c=$(BUILD)/%.o)
LIB    := $(BUILD)/libilinject.a
UNIT_O := $(UNIT_C:tests/%.c=$(BUILD)/tests/obj/%.o)
UNITS  := $(patsubst %.c,$(BUILD)/tests/unit/%,$(notdir $(UNIT_C)))

# ---- The program ---------------------------------------------------------------------------------------------------

.PHONY: all
all: $(PROGRAM)

# Objects that instrument stand side by side, so that a run for a small file touches 250 KiB less of the program.
$(PROGRAM): $(CLI_O) $(LIB)
	$(call step,LINK)$(CC) $(SANITIZE) $(HARDENED_LINK) $(LDFLAGS) -o $@ $(CLI_O) $(HOT_O) $(LIB) $(STATIC_LIBS)

# Files that the program carries inside.
CARRIED := $(BUILD)/tracker-image.o $(BUILD)/tracker-constants.o $(BUILD)/config-schema.o $(BUILD)/page-files.o

$(LIB): $(ECMA_O) $(SRC_O) $(CARRIED)
	$(call step,AR)rm -f $@
	$(Q)$(AR) rcs $@ $(filter %.o,$^)

# An object stands in a folder like its source's. One whose source has moved or gone is of no use any
# more, and no library keeps it.
OLD_O := $(filter-out $(ECMA_O) $(SRC_O) $(CLI_O),$(wildcard $(BUILD)/ecma335/*.o $(BUILD)/ecma335/*/*.o \
	$(BUILD)/src/*.o $(BUILD)/src/*/*.o $(BUILD)/src/*/*/*.o))
ifneq ($(OLD_O),)
$(LIB): remove-old-objects
.PHONY: remove-old-objects
remove-old-objects:
	$(Q)rm -f $(OLD_O) $(OLD_O:.o=.d)
endif

# All of an input goes through these: 2 % of the instructions of a large one. Their loops are short: vectors cost more than
# they save, but for the checksum.
HOT_O := $(ECMA_O) $(filter $(foreach f,async inject input instrument naming output select,$(BUILD)/src/$(f)/%),$(SRC_O))
WIDE_O := $(BUILD)/ecma335/pe/checksum.o
$(filter-out $(WIDE_O),$(HOT_O)): private CFLAGS := $(patsubst -O2,-O3 -fno-tree-vectorize,$(CFLAGS))
$(WIDE_O): private CFLAGS := $(patsubst -O2,-O3,$(CFLAGS))

# Each layer sees what its arrows allow (docs/architecture.md); tests/arrows proves it.
$(BUILD)/ecma335/%.o: ecma335/%.c
	@mkdir -p $(@D)
	$(COMPILE) -Iinclude -Iecma335 -c -o $@ $<
$(BUILD)/src/cli/%.o: src/cli/%.c
	@mkdir -p $(@D)
	$(COMPILE) -Iinclude -Isrc -c -o $@ $<
$(BUILD)/src/%.o: src/%.c
	@mkdir -p $(@D)
	$(COMPILE) -Iinclude -Iecma335 -Isrc $(XML_HEADERS) -c -o $@ $<

$(BUILD)/config-schema.o: src/select/config_schema.S src/platform/carried.h docs/ilinject-config.xsd
	@mkdir -p $(@D)
	$(call step,AS)$(CC) -Isrc -DSCHEMA_FILE='"docs/ilinject-config.xsd"' -c -o $@ $<
$(BUILD)/page-files.o: src/report/page/files.S src/platform/carried.h $(filter-out %.c %.h %.S %.md,$(wildcard src/report/page/* src/report/page/vendor/*))
	@mkdir -p $(@D)
	$(call step,AS)$(CC) -Isrc -c -o $@ $<

# ---- The tracker: compiled, its core library reference made retargetable, signed ------------------------------------

include runtime-tracker/build.mk
include src/platform/build.mk

# $(call CARRY_TRACKER,COMPILED): with that one, if any, beside it.
CARRY_TRACKER = $(CC) -Isrc -DTRACKER_FILE='"$(TRACKER)"' -DSPANS_FILE='"$(SPANS)"' $(if $(1),-DTRACKER_COMPILED_FILE='"$(1)"') $(CLOCK_DEFINES) -c -o $@ $<
# The program of the packages for Linux on x64 carries it if there is a compiler for it.
PACKED_TRACKER := $(if $(filter linux-x64,$(TARGET)),$(COMPILED_TRACKER))
$(BUILD)/tracker-image.o: runtime-tracker/image.S src/platform/carried.h $(TRACKER) $(SPANS) $(PACKED_TRACKER) $(CLOCK_LIBS)
	@mkdir -p $(@D)
	$(call step,AS)$(call CARRY_TRACKER,$(PACKED_TRACKER))

# The program with the tracker compiled ahead as well (CROSSGEN2: that compiler's file). Its image stands before the library's.
.PHONY: native
ifdef CROSSGEN2
native: $(BUILD)/native/ilinject
$(BUILD)/native/tracker-image.o: runtime-tracker/image.S src/platform/carried.h $(TRACKER) $(SPANS) $(COMPILED_TRACKER) $(CLOCK_LIBS)
	$(call step,AS)$(call CARRY_TRACKER,$(COMPILED_TRACKER))
$(BUILD)/native/ilinject: $(CLI_O) $(BUILD)/native/tracker-image.o $(LIB)
	$(call step,LINK)$(CC) $(SANITIZE) $(HARDENED_LINK) $(LDFLAGS) -o $@ $(CLI_O) $(BUILD)/native/tracker-image.o $(HOT_O) $(LIB) $(STATIC_LIBS)
else
native:
	@echo "native: needs CROSSGEN2=FILE, the compiler (the NuGet package Microsoft.NETCore.App.Crossgen2.linux-x64 has it)" >&2; exit 2
endif

$(BUILD)/tracker-constants.o: $(TRACKER_CONSTANTS)
	@mkdir -p $(@D)
	$(COMPILE) -Iinclude -Iecma335 -Isrc -c -o $@ $<

# ---- The packages of Debian's that the build needs; nothing is done when all is there ---------------------------------

DEPS       := gcc libc6-dev libdeflate-dev libjansson-dev libmicrohttpd12 libxml2-dev libxxhash-dev mono-devel zlib1g-dev
DEPS_CHECK := $(DEPS) curl libcmocka-dev libxml2-utils mono-utils python3 $(if $(filter -fsanitize%,$(SANITIZE)),clang libclang-rt-14-dev)

# With neither root nor sudo: one line that names the packages.
INSTALL_MISSING = @missing= run=; \
	if ! command -v dpkg-query >/dev/null; then echo "deps: not a Debian system; needed is what its packages hold: $(1)"; exit 0; fi; \
	for package in $(1); do \
	    case $$(dpkg-query -W -f='$${db:Status-Status}' $$package 2>/dev/null) in installed) ;; *) missing="$$missing $$package" ;; esac; \
	done; \
	[ -n "$$missing" ] || exit 0; \
	if [ "$$(id -u)" -ne 0 ]; then \
	    if command -v sudo >/dev/null; then run=sudo; \
	    else echo "deps: neither root nor sudo: have these packages installed:$$missing" >&2; exit 1; fi; \
	fi; \
	echo "deps: installing$$missing"; \
	$$run apt-get update -q $(if $(verbose),,>/dev/null) && \
	$$run env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $$missing $(if $(verbose),,>/dev/null)

.PHONY: deps deps-check
deps:
	$(call INSTALL_MISSING,$(DEPS))
deps-check:
	$(call INSTALL_MISSING,$(DEPS_CHECK))

# ---- The sample: compiled, instrumented, run, reported -------------------------------------------------------------

DEMO := $(BUILD)/demo

$(DEMO)/Demo.exe: fixtures/cs/Demo.cs | deps
	@mkdir -p $(@D)
	$(call step,MCS)mcs -nologo -out:$@ $<

.PHONY: demo
demo: $(BUILD)/ilinject $(DEMO)/Demo.exe
	@rm -rf $(DEMO)/out
	$(BUILD)/ilinject $(DEMO)/Demo.exe -o $(DEMO)/out/
	cd $(DEMO)/out && mono Demo.exe
	$(BUILD)/ilinject report $(DEMO)/out/Demo.ilprof

# ---- The library for other programs ----------------------------------------------------------------------------------

# The number of the interface in the shared library's name: a change of include/ilinject.h that breaks programs which
# are linked already raises it.
LIB_ABI := 0
SONAME  := libilinject.so.$(LIB_ABI)
SHARED  := $(BUILD)/lib/libilinject.so.$(VERSION)
STATIC  := $(BUILD)/lib/libilinject.a

.PHONY: lib
lib: $(SHARED) $(STATIC)

$(SHARED): $(LIB) src/packaging/symbols.map
	@mkdir -p $(@D)
	$(call step,LINK)$(CC) $(SANITIZE) -shared -Wl,-soname,$(SONAME),--version-script=src/packaging/symbols.map $(filter-out -pie,$(HARDENED_LINK)) \
	    $(if $(SANITIZE),,-Wl,-z,defs) $(LDFLAGS) -o $@ -Wl,--whole-archive $(LIB) -Wl,--no-whole-archive -ldeflate -lxxhash -ljansson -lz
	$(Q)ln -sf $(@F) $(@D)/$(SONAME) && ln -sf $(SONAME) $(@D)/libilinject.so

# One object, in which the names of the inside are local: they meet no names of the program's.
$(STATIC): $(LIB)
	@mkdir -p $(@D)
	$(call step,AR)$(CC) -nostdlib -r -o $(@:.a=.o) -Wl,--whole-archive $(LIB)
	$(Q)objcopy --wildcard --keep-global-symbol='ilj_*' --localize-hidden $(@:.a=.o)
	$(Q)rm -f $@ && ar rcsD $@ $(@:.a=.o) && rm -f $(@:.a=.o)

# ---- Installing ----------------------------------------------------------------------------------------------------

# Each file and where it goes; install and uninstall go by these lists, and the packages by the first.
INSTALLED := $(BUILD)/ilinject:bin/ilinject:755 \
	docs/ilinject-config.xsd:share/xml/ilinject/ilinject-config.xsd:644 \
	docs/ilinject.1:share/man/man1/ilinject.1:644 \
	src/cli/completions/ilinject.bash:share/bash-completion/completions/ilinject:644 \
	src/cli/completions/_ilinject:share/zsh/site-functions/_ilinject:644
PUBLIC_HEADERS := include/ilinject.h $(wildcard include/ilinject/*.h)
INSTALLED_LIB := $(STATIC):$(LIBDIR)/libilinject.a:644 \
	$(SHARED):$(LIBDIR)/$(notdir $(SHARED)):644 \
	$(foreach h,$(PUBLIC_HEADERS),$(h):$(h):644) \
	src/packaging/ilinject.pc.in:$(LIBDIR)/pkgconfig/ilinject.pc:644
# LINK:TARGET
INSTALLED_LINKS := $(LIBDIR)/$(SONAME):$(notdir $(SHARED)) $(LIBDIR)/libilinject.so:$(SONAME)
installed_part = $(word $(2),$(subst :, ,$(1)))
installed_path = $(DESTDIR)$(PREFIX)/$(call installed_part,$(1),2)

.PHONY: install uninstall
install: all lib
	@$(foreach f,$(INSTALLED) $(INSTALLED_LIB),install -D -m $(call installed_part,$(f),3) $(call installed_part,$(f),1) '$(call installed_path,$(f))' && echo '$(call installed_path,$(f))' &&) true
	@sed -i -e 's,@PREFIX@,$(PREFIX),; s,@LIBDIR@,$(LIBDIR),; s,@VERSION@,$(VERSION),' '$(DESTDIR)$(PREFIX)/$(LIBDIR)/pkgconfig/ilinject.pc'
	@$(foreach l,$(INSTALLED_LINKS),ln -sf $(call installed_part,$(l),2) '$(DESTDIR)$(PREFIX)/$(call installed_part,$(l),1)' &&) true
uninstall:
	@$(foreach f,$(INSTALLED) $(INSTALLED_LIB),rm -f '$(call installed_path,$(f))' &&) $(foreach l,$(INSTALLED_LINKS),rm -f '$(DESTDIR)$(PREFIX)/$(call installed_part,$(l),1)' &&) true

# ---- The package for MSBuild -----------------------------------------------------------------------------------------

include src/msbuild/build.mk
include src/tool/build.mk
include src/benchmark/build.mk
include src/npm/build.mk
include src/debian/build.mk
include src/packaging/build.mk

# ---- Tests ---------------------------------------------------------------------------------------------------------

CHOSEN := $(BUILD)/tests/obj/unit/chosen.o

# The objects of tests are kept: after a change in the library their programs are linked, not compiled.
# gold and no debug information make that short; `make UNIT_LINK= tests` keeps it for a debugger.
UNIT_LINK ?= $(if $(SANITIZE),,$(if $(shell command -v ld.gold),-fuse-ld=gold) -Wl,-S)

# To optimise a unit test takes seven times as long as to compile it; what it tests is the library, which is optimised.
$(UNIT_O) $(CHOSEN): private CFLAGS := $(patsubst -O2,-O0,$(CFLAGS))
$(BUILD)/tests/obj/%.o: tests/%.c
	@mkdir -p $(@D)
	$(COMPILE) -Iinclude -Iecma335 -Isrc -Itests/unit -c -o $@ $<
# A program has its test's name alone, whatever folder the source is in.
define unit_program
$(BUILD)/tests/unit/$(notdir $(1:.o=)): $(1)
endef
$(foreach o,$(UNIT_O),$(eval $(call unit_program,$(o))))
$(UNITS): $(CHOSEN) $(LIB)
	@mkdir -p $(@D)
	$(call step,LINK)$(CC) $(SANITIZE) $(UNIT_LINK) -o $@ $(filter $(BUILD)/tests/obj/%.o,$^) \
	    $(LIB) $(STATIC_LIBS) -lcmocka $(UNIT_LDFLAGS_$(@F))

# A program whose source has gone is no test any more.
OLD_UNITS := $(filter-out $(UNITS),$(wildcard $(BUILD)/tests/unit/test_*))
.PHONY: tests
tests: $(UNITS)
ifneq ($(OLD_UNITS),)
	$(Q)rm -f $(OLD_UNITS)
endif

.PHONY: pages
pages: all
	$(Q)ILINJECT=$(abspath $(BUILD))/ilinject tests/pages --update docs/tasks/*.md docs/places/*.md

.PHONY: site deps-site
deps-site:
	$(call INSTALL_MISSING,python3 python3-markdown)
site: | deps-site
	$(call step,SITE)docs/site/make $(BUILD)/site

# The suites that call make are not this one's children.
RUN_TESTS = env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u MAKEOVERRIDES tests/run --build $(BUILD) $(if $(JOBS),--jobs $(JOBS)) $(if $(FAIL_FAST),--fail-fast)
export CHECK

.PHONY: check check-full check-quick
check: all tests lib
	@$(RUN_TESTS) --again $(if $(NAME),--only $(NAME))
check-quick: all tests lib
	@$(RUN_TESTS) --quick
check-full: all tests lib
	@$(RUN_TESTS) --full
	@$(RUN_TESTS) --full --exits ret --only full-programs
	@$(RUN_TESTS) --full --exits ret --only full-whole
	@$(RUN_TESTS) --full --exits ret --only full-corpus

.PHONY: coverage
coverage: all tests
	@tests/coverage $(BUILD)

# ---- For editors ---------------------------------------------------------------------------------------------------

# The commands that make would run say how each C file is compiled. clangd looks into build/ by
# itself.
.PHONY: compile_commands.json
compile_commands.json:
	@mkdir -p $(BUILD)
	$(call step,WRITE)env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -j1 --dry-run --always-make V=1 $(if $(SAN),SAN=1) $(if $(TSAN),TSAN=1) BUILD='$(BUILD)' CC='$(CC)' CFLAGS='$(CFLAGS)' \
	    all tests | tests/compile-commands >$(BUILD)/$@.new
	$(Q)mv $(BUILD)/$@.new $(BUILD)/$@

.PHONY: clean
clean:
	$(call step,RM)rm -rf build

-include tests/tests.mk

# The compilers may arrive in the same run: whatever is made then waits for them.
COMPILED := $(ECMA_O) $(SRC_O) $(CLI_O) $(CARRIED) $(TRACKER) $(SPANS) $(TRACKER_TOOL) $(CLOCK_LIBS)
ifneq ($(filter demo,$(MAKECMDGOALS)),)
$(COMPILED): | deps
endif
ifneq ($(filter check check-full check-quick coverage,$(MAKECMDGOALS)),)
$(COMPILED) $(UNIT_O) $(CHOSEN) $(UNITS) $(HELPER_O) $(TEST_PROGRAMS): | deps-check
endif

# Only those of objects that are built here: an old object's can name a source that has moved.
-include $(wildcard $(patsubst %.o,%.d,$(ECMA_O) $(SRC_O) $(CLI_O) $(UNIT_O) $(CHOSEN) $(HELPER_O)))
