/* merge_unit.h - profiles made from a seed, and the merge of some. */
#ifndef TESTS_UNIT_MERGE_UNIT_H
#define TESTS_UNIT_MERGE_UNIT_H

#include "profile_events.h"
#include "profile_times.h"
#include "report/merge/merge.h"
#include "report_unit.h"

/* ---- Made profiles ---------------------------------------------------------------------------------------------- */

/* May profiles say what no tracker does: a span longer than all calls, entries of TICK and WAIT anywhere? */
static bool make_anything;

static inline uint32_t below(uint32_t *random, uint32_t limit) {
    *random = *random * 1664525u + 1013904223u;
    return (*random >> 8) % limit;
}

static inline void make_module(buffer *payload, uint64_t base, uint32_t kind) {
    static const uint32_t methods[] = {9, 7, 9, 5};
    buffer b = BUFFER_INIT, names = BUFFER_INIT;
    maker_lists l = {0};
    uint32_t count = methods[kind];
    maker_type(&l, 0, "N", kind % 2 ? "U" : "T", NULL);
    for (unsigned i = 0; i < count; i++) {
        const char name[] = {'m', (char)('0' + i), '\0'};
        /* The last one is the MoveNext of the first. */
        maker_machine(&l, 0, i + 1, i + 1 == count ? 16 : 0, name, NULL, "", i + 1 == count ? 1 : 0);
    }
    maker_join(&b, &l, "M.dll", "M", 1, count);
    maker_names(&names, &b, count, (uint8_t)(kind % 2)); /* 0 and 2 are one input, instrumented twice */
    if (kind == 3)
        names.size = 0;
    maker_module(payload, base, count, kind % 2 ? "U, Version=1.0.0.0" : "M, Version=1.0.0.0", (uint8_t)(kind * 16 + 1),
                 buffer_bytes(&names));
    buffer_clear(&b);
    buffer_clear(&names);
}

/* A tree of `count` nodes in pre-order, children in any order, the same id twice among them, too. */
static inline void make_tree(buffer *b, uint32_t *random, const uint64_t *ids, size_t id_count, uint32_t count,
                             bool folded) {
    uint32_t parents[64], children[64] = {0};
    for (uint32_t i = 1; i < count; i++) {
        parents[i] = i - 1; /* pre-order: the parent is the node before or one of those above it */
        for (uint32_t up = below(random, 4); up > 0 && parents[i] != 0; up--)
            parents[i] = parents[parents[i]];
        children[parents[i]]++;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t wild = below(random, 12);
        uint64_t calls = below(random, 1000), ticks = below(random, 100000);
        maker_node(b, children[i] + (i == 0 && folded ? 1 : 0), i == 0 ? 0 : ids[below(random, (uint32_t)id_count)],
                   i == 0 ? 0 : calls, wild == 0 ? UINT64_MAX >> below(random, 20) : ticks,
                   wild == 1 ? below(random, 100) : 0, below(random, 3), below(random, 2));
    }
    if (folded) {
        maker_node(b, 2, 1, 0, 100, 0, 0, 0);
        maker_node(b, 0, ids[0], 5, 40, 0, 0, 0);
        maker_node(b, 0, ids[1], 6, 60, 0, 0, 0);
    }
}

static inline void make_paths(buffer *b, uint32_t *random) {
    static const char *const types[][4] = {{"B", "A", NULL}, {"A", "C", "A", NULL}, {"", "B", NULL}};
    static const char *const messages[] = {"x", "y", "z", "w", "", "xx", NULL};
    const char *const *list = types[below(random, 3)];
    uint32_t count = 0;
    while (list[count])
        count++;
    maker_exception_types(b, list);
    buffer_varuint(b, 2);
    for (int i = 0; i < 2; i++) {
        buffer_varuint(b, below(random, 3));
        buffer_varuint(b, below(random, 9));
    }
    buffer_varuint(b, 6);
    for (int i = 0; i < 6; i++) {
        uint64_t thrower = below(random, 3);
        maker_path(b, &(maker_way){.type = below(random, count + 1),
                                   .thrower = thrower,
                                   .catcher = below(random, 2) ? thrower : 0,
                                   .outcome = below(random, 8),
                                   .count = below(random, 50),
                                   .ticks = below(random, 5000),
                                   .search_ticks = below(random, 50),
                                   .messages = {messages[below(random, 7)], messages[below(random, 7)]}});
    }
}

