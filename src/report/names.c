#include "report/names.h"

#include <libdeflate.h>

#include "report/varuint.h"

enum {
    HEADER_BYTES = 36,
    MIN_TYPE_BYTES = 4,
    MIN_METHOD_BYTES = 7,
    MAX_ROW = 0xFFFFFF,
    MAX_RATIO = 1032, /* what deflate can do at most */
};

static ecma_status inflate(bytes *out, const char **fault, arena *a, bytes deflated, uint32_t size) {
    if (size > NAMES_MAX_INFLATED || size / MAX_RATIO > deflated.size) {
        *fault = "the stated size of the inflated names is impossible";
        return ECMA_BAD_FILE;
    }
    uint8_t *data = arena_alloc(a, size);
    struct libdeflate_decompressor *decompressor = data ? libdeflate_alloc_decompressor() : NULL;
    if (!decompressor)
        return ECMA_NO_MEMORY;
    /* Without a place for the actual size, anything but exactly `size` bytes is an error. */
    enum libdeflate_result result =
        libdeflate_deflate_decompress(decompressor, deflated.data, deflated.size, data, size, NULL);
    libdeflate_free_decompressor(decompressor);
    if (result != LIBDEFLATE_SUCCESS) {
        *fault = "the deflated names are damaged or not of the stated size";
        return ECMA_BAD_FILE;
    }
    *out = (bytes){data, size};
    return ECMA_OK;
}

static bool skip_strings(reader *r) {
    uint64_t count = reader_varuint(r);
    for (uint64_t i = 0; i < count && !r->failed; i++)
        reader_counted(r);
    return !r->failed;
}

static const char *read_types(names *n, reader *r) {
    for (uint32_t i = 0; i < n->type_count; i++) {
        uint64_t enclosing = reader_varuint(r);
        if (enclosing > i)
            return "a type is nested in one that does not come before it";
        n->types[i] = (names_type){(uint32_t)enclosing, (uint32_t)reader_offset(r)};
        reader_counted(r);
        reader_counted(r);
        if (!skip_strings(r))
            return "the types run past the end of the names";
    }
    return NULL;
}

static const char *read_methods(names *n, reader *r) {
    uint32_t last_row = 0;
    for (uint32_t i = 0; i < n->method_count; i++) {
        uint64_t type = reader_varuint(r);
        uint64_t row = reader_varuint(r);
        reader_varuint(r); /* size of the IL */
        reader_varuint(r); /* flags */
        n->methods[i] = (names_method){(uint32_t)type, (uint32_t)row, (uint32_t)reader_offset(r)};
        reader_counted(r);
        skip_strings(r);
        reader_counted(r);
        if (r->failed)
            return "the methods run past the end of the names";
        if (type >= n->type_count)
            return "a method's type does not exist";
        if (row <= last_row || row > MAX_ROW)
            return "the methods are not in MethodDef order";
        last_row = (uint32_t)row;
    }
    return NULL;
}

static ecma_status read_lists(names *n, const char **fault, arena *a) {
    reader r = reader_of(n->data);
    n->module = reader_counted(&r);
    n->assembly = reader_counted(&r);
    uint64_t types = reader_varuint(&r);
    if (r.failed || types > reader_left(&r) / MIN_TYPE_BYTES) {
        *fault = "the number of types does not fit the size of the names";
        return ECMA_BAD_FILE;
    }
    n->type_count = (uint32_t)types;
    n->types = arena_alloc_array(a, n->type_count, sizeof *n->types);
    if (!n->types)
        return ECMA_NO_MEMORY;
    *fault = read_types(n, &r);
    if (*fault)
        return ECMA_BAD_FILE;
    if (reader_varuint(&r) != n->method_count || n->method_count > reader_left(&r) / MIN_METHOD_BYTES) {
        *fault = "the number of methods does not fit the size of the names or differs from the header's";
        return ECMA_BAD_FILE;
    }
    n->methods = arena_alloc_array(a, n->method_count, sizeof *n->methods);
    if (!n->methods)
        return ECMA_NO_MEMORY;
    *fault = read_methods(n, &r);
    return *fault ? ECMA_BAD_FILE : ECMA_OK;
}

