/* The fuzz target of profiles, driven plainly: the made profiles, and changes to them from a printed seed. With the
 * arguments `seeds FOLDER` it writes what the fuzzer starts from. */
#include "fuzz_unit.h"
#include "profile_bytes.h"
#include "profile_events.h"
#include "profile_objects.h"
#include "profile_times.h"
#include "unit.h"

#include "../../fuzz/fuzz_profile.c"

typedef enum seed_kind {
    SAMPLE,
    INFLATED_NAMES,
    EVENTS,
    DURATIONS,
    CALIBRATED,
    MERGED,
    CONDITION,
    CALLS,
    BYTES,
    MERGED_BYTES,
    OBJECTS,
    MERGED_OBJECTS,
    INFLATED_PLACES,
    BELOW,
    MERGED_BELOW,
    SEEDS
} seed_kind;

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
                                      "inside_work_mean_ps",
                                      "31000",
                                      "outside_last_high_ps",
                                      "65000",
                                      "calibrations",
                                      "12",
                                      "ready_ns",
                                      "310000000",
                                      "ran_ns",
                                      "620000000",
                                      "load_permille",
                                      "1000",
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

/* Methods that were folded below two nodes. */
static void below_profile(buffer *file) {
    static const char *const run[] = {"ticks_per_second", "1000000000", NULL};
    buffer b = BUFFER_INIT;
    maker_begin(file, run);
    maker_thread(&b, 1, "t", 1, 5);
    maker_node(&b, 2, 0, 0, 4000, 0, 0, 0);
    maker_node(&b, 1, SAMPLE_BASE, 1, 4000, 300, 0, 0);
    maker_node(&b, 0, SAMPLE_BASE + 1, 1, 2600, 0, 0, 0);
    maker_node(&b, 1, 1, 0, 300, 0, 0, 0);
    maker_node(&b, 0, SAMPLE_BASE + 2, 7, 300, 0, 0, 0);
    maker_section(file, "THRD", &b);
    TIMES_PUT(&b, 2, 1, 5, 2, SAMPLE_BASE + 1, 1, 1, 2, 1, SAMPLE_BASE + 9);
    maker_section(file, "BELO", &b);
    maker_end(file);
    buffer_clear(&b);
}

/* Calls of one method, with a value of each kind: one that returned, one that an exception left, and the same of an
 * async one; one that has not ended, one that was cancelled, one with an unknown end. */
static void calls_profile(buffer *file) {
    static const char *const run[] = {"ticks_per_second", "1000000000", NULL};
    static const char values[] = "\x05" /* how many */
                                 "\x00v\x01"
                                 "7" /* of parameter 0 */
                                 "\x02o\x01P\x02\x01\x01Xs\x05\x02"
                                 "ab"
                                 "\x01"
                                 "a\x05int[]\x03\x01r\x01P" /* this */
                                 "\x05"
                                 "d\x01M\x01\x01nm"
                                 "\x03t\x01T" /* the result */;
    static const char exception[] = "x\x01"
                                    "E\x02no\x02"
                                    "at\x01\x01"
                                    "C.x\x01"
                                    "F\x00\x00\x00n";
    buffer b = BUFFER_INIT, call = BUFFER_INIT;
    maker_header(file, 1, 0);
    maker_run(file, run);
    buffer_varuint(&b, 0);
    maker_section(file, "MODS", &b);
    buffer_varuint(&b, 1);
    maker_str(&b, "N.T: args");
    buffer_varuint(&b, 3);
    buffer_varuint(&b, 1);
    buffer_varuint(&b, SAMPLE_BASE);
    buffer_append(&b, "\x09\x0f\x02\x00\x01x\x0a\x01y", 9);
    enum { THROWN = 1, AWAITED = 2, UNENDED = 4, CANCELLED = 8, LOST = 16, SYNCHRONOUS = 20 };
    static const uint8_t flags[] = {
        0, THROWN, AWAITED, AWAITED | THROWN, AWAITED | UNENDED, AWAITED | THROWN | CANCELLED, AWAITED | LOST};
    buffer_varuint(&b, sizeof flags);
    for (size_t i = 0; i < sizeof flags; i++) {
        call.size = 0;
        buffer_varuint(&call, SAMPLE_BASE);
        buffer_append(&call, (uint8_t[]){1, 100, 50, flags[i], 0}, 5);
        buffer_append(&call, values, sizeof values - 1);
        if (flags[i] & THROWN)
            buffer_append(&call, exception, sizeof exception - 1);
        if (flags[i] & AWAITED)
            buffer_varuint(&call, SYNCHRONOUS);
        buffer_varuint(&b, call.size);
        buffer_append(&b, call.data, call.size);
    }
    maker_section(file, "CALL", &b);
    maker_end(file);
    buffer_clear(&call);
    buffer_clear(&b);
}

