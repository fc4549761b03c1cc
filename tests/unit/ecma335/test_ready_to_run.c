/* The native code of ReadyToRun images: numbers, arrays and tables as the format's description has them, what is kept
 * and why not, and tables that are made again. */
#define _GNU_SOURCE
#include "unit.h"

#include <stdlib.h>

#include "instrument/instrument.h"
#include "made_native.h"
#include "ready_to_run/inlining.h"
#include "ready_to_run/keep.h"

typedef struct opened {
    buffer file;
    arena a;
    pe_image image;
    r2r_image r;
    uint32_t rva, at; /* of the native section */
} opened;

static void reopen(opened *o) {
    diag d = {0};
    assert_int_equal(pe_image_open(&o->image, buffer_bytes(&o->file), &o->a, &d), ECMA_OK);
    assert_null(r2r_open(&o->r, &o->image));
}

static void open_made(opened *o) {
    *o = (opened){.file = BUFFER_INIT};
    o->rva = made_native(&o->file, &o->at);
    reopen(o);
}

static void close_made(opened *o) {
    arena_clear(&o->a);
    buffer_clear(&o->file);
}

/* An image that is nothing but one section, at RVA 0x1000. */
static pe_image bare_image(pe_section *s, const uint8_t *data, uint32_t size) {
    *s = (pe_section){.rva = 0x1000, .virtual_size = size, .raw_size = size};
    return (pe_image){.file = bytes_of(data, size), .sections = s, .section_count = 1, .pe32_plus = true};
}

/* ---- Numbers ---------------------------------------------------------------------------------------------------- */

/* "xxxxxxx0", "xxxxxx01", "xxxxx011", "xxxx0111", and a whole word after 0x0F. */
static void numbers_have_one_to_five_bytes(void **state) {
    (void)state;
    static const struct {
        uint8_t b[5], size;
        uint32_t value;
    } known[] = {{{0x00}, 1, 0},
                 {{0xFE}, 1, 127},
                 {{0x01, 0x02}, 2, 128},
                 {{0xFD, 0xFF}, 2, 16383},
                 {{0x03, 0x00, 0x02}, 3, 16384},
                 {{0x07, 0x00, 0x00, 0x02}, 4, 1 << 21},
                 {{0xF7, 0xFF, 0xFF, 0xFF}, 4, (1 << 28) - 1},
                 {{0x0F, 0x78, 0x56, 0x34, 0x12}, 5, 0x12345678}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        pe_section s;
        pe_image image = bare_image(&s, known[i].b, known[i].size), cut = image;
        nf_reader r = {.image = &image, .at = 0x1000};
        assert_int_equal(nf_unsigned(&r), known[i].value);
        assert_false(r.failed);
        assert_int_equal(r.at, 0x1000 + known[i].size);
        cut.file.size = s.raw_size = s.virtual_size = known[i].size - 1u;
        r = (nf_reader){.image = &cut, .at = 0x1000};
        nf_unsigned(&r);
        assert_true(r.failed);
    }
}

/* ---- What is read ----------------------------------------------------------------------------------------------- */

static void entries_are_read(void **state) {
    (void)state;
    opened o;
    open_made(&o);
    nf_reader reader = {.image = &o.image};
    r2r_entry e;
    const uint32_t slots = o.rva + NATIVE_METHODS + 8;
    const uint32_t fixups[] = {0, slots, 0, slots};
    for (uint32_t row = 1; row <= 4; row++) {
        assert_true(r2r_try_method(&o.r, &reader, row, &e));
        assert_int_equal(e.function, row - 1);
        assert_int_equal(e.fixups, fixups[row - 1]);
        assert_int_equal(r2r_function_rva(&o.r, e.function), o.rva + NATIVE_CODE + 16 * (row - 1));
    }
    assert_false(r2r_try_method(&o.r, &reader, 0, &e));
    assert_false(r2r_try_method(&o.r, &reader, 5, &e));
    assert_false(reader.failed);
    r2r_instances walk;
    r2r_instance i;
    r2r_instances_walk(&walk, &o.r);
    for (uint32_t row = 2; row <= 3; row++) {
        assert_true(r2r_instances_next(&walk, &i));
        assert_int_equal(i.row, row);
        assert_int_equal(i.flags, 4);
        assert_int_equal(i.entry.function, row - 1);
    }
    assert_false(r2r_instances_next(&walk, &i));
    assert_false(walk.failed);
    close_made(&o);
}

