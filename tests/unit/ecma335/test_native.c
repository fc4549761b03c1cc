/* Method bodies beside what is none: native code that a MethodDef names, and what refers into a body. Which bodies are
 * left out, why it is said, and that all else stays what it was. */
#define _GNU_SOURCE
#include "unit.h"

#include "../../corrupt/judge.h"
#include "made_ready_to_run.h"

enum {
    STUB = MADE_BODIES + 56, /* where native code lies, or what the runtime makes */
    BEHIND = STUB + 4,       /* two bodies of one ret; read as IL the stub would have 49 bytes */
    GUARDED = MADE_BODIES + 4,
    BRANCHES = MADE_BODIES + 40,
    DATA_ROW = 2, /* of FieldRVA */
    /* Within the second section. */
    TABLE = 0x180, /* relocations, vtable fixups or exports */
    SECTIONS = MADE_R2R_OPTIONAL + 224,
};

static const uint8_t stub[] = {0xC2, 0x00, 0x00, 0xCC}; /* ret 0 */

/* One image: its flags, its stub, and who refers to what. */
typedef struct shape {
    uint32_t cli_flags, flags, impl_flags; /* of the image; of the method at STUB, none when both are 0 */
    uint32_t field_rva;                    /* a second field with data there; 0: none */
    uint32_t field_size;                   /* of its type; 0: one byte, of no type of this assembly */
} shape;

/* Returns the RVA of the second section; *at: its place in the file. */
static uint32_t make(buffer *b, const shape *s, uint32_t *at) {
    made m;
    buffer bodies = BUFFER_INIT;
    made_init(&m);
    made_assembly_rows(&m);
    uint32_t nothing = MADE_BLOB(&m, 0, 0, 1);
    if (s->field_rva) {
        bool sized = s->field_size;
        MADE_ROW(&m, Field, 0x116, made_string(&m, "more"),
                 sized ? MADE_BLOB(&m, 6, 0x11, 3 << 2) : MADE_BLOB(&m, 6, 5));
        if (sized) {
            MADE_ROW(&m, TypeRef, 6, made_string(&m, "ValueType"), made_string(&m, "System"));
            MADE_ROW(&m, TypeDef, 0x111, made_string(&m, "Block"), made_string(&m, "Space"), 2 << 2 | 1, 3,
                     MADE_METHODS + 3);
            MADE_ROW(&m, ClassLayout, 1, s->field_size, 3);
        }
        MADE_ROW(&m, FieldRVA, s->field_rva, 2);
    }
    if (s->flags || s->impl_flags)
        MADE_ROW(&m, MethodDef, STUB, s->impl_flags, 0x96 | s->flags, made_string(&m, "Stub"), nothing, 2);
    MADE_ROW(&m, MethodDef, BEHIND, 0, 0x96, made_string(&m, "Behind"), nothing, 2);
    MADE_ROW(&m, MethodDef, BEHIND + 2, 0, 0x96, made_string(&m, "Last"), nothing, 2);
    made_assembly_bodies(&bodies);
    buffer_append(&bodies, stub, sizeof stub);
    buffer_append(&bodies, "\x06\x2A\x06\x2Amore", 8);
    made_image(b, made_finish(&m), buffer_bytes(&bodies));
    buffer_clear(&bodies);
    made_clear(&m);
    uint32_t rva = made_precompiled(b, at);
    made_directory(b, PE_DIRECTORY_EXCEPTION, 0, 0);
    store_u16(b->data + MADE_R2R_PE + 4, 0x14C);
    store_u32(b->data + MADE_R2R_CLI + 16, s->cli_flags);
    store_u64(b->data + MADE_R2R_CLI + 64, 0);
    return rva;
}

static char said[2000];
static unsigned said_bodies;

static void hear(void *user, const ilj_diagnostic *diagnostic) {
    (void)user;
    if (strcmp(diagnostic->code, "ILJ0300") != 0 && diagnostic->severity != ILJ_ERROR)
        return;
    said_bodies += diagnostic->severity != ILJ_ERROR;
    snprintf(said + strlen(said), sizeof said - strlen(said), "%s\n", diagnostic->text);
}

