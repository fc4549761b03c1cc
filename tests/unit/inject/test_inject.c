/* The code that is put into methods, by the bytes of their new bodies: over assemblies made by hand, with trackers of
 * several shapes. The opcodes expected are those of ECMA-335, III. */
#define _GNU_SOURCE
#include "il_unit.h"

#include <malloc.h>

#include "il/decode.h"
#include "instrument/instrument.h"
#include "made_ready_to_run.h"
#include "made_tracker.h"

static char told[2048];

static void note(void *user, const ilj_diagnostic *diagnostic) {
    (void)user;
    size_t used = strlen(told);
    snprintf(told + used, sizeof told - used, "%s %s\n", diagnostic->code, diagnostic->text);
}

/* Static methods of one type, each with this signature and a body of its own. */
typedef struct method {
    const char *name;
    bytes signature, body;
} method;

/* `locals`, unless it is empty, is StandAloneSig 1. */
static void make(buffer *out, const method *methods, uint32_t count, bytes locals) {
    made m;
    buffer bodies = BUFFER_INIT;
    made_init(&m);
    buffer_append_zeros(&m.guids, 16);
    MADE_ROW(&m, Module, 0, made_string(&m, "M.dll"), 1, 0, 0);
    MADE_ROW(&m, TypeRef, 6, made_string(&m, "Object"), made_string(&m, "System"));
    MADE_ROW(&m, TypeDef, 0, made_string(&m, "<Module>"), 0, 0, 1, 1);
    MADE_ROW(&m, TypeDef, 0x100001, made_string(&m, "C"), 0, 5, 1, 1);
    for (uint32_t i = 0; i < count; i++) {
        buffer_align(&bodies, 4);
        uint32_t rva = MADE_BODIES + (uint32_t)bodies.size;
        MADE_ROW(&m, MethodDef, rva, 0, 0x96, made_string(&m, methods[i].name),
                 made_blob(&m, methods[i].signature.data, methods[i].signature.size), 1);
        buffer_append(&bodies, methods[i].body.data, methods[i].body.size);
    }
    if (locals.size)
        MADE_ROW(&m, StandAloneSig, made_blob(&m, locals.data, locals.size));
    MADE_ROW(&m, Assembly, 0x8004, 1, 0, 0, 0, 0, 0, made_string(&m, "M"), 0);
    MADE_ROW(&m, AssemblyRef, 4, 0, 0, 0, 0, 0, made_string(&m, "mscorlib"), 0, 0);
    made_image(out, made_finish(&m), buffer_bytes(&bodies));
    made_clear(&m);
    buffer_clear(&bodies);
    assert_false(out->failed);
}

typedef struct output {
    buffer file;
    ilj_context *context;
    ilj_image *image;
    ilj_summary summary;
} output;

static void make_output(output *o, bytes input, const ilj_instrument_options *options) {
    *o = (output){.file = BUFFER_INIT};
    told[0] = 0;
    assert_int_equal(ilj_context_new(&o->context, note, NULL), ILJ_OK);
    if (instrument_bytes(&o->file, &o->summary, o->context, "M.dll", input, options) != ILJ_OK)
        fail_msg("%s", told);
    assert_int_equal(image_open_bytes(&o->image, o->context, "out", buffer_bytes(&o->file)), ILJ_OK);
}

static void output_clear(output *o) {
    ilj_image_free(o->image);
    ilj_context_free(o->context);
    buffer_clear(&o->file);
}

static uint32_t rva_of(const output *o, uint32_t row) {
    return md_cell(&o->image->metadata, MD_MethodDef_RVA, row);
}

static il_body body_of(const output *o, uint32_t row) {
    bytes found;
    il_body body;
    il_fault fault;
    assert_true(pe_try_bytes_from(&o->image->pe, rva_of(o, row), &found));
    assert_true(il_body_try_read(&body, found, &fault));
    return body;
}