static inline void make_async(buffer *b, uint32_t *random, const uint64_t *ids, size_t id_count) {
    enum { NODES = 4 };
    buffer_varuint(b, NODES);
    for (uint64_t i = 0; i < NODES; i++) {
        uint64_t fields[11] = {i + 1 < NODES, i == 0 ? 0 : ids[below(random, (uint32_t)id_count)]};
        for (int k = 2; k < 11; k++)
            fields[k] = below(random, 1000);
        maker_async(b, fields);
    }
}

static inline void make_durations(buffer *file, uint32_t *random, const uint64_t *ids, size_t id_count) {
    buffer b = BUFFER_INIT;
    buffer_varuint(&b, 2); /* the second node or the third, and one after */
    for (int i = 0; i < 2; i++) {
        buffer_varuint(&b, 1 + (i == 0 ? below(random, 2) : 0));
        buffer_varuint(&b, below(random, 100));
        buffer_varuint(&b, !make_anything || below(random, 3) ? below(random, 100)
                                                              : below(random, 200000)); /* longer than all calls */
    }
    maker_section(file, "SPAN", &b);
    buffer_varuint(&b, 3);
    for (int i = 0; i < 3; i++) {
        uint64_t id = ids[below(random, (uint32_t)id_count)];
        buffer_varuint(&b, id < 0x1000000 ? 0x7E000000 : id);
        buffer_varuint(&b, below(random, 244));
        buffer_varuint(&b, 4);
        for (int k = 0; k < 4; k++)
            buffer_varuint(&b, below(random, 3));
    }
    maker_section(file, "HIST", &b);
    buffer_clear(&b);
}

/* Entries of TICK, WAIT and BYTE: of some nodes a number, and of BYTE a second list. */
static inline void make_entries(buffer *file, uint32_t *random, const char *kind, uint32_t nodes) {
    buffer b = BUFFER_INIT;
    for (int lists = strcmp(kind, "BYTE") == 0 ? 2 : 1; lists > 0; lists--) {
        uint32_t steps[64], count = 0, node = 0;
        for (;;) {
            uint32_t step = 1 + below(random, 6);
            if (node + step >= nodes)
                break;
            node += steps[count++] = step;
        }
        buffer_varuint(&b, count);
        for (uint32_t i = 0; i < count; i++) {
            buffer_varuint(&b, steps[i]);
            buffer_varuint(&b, below(random, 3000));
        }
    }
    maker_section(file, kind, &b);
    buffer_clear(&b);
}

static inline void make_labels(buffer *file, uint32_t *random) {
    static const char *const names[] = {"host", "region", "release"}, *const values[] = {"1", "2", "10", ""};
    buffer b = BUFFER_INIT;
    buffer_varuint(&b, below(random, 8) == 0);
    uint32_t first = below(random, 3);
    buffer_varuint(&b, 3 - first);
    for (uint32_t i = first; i < 3; i++) {
        maker_str(&b, names[i]);
        buffer_varuint(&b, 1);
        maker_str(&b, values[below(random, 4)]);
        buffer_varuint(&b, 1);
        buffer_varuint(&b, 0);
    }
    maker_section(file, "LABL", &b);
    buffer_clear(&b);
}

/* Some of the modules' methods below some nodes; from the third on ids rise. */
static inline void make_below(buffer *file, uint32_t *random, const uint64_t *ids, size_t id_count, uint32_t nodes) {
    buffer b = BUFFER_INIT;
    uint32_t count = 1 + below(random, 3);
    buffer_varuint(&b, count);
    for (uint32_t i = 0; i < count; i++) {
        size_t first = 2 + below(random, 3), left = 1 + below(random, (uint32_t)(id_count - first));
        uint64_t before = 0;
        buffer_varuint(&b, 1 + below(random, nodes / 4));
        buffer_varuint(&b, below(random, 1000));
        buffer_varuint(&b, left);
        for (size_t k = first; k < first + left; before = ids[k++])
            buffer_varuint(&b, ids[k] - before);
    }
    maker_section(file, "BELO", &b);
    buffer_clear(&b);
}

