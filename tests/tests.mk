# What single tests need beyond the library: the command line's objects, helper programs.

UNIT_LDFLAGS_test_cli_options := $(BUILD)/src/cli/options.o
$(BUILD)/tests/unit/test_cli_options: $(BUILD)/src/cli/options.o