/* The opcodes of a method's code, in order, without their operands; `expected` has the same in hexadecimal. */
static void opcodes_are(const output *o, uint32_t row, const char *expected) {
    char got[1000] = "";
    il_body body = body_of(o, row);
    il_cursor cursor = il_cursor_of(body.code);
    il_instruction i;
    while (il_next(&cursor, &i)) {
        size_t used = strlen(got);
        const uint8_t *at = body.code.data + i.offset;
        if (at[0] == 0xFE)
            snprintf(got + used, sizeof got - used, "%sFE%02X", used ? " " : "", at[1]);
        else
            snprintf(got + used, sizeof got - used, "%s%02X", used ? " " : "", at[0]);
    }
    assert_null(cursor.fault.what);
    assert_string_equal(got, expected);
}

enum { LEAVE_TAKES_OBJECT = 5 };

/* A ret that a tail call stands before and that a branch leads to: nothing is known of the result of the call, but what
 * the branch brings is reported (docs/api.md). */
static void a_result_is_told_where_a_branch_leads_to_the_ret_of_a_tail_call(void **state) {
    (void)state;
    buffer file = BUFFER_INIT;
    output o;
    const bytes number = CODE(0, 0, 8);
    /* ldc.i4.5; ldc.i4.0; brtrue.s L; pop; tail. call C::F; L: ret */
    const bytes body = CODE(13 << 2 | 2, 0x1B, 0x16, 0x2D, 8, 0x26, 0xFE, 0x14, CALL, 1, 0, 0, 6, RET);
    make(&file, (const method[]){{"F", number, body}}, 1, (bytes){0});
    make_output(&o, buffer_bytes(&file),
                &(ilj_instrument_options){.tracker = made_tracker_path(LEAVE_TAKES_OBJECT), .exits = ILJ_EXITS_RET});
    /* ldstr; ldc.i4.0, newarr; call; the code; ldstr, ldnull, call; tail., call, ret; after it stloc.0; ldstr,
     * ldloc.0, box, call; ldloc.0, ret */
    opcodes_are(&o, 1, "72 16 8D 28 1B 16 2D 26 72 14 28 FE14 28 2A 0A 72 06 8C 28 06 2A");
    output_clear(&o);
    buffer_clear(&file);
}

/* One local less than there may be leaves no room for two. */
static void a_method_without_room_for_locals_is_named_with_its_count(void **state) {
    (void)state;
    enum { MOST = 65535 };
    buffer file = BUFFER_INIT, locals = BUFFER_INIT, body = BUFFER_INIT;
    output o;
    buffer_u8(&locals, 7);
    buffer_compressed(&locals, MOST);
    for (unsigned i = 0; i < MOST; i++)
        buffer_u8(&locals, 8);
    make_fat(&body, CODE(0x72, 1, 0, 0, 0x70, 0x7A), NULL, 0, false);
    make(
        &file,
        (const method[]){{"First", CODE(0, 0, 1), CODE(1 << 2 | 2, RET)}, {"Full", CODE(0, 0, 1), buffer_bytes(&body)}},
        2, buffer_bytes(&locals));
    make_output(&o, buffer_bytes(&file), &(ilj_instrument_options){0});
    assert_non_null(strstr(
        told, "MethodDef 0x06000002: 65535 locals leave no room for what keeps the call; the method is entered only"));
    output_clear(&o);
    buffer_clear(&file);
    buffer_clear(&locals);
    buffer_clear(&body);
}

/* A fat header begins at a multiple of 4 (II.25.4.5). Before the second fat body there is padding, and the tiny body
 * after it fits in. */
static void a_tiny_body_fills_the_padding_before_a_fat_one(void **state) {
    (void)state;
    buffer file = BUFFER_INIT, fat = BUFFER_INIT;
    output o;
    const bytes nothing = CODE(0, 0, 1);
    make_fat(&fat, CODE(0x16, 0x26, RET), NULL, 0, false); /* 15 bytes, with two calls 25 */
    make(&file,
         (const method[]){{"A", nothing, buffer_bytes(&fat)},
                          {"B", nothing, buffer_bytes(&fat)},
                          {"T", nothing, CODE(4 << 2 | 2, NOP, NOP, NOP, RET)}},
         3, (bytes){0});
    make_output(&o, buffer_bytes(&file),
                &(ilj_instrument_options){.tracker = made_tracker_path(0), .exits = ILJ_EXITS_RET});
    assert_int_equal(body_of(&o, 1).size, 25);
    assert_int_equal(body_of(&o, 3).size, 15);
    assert_int_equal(rva_of(&o, 1), MADE_BODIES);
    assert_int_equal(rva_of(&o, 3), MADE_BODIES + 25);
    assert_int_equal(rva_of(&o, 2), MADE_BODIES + 40);
    output_clear(&o);
    buffer_clear(&file);
    buffer_clear(&fat);
}

