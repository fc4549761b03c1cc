/* A deps.json gets one asset more and keeps every other byte; what cannot be changed is reported. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "package/deps_json.h"

static char problem[DEPS_JSON_PROBLEM_BYTES];

static deps_json_outcome add_for(const char *text, size_t size, buffer *out, const char *assembly) {
    const deps_json_options wish = {"app", "Tracker.dll", assembly, NULL};
    problem[0] = 0;
    return deps_json_add(out, problem, bytes_of(text, size), &wish);
}

static deps_json_outcome outcome_of(const char *text, const char *assembly) {
    buffer out = BUFFER_INIT;
    deps_json_outcome outcome = add_for(text, strlen(text), &out, assembly);
    if (outcome != DEPS_JSON_ADDED)
        assert_int_equal(out.size, 0);
    buffer_clear(&out);
    return outcome;
}

/* Adds, compares with what is expected, and adds again: nothing may happen then. */
static void assert_becomes(const char *text, const char *expected) {
    buffer out = BUFFER_INIT, again = BUFFER_INIT;
    assert_int_equal(add_for(text, strlen(text), &out, NULL), DEPS_JSON_ADDED);
    buffer_u8(&out, 0);
    assert_string_equal((const char *)out.data, expected);
    assert_int_equal(add_for((const char *)out.data, out.size - 1, &again, NULL), DEPS_JSON_PRESENT);
    assert_int_equal(again.size, 0);
    buffer_clear(&out);
}

static void assert_unusable(const char *text, const char *part) {
    assert_int_equal(outcome_of(text, NULL), DEPS_JSON_UNUSABLE);
    if (!strstr(problem, part))
        fail_msg("\"%s\" does not tell \"%s\"", problem, part);
}

/* The SDK's own layout, in pieces. */
#define HEAD                                                                                                           \
    "{\n  \"runtimeTarget\": {\n    \"name\": \".NETCoreApp,Version=v10.0\",\n    \"signature\": \"\"\n  },\n"         \
    "  \"compilationOptions\": {},\n  \"targets\": {\n    \".NETCoreApp,Version=v10.0\": {\n"
#define LIBRARIES                                                                                                      \
    "    }\n  },\n  \"libraries\": {\n    \"app/1.0.0\": {\n      \"type\": \"project\",\n      \"serviceable\": "     \
    "false,\n      \"sha512\": \"\"\n    }\n  }\n}"

static void entry_follows_the_apps_own_assembly(void **state) {
    (void)state;
    assert_becomes(HEAD "      \"app/1.0.0\": {\n        \"runtime\": {\n          \"app.dll\": {}\n        }\n      "
                        "}\n" LIBRARIES,
                   HEAD "      \"app/1.0.0\": {\n        \"runtime\": {\n          \"app.dll\": {},\n          "
                        "\"Tracker.dll\": {}\n        }\n      }\n" LIBRARIES);
}

static void missing_runtime_map_is_made(void **state) {
    (void)state;
    assert_becomes(HEAD "      \"app/1.0.0\": {\n        \"dependencies\": {\n          \"Lib\": \"1.0.0\"\n        "
                        "}\n      }\n" LIBRARIES,
                   HEAD "      \"app/1.0.0\": {\n        \"dependencies\": {\n          \"Lib\": \"1.0.0\"\n        "
                        "},\n        \"runtime\": {\n          \"Tracker.dll\": {}\n        }\n      }\n" LIBRARIES);
    assert_becomes(HEAD "      \"app/1.0.0\": {}\n" LIBRARIES,
                   HEAD "      \"app/1.0.0\": {\n        \"runtime\": {\n          \"Tracker.dll\": {}\n        }\n   "
                        "   }\n" LIBRARIES);
}

static void empty_runtime_map_is_filled(void **state) {
    (void)state;
    assert_becomes(HEAD "      \"app/1.0.0\": {\n        \"runtime\": {}\n      }\n" LIBRARIES,
                   HEAD "      \"app/1.0.0\": {\n        \"runtime\": {\n          \"Tracker.dll\": {}\n        }\n   "
                        "   }\n" LIBRARIES);
}

