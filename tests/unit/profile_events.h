/* profile_events.h - a made profile with exceptions, iterators and async methods. One tick is a microsecond.
 *
 * thread 1 "main"                      calls    ticks      own   left by exception
 *  1 Main                                  1  100,000   91,700   open
 *  2   Load                               10    5,000    1,000   3
 *  3     Query                            10    4,000    4,000   8
 *  4   Numbers                             2       20       20
 *  5   Numbers' MoveNext                  12      280       80   2
 *  6     Query                            12      200      200   2
 *  7   FetchAsync                          3      900      100
 *  8     FetchAsync's MoveNext             3      800      300
 *  9       SaveAsync                       3      500      100
 * 10         SaveAsync's MoveNext          3      400      400
 * 11   Walk                                1    2,000      100   1
 * 12     Walk                              4    1,900      400   1
 * 13       Walk                            4    1,500    1,500   1
 * 14   folded calls
 * 15     FetchAsync's MoveNext             2      100      100
 * thread 7 ".NET TP Worker"
 *  1 FetchAsync's MoveNext                 4    2,000    1,500
 *  2   Query                               4      500      500   2
 *  3 SaveAsync's MoveNext                  2      600      600   1
 *
 * The 100 ticks folded away are Main's: 100,000 - 5,000 - 20 - 280 - 900 - 2,000 - 100 = 91,700.
 *
 * Functions: the calls of the method itself; the steps of its MoveNext; inclusive time where it is outermost.
 *   Main         1                  100,000
 *   Load        10                    5,000
 *   Query       26                    4,700
 *   Numbers      2   12 steps           300
 *   FetchAsync   3    9 steps    900 + 2,000, own 100 + 300 + 1,500 + 100
 *   SaveAsync    3    5 steps    500 + 600, own 100 + 400 + 600
 *   Walk         9                    2,000
 * Enters 1 + 10 + 10 + 2 + 12 + 12 + 3 + 3 + 3 + 3 + 1 + 4 + 4 + 2 and 4 + 4 + 2: 80, 26 of them steps; 21 left by
 * exception, 1 open. */
#ifndef TESTS_UNIT_PROFILE_EVENTS_H
#define TESTS_UNIT_PROFILE_EVENTS_H

#include "profile_maker.h"

enum { EVENTS_BASE = 0x1000000, EVENTS_METHODS = 10 };

static inline void events_names(buffer *out) {
    buffer b = BUFFER_INIT;
    maker_lists l = {0};
    maker_type(&l, 0, "Bank", "Program", NULL);
    maker_type(&l, 0, "Bank", "Db", NULL);
    maker_type(&l, 1, "", "<Numbers>d__3", NULL);
    maker_type(&l, 1, "", "<FetchAsync>d__4", NULL);
    maker_type(&l, 1, "", "<SaveAsync>d__5", NULL);
    maker_method(&l, 0, 1, 1, "Main", NULL, "string[]");
    maker_method(&l, 0, 2, 1, "Load", NULL, "int");
    maker_method(&l, 1, 3, 1, "Query", NULL, "string");
    maker_method(&l, 0, 4, 1, "Numbers", NULL, "int");
    maker_method(&l, 0, 5, 1, "FetchAsync", NULL, "string");
    maker_method(&l, 0, 6, 1, "SaveAsync", NULL, "");
    maker_machine(&l, 2, 7, 8 + 32, "MoveNext", NULL, "", 4);
    maker_machine(&l, 3, 8, 8 + 16, "MoveNext", NULL, "", 5);
    maker_machine(&l, 4, 9, 8 + 16, "MoveNext", NULL, "", 6);
    maker_method(&l, 0, 10, 1, "Walk", NULL, "int");
    maker_join(&b, &l, "Bank.exe", "Bank", l.types, l.methods);
    maker_names(out, &b, EVENTS_METHODS, 0x50);
    buffer_clear(&b);
}

static inline void events_left(buffer *payload, const uint64_t (*entries)[2], size_t count) {
    buffer_varuint(payload, count);
    for (size_t i = 0; i < count; i++) {
        buffer_varuint(payload, entries[i][0]);
        buffer_varuint(payload, entries[i][1]);
    }
}

static inline void events_paths(buffer *payload, const maker_way *ways, size_t count) {
    buffer_varuint(payload, count);
    for (size_t i = 0; i < count; i++)
        maker_path(payload, &ways[i]);
}

#define EVENTS_COUNT(array) (sizeof(array) / sizeof(array)[0])

