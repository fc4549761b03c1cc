/* profile_objects.h - a profile with the objects that calls allocated, with the tests' own writer. A module of two
 * methods and a leaf, and four places:
 *
 *                     objects   by place
 *   N.T.m0()               10   +0x0 new N.Plain 6, +0x5 newarr N.Plain[] 4
 *     N.T.m1()              3   +0x12c box int 0, +0x7 new N.Plain 3
 *       Thread.Sleep(int)   0   a leaf
 */
#ifndef TESTS_UNIT_PROFILE_OBJECTS_H
#define TESTS_UNIT_PROFILE_OBJECTS_H

#include "profile_maker.h"

/* The flag of names with places. */
enum { OBJECTS_FLAG = 2 };

#define OBJECTS_PUT(b, ...)                                                                                            \
    do {                                                                                                               \
        const uint64_t fields[] = {__VA_ARGS__};                                                                       \
        for (size_t at = 0; at < sizeof fields / sizeof fields[0]; at++)                                               \
            buffer_varuint(b, fields[at]);                                                                             \
    } while (0)

/* The inflated data of the names up to the methods that were left out: `methods` as claimed. */
static inline void objects_methods(buffer *data, unsigned methods) {
    maker_lists l = {0};
    maker_type(&l, 0, "N", "T", NULL);
    maker_type(&l, 0, "System.Threading", "Thread", NULL);
    maker_method(&l, 0, 1, 1, "m0", NULL, "");
    maker_method(&l, 0, 2, 1, "m1", NULL, "");
    maker_method(&l, 1, 3, 512 | 1, "Sleep", NULL, "int");
    maker_join(data, &l, "M.dll", "M", l.types, methods);
    buffer_varuint(data, 0);
}

/* All of it: three types, four places. */
static inline void objects_names(buffer *data) {
    objects_methods(data, 3);
    buffer_varuint(data, 3);
    maker_strz(data, "N.Plain");
    maker_strz(data, "int");
    maker_strz(data, "N.Plain[]");
    OBJECTS_PUT(data, 4, 0, 0, 1, 0, 0, 5, 300, 7, 0, 1, 2, 0, 0, 2, 1, 0);
}

/* With these places: what a section SITE has after its first module's base. */
static inline void objects_profile_with(buffer *file, const uint64_t *places, size_t count) {
    static const char *const run[] = {"name",    "Objects",         "wall_ticks", "2000", "ticks_per_second",
                                      "1000000", "objects_counted", "1",          NULL};
    enum { ID = SAMPLE_BASE };
    buffer b = BUFFER_INIT, names = BUFFER_INIT;
    uint16_t flags = maker_flags;
    maker_header(file, 1, 0);
    maker_run(file, run);
    objects_names(&b);
    maker_flags = OBJECTS_FLAG;
    maker_names(&names, &b, 3, 0x30);
    maker_flags = flags;
    b.size = 0;
    buffer_varuint(&b, 1);
    maker_module(&b, ID, 3, "M, Version=1.0.0.0", 0x50, buffer_bytes(&names));
    maker_section(file, "MODS", &b);
    maker_thread(&b, 1, "", 1, 4);
    maker_node(&b, 1, 0, 0, 1000, 0, 0, 0);
    maker_node(&b, 1, ID, 1, 1000, 0, 0, 0);
    maker_node(&b, 1, ID + 1, 3, 600, 0, 0, 0);
    maker_node(&b, 0, ID + 2, 3, 300, 0, 0, 0);
    maker_section(file, "THRD", &b);
    OBJECTS_PUT(&b, 2, 1, 10, 1, 3, 0);
    maker_section(file, "OBJS", &b);
    OBJECTS_PUT(&b, 1, ID);
    for (size_t i = 0; i < count; i++)
        buffer_varuint(&b, places[i]);
    maker_section(file, "SITE", &b);
    maker_end(file);
    buffer_clear(&b);
    buffer_clear(&names);
}

static inline void objects_profile(buffer *file) {
    static const uint64_t places[] = {3, 0, 6, 1, 4, 2, 3};
    objects_profile_with(file, places, sizeof places / sizeof places[0]);
}

#endif