static void text_on_one_line_stays_on_one_line(void **state) {
    (void)state;
    assert_becomes(
        "{\"runtimeTarget\":{\"name\":\"T\"},\"targets\":{\"T\":{\"app/1\":{\"runtime\":{\"app.dll\":{}}}}}}",
        "{\"runtimeTarget\":{\"name\":\"T\"},\"targets\":{\"T\":{\"app/1\":{\"runtime\":{\"app.dll\":{},"
        "\"Tracker.dll\":{}}}}}}");
    assert_becomes("{\"runtimeTarget\":{\"name\":\"T\"},\"targets\":{\"T\":{\"app/1\":{}}}}",
                   "{\"runtimeTarget\":{\"name\":\"T\"},\"targets\":{\"T\":{\"app/1\":{\"runtime\":{\"Tracker.dll\":{}}"
                   "}}}}");
}

static void byte_order_mark_tabs_and_crlf_stay(void **state) {
    (void)state;
    assert_becomes("\xEF\xBB\xBF{\r\n\t\"runtimeTarget\": {\"name\": \"T\"},\r\n\t\"targets\": {\r\n\t\t\"T\": "
                   "{\r\n\t\t\t\"app/1\": {\r\n\t\t\t\t\"runtime\": {}\r\n\t\t\t}\r\n\t\t}\r\n\t}\r\n}\r\n",
                   "\xEF\xBB\xBF{\r\n\t\"runtimeTarget\": {\"name\": \"T\"},\r\n\t\"targets\": {\r\n\t\t\"T\": "
                   "{\r\n\t\t\t\"app/1\": {\r\n\t\t\t\t\"runtime\": {\r\n\t\t\t\t\t\"Tracker.dll\": "
                   "{}\r\n\t\t\t\t}\r\n\t\t\t}\r\n\t\t}\r\n\t}\r\n}\r\n");
}

static void numbers_and_escapes_stay_as_written(void **state) {
    (void)state;
#define ODD "\"n\":[12345678901234567890123,0.10000000000000000001,1e5,-0,1.50],\"s\":\"\\u00e4\\/}]\\\"{\\u0000\","
    assert_becomes("{" ODD "\"runtimeTarget\":\"T\",\"targets\":{\"T\":{\"app/1.0\\u002Bsha\":{" ODD
                   "\"runtime\":{\"app.dll\":{" ODD "\"x\":true}}}}}}",
                   "{" ODD "\"runtimeTarget\":\"T\",\"targets\":{\"T\":{\"app/1.0\\u002Bsha\":{" ODD
                   "\"runtime\":{\"app.dll\":{" ODD "\"x\":true},\"Tracker.dll\":{}}}}}}");
}

static void target_is_the_one_that_runtime_target_names(void **state) {
    (void)state;
    assert_becomes("{\"targets\":{\"T\":{\"app/1\":{\"runtime\":{\"app.dll\":{}}}},"
                   "\"T/linux-x64\":{\"app/1\":{\"runtime\":{\"app.dll\":{}}},\"runtimepack.X/1\":{\"runtime\":{}}}},"
                   "\"runtimeTarget\":{\"name\":\"T\\/linux-x64\"}}",
                   "{\"targets\":{\"T\":{\"app/1\":{\"runtime\":{\"app.dll\":{}}}},"
                   "\"T/linux-x64\":{\"app/1\":{\"runtime\":{\"app.dll\":{},\"Tracker.dll\":{}}},\"runtimepack.X/1\":{"
                   "\"runtime\":{}}}},\"runtimeTarget\":{\"name\":\"T\\/linux-x64\"}}");
}

static void library_of_the_files_name_comes_first_then_the_first_project(void **state) {
    (void)state;
    assert_becomes(
        "{\"runtimeTarget\":\"T\",\"targets\":{\"T\":{\"apple/1\":{},\"app/1\":{}}},"
        "\"libraries\":{\"apple/1\":{\"type\":\"project\"}}}",
        "{\"runtimeTarget\":\"T\",\"targets\":{\"T\":{\"apple/1\":{},\"app/1\":{\"runtime\":{\"Tracker.dll\":"
        "{}}}}},\"libraries\":{\"apple/1\":{\"type\":\"project\"}}}");
    assert_becomes(
        "{\"runtimeTarget\":\"T\",\"targets\":{\"T\":{\"P/1\":{},\"renamed/1\":{}}},"
        "\"libraries\":{\"P/1\":{\"type\":\"package\"},\"renamed/1\":{\"type\":\"project\"}}}",
        "{\"runtimeTarget\":\"T\",\"targets\":{\"T\":{\"P/1\":{},\"renamed/1\":{\"runtime\":{\"Tracker.dll\":"
        "{}}}}},\"libraries\":{\"P/1\":{\"type\":\"package\"},\"renamed/1\":{\"type\":\"project\"}}}");
}