static void inlining_is_read(void **state) {
    (void)state;
    opened o;
    open_made(&o);
    r2r_inlining walk;
    r2r_inlining_walk(&walk, &o.r);
    for (uint32_t inlinee = 1; inlinee <= 2; inlinee++) {
        uint32_t row = 0, module;
        assert_true(r2r_inlining_next(&walk));
        assert_int_equal(walk.row, inlinee);
        assert_true(r2r_inliner_next(&walk, &row, &module));
        assert_int_equal(row, inlinee * 2);
        assert_int_equal(module, 0);
        assert_false(r2r_inliner_next(&walk, &row, &module));
    }
    assert_false(r2r_inlining_next(&walk));
    assert_false(walk.failed);
    close_made(&o);
}

/* ---- What can stay ---------------------------------------------------------------------------------------------- */

/* One changed byte, or word, and why nothing is kept then. */
static void what_is_not_sure_is_not_kept(void **state) {
    (void)state;
    static const struct {
        uint32_t at, value, size;
        const char *why;
    } changes[] = {
        {NATIVE_VERSION, 9, 2, "its format is of another version"},
        {NATIVE_VERSION, 17, 2, "its format is of another version"},
        {NATIVE_FLAGS, 0x61, 1, "it is a part of a composite image"},
        {NATIVE_FLAGS, 0xC1, 1, "it holds code of other modules"},
        {NATIVE_SECTIONS + 48, 124, 1, "it has sections that are not known"},
        {NATIVE_SECTIONS + 48, 113, 1, "it has a filter of attributes, as the core library has"},
        {NATIVE_SECTIONS + 48, 118, 1, "it knows other modules by their identity"},
        {NATIVE_SECTIONS + 48, 120, 1, "its methods are split"},
        {NATIVE_SECTIONS + 48, 121, 1, "it does not say which method was inlined where"},
        {NATIVE_SIGNATURE, 0x013593, 3, "its code counts the assemblies that are referred to"},
        {NATIVE_SIGNATURE, 0x01808013, 4, "its code counts the assemblies that are referred to"},
        {NATIVE_SIGNATURE, 0x35, 1, "its code holds methods of other modules"},
        {NATIVE_SIGNATURE, 0x36, 1, "its code holds methods of other modules"},
        {NATIVE_SIGNATURE, 0x37, 1, "its code has fixups of kinds that are not known"},
        {NATIVE_IMPORTS + 10, 7, 1, "its code holds methods of other modules"},
        {NATIVE_INLINING + 0x12, 2, 1, "it has inlined methods of other modules"},
        {NATIVE_INLINING + 0x11, (4 | 1) << 1, 1, "it has inlined methods of other modules"},
        {NATIVE_INLINING + 0x11, 20 << 1, 1, "it has inlined methods that there are none of"},
        {NATIVE_INLINING + 0x13, 10 << 1, 1, "it has inlined methods that there are none of"},
        {NATIVE_INLINING + 0x10, 4 << 1, 1, NULL}, /* one number more: a 0, which is the same row again */
        {NATIVE_METHODS + 6, 9 << 2, 1, "the entry of a method is damaged"},
        {NATIVE_METHODS, 5 << 3, 1, "it has entries of methods that there are none of"},
        {NATIVE_INSTANCES + 0x14, 9 << 2, 1, "the entry of an instantiation is damaged"},
        {NATIVE_INSTANCES + 0x10, 0x84, 1, "its code has fixups of kinds that are not known"}, /* flags 0x402 */
        {NATIVE_INSTANCES + 0x10, 0x02018480, 4, "its code counts the assemblies that are referred to"},
        {NATIVE_INSTANCES + 2, 1, 1, "a table of its methods is damaged"},
    };
    opened o;
    open_made(&o);
    assert_null(r2r_why_not_kept(&o.r, MADE_METHODS));
    close_made(&o);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        open_made(&o);
        for (uint32_t k = 0; k < changes[i].size; k++)
            o.file.data[o.at + changes[i].at + k] = (uint8_t)(changes[i].value >> 8 * k);
        reopen(&o);
        const char *why = r2r_why_not_kept(&o.r, MADE_METHODS);
        if (!changes[i].why ? why != NULL : !why || strcmp(why, changes[i].why) != 0)
            fail_msg("change %zu: %s", i, why ? why : "kept");
        close_made(&o);
    }
}

