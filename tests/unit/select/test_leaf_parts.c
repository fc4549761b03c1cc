/* A leaf belongs to the part with a pattern in leaves.def that names it, whatever made it one; else to the other
 * calls. */
#include "select/leaf_parts.h"

#include "profile_unit.h"

static arena memory;
static names listed;
static leaf_parts parts;

/* Namespace, type and method of each, then the part as reports name it, by docs/leaves.md. */
static const char *const methods[][4] = {
    {"System.Threading", "Monitor", "Enter", "locks"},
    {"System.Threading", "Monitor", "Pulse", "other calls"},
    {"System.Threading", "ReaderWriterLockSlim", "EnterReadLock", "locks"},
    {"System.Threading.Tasks", "Task", "WaitAll", "waits"},
    {"System.Runtime.CompilerServices", "TaskAwaiter`1", "GetResult", "waits"},
    {"System.Collections.Concurrent", "BlockingCollection`1", "Take", "waits"},
    {"System.IO", "File", "ReadAllText", "files"},
    {"System.IO.Pipes", "NamedPipeServerStream", "WaitForConnection", "files"},
    {"System.Net.Http", "HttpClient", "GetStringAsync", "networks"},
    {"System.Net.Http", "HttpClient", "Dispose", "other calls"},
    {"System.Data.Common", "DbCommand", "ExecuteScalar", "databases"},
    {"Microsoft.Data.Sqlite", "SqliteCommand", "ExecuteReader", "databases"},
    {"System.Diagnostics", "Process", "Start", "processes"},
    {"", "Program", "poll", "other calls"},
};
enum { METHODS = sizeof methods / sizeof methods[0] };

static int set_up(void **state) {
    (void)state;
    buffer data = BUFFER_INIT, resource = BUFFER_INIT;
    maker_lists l = {0};
    const char *fault;
    for (unsigned i = 0; i < METHODS; i++) {
        maker_type(&l, 0, methods[i][0], methods[i][1], NULL);
        maker_method(&l, i, i + 1, NAMES_LEAF, methods[i][2], NULL, "");
    }
    maker_join(&data, &l, "Shop.dll", "Shop", METHODS, METHODS);
    maker_names(&resource, &data, METHODS, 1);
    int failed = names_read(&listed, &fault, &memory, buffer_bytes(&resource), &(names_room){0}) ||
                 !leaf_parts_make(&parts, &memory);
    buffer_clear(&data);
    buffer_clear(&resource);
    return failed;
}

static int tear_down(void **state) {
    (void)state;
    arena_clear(&memory);
    return 0;
}

static void leaves_are_of_the_part_that_names_them(void **state) {
    (void)state;
    buffer scratch = BUFFER_INIT;
    for (uint32_t i = 0; i < METHODS; i++)
        assert_string_equal(leaf_part_name(leaf_parts_find(&parts, &listed, i, &scratch)), methods[i][3]);
    assert_false(scratch.failed);
    buffer_clear(&scratch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_are_of_the_part_that_names_them),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
