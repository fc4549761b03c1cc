#include "tracker/helper_type.h"

#include "il/emit.h"
#include "metadata/flags.h"

enum { TINY = 0x2, TINY_MOST_BYTES = 63, FAT_HEADER_BYTES = 12 };

void helper_clear(helper_type *h) {
    buffer_clear(&h->code);
    buffer_clear(&h->methods);
    buffer_clear(&h->initializer);
    buffer_clear(&h->switches);
    *h = (helper_type){0};
}

/* A header (II.25.4.2, II.25.4.3) for code without clauses, of a stack of at most 8. */
static void add_header(buffer *b, size_t code_size, bool *is_fat) {
    enum { FAT = 0x3, FAT_WORDS = 0x30, MAX_STACK = 8 };
    *is_fat = code_size > TINY_MOST_BYTES;
    if (!*is_fat) {
        buffer_u8(b, (uint8_t)(code_size << 2 | TINY));
        return;
    }
    buffer_u8(b, FAT);
    buffer_u8(b, FAT_WORDS);
    buffer_u16(b, MAX_STACK);
    buffer_u32(b, (uint32_t)code_size);
    buffer_u32(b, 0);
}

static md_token add_row(md_edit *edit, const char *name, bytes signature, uint32_t impl_flags, uint32_t flags) {
    uint32_t no_parameters = md_edit_list_end(edit, MD_TABLE_Param);
    return md_edit_row(
        edit, MD_TABLE_MethodDef,
        (uint32_t[]){0, impl_flags, flags, md_edit_string(edit, name), md_edit_blob(edit, signature), no_parameters});
}

static md_token add_field_of(md_edit *edit, const char *name, uint32_t flags, bytes signature) {
    return md_edit_row(edit, MD_TABLE_Field,
                       (uint32_t[]){flags, md_edit_string(edit, name), md_edit_blob(edit, signature)});
}

static md_token add_field(md_edit *edit, const char *name, uint32_t flags) {
    static const uint8_t int32_field[] = {0x06, 0x08}; /* FieldSig of an int32 (II.23.2.4) */
    return add_field_of(edit, name, flags, bytes_of(int32_field, sizeof int32_field));
}

static md_token add_type(const helper_type *h, md_edit *edit, uint32_t name, md_token object) {
    enum { FLAGS = MD_TYPE_ABSTRACT | MD_TYPE_SEALED | MD_TYPE_BEFORE_FIELD_INIT };
    static const uint8_t no_arguments[] = {1, 0, 0, 0}; /* II.23.3 */
    md_token type =
        md_edit_row(edit, MD_TABLE_TypeDef,
                    (uint32_t[]){FLAGS, name, h->namespace, md_coded_encode(MD_CODED_TypeDefOrRef, object),
                                 md_edit_list_end(edit, MD_TABLE_Field), md_edit_list_end(edit, MD_TABLE_MethodDef)});
    if (h->generated && type)
        md_edit_row(edit, MD_TABLE_CustomAttribute,
                    (uint32_t[]){md_coded_encode(MD_CODED_HasCustomAttribute, type),
                                 md_coded_encode(MD_CODED_CustomAttributeType, h->generated),
                                 md_edit_blob(edit, bytes_of(no_arguments, sizeof no_arguments))});
    return type;
}

static void add_initializer(md_edit *edit) {
    enum {
        FLAGS = MD_METHOD_PRIVATE | MD_METHOD_STATIC | MD_METHOD_HIDE_BY_SIG | MD_METHOD_SPECIAL_NAME |
                MD_METHOD_RT_SPECIAL_NAME,
    };
    static const uint8_t void_signature[] = {0, 0, 1};
    add_row(edit, ".cctor", bytes_of(void_signature, sizeof void_signature), 0, FLAGS);
}

/* Writes the header before the code, which begins after room for the larger kind. */
static void finish_initializer(helper_type *h) {
    buffer header = BUFFER_INIT;
    buffer *b = &h->initializer;
    add_header(&header, b->size - FAT_HEADER_BYTES, &h->fat_initializer);
    if (!b->failed && !header.failed)
        memcpy(b->data + FAT_HEADER_BYTES - header.size, header.data, header.size);
    b->failed |= header.failed;
    buffer_clear(&header);
}

enum { READ_ONLY = MD_FIELD_ASSEMBLY | MD_FIELD_STATIC | MD_FIELD_INIT_ONLY };

