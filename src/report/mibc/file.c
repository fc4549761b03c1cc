#include "report/mibc/file.h"

#include <stdlib.h>

#include "base/sha256.h"
#include "il/emit.h"
#include "metadata/emit.h"
#include "metadata/flags.h"
#include "metadata/nothing.h"
#include "pe/library.h"
#include "util/list.h"
#include "util/unicode.h"

#define ASSEMBLY_NAME "ilinject.mibc"

enum { FAT_HEADER_BYTES = 12, MAX_STACK = 8, ASSEMBLY_HASH_SHA1 = 0x8004 };

/* The assembly that is being made. What a keep numbers has its place in a heap or table in an array beside it. */
typedef struct maker {
    const mibc_content *content;
    arena memory;
    md_view nothing;
    md_edit edit;
    keep_table strings, blobs, rows;
    uint32_t *string_at, *blob_at, *row_token;
    uint32_t string_room, blob_room, row_room;
    md_token *type_tokens; /* of each type, 0: not made yet */
    md_token *tokens;      /* of each instance, 0: not made yet */
    buffer bodies, code;
    md_token exclusive, weighted; /* texts */
    uint32_t records;
    bool failed;
} maker;

/* ---- Rows, each made once --------------------------------------------------------------------------------------- */

/* The place for the value of a number that is dealt without gaps. */
static uint32_t *place(maker *m, uint32_t **values, uint32_t *room, uint32_t id) {
    if (id == MAP_NONE || !list_grow((void **)values, id, room, sizeof **values)) {
        m->failed = true;
        return NULL;
    }
    return *values + id;
}

static uint32_t string_of(maker *m, const char *text) {
    uint32_t before = m->strings.count, id = keep_id(&m->strings, bytes_of(text, strlen(text)));
    uint32_t *at = place(m, &m->string_at, &m->string_room, id);
    if (at && id == before)
        *at = md_edit_string(&m->edit, text);
    return at ? *at : 0;
}

static uint32_t blob_of(maker *m, const buffer *b) {
    m->failed |= b->failed;
    uint32_t before = m->blobs.count, id = keep_id(&m->blobs, buffer_bytes(b));
    uint32_t *at = place(m, &m->blob_at, &m->blob_room, id);
    if (at && id == before)
        *at = md_edit_blob(&m->edit, buffer_bytes(b));
    return at ? *at : 0;
}

static md_token text_of(maker *m, bytes utf8) {
    buffer units = BUFFER_INIT;
    for (size_t at = 0; at < utf8.size;) {
        uint32_t c = unicode_next(utf8, &at);
        if (c >= 0x10000) {
            buffer_u16(&units, (uint16_t)(0xD800 + ((c - 0x10000) >> 10)));
            c = 0xDC00 + ((c - 0x10000) & 0x3FF);
        }
        buffer_u16(&units, (uint16_t)c);
    }
    m->failed |= units.failed;
    md_token token =
        units.failed ? 0 : md_edit_user_string(&m->edit, (const uint16_t *)(void *)units.data, units.size / 2);
    buffer_clear(&units);
    return token;
}

/* A row that is known by its cells: made when they are new. */
static md_token row_of(maker *m, md_table_id table, const uint32_t *cells) {
    buffer key = BUFFER_INIT;
    buffer_u8(&key, (uint8_t)table);
    for (unsigned i = 0; i < md_tables[table].column_count; i++)
        buffer_u32(&key, cells[i]);
    m->failed |= key.failed;
    uint32_t before = m->rows.count, id = keep_id(&m->rows, buffer_bytes(&key));
    buffer_clear(&key);
    uint32_t *token = place(m, &m->row_token, &m->row_room, id);
    if (token && id == before)
        *token = md_edit_row(&m->edit, table, cells);
    return token ? *token : 0;
}

/* ---- Names ------------------------------------------------------------------------------------------------------ */

static md_token assembly_of(maker *m, uint32_t id) {
    const char *name = (const char *)keep_text(&m->content->of->names->assemblies, id).data;
    return row_of(m, MD_TABLE_AssemblyRef, (const uint32_t[]){0, 0, 0, 0, 0, 0, string_of(m, name), 0, 0});
}