/* The output of instrumenting it, and the words on bodies; nothing when it is refused. */
static buffer instrumented(const buffer *b, ilj_summary *summary) {
    ilj_context *context;
    buffer out = BUFFER_INIT;
    said[0] = 0, said_bodies = 0;
    assert_int_equal(ilj_context_new(&context, hear, NULL), ILJ_OK);
    ilj_instrument_options options = {0};
    (void)instrument_bytes(&out, summary, context, "made", buffer_bytes(b), &options);
    ilj_context_free(context);
    return out;
}

static bytes at_rva(const ilj_image *image, uint32_t rva, uint32_t size) {
    bytes b = {0};
    assert_true(pe_try_bytes(&image->pe, rva, size, &b));
    return b;
}

static uint32_t row_rva(const buffer *b, md_column column, uint32_t row, uint8_t *first, uint32_t size) {
    ilj_context *context;
    ilj_image *image;
    assert_int_equal(ilj_context_new(&context, NULL, NULL), ILJ_OK);
    assert_int_equal(image_open_bytes(&image, context, "out", buffer_bytes(b)), ILJ_OK);
    uint32_t rva = md_cell(&image->metadata, column, row);
    memcpy(first, at_rva(image, rva, size).data, size);
    ilj_image_free(image);
    ilj_context_free(context);
    return rva;
}

static bool is_appended(const buffer *out) {
    uint32_t count = load_u16(out->data + MADE_R2R_PE + 6);
    return memcmp(out->data + SECTIONS + (count - 1) * 40, ".ilj", 4) == 0;
}

/* Code type native, unmanaged, both, and what a P/Invoke forwards to in its own image: the stub stays where it is, byte
 * by byte, and both bodies after it are instrumented, whatever the image says it is. */
static void native_code_is_not_read_as_IL(void **state) {
    (void)state;
    static const shape shapes[] = {
        {0, 0, 0x0085, 0, 0},
        {0, 0, 0x0001, 0, 0},
        {0, 0, 0x0004, 0, 0},
        {0, 0x2000, 0x0080, 0, 0},
        {0x10, 0, 0x0085, 0, 0},
        {PE_CLI_IL_ONLY, 0, 0x0085, 0, 0},
        {PE_CLI_IL_ONLY, 0x2000, 0x0085, 0, 0},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        buffer b = BUFFER_INIT;
        uint32_t at;
        ilj_summary summary;
        uint8_t bytes_there[sizeof stub];
        make(&b, &shapes[i], &at);
        buffer out = instrumented(&b, &summary);
        assert_string_equal(said, "");
        assert_int_equal(summary.instrumented, MADE_METHODS + 2);
        assert_true(is_appended(&out));
        assert_int_equal(row_rva(&out, MD_MethodDef_RVA, MADE_METHODS + 1, bytes_there, sizeof stub), STUB);
        assert_memory_equal(bytes_there, stub, sizeof stub);
        buffer_clear(&out);
        assert_int_equal(judge(buffer_bytes(&b), NULL, true), INSTRUMENTED);
        buffer_clear(&b);
    }
}

/* An RVA of a method that the runtime makes means nothing; what lies there is kept and moves along. */
static void what_the_runtime_makes_is_not_read_as_IL(void **state) {
    (void)state;
    buffer b = BUFFER_INIT;
    uint32_t at;
    ilj_summary summary;
    uint8_t bytes_there[sizeof stub];
    make(&b, &(shape){PE_CLI_IL_ONLY, 0, 3, 0, 0}, &at);
    buffer out = instrumented(&b, &summary);
    assert_string_equal(said, "");
    assert_int_equal(summary.instrumented, MADE_METHODS + 2);
    assert_false(is_appended(&out));
    assert_true(row_rva(&out, MD_MethodDef_RVA, MADE_METHODS + 1, bytes_there, sizeof stub) > STUB);
    assert_memory_equal(bytes_there, stub, sizeof stub);
    buffer_clear(&out);
    assert_int_equal(judge(buffer_bytes(&b), NULL, true), INSTRUMENTED);
    buffer_clear(&b);
}

