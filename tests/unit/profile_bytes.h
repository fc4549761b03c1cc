/* profile_bytes.h - a profile with what calls allocated, with the tests' own writer:
 *
 *                                own   in folded callees
 *   thread 1   M!#0              100
 *                M!#1             20   40
 *                  M!#0            8
 *              (folded calls)
 *                M!#2             64
 *   ended ones M!#0                7
 *
 * M!#1 has called for 40 of the 64 bytes of folded calls; for the other 24 no method has. So all that M!#1 allocated is
 * 20 + 40 + 8, all of the outer M!#0 168, and all of thread 1 is 192. */
#ifndef TESTS_UNIT_PROFILE_BYTES_H
#define TESTS_UNIT_PROFILE_BYTES_H

#include "profile_maker.h"

#define BYTES_PUT(b, ...)                                                                                              \
    do {                                                                                                               \
        const uint64_t fields[] = {__VA_ARGS__};                                                                       \
        for (size_t at = 0; at < sizeof fields / sizeof fields[0]; at++)                                               \
            buffer_varuint(b, fields[at]);                                                                             \
    } while (0)

static inline void bytes_profile(buffer *file) {
    static const char *const run[] = {"name",    "Bytes",         "wall_ticks", "2000", "ticks_per_second",
                                      "1000000", "bytes_counted", "1",          NULL};
    enum { ID = SAMPLE_BASE, FOLDED = 1 };
    buffer b = BUFFER_INIT;
    maker_begin(file, run);
    maker_thread(&b, 1, "", 1, 6);
    maker_node(&b, 2, 0, 0, 1000, 0, 0, 0);
    maker_node(&b, 1, ID, 1, 1000, 0, 0, 0);
    maker_node(&b, 1, ID + 1, 2, 600, 100, 0, 0);
    maker_node(&b, 0, ID, 1, 300, 0, 0, 0);
    maker_node(&b, 1, FOLDED, 0, 100, 0, 0, 0);
    maker_node(&b, 0, ID + 2, 4, 100, 0, 0, 0);
    maker_section(file, "THRD", &b);
    BYTES_PUT(&b, 4, 1, 100, 1, 20, 1, 8, 2, 64, 1, 2, 40);
    maker_section(file, "BYTE", &b);
    maker_thread(&b, 0, "", 2, 2);
    maker_node(&b, 1, 0, 0, 50, 0, 0, 0);
    maker_node(&b, 0, ID, 2, 50, 0, 0, 0);
    maker_section(file, "THRD", &b);
    BYTES_PUT(&b, 1, 1, 7, 0);
    maker_section(file, "BYTE", &b);
    maker_end(file);
    buffer_clear(&b);
}

#endif