static void entry_of_any_library_is_enough(void **state) {
    (void)state;
    assert_int_equal(
        outcome_of("{\"runtimeTarget\":\"T\",\"targets\":{\"T\":{\"app/1\":{\"runtime\":{}},\"Tracker/1\":{"
                   "\"runtime\":{\"lib/net8.0/Tracker.dll\":{\"assemblyVersion\":\"1.0.0.0\"}}}}}}",
                   NULL),
        DEPS_JSON_PRESENT);
    /* A longer name that ends alike, or one in another target, is not it. */
    assert_int_equal(
        outcome_of("{\"runtimeTarget\":\"T\",\"targets\":{\"T\":{\"app/1\":{\"runtime\":{\"My.Tracker.dll\":"
                   "{}}}},\"U\":{\"app/1\":{\"runtime\":{\"Tracker.dll\":{}}}}}}",
                   NULL),
        DEPS_JSON_ADDED);
}

static void only_a_file_that_lists_the_assembly_is_changed_when_asked_so(void **state) {
    (void)state;
    static const char text[] = "{\"runtimeTarget\":\"T\",\"targets\":{\"T\":{\"app/1\":{\"runtime\":{\"app.dll\":{}}},"
                               "\"Lib/2\":{\"runtime\":{\"lib/net8.0/Lib.dll\":{}}}}}}";
    assert_int_equal(outcome_of(text, "Lib.dll"), DEPS_JSON_ADDED);
    assert_int_equal(outcome_of(text, "Other.dll"), DEPS_JSON_NOT_LISTED);
    assert_int_equal(outcome_of(text, "ib.dll"), DEPS_JSON_NOT_LISTED);
}

static void what_is_missing_is_named(void **state) {
    (void)state;
    assert_unusable("{}", "runtimeTarget has no name");
    assert_unusable("[]", "not a JSON object");
    assert_unusable("", "not JSON: line 1");
    assert_unusable("{\"runtimeTarget\":", "not JSON: line 1");
    assert_unusable("{\"runtimeTarget\":{\"name\":7}}", "runtimeTarget has no name");
    assert_unusable("{\"runtimeTarget\":\"T\"}", "targets has no object");
    assert_unusable("{\"runtimeTarget\":\"T\",\"targets\":{\"U\":{}}}", "targets has no object");
    assert_unusable("{\"runtimeTarget\":\"T\",\"targets\":{\"T\":[]}}", "targets has no object");
    assert_unusable("{\"runtimeTarget\":\"T\",\"targets\":{\"T\":{\"app/1\":{\"runtime\":[]}}}}", "not an object");
    assert_unusable("{\"runtimeTarget\":\"T\",\"targets\":{\"T\":{\"app/1\":3}}}", "not an object");
    assert_unusable("{\"runtimeTarget\":\"T\",\"targets\":{\"T\":{\"app/1\":{\"runtime\":{},\"runtime\":{\"a\":{}}}}}}",
                    "does not read back");
    assert_unusable("{\"runtimeTarget\":\"T\",\"targets\":{\"T\":{}},\"libraries\":[]}", "libraries is not an object");
    assert_unusable("{\"a\":1,}", "not JSON"); /* nor for the host */
    assert_unusable("{\"a\":1 /* no end", "not JSON");
    assert_unusable("\xFF\xFE{\0", "not JSON");
}

/* The host takes comments, anything after the document, a key twice, bytes that are no UTF-8. All of it stays. */
static void what_the_host_takes_is_taken(void **state) {
    (void)state;
    assert_becomes(
        "// \"runtimeTarget\": {\n{\"runtimeTarget\":\"T\" /* } */,\"x\":1,\"x\":2,\"targets\":{\"T\":{\"app/1\""
        ":{\"runtime\":{\"app.dll\":{} // last\n}}}},\"y\":\"//\xFF\"} and more }",
        "// \"runtimeTarget\": {\n{\"runtimeTarget\":\"T\" /* } */,\"x\":1,\"x\":2,\"targets\":{\"T\":{\"app/1\""
        ":{\"runtime\":{\"app.dll\":{},\"Tracker.dll\":{} // last\n}}}},\"y\":\"//\xFF\"} and more }");
    assert_becomes(
        "{\"runtimeTarget\":\"T\",\"targets\":{\"T\":{\"app/1\":{\"runtime\":{\"app.dll\":{}}}}}}// no end",
        "{\"runtimeTarget\":\"T\",\"targets\":{\"T\":{\"app/1\":{\"runtime\":{\"app.dll\":{},\"Tracker.dll\":{}}}"
        "}}}// no end");
}