/* No section can be added where sections lie in memory as in the file, so its native code could not stay. */
static void native_code_that_would_have_to_move_is_refused(void **state) {
    (void)state;
    buffer b = BUFFER_INIT;
    uint32_t at;
    make(&b, &(shape){PE_CLI_IL_ONLY, 0, 0x0085, 0, 0}, &at);
    store_u32(b.data + MADE_R2R_OPTIONAL + 32, 0x200);
    assert_int_equal(judge(buffer_bytes(&b), NULL, false), REFUSED);
    assert_non_null(strstr(refusal, "ILJ0111"));
    buffer_clear(&b);
}

/* ---- References into a body ------------------------------------------------------------------------------------- */

typedef enum referrer { FIELD, ENTRY_POINT, RELOCATION, IMPORT_TABLE, VTABLE_FIXUP, EXPORT } referrer;

typedef struct reference_into {
    referrer referrer;
    bool mixed;
    uint32_t rva;     /* that it names */
    const char *told; /* of the body that is left out; NULL: all are instrumented */
} reference_into;

/* Native code, exports and fixups are in mixed-mode images alone. There the old bytes stay, so a reader of them finds
 * what was there; only what the map would lead to the new body, and what the loader changes, stands in the way. */
static const reference_into given[] = {
    {FIELD, false, GUARDED + 12, "offset 12: FieldRVA row 2 (Field 0x04000002) refers to RVA 0x2058 in it"},
    {FIELD, false, GUARDED, "offset 0: FieldRVA row 2 (Field 0x04000002) refers to RVA 0x204c in it"},
    {FIELD, true, GUARDED + 12, NULL},
    {FIELD, true, GUARDED, NULL},
    {ENTRY_POINT, true, GUARDED + 12, NULL},
    {ENTRY_POINT, true, GUARDED, "offset 0: the entry point refers to RVA 0x204c in it"},
    {RELOCATION, true, GUARDED + 16, "offset 16: a base relocation at RVA 0x205c has the loader change 4 bytes of it"},
    {RELOCATION, true, GUARDED - 2, "offset 0: a base relocation at RVA 0x204a has the loader change 4 bytes of it"},
    {RELOCATION, true, MADE_DATA, NULL},
    {IMPORT_TABLE, true, GUARDED + 4, "offset 4: the import address table at RVA 0x2050 has the loader change 8 bytes"},
    {VTABLE_FIXUP, true, GUARDED + 8, "offset 8: a vtable fixup at RVA 0x2054 has the loader change 8 bytes of it"},
    {EXPORT, true, GUARDED, NULL},
};

static void refer(buffer *b, const reference_into *r, uint32_t rva, uint32_t at) {
    uint8_t *table = b->data + at + TABLE;
    uint32_t table_rva = rva + TABLE;
    switch (r->referrer) {
    case FIELD:
        break;
    case ENTRY_POINT:
        store_u32(b->data + MADE_R2R_OPTIONAL + 16, r->rva);
        break;
    case RELOCATION:
        store_u32(table, r->rva & ~0xFFFu);
        store_u32(table + 4, 12);
        store_u16(table + 8, (uint16_t)(3 << 12 | (r->rva & 0xFFF)));
        made_directory(b, PE_DIRECTORY_RELOCATION, table_rva, 12);
        break;
    case IMPORT_TABLE:
        made_directory(b, PE_DIRECTORY_IAT, r->rva, 8);
        break;
    case VTABLE_FIXUP: /* two slots of 4 bytes */
        store_u32(table, r->rva);
        store_u16(table + 4, 2);
        store_u16(table + 6, 1);
        store_u32(b->data + MADE_R2R_CLI + 48, table_rva);
        store_u32(b->data + MADE_R2R_CLI + 52, 8);
        break;
    case EXPORT: /* one function */
        store_u32(table + 20, 1);
        store_u32(table + 28, table_rva + 40);
        store_u32(table + 40, r->rva);
        made_directory(b, PE_DIRECTORY_EXPORT, table_rva, 44);
        break;
    }
}