static md_token type_of(maker *m, uint32_t id) {
    if (m->type_tokens[id])
        return m->type_tokens[id];
    const type_parts parts = type_names_parts(m->content->of->names, id);
    md_token scope = parts.scope & TYPE_NESTED ? type_of(m, parts.scope & ~TYPE_NESTED) : assembly_of(m, parts.scope);
    const uint32_t cells[] = {md_coded_encode(MD_CODED_ResolutionScope, scope), string_of(m, parts.name),
                              string_of(m, parts.space)};
    return m->type_tokens[id] = row_of(m, MD_TABLE_TypeRef, cells);
}

/* For signature_copy: a type's number as a TypeRef of the file. */
static md_token named(void *user, md_token type) {
    return type_of(user, md_token_row(type) - 1);
}

/* Copies types that stand one after another. */
static void copy_types(maker *m, bytes types, buffer *to) {
    const signature_copy c = {.named = named, .user = m};
    reader r = reader_of(types);
    while (reader_left(&r) && !m->failed)
        m->failed |= !signature_copy_type(&c, &r, to);
}

static md_token class_of(maker *m, const called *of, bytes args) {
    md_token type = type_of(m, of->type);
    if (of->type_generics == 0)
        return type;
    buffer b = BUFFER_INIT;
    buffer_append(&b, (uint8_t[]){MD_ELEMENT_GENERICINST, of->value_type ? MD_ELEMENT_VALUETYPE : MD_ELEMENT_CLASS}, 2);
    buffer_compressed(&b, md_coded_encode(MD_CODED_TypeDefOrRef, type));
    buffer_compressed(&b, of->type_generics);
    copy_types(m, args, &b);
    md_token spec = row_of(m, MD_TABLE_TypeSpec, (const uint32_t[]){blob_of(m, &b)});
    buffer_clear(&b);
    return spec;
}

/* The token of one instance of a method. */
static md_token method_of(maker *m, uint32_t position) {
    if (m->tokens[position])
        return m->tokens[position];
    const instance *its = &m->content->of->list[position];
    const called *of = &m->content->of->called[its->of];
    const signature_copy c = {.named = named, .user = m};
    buffer b = BUFFER_INIT;
    md_token class = class_of(m, of, its->type_args);
    m->failed |= !signature_copy_method(&c, of->signature, &b);
    const uint32_t member[] = {md_coded_encode(MD_CODED_MemberRefParent, class),
                               string_of(m, (const char *)of->name.data), blob_of(m, &b)};
    md_token token = row_of(m, MD_TABLE_MemberRef, member);
    if (of->method_generics > 0) {
        b.size = 0;
        buffer_u8(&b, MD_SIG_METHODSPEC);
        buffer_compressed(&b, of->method_generics);
        copy_types(m, its->method_args, &b);
        token = row_of(m, MD_TABLE_MethodSpec,
                       (const uint32_t[]){md_coded_encode(MD_CODED_MethodDefOrRef, token), blob_of(m, &b)});
    }
    buffer_clear(&b);
    return m->tokens[position] = token;
}

/* ---- Records ---------------------------------------------------------------------------------------------------- */

static int32_t clamped(uint64_t calls) {
    return calls > INT32_MAX ? INT32_MAX : (int32_t)calls;
}

static void weights(maker *m, uint32_t method, const mibc_edge *edges, uint32_t count) {
    const instances *of = m->content->of;
    if (m->content->calls[method] > 0) {
        il_emit_token(&m->code, IL_OP_ldstr, m->exclusive);
        il_emit_ldc_i4(&m->code, clamped(m->content->calls[method]));
    }
    if (count == 0)
        return;
    il_emit_token(&m->code, IL_OP_ldstr, m->weighted);
    il_emit_ldc_i4(&m->code, (int32_t)count);
    for (uint32_t i = 0; i < count; i++) {
        il_emit_token(&m->code, IL_OP_ldtoken, method_of(m, of->called[edges[i].callee].first));
        il_emit_ldc_i4(&m->code, clamped(edges[i].calls));
    }
}

