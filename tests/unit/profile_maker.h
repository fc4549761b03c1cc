/* profile_maker.h - writes profiles for tests, from docs/profile-format.md and nothing else: it shares no code with the
 * reader. Payloads are buffers; make them, wrap them with maker_section, clear them. */
#ifndef TESTS_UNIT_PROFILE_MAKER_H
#define TESTS_UNIT_PROFILE_MAKER_H

#include <libdeflate.h>
#include <stdlib.h>

#include "base/buffer.h"

static inline void maker_str(buffer *b, const char *s) {
    buffer_varuint(b, strlen(s));
    buffer_string(b, s);
}

static inline void maker_header(buffer *file, unsigned major, unsigned minor) {
    buffer_append(file, "ILPROF\r\n", 8);
    buffer_u16(file, (uint16_t)major);
    buffer_u16(file, (uint16_t)minor);
    buffer_u32(file, 0);
}

/* Appends the section and empties the payload. */
static inline void maker_section(buffer *file, const char *kind, buffer *payload) {
    buffer_append(file, kind, 4);
    buffer_u32(file, libdeflate_crc32(0, payload->data, payload->size));
    buffer_u32(file, (uint32_t)payload->size);
    buffer_u32(file, 0);
    buffer_append(file, payload->data, payload->size);
    payload->size = 0;
}

/* Pairs of key and value, ended by NULL. */
static inline void maker_run(buffer *file, const char *const *pairs) {
    buffer payload = BUFFER_INIT;
    size_t count = 0;
    while (pairs[count * 2])
        count++;
    buffer_varuint(&payload, count);
    for (size_t i = 0; i < count * 2; i++)
        maker_str(&payload, pairs[i]);
    maker_section(file, "RUN ", &payload);
    buffer_clear(&payload);
}

static inline void maker_module(buffer *payload, uint64_t base, uint64_t methods, const char *assembly, uint8_t mvid,
                                bytes names) {
    buffer_varuint(payload, base);
    buffer_varuint(payload, methods);
    maker_str(payload, assembly);
    for (int i = 0; i < 16; i++)
        buffer_u8(payload, (uint8_t)(mvid + i));
    buffer_varuint(payload, names.size);
    buffer_append(payload, names.data, names.size);
}

/* The lists of a names resource while they grow, a buffer a column: docs/profile-format.md, section 2. */
typedef struct maker_lists {
    buffer columns[14];
    unsigned types, methods, last_type, last_row;
} maker_lists;

enum {
    COLUMN_ENCLOSING,
    COLUMN_SPACE,
    COLUMN_TYPE,
    COLUMN_TYPE_GENERICS,
    COLUMN_TYPE_GENERIC_NAMES,
    COLUMN_OWNER,
    COLUMN_ROW,
    COLUMN_IL_SIZE,
    COLUMN_FLAGS,
    COLUMN_METHOD,
    COLUMN_METHOD_GENERICS,
    COLUMN_METHOD_GENERIC_NAMES,
    COLUMN_PARAMETERS,
    COLUMN_USER
};

static inline void maker_strz(buffer *b, const char *s) {
    buffer_append(b, s, strlen(s) + 1);
}

/* The comma-separated names of `generics`, which may be NULL. */
static inline void maker_generics(buffer *counts, buffer *names, const char *generics) {
    unsigned count = generics && *generics ? 1 : 0;
    for (const char *c = generics; c && *c; c++)
        count += *c == ',';
    buffer_varuint(counts, count);
    for (const char *at = generics; count > 0; count--) {
        size_t size = strcspn(at, ",");
        buffer_append(names, at, size);
        buffer_u8(names, 0);
        at += size + (at[size] == ',');
    }
}

