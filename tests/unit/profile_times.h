/* profile_times.h - a made profile that says how long single calls took. One tick is a microsecond; the module has no
 * names, so its methods are M!#0, M!#1 and M!#2.
 *
 * thread 1 "main"             calls  ticks of each call
 *  1 #0                           1  open since 5
 *  2   #1                         4  100 200 300 400
 *  3     #2                       3  8 10 12, in the second to fourth
 *  4 folded calls
 *  5   #2                         1  5
 * two ended threads
 *  1 #2                           3  6 7 and one of 50 that was not kept
 *
 * Times of the timeline: #1 10-110, 120-320 with #2 at 200, 330-630 with #2 at 400, 640-1040 with #2 at 700; then the
 * folded one at 1100. The first of the ended threads has one call that was overwritten and one at 20-26; the second one
 * at 30-37. */
#ifndef TESTS_UNIT_PROFILE_TIMES_H
#define TESTS_UNIT_PROFILE_TIMES_H

#include "profile_maker.h"

static inline void times_put(buffer *b, const uint64_t *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        buffer_varuint(b, values[i]);
}
#define TIMES_PUT(b, ...)                                                                                              \
    times_put((b), (const uint64_t[]){__VA_ARGS__}, sizeof(const uint64_t[]){__VA_ARGS__} / sizeof(uint64_t))

static inline void times_main_thread(buffer *file) {
    buffer b = BUFFER_INIT;
    enum { ID = SAMPLE_BASE };
    maker_thread(&b, 1, "main", 1, 6);
    maker_node(&b, 2, 0, 0, 2000, 0, 0, 0);
    maker_node(&b, 1, ID + 0, 1, 2000, 5, 0, 1);
    maker_node(&b, 1, ID + 1, 4, 1000, 0, 0, 0);
    maker_node(&b, 0, ID + 2, 3, 30, 0, 0, 0);
    maker_node(&b, 1, 1, 0, 5, 0, 0, 0);
    maker_node(&b, 0, ID + 2, 1, 5, 0, 0, 0);
    maker_section(file, "THRD", &b);

    TIMES_PUT(&b, 3, 2, 100, 300, 1, 8, 4, 2, 5, 0);
    maker_section(file, "SPAN", &b);

    TIMES_PUT(&b, 2, ID + 1, 22, 9, 1, 0, 0, 0, 1, 0, 1, 0, 1, ID + 2, 5, 6, 1, 0, 0, 1, 1, 1);
    maker_section(file, "HIST", &b);

    TIMES_PUT(&b, 0, 1, 1);
    maker_str(&b, "main");
    TIMES_PUT(&b, 0, 8);
    TIMES_PUT(&b, 2, 110, 100);
    TIMES_PUT(&b, 3, 98, 8, 2, 112, 200);
    TIMES_PUT(&b, 3, 90, 10, 2, 220, 300);
    TIMES_PUT(&b, 3, 82, 12, 2, 328, 400);
    TIMES_PUT(&b, 5, 65, 5);
    TIMES_PUT(&b, 1, 1, 5);
    maker_section(file, "TIME", &b);
    buffer_clear(&b);
}

static inline void times_ended_threads(buffer *file) {
    buffer b = BUFFER_INIT;
    enum { ID = SAMPLE_BASE };
    maker_thread(&b, 0, "", 2, 2);
    maker_node(&b, 1, 0, 0, 63, 0, 0, 0);
    maker_node(&b, 0, ID + 2, 3, 63, 0, 0, 0);
    maker_section(file, "THRD", &b);
    TIMES_PUT(&b, 1, 1, 6, 44);
    maker_section(file, "SPAN", &b);
    TIMES_PUT(&b, 1, ID + 2, 6, 13, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);
    maker_section(file, "HIST", &b);
    TIMES_PUT(&b, 0, 2, 4);
    maker_str(&b, "first");
    TIMES_PUT(&b, 1, 1, 1, 26, 6, 0, 5);
    maker_str(&b, "");
    TIMES_PUT(&b, 0, 1, 1, 37, 7, 0);
    maker_section(file, "TIME", &b);
    buffer_clear(&b);
}

static inline void times_profile(buffer *file) {
    static const char *const run[] = {"name", "Times", "wall_ticks", "2000", "ticks_per_second", "1000000", NULL};
    maker_begin(file, run);
    times_main_thread(file);
    times_ended_threads(file);
    maker_end(file);
}

#endif
