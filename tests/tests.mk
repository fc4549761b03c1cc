# Additions to the library for single tests: the command line's objects, helper programs.

UNIT_LDFLAGS_test_cli_options := $(BUILD)/src/cli/options.o
$(BUILD)/tests/unit/test_cli_options: $(BUILD)/src/cli/options.o

UNIT_LDFLAGS_test_os := -Wl,--wrap=writev,--wrap=read

UNIT_LDFLAGS_test_report := -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
UNIT_LDFLAGS_test_report_events := $(UNIT_LDFLAGS_test_report)
UNIT_LDFLAGS_test_report_machines := $(UNIT_LDFLAGS_test_report)
UNIT_LDFLAGS_test_report_views := $(UNIT_LDFLAGS_test_report)
UNIT_LDFLAGS_test_bounds := $(UNIT_LDFLAGS_test_report)
UNIT_LDFLAGS_test_idle := $(UNIT_LDFLAGS_test_report)
UNIT_LDFLAGS_test_report_parts := $(UNIT_LDFLAGS_test_report)
UNIT_LDFLAGS_test_bytes := $(UNIT_LDFLAGS_test_report)
UNIT_LDFLAGS_test_merge := $(UNIT_LDFLAGS_test_report)
UNIT_LDFLAGS_test_merge_report := $(UNIT_LDFLAGS_test_report)
UNIT_LDFLAGS_test_choice := $(UNIT_LDFLAGS_test_report)
UNIT_LDFLAGS_test_reference := $(UNIT_LDFLAGS_test_report)
UNIT_LDFLAGS_test_diff := $(UNIT_LDFLAGS_test_report)
UNIT_LDFLAGS_test_story := $(UNIT_LDFLAGS_test_report)
UNIT_LDFLAGS_test_correct := $(UNIT_LDFLAGS_test_report)
UNIT_LDFLAGS_test_trust := $(UNIT_LDFLAGS_test_report)
UNIT_LDFLAGS_test_head := $(UNIT_LDFLAGS_test_report)
UNIT_LDFLAGS_test_splice := $(UNIT_LDFLAGS_test_report)
UNIT_LDFLAGS_test_fold := $(UNIT_LDFLAGS_test_report)
UNIT_LDFLAGS_test_lines := $(UNIT_LDFLAGS_test_report)
UNIT_LDFLAGS_test_durations := $(UNIT_LDFLAGS_test_report)
UNIT_LDFLAGS_test_export := $(UNIT_LDFLAGS_test_report)
UNIT_LDFLAGS_test_json_columns := $(UNIT_LDFLAGS_test_report)
UNIT_LDFLAGS_test_mibc := $(UNIT_LDFLAGS_test_report)
UNIT_LDFLAGS_test_page := $(UNIT_LDFLAGS_test_report)
UNIT_LDFLAGS_test_timeline := $(UNIT_LDFLAGS_test_report)
UNIT_LDFLAGS_test_view_facts := $(UNIT_LDFLAGS_test_report)
UNIT_LDFLAGS_test_fuzz_mcp := $(UNIT_LDFLAGS_test_report)
UNIT_LDFLAGS_test_image := -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
UNIT_LDFLAGS_test_il_memory := -Wl,--wrap=realloc
UNIT_LDFLAGS_test_rules := -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
UNIT_LDFLAGS_test_pdb_memory := -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
UNIT_LDFLAGS_test_no_memory := -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free

# Programs that the suites and benchmarks use. C# ones are compiled by the suites, since their compilers may be missing.

TEST_PROGRAMS := $(BUILD)/tests/fact_tables $(BUILD)/tests/corrupt $(BUILD)/tests/mutants $(BUILD)/tests/counts $(BUILD)/tests/measure $(BUILD)/tests/identity $(BUILD)/tests/left_out \
	$(BUILD)/tests/calls $(BUILD)/tests/made_hostile \
	$(BUILD)/tests/made_large \
	$(BUILD)/tests/faults.so $(BUILD)/tests/second_thread.so $(BUILD)/tests/no_memory $(BUILD)/tests/odd_metadata $(BUILD)/tests/owners $(BUILD)/tests/shown_names $(BUILD)/tests/large_profile $(BUILD)/tests/many_profiles $(BUILD)/tests/zips

# They are preloaded into programs, so no sanitizer is in them.
$(BUILD)/tests/faults.so $(BUILD)/tests/second_thread.so: $(BUILD)/tests/%.so: tests/e2e/lib/c/%.c
	@mkdir -p $(@D)
	$(call step,CC)$(CC) -std=gnu11 $(CFLAGS) $(WARNINGS) -fPIC -shared -o $@ $<