ecma_status names_read(names *out, const char **fault, arena *a, bytes resource) {
    reader r = reader_of(resource);
    const uint8_t *header = reader_take(&r, HEADER_BYTES);
    if (!header || memcmp(header, "ILJN", 4) != 0) {
        *fault =
            resource.size == 0 ? "the profile holds none" : "they do not start with a header and the magic bytes ILJN";
        return ECMA_BAD_FILE;
    }
    if (load_u16(header + 4) != 1) {
        *fault = "they are of a version that this program does not read";
        return ECMA_BAD_FILE;
    }
    bytes deflated = reader_bytes(&r, load_u32(header + 16));
    if (r.failed) {
        *fault = "they are truncated";
        return ECMA_BAD_FILE;
    }
    names n = {.method_count = load_u32(header + 8)};
    memcpy(n.mvid, header + 20, 16);
    ecma_status status = inflate(&n.data, fault, a, deflated, load_u32(header + 12));
    if (status == ECMA_OK)
        status = read_lists(&n, fault, a);
    if (status == ECMA_OK)
        *out = n;
    return status;
}

static reader at_offset(const names *n, uint32_t offset) {
    return reader_of((bytes){n->data.data + offset, n->data.size - offset});
}

static bool full(const buffer *b) {
    return b->size > NAMES_MAX_NAME;
}

static void append_bytes(buffer *b, bytes s) {
    if (!full(b))
        buffer_append(b, s.data, s.size < NAMES_MAX_NAME ? s.size : NAMES_MAX_NAME + 1);
}

/* `<T, U>` from a counted list of names; nothing when it is empty. */
static void append_generics(buffer *b, reader *r) {
    uint64_t count = reader_varuint(r);
    for (uint64_t i = 0; i < count && !full(b); i++) {
        buffer_string(b, i == 0 ? "<" : ", ");
        append_bytes(b, reader_counted(r));
    }
    if (count > 0)
        buffer_string(b, ">");
}

/* "List`1" without the arity. */
static bytes without_arity(bytes name) {
    size_t end = name.size;
    while (end > 0 && name.data[end - 1] >= '0' && name.data[end - 1] <= '9')
        end--;
    if (end > 1 && end < name.size && name.data[end - 1] == '`')
        name.size = end - 1;
    return name;
}

static void append_type(buffer *b, const names *n, uint32_t type, bool raw) {
    uint32_t chain[NAMES_MAX_NESTING];
    uint32_t depth = 0;
    chain[depth++] = type;
    while (n->types[type].enclosing != 0 && depth < NAMES_MAX_NESTING) {
        type = n->types[type].enclosing - 1;
        chain[depth++] = type;
    }
    if (n->types[type].enclosing != 0)
        buffer_string(b, "\u2026.");
    for (uint32_t i = depth; i-- > 0;) {
        reader r = at_offset(n, n->types[chain[i]].at);
        bytes space = reader_counted(&r);
        bytes name = reader_counted(&r);
        if (i + 1 < depth)
            buffer_string(b, raw ? "/" : ".");
        if (space.size > 0) {
            append_bytes(b, space);
            buffer_string(b, ".");
        }
        if (raw) {
            append_bytes(b, name);
            continue;
        }
        reader generics = r;
        append_bytes(b, reader_varuint(&generics) > 0 ? without_arity(name) : name);
        append_generics(b, &r);
    }
}

void names_of_method(buffer *b, names_parts *parts, const names *n, uint32_t method, bool raw) {
    b->size = 0;
    const names_method *m = &n->methods[method];
    append_type(b, n, m->type, raw);
    names_parts made = {.type_bytes = (uint32_t)(b->size)};

    reader r = at_offset(n, m->at);
    bytes name = reader_counted(&r);
    bool constructor = name.size > 0 && name.data[0] == '.'; /* .ctor and .cctor bring their dot along */
    if (raw || !constructor)
        buffer_string(b, raw ? "::" : ".");
    made.method = (uint32_t)b->size;
    append_bytes(b, name);
    append_generics(b, &r);
    made.parameters = (uint32_t)(b->size);
    buffer_string(b, "(");
    append_bytes(b, reader_counted(&r)); /* does nothing when the generic parameters filled the name */
    buffer_string(b, ")");

    if (full(b))
        b->size = NAMES_MAX_NAME;
    uint32_t size = (uint32_t)(b->size);
    parts->type_bytes = made.type_bytes < size ? made.type_bytes : size;
    parts->method = made.method < size ? made.method : size;
    parts->parameters = made.parameters < size ? made.parameters : size;
}