/* The host starts such a program: no library lists its assembly. */
static void without_a_library_of_its_own_one_is_made(void **state) {
    (void)state;
    static const char fact[] = "{\"type\": \"reference\", \"serviceable\": false, \"sha512\": \"\"}";
    char expected[512];
    snprintf(expected, sizeof expected,
             "{\"libraries\":{\"Tracker/1.0.0\": %s},\"runtimeTarget\":\"T\",\"targets\":{\"T\":{\"Tracker/1.0.0\": "
             "{\"runtime\": {\"Tracker.dll\": {}}}}}}",
             fact);
    assert_becomes("{\"libraries\":{},\"runtimeTarget\":\"T\",\"targets\":{\"T\":{}}}", expected);
    snprintf(expected, sizeof expected,
             "{\n \"runtimeTarget\":\"T\",\n \"targets\":{\"T\":{\"J/1\":{},\"Tracker/1.0.0\": {\"runtime\": "
             "{\"Tracker.dll\": "
             "{}}}}},\n \"libraries\": {\"Tracker/1.0.0\": %s}\n}",
             fact);
    assert_becomes("{\n \"runtimeTarget\":\"T\",\n \"targets\":{\"T\":{\"J/1\":{}}}\n}", expected);
    assert_unusable("{\"runtimeTarget\":\"T\",\"targets\":{\"T\":{\"Tracker/1.0.0\":{}}}}", "does not read back");
}

/* .NET's host (hostpolicy) takes all portable assets of a library, or all that it has for the system: the program's own
 * would be lost with a native form beside it. */
#define NATIVE_FORM                                                                                                    \
    "\"runtimeTargets\": {\"runtimes/linux-x64/lib/Tracker.dll\": {\"rid\": \"linux-x64\", \"assetType\": "            \
    "\"runtime\"}}"

static deps_json_outcome add_native(const char *text, buffer *out) {
    const deps_json_options wish = {"app", "Tracker.dll", NULL, "linux-x64"};
    problem[0] = 0;
    return deps_json_add(out, problem, bytes_of(text, strlen(text)), &wish);
}

static void native_form_has_a_library_of_its_own(void **state) {
    (void)state;
    buffer out = BUFFER_INIT, again = BUFFER_INIT;
    const char *text =
        HEAD "      \"app/1.0.0\": {\n        \"runtime\": {\n          \"app.dll\": {}\n        }\n      "
             "}\n" LIBRARIES;
    assert_int_equal(add_native(text, &out), DEPS_JSON_ADDED);
    buffer_u8(&out, 0);
    assert_string_equal((const char *)out.data, HEAD
                        "      \"app/1.0.0\": {\n        \"runtime\": {\n          \"app.dll\": {}\n        }\n "
                        "     },\n      \"Tracker/1.0.0\": {\"runtime\": {\"Tracker.dll\": {}}, " NATIVE_FORM
                        "}\n    }\n  },\n  \"libraries\": {\n    \"app/1.0.0\": {\n      \"type\": \"project\",\n      "
                        "\"serviceable\": false,\n      \"sha512\": \"\"\n    },\n    \"Tracker/1.0.0\": {\"type\": "
                        "\"reference\", \"serviceable\": false, \"sha512\": \"\"}\n  }\n}");
    assert_int_equal(add_native((const char *)out.data, &again), DEPS_JSON_PRESENT);
    assert_int_equal(again.size, 0);
    buffer_clear(&out);
}

static void where_its_name_is_taken_the_portable_form_is_listed(void **state) {
    (void)state;
    buffer out = BUFFER_INIT;
    assert_int_equal(add_native("{\"runtimeTarget\":{\"name\":\"T\"},\"targets\":{\"T\":{\"app/1\":{\"runtime\":{}},"
                                "\"Tracker/1.0.0\":{}}}}",
                                &out),
                     DEPS_JSON_ADDED);
    buffer_u8(&out, 0);
    assert_string_equal(
        (const char *)out.data,
        "{\"runtimeTarget\":{\"name\":\"T\"},\"targets\":{\"T\":{\"app/1\":{\"runtime\":{\"Tracker.dll\":{}}},"
        "\"Tracker/1.0.0\":{}}}}");
    buffer_clear(&out);
}