static void make_seed(buffer *b, unsigned kind) {
    buffer_u8(b, kind == INFLATED_PLACES ? 3 : kind == INFLATED_NAMES || kind == CONDITION);
    if (kind == INFLATED_PLACES) {
        objects_names(b);
        buffer_u8(b, 3); /* the method count of the header is the last byte */
        return;
    }
    if (kind == CONDITION) {
        buffer_string(b, "[App]N.*.Get(int, **): exclusive > +12.5 ms");
        return;
    }
    if (kind == MERGED_BYTES || kind == MERGED_OBJECTS || kind == MERGED_BELOW) {
        buffer one = BUFFER_INIT, merged = BUFFER_INIT;
        (kind == MERGED_BYTES ? bytes_profile : kind == MERGED_OBJECTS ? objects_profile : below_profile)(&one);
        merge_two(&merged, buffer_bytes(&one), buffer_bytes(&one));
        buffer_append(b, merged.data, merged.size);
        buffer_clear(&one);
        buffer_clear(&merged);
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
         : kind == CALLS      ? calls_profile
         : kind == BYTES      ? bytes_profile
         : kind == OBJECTS    ? objects_profile
         : kind == BELOW      ? below_profile
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
                             .rounds = getenv("FULL") ? 2000 : 500,
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

static void changed_calls_are_read_or_refused(void **state) {
    (void)state;
    replay(CALLS);
}

static void changed_bytes_are_read_or_refused(void **state) {
    (void)state;
    replay(BYTES);
    replay(MERGED_BYTES);
}

static void changed_objects_and_places_are_read_or_refused(void **state) {
    (void)state;
    replay(OBJECTS);
    replay(MERGED_OBJECTS);
    replay(INFLATED_PLACES);
}

static void changed_folded_methods_are_read_or_refused(void **state) {
    (void)state;
    replay(BELOW);
    replay(MERGED_BELOW);
}

static void changes_to_the_structure_are_survived(void **state) {
    (void)state;
    fuzz_mutate(make_seed, 0, SEEDS, 1000);
}

int main(int argc, char **argv) {
    int value = fuzz_arguments(argc, argv, make_seed, SEEDS);
    if (value >= 0)
        return value;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changed_profiles_are_read_or_refused),
        cmocka_unit_test(changes_to_the_structure_are_survived),
        cmocka_unit_test(changed_profiles_with_events_are_read_or_refused),
        cmocka_unit_test(changed_profiles_with_durations_are_read_or_refused),
        cmocka_unit_test(changed_merged_profiles_are_read_or_refused),
        cmocka_unit_test(changed_conditions_are_read_or_refused),
        cmocka_unit_test(changed_calibrations_are_taken_off_or_refused),
        cmocka_unit_test(changed_names_are_read_or_refused),
        cmocka_unit_test(changed_calls_are_read_or_refused),
        cmocka_unit_test(changed_bytes_are_read_or_refused),
        cmocka_unit_test(changed_objects_and_places_are_read_or_refused),
        cmocka_unit_test(changed_folded_methods_are_read_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