void helper_switches(helper_type *h, md_edit *edit, uint32_t name, md_token object, md_token byte, uint32_t count) {
    static const uint8_t bytes_field[] = {0x06, 0x1d, 0x05}; /* FieldSig of an uint8[] (II.23.2.4) */
    bool is_fat;
    buffer code = BUFFER_INIT;
    h->first_method = md_edit_row_count(edit, MD_TABLE_MethodDef) + 1;
    add_type(h, edit, name, object);
    h->off = add_field_of(edit, "Off", READ_ONLY, bytes_of(bytes_field, sizeof bytes_field));
    add_initializer(edit);
    il_emit_token(&code, IL_OP_ldc_i4, count);
    il_emit_token(&code, IL_OP_newarr, byte);
    il_emit_token(&code, IL_OP_stsfld, h->off);
    il_emit(&code, IL_OP_ret);
    add_header(&h->switches, code.size, &is_fat);
    buffer_append(&h->switches, code.data, code.size);
    h->switches.failed |= code.failed;
    buffer_clear(&code);
}

void helper_begin(helper_type *h, md_edit *edit, uint32_t name, md_token object, md_token registering,
                  uint32_t method_count) {
    if (!h->off)
        h->first_method = md_edit_row_count(edit, MD_TABLE_MethodDef) + 1;
    h->type = add_type(h, edit, name, object);
    if (!registering)
        return;
    h->base = add_field(edit, "Base", READ_ONLY);
    add_initializer(edit);
    buffer *b = &h->initializer;
    buffer_append(b, (uint8_t[FAT_HEADER_BYTES]){0}, FAT_HEADER_BYTES);
    il_emit_token(b, IL_OP_ldtoken, h->type);
    il_emit_token(b, IL_OP_ldc_i4, method_count);
    il_emit_call(b, registering);
    il_emit_token(b, IL_OP_stsfld, h->base);
    il_emit(b, IL_OP_ret);
    finish_initializer(h);
}

void helper_initialize(helper_type *h, bytes code) {
    if (h->initializer.failed)
        return;
    h->initializer.size--; /* ret */
    buffer_append(&h->initializer, code.data, code.size);
    il_emit(&h->initializer, IL_OP_ret);
    finish_initializer(h);
}

md_token helper_add_field(md_edit *edit, const char *name) {
    return add_field(edit, name, MD_FIELD_ASSEMBLY | MD_FIELD_STATIC);
}

md_token helper_add_read_only_field(md_edit *edit, const char *name) {
    return add_field(edit, name, READ_ONLY);
}

/* `m`: the body, which is in h->code. */
static md_token add_body(helper_type *h, md_edit *edit, const char *name, bytes signature, uint32_t impl_flags,
                         helper_method m) {
    buffer_append(&h->methods, &m, sizeof m);
    h->code.failed |= h->methods.failed;
    return add_row(edit, name, signature, impl_flags, MD_METHOD_ASSEMBLY | MD_METHOD_STATIC | MD_METHOD_HIDE_BY_SIG);
}

md_token helper_add_method(helper_type *h, md_edit *edit, const char *name, bytes signature, uint32_t impl_flags,
                           bytes code) {
    bool is_fat;
    size_t at = h->code.size;
    add_header(&h->code, code.size, &is_fat);
    buffer_append(&h->code, code.data, code.size);
    return add_body(h, edit, name, signature, impl_flags, (helper_method){at, (uint32_t)(h->code.size - at), is_fat});
}

md_token helper_add_fat_method(helper_type *h, md_edit *edit, const char *name, bytes signature, uint32_t impl_flags,
                               bytes body) {
    size_t at = h->code.size;
    buffer_append(&h->code, body.data, body.size);
    return add_body(h, edit, name, signature, impl_flags, (helper_method){at, (uint32_t)body.size, true});
}

uint32_t helper_method_count(const helper_type *h) {
    return (h->off ? 1u : 0u) + (h->base ? 1u : 0u) + (uint32_t)(h->methods.size / sizeof(helper_method));
}

bytes helper_body(const helper_type *h, uint32_t index, bool *is_fat) {
    *is_fat = false;
    if (h->off && index-- == 0)
        return buffer_bytes(&h->switches);
    if (h->base && index-- == 0) {
        size_t unused = h->fat_initializer ? 0 : FAT_HEADER_BYTES - 1;
        *is_fat = h->fat_initializer;
        return bytes_of(h->initializer.data + unused, h->initializer.size - unused);
    }
    helper_method m;
    memcpy(&m, h->methods.data + index * sizeof m, sizeof m);
    *is_fat = m.is_fat;
    return bytes_of(h->code.data + m.at, m.size);
}

bool helper_failed(const helper_type *h) {
    return h->code.failed || h->initializer.failed || h->switches.failed;
}
