# What single tests need beyond the library: the command line's objects, helper programs.

UNIT_LDFLAGS_test_cli_options := $(BUILD)/src/cli/options.o
$(BUILD)/tests/unit/test_cli_options: $(BUILD)/src/cli/options.o

UNIT_LDFLAGS_test_report := -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc

# Programs that the suites and benchmarks use. C# ones are compiled by the suites, since their compilers may be missing.

$(BUILD)/tests/counts: tests/e2e/counts.c
	@mkdir -p $(@D)
	$(COMPILE) -o $@ $< -l:libjansson.a
$(BUILD)/tests/measure: tests/bench/measure.c
	@mkdir -p $(@D)
	$(COMPILE) -o $@ $<

tests: $(BUILD)/tests/counts $(BUILD)/tests/measure

.PHONY: bench
bench: all $(BUILD)/tests/measure
	tests/bench/rewrite.sh --build $(BUILD)