static inline void make_threads(buffer *file, uint32_t *random, const uint64_t *ids, size_t id_count) {
    static const char *const names[] = {"", "main", "pool", "io"};
    buffer b = BUFFER_INIT;
    for (uint32_t t = below(random, 4); t > 0; t--) {
        uint32_t nodes = 4 + below(random, 29);
        bool folded = below(random, 3) == 0;
        maker_thread(&b, below(random, 3), names[below(random, 4)], 1 + below(random, 3), nodes + (folded ? 3 : 0));
        /* The first three nodes are a chain, so that paths can go along it. */
        make_tree(&b, random, ids, id_count, nodes, folded);
        maker_section(file, "THRD", &b);
        if (make_anything && below(random, 3) == 0)
            make_below(file, random, ids, id_count, nodes);
        if (make_anything && below(random, 3) == 0)
            make_entries(file, random, "TICK", nodes);
        if (make_anything && below(random, 3) == 0)
            make_entries(file, random, "WAIT", nodes);
        if (make_anything && below(random, 3) == 0)
            make_entries(file, random, "BYTE", nodes);
        if (below(random, 2))
            make_durations(file, random, ids, id_count);
        if (below(random, 2)) {
            make_paths(&b, random);
            maker_section(file, "EXCP", &b);
        }
        if (below(random, 2)) {
            make_async(&b, random, ids, id_count);
            maker_section(file, "ASYN", &b);
        }
    }
    buffer_clear(&b);
}

/* `measured`: perhaps with what its probes cost. */
static inline void make_random_run(buffer *file, uint32_t *random, bool own_names, bool measured) {
    static const char *const rates[] = {"1000000000", "10000000", "2893214568", "3", "1000"};
    static const char *const hosts[] = {"till-1", "till-2", "", "till-3"};
    char name[32], start[32], pid[32];
    snprintf(name, sizeof name, own_names ? "App%u" : "App", below(random, 1000));
    snprintf(start, sizeof start, "%u", below(random, 5));
    snprintf(pid, sizeof pid, "%u", below(random, 3));
    bool calibrated = below(random, 2) && measured;
    const char *const run[] = {"ticks_per_second",
                               rates[below(random, 5)],
                               "name",
                               name,
                               "host",
                               hosts[below(random, 4)],
                               "start",
                               start,
                               "pid",
                               pid,
                               "wall_ticks",
                               "12345",
                               "folded",
                               "3",
                               "dropped",
                               pid,
                               "folded_async",
                               start,
                               calibrated ? "inside_empty_ps" : "x",
                               "30123",
                               calibrated ? "outside_empty_ps" : "x",
                               "10457",
                               calibrated ? "inside_work_ps" : "x",
                               "25001",
                               calibrated ? "outside_work_ps" : "x",
                               "11000",
                               calibrated ? "outside_last_ps" : "x",
                               "12500",
                               calibrated ? "clock_read_ps" : "x",
                               "17003",
                               below(random, 2) ? "inside_work_mean_ps" : "x",
                               "41000",
                               below(random, 2) ? "ran_ns" : "x",
                               "8000000",
                               below(random, 2) ? "collection_ns" : "x",
                               pid,
                               NULL};
    buffer b = BUFFER_INIT;
    maker_header(file, 1, 0);
    maker_run(file, run);
    uint64_t ids[40] = {below(random, 2) ? 2 : 0x1000003, 0x7F000000 + below(random, 2)}, base = 0x1000000;
    size_t id_count = 2;
    uint32_t modules = 1 + below(random, 3), first = below(random, 4);
    buffer_varuint(&b, modules);
    for (uint32_t i = 0; i < modules; i++) {
        base += below(random, 20) + 20;
        make_module(&b, base, (first + i) % 4);
        for (uint32_t k = 0; k < 4; k++)
            ids[id_count++] = base + k;
        ids[id_count++] = base + ((first + i) % 2 ? 6 : 8); /* MoveNext; of 3 after its end */
        base += 9;
    }
    maker_section(file, "MODS", &b);
    make_threads(file, random, ids, id_count);
    if (make_anything && below(random, 2))
        make_labels(file, random);
    maker_end(file);
    buffer_clear(&b);
}

static inline void make_random(buffer *file, uint32_t *random, bool own_names) {
    make_random_run(file, random, own_names, true);
}

/* ---- Merging ---------------------------------------------------------------------------------------------------- */

static inline void merged_of(buffer *out, const bytes *files, size_t count) {
    diag d = {.file = "x"};
    merge *m = calloc(1, sizeof *m);
    for (size_t i = 0; i < count; i++) {
        profile p = PROFILE_INIT;
        p.memory.one_by_one = true;
        assert_int_equal(profile_read(&p, files[i], &d), ECMA_OK);
        assert_int_equal(merge_add(m, &p, &d), ECMA_OK);
        profile_clear(&p);
    }
    *out = BUFFER_INIT;
    assert_int_equal(merge_write(out, m, &d), ECMA_OK);
    merge_clear(m);
    free(m);
}

#endif