# A program is linked from the object of its source: those of LINKED with the library, the SEPARATE
# ones without it.
LINKED   := bench/large_profile.c bench/many_profiles.c corpus/identity.c corrupt/corrupt.c corrupt/mutants.c e2e/lib/c/made_hostile.c e2e/lib/c/made_large.c foreign/odd_metadata.c golden/shown_names.c
SEPARATE := facts/fact_tables.c bench/measure.c corpus/left_out.c e2e/lib/c/calls.c e2e/lib/c/counts.c e2e/lib/c/no_memory.c e2e/lib/c/owners.c e2e/lib/c/zips.c
HELPER_O := $(patsubst %.c,$(BUILD)/tests/obj/%.o,$(LINKED) $(SEPARATE))
$(foreach f,$(LINKED:.c=) $(SEPARATE:.c=),$(eval $(BUILD)/tests/$(notdir $f): $(BUILD)/tests/obj/$f.o))
$(foreach f,$(LINKED:.c=),$(BUILD)/tests/$(notdir $f)): $(LIB)
	$(call step,LINK)$(CC) $(SANITIZE) $(UNIT_LINK) $(LINKED_LDFLAGS_$(@F)) -o $@ $(filter %.o,$^) $(LIB) $(STATIC_LIBS)
LINKED_LDFLAGS_mutants := -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free
$(foreach f,$(SEPARATE:.c=),$(BUILD)/tests/$(notdir $f)):
	$(call step,LINK)$(CC) $(SANITIZE) $(UNIT_LINK) -o $@ $^ $(STATIC_LIBS)

tests: $(TEST_PROGRAMS)

# The tables of docs/how-good.md and build/docs/benchmarks.md are made of raw results in docs/benchmarks: bench measures, bench-tables does not.
.PHONY: bench bench-quick bench-tables
bench bench-quick: all $(BUILD)/tests/measure $(BUILD)/tests/identity $(BUILD)/tests/large_profile $(BUILD)/tests/many_profiles
	tests/bench/run --build $(BUILD) $(if $(filter bench-quick,$@)$(QUICK),--quick)
bench-tables:
	BUILD=$(BUILD) tests/bench/tables

# ---- Fuzzing -------------------------------------------------------------------------------------------------------
# Each tests/fuzz/fuzz_NAME.c is a libFuzzer target, linked with the library's sources under sanitizers; it runs for
# FUZZ_SECONDS on the corpus $(BUILD)/fuzz/NAME, which starts from what `test_fuzz_NAME seeds FOLDER` writes and from
# tests/fuzz/corpus/NAME. `make fuzz-keep` takes into the latter what reaches more code.

FUZZ_SECONDS ?= 30
FUZZ_NAMES := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_O := $(ECMA_C:%.c=$(BUILD)/fuzz/obj/%.o) $(SRC_C:%.c=$(BUILD)/fuzz/obj/%.o)
FUZZ_COMPILE = $(call step,CC)clang -std=gnu11 -O1 -g $(WARNINGS) -fno-sanitize-recover=all -fno-omit-frame-pointer -MMD -MP -Iinclude -Iecma335 -Isrc $(XML_HEADERS)

$(BUILD)/fuzz/obj/%.o: %.c
	@mkdir -p $(@D)
	$(FUZZ_COMPILE) -fsanitize=fuzzer-no-link,address,undefined -c -o $@ $<
$(BUILD)/fuzz/fuzz_%: tests/fuzz/fuzz_%.c $(FUZZ_O) $(CARRIED)
	$(FUZZ_COMPILE) -Itests/unit -fsanitize=fuzzer,address,undefined -o $@ $< $(FUZZ_O) $(CARRIED) $(STATIC_LIBS)

.SECONDARY: $(FUZZ_O)
.PHONY: fuzz $(FUZZ_NAMES:%=fuzz-%)
fuzz: $(FUZZ_NAMES:%=fuzz-%)
$(FUZZ_NAMES:%=fuzz-%): fuzz-%: $(BUILD)/fuzz/fuzz_% $(BUILD)/tests/unit/test_fuzz_%
	@mkdir -p $(BUILD)/fuzz/$*
	$(BUILD)/tests/unit/test_fuzz_$* seeds $(BUILD)/fuzz/$*
	$(BUILD)/fuzz/fuzz_$* -max_total_time=$(FUZZ_SECONDS) -artifact_prefix=$(BUILD)/fuzz/found-$*- -print_final_stats=1 -rss_limit_mb=2048 -timeout=10 \
	    $(BUILD)/fuzz/$* $(wildcard tests/fuzz/corpus/$*)
# The tracker's masks of commands' texts: a program of its own, which makes its texts itself.
$(BUILD)/fuzz/fuzz_sql.exe: tests/fuzz/fuzz_sql.cs $(wildcard runtime-tracker/Commands/Sql*.cs)
	@mkdir -p $(@D)
	$(call step,MCS)mcs -nologo -out:$@ $^
.PHONY: fuzz-sql
fuzz: fuzz-sql
fuzz-sql: $(BUILD)/fuzz/fuzz_sql.exe
	mono $< $(FUZZ_SECONDS)
.PHONY: fuzz-keep
fuzz-keep: $(FUZZ_NAMES:%=$(BUILD)/fuzz/fuzz_%)
	tests/fuzz/keep $(BUILD)
-include $(wildcard $(FUZZ_O:.o=.d) $(FUZZ_NAMES:%=$(BUILD)/fuzz/fuzz_%.d))
