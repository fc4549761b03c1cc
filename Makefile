# ilinject - build, tests, benchmarks. One file, no recursion; everything made goes under $(BUILD).
#
#   make            the program, build/ilinject, with the tracker inside it
#   make demo       installs what is missing, builds, instruments the sample, runs it, prints the report
#   make check      the tests (30 minutes at most); make check-full adds the long ones
#   make bench      speed and memory beside the peers; make fuzz runs the fuzz targets
#   make SAN=1 …    the same under address and undefined-behaviour sanitizers, in build/san

.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

BUILD    := build
CC       := $(if $(filter default,$(origin CC)),gcc,$(CC))
CFLAGS   ?= -O2 -g
WARNINGS := -Wall -Wextra -Wconversion -Werror
PREFIX   ?= /usr/local
DESTDIR  ?=

ifdef SAN
BUILD := build/san
CC    := clang
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
CFLAGS := -O1 -g
endif

COMPILE = $(CC) -std=gnu11 $(CFLAGS) $(WARNINGS) $(SANITIZE) -MMD -MP
STATIC_LIBS := -l:libdeflate.a -l:libxxhash.a -l:libjansson.a

ECMA_C := $(wildcard ecma335/*/*.c)
SRC_C  := $(wildcard src/*.c src/package/*.c src/report/*.c)
CLI_C  := $(wildcard src/cli/*.c)
UNIT_C := $(wildcard tests/unit/test_*.c)

ECMA_O := $(ECMA_C:%.c=$(BUILD)/%.o)
SRC_O  := $(SRC_C:%.c=$(BUILD)/%.o)
CLI_O  := $(CLI_C:%.c=$(BUILD)/%.o)
LIB    := $(BUILD)/libilinject.a
UNITS  := $(UNIT_C:tests/unit/%.c=$(BUILD)/tests/unit/%)

# ---- The program ---------------------------------------------------------------------------------------------------

.PHONY: all
all: $(BUILD)/ilinject

$(BUILD)/ilinject: $(CLI_O) $(LIB)
	$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(STATIC_LIBS)

$(LIB): $(ECMA_O) $(SRC_O) $(BUILD)/tracker-image.o
	rm -f $@
	ar rcs $@ $^

# Each layer sees what its arrows allow (docs/architecture.md); tests/arrows proves it.
$(BUILD)/ecma335/%.o: ecma335/%.c
	@mkdir -p $(@D)
	$(COMPILE) -Iecma335 -c -o $@ $<
$(BUILD)/src/cli/%.o: src/cli/%.c
	@mkdir -p $(@D)
	$(COMPILE) -Iinclude -c -o $@ $<
$(BUILD)/src/%.o: src/%.c
	@mkdir -p $(@D)
	$(COMPILE) -Iinclude -Iecma335 -Isrc -c -o $@ $<

# ---- The tracker: compiled, its core library reference made retargetable, signed ------------------------------------

include runtime-tracker/build.mk

$(BUILD)/tracker-image.o: runtime-tracker/image.S $(TRACKER)
	@mkdir -p $(@D)
	$(CC) -DTRACKER_FILE='"$(TRACKER)"' -c -o $@ $<

# ---- Tests ---------------------------------------------------------------------------------------------------------

$(BUILD)/tests/unit/%: tests/unit/%.c $(LIB)
	@mkdir -p $(@D)
	$(COMPILE) -Iinclude -Iecma335 -Isrc -Itests/unit -o $@ $< $(LIB) $(STATIC_LIBS) -lcmocka $(UNIT_LDFLAGS_$*)

.PHONY: tests
tests: $(UNITS)

.PHONY: check check-full
check: all tests
	tests/run --build $(BUILD)
check-full: all tests
	tests/run --build $(BUILD) --full

.PHONY: clean
clean:
	rm -rf build

-include tests/tests.mk
-include $(wildcard $(BUILD)/*/*/*.d $(BUILD)/*/*.d $(BUILD)/*/*/*/*.d)
