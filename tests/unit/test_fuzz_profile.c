/* The fuzz target of profiles, driven plainly: the made profiles, and changes to them from a printed seed. With the
 * arguments `seeds FOLDER` it writes what the fuzzer starts from. */
#include "fuzz_unit.h"
#include "profile_events.h"
#include "profile_times.h"
#include "unit.h"

#include "../fuzz/fuzz_profile.c"

typedef enum seed_kind { SAMPLE, INFLATED_NAMES, EVENTS, DURATIONS, CALIBRATED, MERGED, CONDITION, SEEDS } seed_kind;

/* With folded, open and resynchronised calls. */
static void calibrated_profile(buffer *file) {
    static const char *const run[] = {"ticks_per_second",
                                      "10000000",
                                      "inside_empty_ps",
                                      "24500",
                                      "outside_empty_ps",
                                      "30000",
                                      "inside_work_ps",
                                      "16500",
                                      "outside_work_ps",
                                      "22000",
                                      "outside_last_ps",
                                      "32000",
                                      "clock_read_ps",
                                      "21250",
                                      NULL};
    maker_header(file, 1, 0);
    maker_run(file, run);
    buffer b = BUFFER_INIT;
    buffer_varuint(&b, 0);
    maker_section(file, "MODS", &b);
    maker_thread(&b, 1, "t", 1, 6);
    maker_node(&b, 2, 0, 0, 4000000, 0, 0, 0);
    maker_node(&b, 2, SAMPLE_BASE, 10, 4000000, 300000, 0, 1);
    maker_node(&b, 0, SAMPLE_BASE + 1, 1000000, 2600000, 0, 3, 0);
    maker_node(&b, 0, SAMPLE_BASE + 2, 100000, 700000, 0, 0, 0);
    maker_node(&b, 1, 1, 0, 300000, 0, 0, 0);
    maker_node(&b, 0, SAMPLE_BASE, 100000, 300000, 0, 0, 0);
    maker_section(file, "THRD", &b);
    maker_end(file);
    buffer_clear(&b);
}

static void make_seed(buffer *b, unsigned kind) {
    buffer_u8(b, kind == INFLATED_NAMES || kind == CONDITION);
    if (kind == CONDITION) {
        buffer_string(b, "[App]N.*.Get(int, **): exclusive > +12.5 ms");
        return;
    }
    if (kind == MERGED) {
        buffer sample = BUFFER_INIT, events = BUFFER_INIT, merged = BUFFER_INIT;
        sample_profile(&sample);
        events_profile(&events);
        merge_two(&merged, buffer_bytes(&sample), buffer_bytes(&events));
        buffer_append(b, merged.data, merged.size);
        buffer_clear(&sample);
        buffer_clear(&events);
        buffer_clear(&merged);
        return;
    }
    if (kind != INFLATED_NAMES) {
        (kind == EVENTS       ? events_profile
         : kind == DURATIONS  ? times_profile
         : kind == CALIBRATED ? calibrated_profile
                              : sample_profile)(b);
        return;
    }
    maker_lists l = {0};
    maker_type(&l, 0, "N", "T`1", "A");
    maker_type(&l, 1, "", "U", NULL);
    maker_method(&l, 0, 1, 0, ".ctor", NULL, "int");
    maker_machine(&l, 1, 2, 16, "m", "X,Y", "string, A", 1);
    maker_join(b, &l, "M.dll", "M", 2, 2);
    buffer_u8(b, 2); /* the method count of the header is the last byte */
}

static void replay(seed_kind kind) {
    static const uint8_t edges[] = {0x00, 0x01, 0x7F, 0x80, 0xFF};
    fuzz_replay(make_seed, kind, kind + 1,
                &(fuzz_plan){.seed = 20,
                             .rounds = 3000,
                             .step = 1,
                             .from = 1,
                             .seldom_from = 1,
                             .edges = edges,
                             .edge_count = sizeof edges});
}

static void changed_profiles_are_read_or_refused(void **state) {
    (void)state;
    replay(SAMPLE);
}

static void changed_profiles_with_events_are_read_or_refused(void **state) {
    (void)state;
    replay(EVENTS);
}

static void changed_profiles_with_durations_are_read_or_refused(void **state) {
    (void)state;
    replay(DURATIONS);
}

static void changed_merged_profiles_are_read_or_refused(void **state) {
    (void)state;
    replay(MERGED);
}

static void changed_conditions_are_read_or_refused(void **state) {
    (void)state;
    replay(CONDITION);
}

static void changed_calibrations_are_taken_off_or_refused(void **state) {
    (void)state;
    replay(CALIBRATED);
}

static void changed_names_are_read_or_refused(void **state) {
    (void)state;
    replay(INFLATED_NAMES);
}

int main(int argc, char **argv) {
    int value = fuzz_arguments(argc, argv, make_seed, SEEDS);
    if (value >= 0)
        return value;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changed_profiles_are_read_or_refused),
        cmocka_unit_test(changed_profiles_with_events_are_read_or_refused),
        cmocka_unit_test(changed_profiles_with_durations_are_read_or_refused),
        cmocka_unit_test(changed_merged_profiles_are_read_or_refused),
        cmocka_unit_test(changed_conditions_are_read_or_refused),
        cmocka_unit_test(changed_calibrations_are_taken_off_or_refused),
        cmocka_unit_test(changed_names_are_read_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