/* A method's records: one for each of its instances. *edge is where its edges begin, and moves past them. */
static void records_of(maker *m, uint32_t method, uint32_t *edge) {
    const instances *of = m->content->of;
    const mibc_edge *edges = &m->content->edges[*edge];
    uint32_t count = 0;
    while (*edge + count < m->content->edge_count && edges[count].caller == method)
        count++;
    *edge += count;
    for (uint32_t i = of->called[method].first; i != MAP_NONE; i = of->list[i].next) {
        il_emit_token(&m->code, IL_OP_ldtoken, method_of(m, i));
        if (i == of->called[method].first)
            weights(m, method, edges, count);
        il_emit(&m->code, IL_OP_pop);
        il_emit(&m->code, IL_OP_pop);
        m->records++;
    }
}

/* Ends the code: a global method of this name has it as its body. */
static md_token method_with_code(maker *m, const char *name) {
    il_emit(&m->code, IL_OP_ret);
    buffer_align(&m->bodies, 4);
    uint32_t rva = PE_LIBRARY_BODIES_RVA + (uint32_t)m->bodies.size;
    buffer_u16(&m->bodies, FAT_HEADER_BYTES / 4 << 12 | IL_FAT_FORMAT);
    buffer_u16(&m->bodies, MAX_STACK);
    buffer_u32(&m->bodies, (uint32_t)m->code.size);
    buffer_u32(&m->bodies, 0);
    buffer_append(&m->bodies, m->code.data, m->code.size);
    m->failed |= m->code.failed || m->bodies.failed || m->bodies.size > INT32_MAX;
    m->code.size = 0;
    buffer signature = BUFFER_INIT;
    buffer_append(&signature, (uint8_t[]){MD_SIG_DEFAULT, 0, MD_ELEMENT_VOID}, 3);
    const uint32_t cells[] = {rva, 0, MD_METHOD_PUBLIC | MD_METHOD_STATIC, string_of(m, name), blob_of(m, &signature),
                              1};
    buffer_clear(&signature);
    return md_edit_row(&m->edit, MD_TABLE_MethodDef, cells);
}

/* A group for each assembly, in the order of their first methods; then the dictionary. */
static void groups(maker *m) {
    const instances *of = m->content->of;
    buffer dictionary = BUFFER_INIT, name = BUFFER_INIT;
    uint8_t *done = calloc((size_t)of->called_count + 1, 1); /* 1: its assembly is done */
    m->failed |= !done;
    for (uint32_t first = 0, number = 1; first < of->called_count && !m->failed; first++) {
        if (done[first])
            continue;
        const uint32_t assembly = type_names_assembly(of->names, of->called[first].type);
        const char *simple = (const char *)keep_text(&of->names->assemblies, assembly).data;
        uint32_t edge = 0, before = m->records;
        for (uint32_t i = 0; i < of->called_count; i++) {
            bool here = type_names_assembly(of->names, of->called[i].type) == assembly;
            if (here)
                records_of(m, i, &edge);
            else
                while (edge < m->content->edge_count && m->content->edges[edge].caller == i)
                    edge++;
            done[i] |= here;
        }
        if (m->records == before) {
            m->code.size = 0;
            continue;
        }
        name.size = 0;
        buffer_printf(&name, "Assemblies_%s;_%u", simple, number++);
        buffer_u8(&name, 0);
        m->failed |= name.failed;
        md_token group = m->failed ? 0 : method_with_code(m, (const char *)name.data);
        name.size = 0;
        buffer_printf(&name, "%s;", simple);
        il_emit_token(&dictionary, IL_OP_ldstr, text_of(m, buffer_bytes(&name)));
        il_emit_token(&dictionary, IL_OP_ldtoken, group);
        il_emit(&dictionary, IL_OP_pop);
    }
    buffer_append(&m->code, dictionary.data, dictionary.size);
    method_with_code(m, "AssemblyDictionary");
    m->failed |= dictionary.failed || name.failed;
    buffer_clear(&dictionary);
    buffer_clear(&name);
    free(done);
}