static void a_body_that_something_refers_into_is_left_out_where_it_has_to_be(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        const reference_into *r = &given[i];
        buffer b = BUFFER_INIT;
        uint32_t at;
        ilj_summary summary;
        shape s = {.cli_flags = r->mixed ? 0 : PE_CLI_IL_ONLY, .field_rva = r->referrer == FIELD ? r->rva : 0};
        uint32_t rva = make(&b, &s, &at);
        refer(&b, r, rva, at);
        buffer out = instrumented(&b, &summary);
        if (said_bodies != (r->told ? 1 : 0) || (r->told && !strstr(said, r->told)))
            fail_msg("case %zu: said: %s", i, said);
        if (r->told)
            assert_non_null(strstr(said, "MethodDef 0x06000002: body at RVA 0x204c"));
        assert_int_equal(summary.instrumented, MADE_METHODS + 2 - (r->told ? 1 : 0));
        if (r->referrer == FIELD) {
            uint8_t before[4], after[4];
            (void)row_rva(&b, MD_FieldRVA_RVA, DATA_ROW, before, 4);
            (void)row_rva(&out, MD_FieldRVA_RVA, DATA_ROW, after, 4);
            assert_memory_equal(after, before, 4);
        }
        buffer_clear(&out);
        assert_int_equal(judge(buffer_bytes(&b), NULL, true), INSTRUMENTED);
        buffer_clear(&b);
    }
}

/* ---- Data that reaches farther than it should ------------------------------------------------------------------- */

typedef struct reaching {
    bool mixed;
    int from; /* where the data begins: of REACH_… */
    uint32_t offset, size;
    const char *told; /* of bodies, or of the refusal; NULL: nothing */
    uint32_t left_out;
} reaching;

enum { IN_BODIES, IN_SECOND, AT_METADATA, AT_RESOURCES };

/* The data keeps its bytes in all of them; the judge compares them all. A mixed-mode image keeps its old bytes where
 * they are. */
static const reaching reaches[] = {
    /* From the padding between First and Guarded: up to Guarded, into it, to its end, over it into Branches. */
    {false, IN_BODIES, 2, 2, NULL, 0},
    {false, IN_BODIES, 2, 3,
     "0x06000002: body at RVA 0x204c, offset 0: FieldRVA row 2 (Field 0x04000002) has 3 bytes "
     "at RVA 0x204a, which reach into it",
     1},
    {false, IN_BODIES, 2, 38, "0x06000002: body at RVA 0x204c, offset 0: FieldRVA row 2 (Field 0x04000002) has 38", 1},
    {false, IN_BODIES, 2, 39, "0x06000003: body at RVA 0x2070, offset 0: FieldRVA row 2 (Field 0x04000002) has 39", 2},
    {true, IN_BODIES, 2, 39, NULL, 0},
    /* From data of another field, which has these 8 bytes, over the bodies after it. */
    {false, IN_BODIES, 48, 8, NULL, 0},
    {false, IN_BODIES, 52, 4, NULL, 0},
    {false, IN_BODIES, 52, 9, "0x06000005: body at RVA 0x2084, offset 0: FieldRVA row 2 (Field 0x04000002) has 9", 1},
    /* Into what changes whatever is left out. */
    {false, AT_METADATA, (uint32_t)-1, 1, NULL, 0},
    {false, AT_METADATA, (uint32_t)-1, 2, "its data at RVA 0x208b, 2 bytes, reaches into a part that changes", 0},
    {false, AT_METADATA, 0, 4, "its data at RVA 0x208c, 4 bytes, reaches into a part that changes", 0},
    {true, AT_METADATA, (uint32_t)-1, 2, NULL, 0},
    /* Over the end of the managed resources, where names are added. */
    {false, AT_RESOURCES, (uint32_t)-4, 4, NULL, 0},
    {false, AT_RESOURCES, (uint32_t)-4, 5, "5 bytes, reaches into a part that changes", 0},
    {true, AT_RESOURCES, (uint32_t)-4, 5, NULL, 0},
    /* Past the end of its section, or of everything. */
    {false, IN_SECOND, 0x1F8, 8, NULL, 0},
    {false, IN_SECOND, 0x1F8, 9, NULL, 0},
    {false, IN_SECOND, 0x1F8, UINT32_MAX, NULL, 0},
    {true, IN_SECOND, 0x1F8, UINT32_MAX, NULL, 0},
};