static r2r_rows rows_of(arena *a, uint32_t count, const uint32_t *list, uint32_t listed) {
    r2r_rows rows = {arena_alloc(a, count + 1u), count};
    for (uint32_t i = 0; i < listed; i++)
        rows.in[list[i]] = 1;
    return rows;
}

/* Who has inlined a method, and who has inlined that one. */
static void inliners_go_with_what_they_inlined(void **state) {
    (void)state;
    static const struct {
        uint32_t row;
        uint8_t gone[4];
    } cases[] = {{1, {1, 1, 0, 1}}, {2, {0, 1, 0, 1}}, {3, {0, 0, 1, 0}}, {4, {0, 0, 0, 1}}};
    for (unsigned i = 0; i < 4; i++) {
        opened o;
        open_made(&o);
        r2r_rows rows = rows_of(&o.a, 4, &cases[i].row, 1);
        assert_int_equal(r2r_keep_close(&rows, &o.r, &o.a), ECMA_OK);
        assert_memory_equal(rows.in + 1, cases[i].gone, 4);
        close_made(&o);
    }
}

/* ---- Tables made again ------------------------------------------------------------------------------------------ */

static uint32_t random_below(uint32_t *state, uint32_t end) {
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % end;
}

/* An array of up to 700 methods in the plainest form there is, one element a block at most: row r
 * leads to function r, those with even rows with slots of their own. */
static void put_plain_array(buffer *b, const uint8_t *has, uint32_t count) {
    uint32_t blocks = (count + 15) / 16, base = 4;
    buffer_u8(b, 0x07 | (uint8_t)((count << 2 | 2) << 4));
    buffer_u8(b, (uint8_t)((count << 2 | 2) >> 4));
    buffer_u8(b, (uint8_t)((count << 2 | 2) >> 12));
    buffer_u8(b, 0);
    buffer_append_zeros(b, 4 * (size_t)blocks);
    for (uint32_t block = 0; block < blocks; block++) {
        store_u32(b->data + base + 4 * block, (uint32_t)b->size - base);
        uint32_t index = block * 16 + 15;
        while (index >= block * 16 && (index >= count || !has[index]) && index-- > block * 16)
            continue;
        if (index < block * 16 || index >= count || !has[index]) {
            buffer_u8(b, 0x80); /* the index 16, which none has */
            continue;
        }
        buffer_u8(b, (uint8_t)((index & 15) << 3)); /* alone in its block */
        uint32_t id = (index + 1) % 2 ? (index + 1) << 1 : (index + 1) << 2 | 1;
        buffer_u8(b, 0x01 | (uint8_t)(id << 2));
        buffer_u8(b, (uint8_t)(id >> 6));
        buffer_u8(b, 0);
    }
}

/* The last of each block's rows alone: the others cannot be in such an array. */
static void leave_one_in_each_block(uint8_t *has, uint32_t count) {
    for (uint32_t i = 0; i + 1 < count; i++)
        for (uint32_t k = i + 1; k < count && k / 16 == i / 16; k++)
            if (has[k])
                has[i] = 0;
}

typedef struct array_image {
    pe_section section;
    pe_image image;
    r2r_image r;
} array_image;

static void view_array(array_image *v, const buffer *b, uint32_t at, uint32_t size) {
    v->image = bare_image(&v->section, b->data, (uint32_t)b->size);
    v->r = (r2r_image){.image = &v->image, .function_count = 10000};
    v->r.sections[R2R_METHODS - R2R_FIRST_SECTION] = (pe_directory){0x1000 + at, size};
    assert_true(nf_array_open(&v->r.methods, &v->image, r2r_section(&v->r, R2R_METHODS)));
}