static inline void maker_type(maker_lists *l, unsigned enclosing, const char *space, const char *name,
                              const char *generics) {
    buffer_varuint(&l->columns[COLUMN_ENCLOSING], enclosing);
    maker_strz(&l->columns[COLUMN_SPACE], space);
    maker_strz(&l->columns[COLUMN_TYPE], name);
    maker_generics(&l->columns[COLUMN_TYPE_GENERICS], &l->columns[COLUMN_TYPE_GENERIC_NAMES], generics);
    l->types++;
}

/* `user`: 0, or 1 + the index of the method that the user wrote. */
static inline void maker_machine(maker_lists *l, unsigned type, unsigned row, unsigned flags, const char *name,
                                 const char *generics, const char *parameters, unsigned user) {
    int step = (int)type - (int)l->last_type;
    buffer_varuint(&l->columns[COLUMN_OWNER], (unsigned)(step >= 0 ? 2 * step : -2 * step - 1));
    buffer_varuint(&l->columns[COLUMN_ROW], row - l->last_row);
    buffer_varuint(&l->columns[COLUMN_IL_SIZE], 17);
    buffer_varuint(&l->columns[COLUMN_FLAGS], flags);
    maker_strz(&l->columns[COLUMN_METHOD], name);
    maker_generics(&l->columns[COLUMN_METHOD_GENERICS], &l->columns[COLUMN_METHOD_GENERIC_NAMES], generics);
    maker_strz(&l->columns[COLUMN_PARAMETERS], parameters);
    buffer_varuint(&l->columns[COLUMN_USER], user);
    l->last_type = type;
    l->last_row = row;
    l->methods++;
}

static inline void maker_method(maker_lists *l, unsigned type, unsigned row, unsigned flags, const char *name,
                                const char *generics, const char *parameters) {
    maker_machine(l, type, row, flags, name, generics, parameters, 0);
}

/* Joins head, counts (as claimed) and columns into the inflated data; clears the lists. */
static inline void maker_join(buffer *data, maker_lists *l, const char *module, const char *assembly, unsigned types,
                              unsigned methods) {
    maker_strz(data, module);
    maker_strz(data, assembly);
    buffer_varuint(data, types);
    buffer_varuint(data, methods);
    for (size_t i = 0; i < sizeof l->columns / sizeof l->columns[0]; i++) {
        buffer_append(data, l->columns[i].data, l->columns[i].size);
        buffer_clear(&l->columns[i]);
    }
    *l = (maker_lists){0};
}

/* The flags of the modules that are made from now on: 1 they had been compiled ahead of time, 2 places that allocate
 * objects stand after the names. */
static uint16_t maker_flags;

/* The names resource around the inflated data `data`. */
static inline void maker_names(buffer *out, const buffer *data, unsigned methods, uint8_t mvid) {
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(6);
    size_t bound = libdeflate_deflate_compress_bound(compressor, data->size);
    uint8_t *deflated = malloc(bound);
    size_t size = libdeflate_deflate_compress(compressor, data->data, data->size, deflated, bound);
    buffer_append(out, "ILJN", 4);
    buffer_u16(out, 1);
    buffer_u16(out, maker_flags);
    buffer_u32(out, methods);
    buffer_u32(out, (uint32_t)data->size);
    buffer_u32(out, (uint32_t)size);
    for (int i = 0; i < 16; i++)
        buffer_u8(out, (uint8_t)(mvid + i));
    buffer_append(out, deflated, size);
    free(deflated);
    libdeflate_free_compressor(compressor);
}

static inline void maker_thread(buffer *payload, uint64_t id, const char *name, uint64_t threads, uint64_t nodes) {
    buffer_varuint(payload, id);
    maker_str(payload, name);
    buffer_varuint(payload, threads);
    buffer_varuint(payload, nodes);
}

static inline void maker_node(buffer *payload, uint64_t children, uint64_t id, uint64_t calls, uint64_t ticks,
                              uint64_t folded, uint64_t resynchronised, uint64_t open) {
    const uint64_t fields[] = {children, id, calls, ticks, folded, resynchronised, open};
    for (size_t i = 0; i < 7; i++)
        buffer_varuint(payload, fields[i]);
}