static void make_reaching(buffer *b, const reaching *r, uint32_t *field_rva) {
    static const uint8_t resource[] = {4, 0, 0, 0, 'd', 'a', 't', 'a'};
    uint32_t at, rva = 0;
    shape s = {.cli_flags = r->mixed ? 0 : PE_CLI_IL_ONLY, .field_size = r->size, .field_rva = 1};
    for (int again = 0; again < 2; again++) { /* the second time it is known where all lies */
        b->size = 0;
        rva = make(b, &s, &at);
        uint32_t metadata = load_u32(b->data + MADE_R2R_CLI + 8);
        const uint32_t places[] = {MADE_BODIES, rva, metadata, rva + TABLE + sizeof resource};
        s.field_rva = places[r->from] + r->offset;
    }
    memcpy(b->data + at + TABLE, resource, sizeof resource);
    store_u32(b->data + MADE_R2R_CLI + 24, rva + TABLE);
    store_u32(b->data + MADE_R2R_CLI + 28, sizeof resource);
    *field_rva = s.field_rva;
}

static void data_of_a_field_keeps_all_of_its_bytes(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof reaches / sizeof *reaches; i++) {
        const reaching *r = &reaches[i];
        buffer b = BUFFER_INIT;
        uint32_t field_rva;
        ilj_summary summary;
        make_reaching(&b, r, &field_rva);
        buffer out = instrumented(&b, &summary);
        if (r->told ? !strstr(said, r->told) : said[0])
            fail_msg("case %zu: said: %s", i, said);
        bool refused = r->told && r->left_out == 0;
        assert_int_equal(said_bodies, r->left_out);
        if (!refused)
            assert_int_equal(summary.instrumented, MADE_METHODS + 2 - r->left_out);
        buffer_clear(&out);
        assert_int_equal(judge(buffer_bytes(&b), NULL, true), refused ? REFUSED : INSTRUMENTED);
        if (refused)
            assert_non_null(strstr(refusal, "ILJ0113"));
        buffer_clear(&b);
    }
}

/* Both are reported, each with the other's name. */
static void bodies_that_overlap_name_each_other(void **state) {
    (void)state;
    buffer b = BUFFER_INIT;
    uint32_t at;
    ilj_summary summary;
    make(&b, &(shape){.cli_flags = 0, .impl_flags = 0x0000, .flags = 0x0800}, &at); /* the stub as if it were IL */
    buffer out = instrumented(&b, &summary);
    assert_non_null(strstr(said, "MethodDef 0x06000006: body at RVA 0x2084, offset 0: overlaps the body of MethodDef "
                                 "0x06000005"));
    assert_non_null(strstr(said, "MethodDef 0x06000005: body at RVA 0x2080, offset 4: overlaps the body of MethodDef "
                                 "0x06000006"));
    buffer_clear(&out);
    buffer_clear(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(native_code_is_not_read_as_IL),
        cmocka_unit_test(what_the_runtime_makes_is_not_read_as_IL),
        cmocka_unit_test(native_code_that_would_have_to_move_is_refused),
        cmocka_unit_test(a_body_that_something_refers_into_is_left_out_where_it_has_to_be),
        cmocka_unit_test(data_of_a_field_keeps_all_of_its_bytes),
        cmocka_unit_test(bodies_that_overlap_name_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