/* Made again without some, and that again: each reads as what was asked for. The second input has all forms of trees
 * that the writer makes. */
static void arrays_are_made_again_without_some(void **state) {
    (void)state;
    uint32_t random = 4711;
    for (unsigned round = 0; round < 300; round++) {
        uint8_t has[700] = {0};
        uint32_t count = 1 + random_below(&random, 700);
        arena a = ARENA_INIT;
        buffer b = BUFFER_INIT;
        for (uint32_t i = 0; i < count; i++)
            has[i] = random_below(&random, 3) == 0;
        leave_one_in_each_block(has, count);
        put_plain_array(&b, has, count);
        uint32_t size = (uint32_t)b.size, at = 0;
        for (unsigned again = 0; again < 3; again++) {
            array_image v, now;
            r2r_rows dropped = {arena_alloc(&a, count + 1u), count};
            r2r_tables t;
            view_array(&v, &b, at, size);
            for (uint32_t row = 1; row <= count; row++)
                has[row - 1] &= !(dropped.in[row] = random_below(&random, 4) == 0);
            assert_int_equal(r2r_tables_plan(&t, &v.r, &dropped, &a), ECMA_OK);
            uint32_t to = (uint32_t)b.size + random_below(&random, 40);
            buffer grown = BUFFER_INIT;
            buffer_append(&grown, b.data, b.size);
            buffer_append_zeros(&grown, to - b.size + t.method_bytes);
            r2r_tables_write_methods(&t, 0x1000 + to, grown.data + to);
            view_array(&now, &grown, to, t.method_bytes);
            nf_reader reader = {.image = &now.image};
            for (uint32_t row = 1; row <= count; row++) {
                r2r_entry e;
                assert_int_equal(r2r_try_method(&now.r, &reader, row, &e), has[row - 1]);
                if (has[row - 1]) {
                    assert_int_equal(e.function, row);
                    assert_int_equal(e.fixups != 0, row % 2 == 0);
                }
                assert_false(reader.failed);
            }
            buffer_clear(&b);
            b = grown, at = to, size = t.method_bytes;
        }
        buffer_clear(&b);
        arena_clear(&a);
    }
}

/* ---- An output -------------------------------------------------------------------------------------------------- */

static char told[2000];

static void hear(void *user, const ilj_diagnostic *diagnostic) {
    (void)user;
    snprintf(told + strlen(told), sizeof told - strlen(told), "%s %s\n", diagnostic->code, diagnostic->text);
}

static buffer instrumented(const opened *o, const char *include, ilj_native native, ilj_summary *summary) {
    ilj_context *context;
    ilj_selection *selection = NULL;
    buffer out = BUFFER_INIT;
    const ilj_rule rule = {ILJ_RULE_INCLUDE, include};
    told[0] = 0;
    assert_int_equal(ilj_context_new(&context, hear, NULL), ILJ_OK);
    const ilj_selection_options rules = {.size = sizeof rules, .rules = &rule, .rule_count = 1};
    if (include)
        assert_int_equal(ilj_selection_new(&selection, context, &rules), ILJ_OK);
    ilj_instrument_options options = {.size = sizeof options, .selection = selection, .native = native};
    assert_int_equal(instrument_bytes(&out, summary, context, "made", buffer_bytes(&o->file), &options), ILJ_OK);
    ilj_selection_free(selection);
    ilj_context_free(context);
    return out;
}

/* Which of the four methods have an entry in the output, as bits, and how many instantiations are left; 0x80: there is
 * no native code. */
static unsigned entries_in(const buffer *out, unsigned *instances) {
    arena a = ARENA_INIT;
    pe_image image;
    r2r_image r;
    diag d = {0};
    unsigned found = 0x80;
    *instances = 0;
    assert_int_equal(pe_image_open(&image, buffer_bytes(out), &a, &d), ECMA_OK);
    if (!r2r_open(&r, &image)) {
        nf_reader reader = {.image = &image};
        r2r_entry e;
        r2r_instances walk;
        r2r_instance i;
        found = 0;
        for (uint32_t row = 1; row <= 4; row++)
            found |= (unsigned)r2r_try_method(&r, &reader, row, &e) << (row - 1);
        r2r_instances_walk(&walk, &r);
        while (r2r_instances_next(&walk, &i))
            ++*instances;
        assert_false(reader.failed || walk.failed);
    }
    arena_clear(&a);
    return found;
}