static void text_over_the_cap_is_not_parsed(void **state) {
    (void)state;
    size_t size = (size_t)DEPS_JSON_MAX_BYTES + 1;
    char *text = malloc(size);
    buffer out = BUFFER_INIT;
    assert_non_null(text);
    memset(text, ' ', size);
    assert_int_equal(add_for(text, size, &out, NULL), DEPS_JSON_UNUSABLE);
    assert_string_equal(problem, "it is larger than 64 MiB");
    free(text);
}

static void deep_nesting_is_an_error_not_a_crash(void **state) {
    (void)state;
    size_t size = 1000000;
    char *text = malloc(size + 1);
    assert_non_null(text);
    memset(text, '[', size);
    text[size] = 0;
    assert_unusable(text, "not JSON");
    free(text);
}

static void truncated_text_is_told_at_every_length(void **state) {
    (void)state;
    static const char text[] = HEAD "      \"app/1.0.0\": {}\n" LIBRARIES;
    for (size_t size = 0; size < sizeof text - 1; size++) {
        char *exact = malloc(size + 1); /* its own block, so that a read past the end is seen */
        buffer out = BUFFER_INIT;
        assert_non_null(exact);
        memcpy(exact, text, size);
        assert_int_equal(add_for(exact, size, &out, NULL), DEPS_JSON_UNUSABLE);
        free(exact);
    }
}

static void damaged_text_is_refused_or_changed_soundly(void **state) {
    (void)state;
    static const char text[] =
        HEAD "      \"app/1.0.0\": {\n        \"runtime\": {\n          \"app.dll\": {}\n        "
             "}\n      }\n" LIBRARIES;
    static const char likely[] = "{}[]\",:\\ \n0u";
    uint32_t random = 2463534242u; /* xorshift: the same edits in every run */
    unsigned added = 0;
    for (unsigned round = 0; round < 20000; round++) {
        size_t size = sizeof text - 1;
        char *exact = malloc(size);
        buffer out = BUFFER_INIT, again = BUFFER_INIT;
        assert_non_null(exact);
        memcpy(exact, text, size);
        for (unsigned edits = 1 + round % 3; edits > 0; edits--) {
            random ^= random << 13;
            random ^= random >> 17;
            random ^= random << 5;
            exact[(random >> 8) % size] = random & 0x80 ? (char)random : likely[(random & 0x7F) % (sizeof likely - 1)];
        }
        if (add_for(exact, size, &out, NULL) == DEPS_JSON_ADDED) {
            added++;
            assert_int_equal(add_for((const char *)out.data, out.size, &again, NULL), DEPS_JSON_PRESENT);
        }
        buffer_clear(&out);
        free(exact);
    }
    assert_true(added > 0);
}

static void covering_asks_for_every_member(void **state) {
    (void)state;
#define COVERS(a, b) deps_json_covers(bytes_of(a, strlen(a)), bytes_of(b, strlen(b)))
    assert_true(COVERS("{}", "{}"));
    assert_true(COVERS("{\"a\":{\"b\":1,\"c\":2},\"d\":[1]}", "\xEF\xBB\xBF{\"d\":[1], \"a\":{\"b\":1}}"));
    assert_false(COVERS("{\"a\":{\"b\":1}}", "{\"a\":{\"b\":1,\"c\":2}}"));
    assert_false(COVERS("{\"a\":{\"b\":1}}", "{\"a\":{\"b\":2}}"));
    assert_false(COVERS("{\"d\":[1,2]}", "{\"d\":[1]}"));
    assert_false(COVERS("{\"d\":1}", "{\"d\":{}}"));
    assert_false(COVERS("", "{}"));
    assert_false(COVERS("{}", "x"));
}