/* The fields of an EXCP section: types, ended by NULL. */
static inline void maker_exception_types(buffer *payload, const char *const *types) {
    size_t count = 0;
    while (types[count])
        count++;
    buffer_varuint(payload, count);
    for (size_t i = 0; i < count; i++)
        maker_str(payload, types[i]);
}

typedef struct maker_way {
    uint64_t type, thrower, catcher, outcome, count, ticks, search_ticks, searched, unwound;
    const char *messages[3];
} maker_way;

static inline void maker_path(buffer *payload, const maker_way *w) {
    const uint64_t fields[] = {w->type,  w->thrower,      w->catcher,  w->outcome, w->count,
                               w->ticks, w->search_ticks, w->searched, w->unwound};
    size_t messages = 0;
    for (size_t i = 0; i < 9; i++)
        buffer_varuint(payload, fields[i]);
    while (messages < 3 && w->messages[messages])
        messages++;
    buffer_varuint(payload, messages);
    for (size_t i = 0; i < messages; i++)
        maker_str(payload, w->messages[i]);
}

/* A node of an ASYN section: the eleven fields in their order. */
static inline void maker_async(buffer *payload, const uint64_t fields[11]) {
    for (size_t i = 0; i < 11; i++)
        buffer_varuint(payload, fields[i]);
}

static inline void maker_end(buffer *file) {
    buffer nothing = BUFFER_INIT;
    maker_section(file, "END ", &nothing);
}

/* ---- The sample -------------------------------------------------------------------------------------------------- */

/* A small shop. One tick is 100 ns: 10,000,000 a second. The figures of its reports were worked out by hand:
 *
 * thread 1                        calls       ticks  own ticks
 *   Main                              1  10,000,000  1,799,500   200,000 folded away; one frame open
 *     .cctor                          1         500        500
 *     Store.ctor                      2   1,000,000  1,000,000
 *     Find                    1,234,567   6,000,000  1,500,000
 *       MoveNext              9,876,543   4,000,000  4,000,000   two frames resynchronised
 *       <Main>b__0_0          1,234,567     500,000    500,000
 *     Fib                             1   1,000,000    200,000
 *       Fib                           2     800,000    300,000
 *         Fib                         4     500,000    500,000
 *   folded calls
 *     Fib                            90     150,000    150,000
 *     (search)                       10      50,000     50,000
 * ended threads (3)
 *   (search)                         30     300,000    180,000
 *     Find                           30     100,000    100,000
 *     method 2 of Plug                3      20,000     20,000   names missing
 *   id 0x7f000000                     1          10         10   of no module
 */
enum { SAMPLE_BASE = 0x1000000, SAMPLE_PLUG = 0x1000064 };

/* Header, run and a module M of three methods from SAMPLE_BASE on. */
static inline void maker_begin(buffer *file, const char *const *run) {
    buffer b = BUFFER_INIT;
    maker_header(file, 1, 0);
    maker_run(file, run);
    buffer_varuint(&b, 1);
    maker_module(&b, SAMPLE_BASE, 3, "M", 0x20, (bytes){NULL, 0});
    maker_section(file, "MODS", &b);
    buffer_clear(&b);
}

static inline void sample_names(buffer *out) {
    buffer b = BUFFER_INIT;
    maker_lists l = {0};
    maker_type(&l, 0, "Shop", "Program", NULL);
    maker_type(&l, 0, "Shop.Data", "Store`1", "T");
    maker_type(&l, 2, "", "Cursor", NULL);
    maker_type(&l, 0, "Shop", "商品カタログ", NULL);
    maker_method(&l, 0, 1, 1, "Main", NULL, "string[]");
    maker_method(&l, 0, 3, 5, ".cctor", NULL, "");
    maker_method(&l, 1, 4, 2, ".ctor", NULL, "int");
    maker_method(&l, 1, 6, 0, "Find", "K", "K, System.Collections.Generic.Dictionary<T, System.Func<T, K, bool>>");
    maker_method(&l, 2, 7, 8, "MoveNext", NULL, "");
    maker_method(&l, 0, 8, 9, "<Main>b__0_0", NULL, "int");
    maker_method(&l, 3, 9, 0, "検索", NULL, "string");
    maker_method(&l, 0, 10, 1, "Fib", NULL, "int");
    maker_join(&b, &l, "Shop.exe", "Shop", l.types, l.methods);
    maker_names(out, &b, 8, 0x10);
    buffer_clear(&b);
}