/* ---- The whole -------------------------------------------------------------------------------------------------- */

/* A hash of the code and of all names makes the MVID, so that equal content has an equal one. */
static void set_mvid(maker *m) {
    buffer all = BUFFER_INIT;
    uint8_t hash[SHA256_BYTES];
    buffer_append(&all, m->bodies.data, m->bodies.size);
    for (unsigned t = 0; t < MD_TABLE_SPACE; t++)
        buffer_append(&all, m->edit.rows[t].data, m->edit.rows[t].size);
    const buffer *heaps[] = {&m->edit.strings, &m->edit.user_strings, &m->edit.blobs};
    for (unsigned i = 0; i < 3; i++)
        buffer_append(&all, heaps[i]->data, heaps[i]->size);
    sha256(buffer_bytes(&all), hash);
    m->failed |= all.failed;
    buffer_clear(&all);
    memcpy(m->edit.mvid, hash, sizeof m->edit.mvid);
    /* Version 8 of RFC 9562: a value of the maker's own making. */
    m->edit.mvid[7] = (uint8_t)((m->edit.mvid[7] & 0x0F) | 0x80);
    m->edit.mvid[8] = (uint8_t)((m->edit.mvid[8] & 0x3F) | 0x80);
    m->edit.set_mvid = true;
}

static ecma_status write_image(maker *m, buffer *out, diag *d) {
    md_plan plan;
    ecma_status status = md_emit_plan(&plan, &m->edit, d);
    if (status)
        return status;
    buffer metadata = BUFFER_INIT;
    uint8_t *to = buffer_extend(&metadata, plan.size);
    if (to)
        md_emit_write(&plan, &m->edit, to, NULL);
    bool whole = to && pe_library_write(out, buffer_bytes(&m->bodies), buffer_bytes(&metadata));
    if (to && !whole && !out->failed)
        status = diag_report(d, DIAG_IMAGE_SIZE, "a startup profile of %zu bytes of records is more than 2 GiB",
                             m->bodies.size);
    else if (!whole)
        status = diag_no_memory(d);
    buffer_clear(&metadata);
    return status;
}

static void maker_clear(maker *m) {
    md_edit_clear(&m->edit);
    keep_clear(&m->strings);
    keep_clear(&m->blobs);
    keep_clear(&m->rows);
    free(m->string_at);
    free(m->blob_at);
    free(m->row_token);
    buffer_clear(&m->bodies);
    buffer_clear(&m->code);
    arena_clear(&m->memory);
}

ecma_status mibc_file_make(buffer *out, uint32_t *records, const mibc_content *content, diag *d) {
    const instances *of = content->of;
    maker m = {.content = content};
    ecma_status status = md_nothing_open(&m.nothing, &m.memory, d);
    if (status)
        return status;
    md_edit_init(&m.edit, &m.nothing);
    m.type_tokens = arena_alloc_array(&m.memory, (size_t)of->names->types.count + 1, sizeof *m.type_tokens);
    m.tokens = arena_alloc_array(&m.memory, (size_t)of->count + 1, sizeof *m.tokens);
    m.failed = !m.type_tokens || !m.tokens;
    uint32_t module_name = m.failed ? 0 : string_of(&m, ASSEMBLY_NAME ".dll");
    m.edit.columns[MD_Module_Name] = &module_name;
    if (!m.failed) {
        const uint32_t assembly[] = {ASSEMBLY_HASH_SHA1, 0, 0, 0, 0, 0, 0, string_of(&m, ASSEMBLY_NAME), 0};
        md_edit_row(&m.edit, MD_TABLE_Assembly, assembly);
        m.exclusive = text_of(&m, bytes_of("ExclusiveWeight", 15));
        m.weighted = text_of(&m, bytes_of("WeightedCallData", 16));
        groups(&m);
        set_mvid(&m);
    }
    status = m.failed ? diag_no_memory(d) : write_image(&m, out, d);
    *records = m.records;
    maker_clear(&m);
    return status;
}