/* A file of a package or the runtime is not the program's own; one of a project, or of no library, is. */
static void packaged_files_are_known(void **state) {
    (void)state;
    static const char text[] =
        "\xEF\xBB\xBF{\"runtimeTarget\":{\"name\":\"net\"},\"targets\":{\"other\":{\"Z/"
        "1\":{\"runtime\":{\"Z.dll\":{}}}},"
        "\"net\":{\"app/1\":{\"runtime\":{\"app.dll\":{}}},\"lib/1\":{\"runtime\":{\"lib.dll\":{}}},"
        "\"Json/13\":{\"runtime\":{\"lib/net6.0/Json.dll\":{}}},\"Rt/10\":{\"runtime\":{\"System.dll\":{}},"
        "\"native\":{\"native.so\":{}}}}},\"libraries\":{\"app/1\":{\"type\":\"project\"},"
        "\"lib/1\":{\"type\":\"project\"},\"Json/13\":{\"type\":\"package\"},\"Rt/10\":{\"type\":\"runtimepack\"}}}";
    const bytes whole = bytes_of(text, sizeof text - 1);
    assert_true(deps_json_is_usable(whole));
    assert_int_equal(deps_json_owner(whole, "Json.dll"), DEPS_OWNER_PACKAGE);
    assert_int_equal(deps_json_owner(whole, "System.dll"), DEPS_OWNER_PACKAGE);
    assert_int_equal(deps_json_owner(whole, "app.dll"), DEPS_OWNER_PROJECT);
    assert_int_equal(deps_json_owner(whole, "lib.dll"), DEPS_OWNER_PROJECT);
    assert_int_equal(deps_json_owner(whole, "plugin.dll"), DEPS_OWNER_NONE);
    assert_int_equal(deps_json_owner(whole, "Z.dll"), DEPS_OWNER_NONE);
    assert_int_equal(deps_json_owner(whole, "native.so"), DEPS_OWNER_NONE);
    for (size_t size = 0; size < whole.size; size++) {
        assert_false(deps_json_is_usable(bytes_of(text, size)));
        assert_int_equal(deps_json_owner(bytes_of(text, size), "Json.dll"), DEPS_OWNER_NONE);
    }
    assert_false(deps_json_is_usable(bytes_of("{}", 2)));
}

/* The SDK lists the file of a project that another project refers to as a file, too: twice, in either order. */
static void referenced_projects_are_own(void **state) {
    (void)state;
    static const char text[] =
        "{\"runtimeTarget\":{\"name\":\"net\"},\"targets\":{\"net\":{\"A/1\":{\"runtime\":{\"First.dll\":{}}},"
        "\"B/1\":{\"runtime\":{\"First.dll\":{},\"Second.dll\":{},\"Alone.dll\":{},\"Packed.dll\":{}}},"
        "\"C/1\":{\"runtime\":{\"Second.dll\":{}}},\"D/1\":{\"runtime\":{\"Packed.dll\":{}}}}},"
        "\"libraries\":{\"A/1\":{\"type\":\"project\"},\"B/1\":{\"type\":\"reference\"},"
        "\"C/1\":{\"type\":\"project\"},\"D/1\":{\"type\":\"package\"}}}";
    const bytes whole = bytes_of(text, sizeof text - 1);
    assert_int_equal(deps_json_owner(whole, "First.dll"), DEPS_OWNER_PROJECT);
    assert_int_equal(deps_json_owner(whole, "Second.dll"), DEPS_OWNER_PROJECT);
    assert_int_equal(deps_json_owner(whole, "Alone.dll"), DEPS_OWNER_REFERENCE);
    assert_int_equal(deps_json_owner(whole, "Packed.dll"), DEPS_OWNER_PACKAGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entry_follows_the_apps_own_assembly),
        cmocka_unit_test(missing_runtime_map_is_made),
        cmocka_unit_test(empty_runtime_map_is_filled),
        cmocka_unit_test(text_on_one_line_stays_on_one_line),
        cmocka_unit_test(byte_order_mark_tabs_and_crlf_stay),
        cmocka_unit_test(numbers_and_escapes_stay_as_written),
        cmocka_unit_test(target_is_the_one_that_runtime_target_names),
        cmocka_unit_test(library_of_the_files_name_comes_first_then_the_first_project),
        cmocka_unit_test(entry_of_any_library_is_enough),
        cmocka_unit_test(only_a_file_that_lists_the_assembly_is_changed_when_asked_so),
        cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(what_the_host_takes_is_taken),
        cmocka_unit_test(without_a_library_of_its_own_one_is_made),
        cmocka_unit_test(native_form_has_a_library_of_its_own),
        cmocka_unit_test(where_its_name_is_taken_the_portable_form_is_listed),
        cmocka_unit_test(text_over_the_cap_is_not_parsed),
        cmocka_unit_test(deep_nesting_is_an_error_not_a_crash),
        cmocka_unit_test(truncated_text_is_told_at_every_length),
        cmocka_unit_test(damaged_text_is_refused_or_changed_soundly),
        cmocka_unit_test(covering_asks_for_every_member),
        cmocka_unit_test(packaged_files_are_known),
        cmocka_unit_test(referenced_projects_are_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