static inline void sample_threads(buffer *file) {
    buffer b = BUFFER_INIT;
    enum { ID = SAMPLE_BASE };
    maker_thread(&b, 1, "main", 1, 13);
    maker_node(&b, 2, 0, 0, 10000000, 0, 0, 0);
    maker_node(&b, 4, ID + 0, 1, 10000000, 200000, 0, 1);
    maker_node(&b, 0, ID + 1, 1, 500, 0, 0, 0);
    maker_node(&b, 0, ID + 2, 2, 1000000, 0, 0, 0);
    maker_node(&b, 2, ID + 3, 1234567, 6000000, 0, 0, 0);
    maker_node(&b, 0, ID + 4, 9876543, 4000000, 0, 2, 0);
    maker_node(&b, 0, ID + 5, 1234567, 500000, 0, 0, 0);
    maker_node(&b, 1, ID + 7, 1, 1000000, 0, 0, 0);
    maker_node(&b, 1, ID + 7, 2, 800000, 0, 0, 0);
    maker_node(&b, 0, ID + 7, 4, 500000, 0, 0, 0);
    maker_node(&b, 2, 1, 0, 200000, 0, 0, 0);
    maker_node(&b, 0, ID + 7, 90, 150000, 0, 0, 0);
    maker_node(&b, 0, ID + 6, 10, 50000, 0, 0, 0);
    maker_section(file, "THRD", &b);
    maker_thread(&b, 0, "", 3, 5);
    maker_node(&b, 2, 0, 0, 300010, 0, 0, 0);
    maker_node(&b, 2, ID + 6, 30, 300000, 0, 0, 0);
    maker_node(&b, 0, ID + 3, 30, 100000, 0, 0, 0);
    maker_node(&b, 0, SAMPLE_PLUG + 2, 3, 20000, 0, 0, 0);
    maker_node(&b, 0, 0x7f000000, 1, 10, 0, 0, 0);
    maker_section(file, "THRD", &b);
    buffer_clear(&b);
}

static inline void sample_profile(buffer *file) {
    static const char *const run[] = {
        "name",
        "Shop",
        "pid",
        "4242",
        "host",
        "till-3",
        "start",
        "1767323045000000000",
        "wall_ticks",
        "12345678",
        "ticks_per_second",
        "10000000",
        "clock",
        "stopwatch",
        "runtime",
        "Mono 6.12.0.199",
        "reason",
        "exit",
        "tracker",
        "0.1.0",
        "folded",
        "100",
        "dropped",
        "7",
        "colour",
        "blue",
        NULL,
    };
    buffer b = BUFFER_INIT, names = BUFFER_INIT;
    maker_header(file, 1, 3);
    maker_run(file, run);
    sample_names(&names);
    buffer_varuint(&b, 2);
    maker_module(&b, SAMPLE_BASE, 8, "Shop, Version=1.2.0.0, Culture=neutral, PublicKeyToken=null", 0x80,
                 buffer_bytes(&names));
    maker_module(&b, SAMPLE_PLUG, 5, "Plug, Version=2.0.0.0", 0x40, (bytes){NULL, 0});
    maker_section(file, "MODS", &b);
    buffer_string(&b, "a kind of a later version");
    maker_section(file, "XTRA", &b);
    sample_threads(file);
    maker_end(file);
    buffer_clear(&b);
    buffer_clear(&names);
}

#endif