/* Without relocations an entry point is `jmp [address]` (II.25.2.3.1); where it is, the address goes along with what it
 * names, here the stub itself. */
static void an_entry_stub_without_a_relocation_keeps_its_target(void **state) {
    (void)state;
    enum { OPTIONAL = MADE_R2R_OPTIONAL, STUB = MADE_HEADERS + MADE_DATA - MADE_RVA, BASE = 0x400000 };
    static const uint8_t stubs[][2] = {{0xFF, 0x25}, {0xFF, 0x15}, {0x0F, 0x25}};
    for (size_t i = 0; i < sizeof stubs / sizeof stubs[0]; i++) {
        buffer file = BUFFER_INIT, refused = BUFFER_INIT;
        made_assembly(&file);
        store_u32(file.data + OPTIONAL + 16, MADE_DATA);
        memcpy(file.data + STUB, stubs[i], 2);
        store_u32(file.data + STUB + 2, BASE + MADE_DATA);
        output o;
        if (i == 0) {
            bytes stub;
            make_output(&o, buffer_bytes(&file), &(ilj_instrument_options){.force = true});
            uint32_t entry = o.image->pe.entry_point_rva;
            assert_true(entry > MADE_DATA && entry == md_cell(&o.image->metadata, MD_FieldRVA_RVA, 1));
            assert_true(pe_try_bytes(&o.image->pe, entry, 6, &stub));
            assert_int_equal(load_u32(stub.data + 2), BASE + entry);
            output_clear(&o);
        } else {
            ilj_context *context;
            ilj_summary summary;
            told[0] = 0;
            assert_int_equal(ilj_context_new(&context, note, NULL), ILJ_OK);
            assert_int_not_equal(instrument_bytes(&refused, &summary, context, "M.dll", buffer_bytes(&file),
                                                  &(ilj_instrument_options){.force = true}),
                                 ILJ_OK);
            assert_non_null(strstr(told, "has no relocation and is not 'jmp [address]'"));
            ilj_context_free(context);
        }
        buffer_clear(&file);
        buffer_clear(&refused);
    }
}

/* Every sample comes out the same whatever fresh memory holds. */
static void what_memory_held_before_is_in_no_output(void **state) {
    (void)state;
    if (mallopt(M_PERTURB, 0) != 1) /* a sanitizer's own allocator */
        skip();
    for (int mixed = 0; mixed < 2; mixed++) {
        buffer file = BUFFER_INIT;
        uint32_t at;
        if (mixed)
            made_ready_to_run(&file, &at);
        else
            made_assembly(&file);
        output o[2];
        for (int i = 0; i < 2; i++) {
            assert_int_equal(mallopt(M_PERTURB, i ? 0xA5 : 0x5A), 1);
            make_output(&o[i], buffer_bytes(&file), &(ilj_instrument_options){.force = true});
        }
        assert_int_equal(mallopt(M_PERTURB, 0), 1);
        assert_int_equal(o[0].file.size, o[1].file.size);
        assert_memory_equal(o[0].file.data, o[1].file.data, o[0].file.size);
        output_clear(&o[0]);
        output_clear(&o[1]);
        buffer_clear(&file);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_result_is_told_where_a_branch_leads_to_the_ret_of_a_tail_call),
        cmocka_unit_test(a_method_without_room_for_locals_is_named_with_its_count),
        cmocka_unit_test(a_tiny_body_fills_the_padding_before_a_fat_one),
        cmocka_unit_test(an_entry_stub_without_a_relocation_keeps_its_target),
        cmocka_unit_test(what_memory_held_before_is_in_no_output),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