static inline void events_main_thread(buffer *file) {
    buffer b = BUFFER_INIT;
    enum { ID = EVENTS_BASE };
    maker_thread(&b, 1, "main", 1, 16);
    maker_node(&b, 2, 0, 0, 100000, 0, 0, 0);
    maker_node(&b, 5, ID + 0, 1, 100000, 100, 0, 1);
    maker_node(&b, 1, ID + 1, 10, 5000, 0, 0, 0);
    maker_node(&b, 0, ID + 2, 10, 4000, 0, 0, 0);
    maker_node(&b, 0, ID + 3, 2, 20, 0, 0, 0);
    maker_node(&b, 1, ID + 6, 12, 280, 0, 0, 0);
    maker_node(&b, 0, ID + 2, 12, 200, 0, 0, 0);
    maker_node(&b, 1, ID + 4, 3, 900, 0, 0, 0);
    maker_node(&b, 1, ID + 7, 3, 800, 0, 0, 0);
    maker_node(&b, 1, ID + 5, 3, 500, 0, 0, 0);
    maker_node(&b, 0, ID + 8, 3, 400, 0, 0, 0);
    maker_node(&b, 1, ID + 9, 1, 2000, 0, 0, 0);
    maker_node(&b, 1, ID + 9, 4, 1900, 0, 0, 0);
    maker_node(&b, 0, ID + 9, 4, 1500, 0, 0, 0);
    maker_node(&b, 1, 1, 0, 100, 0, 0, 0);
    maker_node(&b, 0, ID + 7, 2, 100, 0, 0, 0);
    maker_section(file, "THRD", &b);

    static const char *const types[] = {"System.InvalidOperationException", "System.IO.IOException", "(others)", NULL};
    static const uint64_t left[][2] = {{2, 3}, {3, 8}, {5, 2}, {6, 2}, {11, 1}, {12, 1}, {13, 1}};
    static const maker_way ways[] = {
        /* type, thrower, catcher, outcome, count, ticks, those of searching, frames searched and unwound */
        {1, 3, 1, 0, 3, 600, 30, 9, 6, {"Sequence contains no elements", "Late"}},
        {1, 3, 2, 0, 5, 500, 20, 10, 5, {"Sequence contains no elements"}},
        {2, 13, 1, 0, 1, 900, 4, 4, 3, {"Value cannot be null.\r\nParameter name: 名前"}},
        {2, 6, 1, 1, 2, 100, 2, 4, 4, {NULL}},
        {0, 10, 10, 4, 1, 10, 1, 1, 0, {NULL}},
        {0, 10, 1, 0, 1, 20, 0, 0, 4, {NULL}},
        {3, 0, 0, 0, 4, 40, 0, 0, 0, {NULL}},
    };
    maker_exception_types(&b, types);
    events_left(&b, left, EVENTS_COUNT(left));
    events_paths(&b, ways, EVENTS_COUNT(ways));
    maker_section(file, "EXCP", &b);

    /* children, id, calls, suspensions, completed, failed, cancelled, running, awaiting, wall, unlinked */
    static const uint64_t calls[][11] = {
        {2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
        {1, ID + 7, 3, 3, 1, 0, 0, 800, 0, 700, 0},
        {0, ID + 8, 3, 2, 1, 0, 0, 400, 0, 30, 0},
        {0, ID + 8, 1, 1, 0, 0, 1, 50, 5000, 6000, 0},
    };
    for (size_t i = 0; i < EVENTS_COUNT(calls); i++)
        maker_async(&b, calls[i]);
    /* The number of nodes stands before them. */
    buffer section = BUFFER_INIT;
    buffer_varuint(&section, EVENTS_COUNT(calls));
    buffer_append(&section, b.data, b.size);
    maker_section(file, "ASYN", &section);
    buffer_clear(&section);
    buffer_clear(&b);
}

static inline void events_pool_thread(buffer *file) {
    buffer b = BUFFER_INIT;
    enum { ID = EVENTS_BASE };
    maker_thread(&b, 7, ".NET TP Worker", 1, 4);
    maker_node(&b, 2, 0, 0, 2600, 0, 0, 0);
    maker_node(&b, 1, ID + 7, 4, 2000, 0, 0, 0);
    maker_node(&b, 0, ID + 2, 4, 500, 0, 0, 0);
    maker_node(&b, 0, ID + 8, 2, 600, 0, 0, 0);
    maker_section(file, "THRD", &b);

    static const char *const types[] = {"System.InvalidOperationException", NULL};
    static const uint64_t left[][2] = {{2, 1}, {3, 1}, {2, 1}};
    static const maker_way ways[] = {
        {1, 2, 1, 4, 2, 200, 0, 0, 2, {"Sequence contains no elements"}},
        {1, 3, 0, 2, 1, 50, 5, 1, 1, {NULL}},
        {1, 2, 2, 5, 1, 0, 0, 0, 0, {NULL}},
        {1, 2, 1, 3, 1, 70, 0, 0, 1, {NULL}},
        {1, 2, 1, 99, 1, 0, 0, 0, 0, {NULL}},
    };
    maker_exception_types(&b, types);
    events_left(&b, left, EVENTS_COUNT(left));
    events_paths(&b, ways, EVENTS_COUNT(ways));
    maker_section(file, "EXCP", &b);

    buffer_varuint(&b, 4);
    maker_async(&b, (const uint64_t[]){2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    maker_async(&b, (const uint64_t[]){1, ID + 7, 0, 1, 0, 1, 0, 2000, 9000, 10000, 0});
    maker_async(&b, (const uint64_t[]){0, ID + 8, 0, 0, 1, 0, 0, 550, 2500, 3000, 0});
    maker_async(&b, (const uint64_t[]){0, ID + 8, 0, 0, 1, 0, 0, 50, 0, 0, 1});
    maker_section(file, "ASYN", &b);
    buffer_clear(&b);
}

static inline void events_profile(buffer *file) {
    static const char *const run[] = {
        "name",    "Bank",   "pid",  "77",           "wall_ticks", "120000", "ticks_per_second",
        "1000000", "reason", "exit", "folded_async", "5",          NULL};
    buffer b = BUFFER_INIT, names = BUFFER_INIT;
    maker_header(file, 1, 0);
    maker_run(file, run);
    events_names(&names);
    buffer_varuint(&b, 1);
    maker_module(&b, EVENTS_BASE, EVENTS_METHODS, "Bank, Version=1.0.0.0", 0x60, buffer_bytes(&names));
    maker_section(file, "MODS", &b);
    events_main_thread(file);
    events_pool_thread(file);
    maker_end(file);
    buffer_clear(&b);
    buffer_clear(&names);
}

#endif