static void outputs_keep_what_is_not_touched(void **state) {
    (void)state;
    static const struct {
        const char *include;
        ilj_native native;
        unsigned entries, instances, methods, kept;
    } cases[] = {
        {"Space.Class.First", ILJ_NATIVE_DEFAULT, 1 << 2, 1, 4, 1},
        {"Space.Class.Guarded", ILJ_NATIVE_DEFAULT, 1 | 1 << 2, 1, 4, 2},
        {"Space.Class.Branches", ILJ_NATIVE_DEFAULT, 1 | 1 << 1 | 1 << 3, 1, 4, 3},
        {"Space.Class.Shared", ILJ_NATIVE_DEFAULT, 7, 2, 4, 3},
        {"Space.Class.Shared", ILJ_NATIVE_DROP, 0x80, 0, 0, 0},
        {"Space.Class.*", ILJ_NATIVE_DEFAULT, 0x80, 0, 0, 0}, /* nothing would be kept */
        {"Space.Class.*", ILJ_NATIVE_KEEP, 0, 0, 4, 0},
        {NULL, ILJ_NATIVE_DEFAULT, 0x80, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opened o;
        ilj_summary s;
        unsigned instances;
        open_made(&o);
        buffer out = instrumented(&o, cases[i].include, cases[i].native, &s);
        unsigned entries = entries_in(&out, &instances);
        if (entries != cases[i].entries || instances != cases[i].instances || s.native_methods != cases[i].methods ||
            s.native_kept != cases[i].kept)
            fail_msg("case %zu: entries %x, %u instantiations, %u of %u kept", i, entries, instances, s.native_kept,
                     s.native_methods);
        assert_true((strstr(told, "ILJ0110") != NULL) == (entries == 0x80));
        buffer_clear(&out);
        close_made(&o);
    }
}

/* All of the old file stays where it was but for what headers say; the last section grew and is not thrown away. */
static void the_last_section_grows(void **state) {
    (void)state;
    opened o;
    ilj_summary s;
    open_made(&o);
    buffer out = instrumented(&o, "Space.Class.Branches", ILJ_NATIVE_KEEP, &s);
    const uint8_t *old = o.file.data + NATIVE_OPTIONAL + 224 + 40, *new = out.data + NATIVE_OPTIONAL + 224 + 40;
    uint32_t grown = load_u32(new + 16);
    assert_int_equal(load_u16(out.data + NATIVE_PE + 6), 2);
    assert_int_equal(load_u32(new + 12), load_u32(old + 12));
    assert_int_equal(load_u32(new + 20), load_u32(old + 20));
    assert_int_equal(load_u32(new + 36), 0x40000040);
    assert_true(load_u32(new + 8) > NATIVE_BYTES && load_u32(new + 8) <= grown);
    assert_int_equal(out.size, o.file.size + grown - NATIVE_BYTES);
    assert_memory_equal(out.data + o.at + NATIVE_IMPORTS, o.file.data + o.at + NATIVE_IMPORTS,
                        NATIVE_BYTES - NATIVE_IMPORTS);
    assert_memory_equal(out.data + MADE_HEADERS + 72, o.file.data + MADE_HEADERS + 72, o.at - MADE_HEADERS - 72);
    buffer_clear(&out);
    close_made(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_one_to_five_bytes),
        cmocka_unit_test(entries_are_read),
        cmocka_unit_test(inlining_is_read),
        cmocka_unit_test(what_is_not_sure_is_not_kept),
        cmocka_unit_test(inliners_go_with_what_they_inlined),
        cmocka_unit_test(arrays_are_made_again_without_some),
        cmocka_unit_test(outputs_keep_what_is_not_touched),
        cmocka_unit_test(the_last_section_grows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
