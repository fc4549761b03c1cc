#include "profile/names.h"

#include <libdeflate.h>
#include <stdlib.h>

#include "profile/names_columns.h"
#include "profile/names_roots.h"
#include "profile/names_spots.h"
#include "util/varuint.h"

enum {
    HEADER_BYTES = 36,
    MIN_TYPE_BYTES = 4,
    MIN_METHOD_BYTES = 7,
    MIN_SHARED_BYTES = 4, /* of a method, from version 2 on */
    SHARED = 2,           /* the version that has columns of runs, and texts once */
    MAX_ROW = 0xFFFFFF,
    MAX_RATIO = 1032, /* what deflate can do at most */
    FLAGS_KEPT = 0
#define NAMES_FILE_FLAG(ID, value, meaning)
#define NAME_FLAG(ID, value, KEPT, meaning) | (KEPT * value)
#include "facts/name_flags.def"
#undef NAME_FLAG
#undef NAMES_FILE_FLAG
};

/* Of the header. */
enum {
#define NAMES_FILE_FLAG(ID, value, meaning) FILE_##ID = value,
#define NAME_FLAG(ID, value, KEPT, meaning)
#include "facts/name_flags.def"
};

bytes names_text(const names *n, uint32_t offset) {
    reader r = reader_of((bytes){n->data.data + offset, n->data.size - offset});
    return reader_strz(&r);
}

static ecma_status inflate(bytes *out, const char **fault, arena *a, bytes deflated, uint32_t size, names_room *room) {
    if (size > NAMES_MAX_INFLATED || size / MAX_RATIO > deflated.size) {
        *fault = "the stated size of the inflated names is impossible";
        return ECMA_BAD_FILE;
    }
    room->packed += deflated.size;
    if (size > NAMES_FREE + NAMES_RATIO * room->packed - room->inflated) {
        *fault = "they would take far more memory than the profile does";
        return ECMA_BAD_FILE;
    }
    room->inflated += size;
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

/* The column of a generic parameter's names; each entry has `*count` of them. */
static void read_generics(reader *r, uint32_t *offset, uint32_t count) {
    *offset = (uint32_t)reader_offset(r);
    for (uint32_t i = 0; i < count && !r->failed; i++)
        reader_strz(r);
}

static uint32_t read_count(uint64_t count, const reader *r) {
    return count > reader_left(r) ? UINT32_MAX : (uint32_t)count; /* too many fail when they are read */
}

static const char *read_types(names *n, columns *c) {
    const uint32_t count = n->type_count;
    reader *r = c->r;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t enclosing = reader_varuint(r);
        if (enclosing > i)
            return "a type is nested in one that does not come before it";
        n->types[i].enclosing = (uint32_t)enclosing;
    }
    if (count)
        columns_read_texts(c, count, &n->types->space, sizeof *n->types);
    for (uint32_t i = 0; i < count; i++)
        n->types[i].name = names_offset_of_text(r);
    for (uint32_t i = 0; i < count; i++)
        n->types[i].generic_count = read_count(reader_varuint(r), r);
    for (uint32_t i = 0; i < count && !r->failed; i++)
        read_generics(r, &n->types[i].generics, n->types[i].generic_count);
    return r->failed ? "the types run past the end of the names" : NULL;
}

/* The owner of an owner owns what that owns: a machine that starts a machine. */
static const char *find_owners(names *n) {
    for (uint32_t i = 0; i < n->method_count; i++) {
        uint32_t owner = n->methods[i].owner, steps = 0;
        while (owner != 0 && n->methods[owner - 1].owner != 0 && steps++ < NAMES_MAX_NESTING)
            owner = n->methods[owner - 1].owner;
        if (owner != 0 && n->methods[owner - 1].owner != 0)
            return "methods own each other in a circle";
        n->methods[i].owner = owner;
    }
    return NULL;
}

/* A method's kind by the machine that it starts. */
static void mark_owners(names *n) {
    for (uint32_t i = 0; i < n->method_count; i++) {
        const names_method *m = &n->methods[i];
        uint32_t is =
            (m->flags & NAMES_ASYNC ? NAMES_IS_ASYNC : 0) | (m->flags & NAMES_ITERATOR ? NAMES_IS_ITERATOR : 0);
        if (m->owner != 0)
            n->methods[m->owner - 1].flags |= is;
        if (m->flags & NAMES_RUNTIME_ASYNC)
            n->methods[i].flags |= NAMES_IS_ASYNC;
    }
}

static const char *read_owners(names *n, columns *c) {
    for (uint32_t i = 0; i < n->method_count; i++) {
        uint64_t owner = columns_next(c);
        if (owner > n->method_count)
            return "a method's owner does not exist";
        n->methods[i].owner = (uint32_t)owner;
    }
    columns_end(c);
    return c->r->failed ? "the owners run past the end of the names" : find_owners(n);
}

static bool is_conversion(bytes name) {
    static const char *const conversions[] = {"op_Implicit", "op_Explicit", "op_CheckedExplicit"};
    for (size_t i = 0; i < sizeof conversions / sizeof conversions[0]; i++)
        if (bytes_equal(name, bytes_of(conversions[i], strlen(conversions[i]))))
            return true;
    return false;
}

static const char *read_results(names *n, reader *r) {
    for (uint32_t i = 0; i < n->method_count; i++)
        if (is_conversion(names_text(n, n->methods[i].name)))
            n->methods[i].result = names_offset_of_text(r);
    return r->failed ? "the results of conversions run past the end of the names" : NULL;
}

static const char *read_methods(names *n, columns *c) {
    const uint32_t count = n->method_count;
    reader *r = c->r;
    uint64_t type = 0, row = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t step = columns_next(c);
        type += step & 1 ? ~(step >> 1) : step >> 1;
        if (type >= n->type_count)
            return "a method's type does not exist";
        n->methods[i].type = (uint32_t)type;
    }
    columns_end(c);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t step = columns_next(c);
        if (step == 0 || step > MAX_ROW - row)
            return "the methods are not in MethodDef order";
        row += step;
        n->methods[i].row = (uint32_t)row;
    }
    columns_end(c);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t size = reader_varuint(r);
        n->methods[i].il_size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
    }
    for (uint32_t i = 0; i < count; i++) {
        n->methods[i].flags = (uint32_t)reader_varuint(r) & FLAGS_KEPT;
        uint32_t kind = n->methods[i].flags & (NAMES_LEAF | NAMES_OUTERMOST);
        n->leaf_count += kind == NAMES_LEAF;
        n->told_apart += kind == NAMES_OUTERMOST;
    }
    if (count)
        columns_read_texts(c, count, &n->methods->name, sizeof *n->methods);
    for (uint32_t i = 0; i < count; i++)
        n->methods[i].generic_count = read_count(columns_next(c), r);
    columns_end(c);
    for (uint32_t i = 0; i < count && !r->failed; i++)
        read_generics(r, &n->methods[i].generics, n->methods[i].generic_count);
    if (count)
        columns_read_texts(c, count, &n->methods->parameters, sizeof *n->methods);
    if (r->failed)
        return "the methods run past the end of the names";
    const char *fault =
        reader_left(r) > 0 ? read_owners(n, c) : NULL; /* a column that came later, as what follows it */
    return !fault && reader_left(r) > 0 ? read_results(n, r) : fault;
}

static ecma_status read_left_out(names *n, const char **fault, arena *a, reader *r) {
    enum { MIN_BYTES = 2, MOST = 64 };
    uint64_t count = reader_varuint(r);
    if (r->failed || count > MOST || count > reader_left(r) / MIN_BYTES) {
        *fault = "the number of reasons for leaving methods out does not fit the size of the names";
        return ECMA_BAD_FILE;
    }
    n->left_out = arena_alloc_array(a, (size_t)count + 1, sizeof *n->left_out);
    if (!n->left_out)
        return ECMA_NO_MEMORY;
    for (; n->left_out_count < count; n->left_out_count++) {
        bytes reason = reader_strz(r);
        n->left_out[n->left_out_count] = (names_left_out){reason, reader_varuint(r)};
    }
    *fault = r->failed ? "the reasons for leaving methods out run past the end of the names" : NULL;
    return r->failed ? ECMA_BAD_FILE : ECMA_OK;
}

static const char *read_callees(names *n, reader *r) {
    for (uint32_t i = 0; i < n->callee_count; i++) {
        n->callees[i].name = reader_strz(r);
        n->callees[i].parameters = reader_varuint(r);
        n->callees[i].type = reader_strz(r);
    }
    return r->failed ? "the names of callees run past the end of the names" : NULL;
}

static const char *read_calls(names *n, reader *r) {
    uint32_t end = 0;
    for (uint32_t i = 0; i < n->method_count; i++) {
        uint64_t count = reader_varuint(r);
        if (r->failed || count > reader_left(r))
            return "the calls of methods run past the end of the names";
        for (; count > 0; count--) {
            uint64_t callee = reader_varuint(r);
            if (callee / 2 >= (callee & 1 ? n->callee_count : n->method_count))
                return "a callee does not exist";
            n->calls[end++] = (uint32_t)callee;
        }
        n->call_ends[i] = end;
    }
    return r->failed ? "the calls of methods run past the end of the names" : NULL;
}

/* A call takes a byte at least: the bytes that are left are room for all. */
static ecma_status read_call_list(names *n, const char **fault, arena *a, reader *r) {
    enum { MIN_BYTES = 3 };
    uint64_t count = reader_varuint(r);
    if (r->failed || count > reader_left(r) / MIN_BYTES) {
        *fault = "the number of callees does not fit the size of the names";
        return ECMA_BAD_FILE;
    }
    n->callee_count = (uint32_t)count;
    n->callees = arena_alloc_array(a, (size_t)count + 1, sizeof *n->callees);
    n->call_ends = arena_alloc_array(a, (size_t)n->method_count + 1, sizeof *n->call_ends);
    if (!n->callees || !n->call_ends)
        return ECMA_NO_MEMORY;
    *fault = read_callees(n, r);
    if (*fault)
        return ECMA_BAD_FILE;
    n->calls = arena_alloc_array(a, reader_left(r) + 1, sizeof *n->calls);
    if (!n->calls)
        return ECMA_NO_MEMORY;
    *fault = read_calls(n, r);
    return *fault ? ECMA_BAD_FILE : ECMA_OK;
}

/* The columns of the sites; the types' texts stand before them, from `types` on. */
static const char *read_site_columns(names *n, reader *r, const uint32_t *types, uint32_t type_count) {
    static const char fault[] = "the places that allocate run past the end of the names";
    uint32_t method = 0;
    for (uint32_t i = 0; i < n->site_count; i++) {
        uint64_t step = reader_varuint(r);
        if (r->failed)
            return fault;
        if (step >= n->method_count - method)
            return "a place that allocates is in a method that does not exist";
        method += (uint32_t)step;
        n->sites[i] = (names_site){.method = method};
    }
    for (uint32_t i = 0; i < n->site_count; i++)
        n->sites[i].offset = (uint32_t)reader_varuint(r);
    for (uint32_t i = 0; i < n->site_count; i++) {
        uint64_t kind = reader_varuint(r);
        n->sites[i].kind = (uint8_t)(kind < NAMES_SITE_KINDS ? kind : NAMES_SITE_NEW);
    }
    for (uint32_t i = 0; i < n->site_count; i++) {
        uint64_t type = reader_varuint(r);
        if (r->failed)
            return fault;
        if (type >= type_count)
            return "a place allocates objects of a type that does not exist";
        n->sites[i].type = types[type];
    }
    return NULL;
}

static ecma_status read_sites(names *n, const char **fault, arena *a, reader *r) {
    enum { MIN_BYTES = 4 };
    uint64_t types = reader_varuint(r);
    uint32_t *texts =
        r->failed || types > reader_left(r) ? NULL : arena_alloc_array(a, (size_t)types + 1, sizeof *texts);
    if (!texts) {
        *fault = "the number of types that are allocated does not fit the size of the names";
        return r->failed || types > reader_left(r) ? ECMA_BAD_FILE : ECMA_NO_MEMORY;
    }
    for (uint64_t i = 0; i < types; i++)
        texts[i] = names_offset_of_text(r);
    uint64_t count = reader_varuint(r);
    if (r->failed || count > reader_left(r) / MIN_BYTES) {
        *fault = "the number of places that allocate does not fit the size of the names";
        return ECMA_BAD_FILE;
    }
    n->sites = arena_alloc_array(a, (size_t)count + 1, sizeof *n->sites);
    if (!n->sites)
        return ECMA_NO_MEMORY;
    n->site_count = (uint32_t)count;
    *fault = read_site_columns(n, r, texts, (uint32_t)types);
    return *fault ? ECMA_BAD_FILE : ECMA_OK;
}

/* A machine that is only a part of the method that makes it is no body of that. */
static const char *read_notes(names *n, reader *r) {
    uint64_t count = reader_varuint(r), method = 0;
    for (; count > 0 && !r->failed; count--) {
        uint64_t step = reader_varuint(r), home = reader_varuint(r);
        uint32_t route = names_offset_of_text(r);
        if (r->failed)
            break;
        if (step >= n->method_count - method || home > n->method_count)
            return "a note is on a method that does not exist";
        method += step;
        n->methods[method].home = home == method + 1 ? 0 : (uint32_t)home;
        if (names_text(n, route).size > 0)
            n->methods[method].route = route;
        if (home != 0)
            n->methods[method].owner = 0;
    }
    return r->failed ? "the notes on methods run past the end of the names" : NULL;
}

/* A method that starts a machine has no line of its own: its body is the machine's. */
static void lend_lines(names *n) {
    for (uint32_t i = 0; i < n->method_count; i++) {
        const names_method *m = &n->methods[i];
        names_method *owner = m->owner ? &n->methods[m->owner - 1] : NULL;
        if (owner && m->file && !owner->file) {
            owner->file = m->file;
            owner->line = m->line;
        }
    }
}

static const char *read_line_columns(names *n, reader *r, const uint32_t *files, uint64_t file_count) {
    static const char fault[] = "the lines of methods run past the end of the names";
    int64_t line = 0;
    for (uint32_t i = 0; i < n->method_count; i++) {
        uint64_t file = reader_varuint(r);
        if (r->failed)
            return fault;
        if (file > file_count)
            return "a method is in a file that does not exist";
        n->methods[i].file = file ? files[file - 1] : 0;
    }
    for (uint32_t i = 0; i < n->method_count; i++) {
        if (!n->methods[i].file)
            continue;
        uint64_t step = reader_varuint(r);
        if (r->failed)
            return fault;
        line += (int64_t)(step & 1 ? ~(step >> 1) : step >> 1);
        if (step > UINT32_MAX || line < 1 || line > INT32_MAX)
            return "a method's line is out of range";
        n->methods[i].line = (uint32_t)line;
    }
    return NULL;
}

static ecma_status read_lines(names *n, const char **fault, arena *a, reader *r) {
    uint32_t link = names_offset_of_text(r);
    uint64_t count = reader_varuint(r);
    uint32_t *files =
        r->failed || count > reader_left(r) ? NULL : arena_alloc_array(a, (size_t)count + 1, sizeof *files);
    if (!files) {
        *fault = "the number of source files does not fit the size of the names";
        return r->failed || count > reader_left(r) ? ECMA_BAD_FILE : ECMA_NO_MEMORY;
    }
    n->source_link = names_text(n, link).size ? link : 0;
    n->source_count = (uint32_t)count;
    n->sources = files;
    for (uint64_t i = 0; i < count; i++)
        files[i] = names_offset_of_text(r);
    *fault = read_line_columns(n, r, files, count);
    if (!*fault)
        lend_lines(n);
    return *fault ? ECMA_BAD_FILE : ECMA_OK;
}

static const char *read_checksums(names *n, reader *r) {
    if (n->source_count > reader_left(r) / NAMES_CHECKSUM_BYTES)
        return "the checksums of source files run past the end of the names";
    n->checksums = reader_take(r, (size_t)n->source_count * NAMES_CHECKSUM_BYTES);
    return NULL;
}

static const char *read_inliners(names *n, reader *r) {
    static const char fault[] = "the native code of methods runs past the end of the names";
    uint32_t end = 0;
    for (uint32_t i = 0; i < n->method_count; i++) {
        uint64_t packed = reader_varuint(r), inliner = 0;
        if (r->failed || packed / 2 > reader_left(r))
            return fault;
        n->native[i] = packed & 1;
        for (uint64_t left = packed / 2; left > 0; left--) {
            uint64_t step = reader_varuint(r);
            inliner += step & 1 ? ~(step >> 1) : step >> 1;
            if (r->failed || inliner >= n->method_count)
                return r->failed ? fault : "a method was inlined into one that does not exist";
            n->inliners[end++] = (uint32_t)inliner;
        }
        n->inliner_ends[i] = end;
    }
    return NULL;
}

/* An inliner takes a byte at least. */
static ecma_status read_native(names *n, const char **fault, arena *a, reader *r) {
    n->native = arena_alloc(a, (size_t)n->method_count + 1);
    n->inliner_ends = arena_alloc_array(a, (size_t)n->method_count + 1, sizeof *n->inliner_ends);
    n->inliners = arena_alloc_array(a, reader_left(r) + 1, sizeof *n->inliners);
    if (!n->native || !n->inliner_ends || !n->inliners)
        return ECMA_NO_MEMORY;
    *fault = read_inliners(n, r);
    return *fault ? ECMA_BAD_FILE : ECMA_OK;
}

/* Paths stand in ascending order in the data. */
const uint8_t *names_checksum(const names *n, uint32_t file) {
    static const uint8_t unknown[NAMES_CHECKSUM_BYTES];
    uint32_t from = 0, to = n->checksums ? n->source_count : 0;
    while (from < to) {
        const uint32_t middle = from + (to - from) / 2;
        if (n->sources[middle] < file)
            from = middle + 1;
        else
            to = middle;
    }
    if (!n->checksums || from == n->source_count || n->sources[from] != file)
        return NULL;
    const uint8_t *found = n->checksums + (size_t)from * NAMES_CHECKSUM_BYTES;
    return memcmp(found, unknown, sizeof unknown) == 0 ? NULL : found;
}

static ecma_status read_lists(names *n, const char **fault, arena *a, uint32_t flags, bool shared) {
    reader r = reader_of(n->data);
    n->module = reader_strz(&r);
    n->assembly = reader_strz(&r);
    uint64_t types = reader_varuint(&r), methods = reader_varuint(&r);
    if (r.failed || types > reader_left(&r) / MIN_TYPE_BYTES) {
        *fault = "the number of types does not fit the size of the names";
        return ECMA_BAD_FILE;
    }
    if (methods != n->method_count || methods > reader_left(&r) / (shared ? MIN_SHARED_BYTES : MIN_METHOD_BYTES)) {
        *fault = "the number of methods does not fit the size of the names or differs from the header's";
        return ECMA_BAD_FILE;
    }
    n->type_count = (uint32_t)types;
    n->types = arena_alloc_array(a, n->type_count, sizeof *n->types);
    n->methods = arena_alloc_array(a, n->method_count, sizeof *n->methods);
    columns c = {.r = &r};
    if (shared)
        c.texts = malloc(((size_t)(types > methods ? types : methods) + 1) * sizeof *c.texts);
    if (!n->types || !n->methods || (shared && !c.texts)) {
        free(c.texts);
        return ECMA_NO_MEMORY;
    }
    *fault = read_types(n, &c);
    if (!*fault)
        *fault = read_methods(n, &c);
    free(c.texts);
    if (*fault)
        return ECMA_BAD_FILE;
    ecma_status status = reader_left(&r) > 0 ? read_left_out(n, fault, a, &r) : ECMA_OK;
    if (status == ECMA_OK && reader_left(&r) > 0)
        status = flags & FILE_ALLOCATIONS ? read_sites(n, fault, a, &r) : read_call_list(n, fault, a, &r);
    if (status == ECMA_OK && flags & FILE_NOTES && (*fault = read_notes(n, &r)) != NULL)
        return ECMA_BAD_FILE;
    if (status == ECMA_OK && flags & FILE_LINES)
        status = read_lines(n, fault, a, &r);
    if (status == ECMA_OK && flags & FILE_ROOTS)
        status = names_read_roots(n, fault, a, &r);
    if (status == ECMA_OK && flags & FILE_LINES && flags & FILE_CHECKSUMS && (*fault = read_checksums(n, &r)) != NULL)
        return ECMA_BAD_FILE;
    if (status == ECMA_OK && flags & FILE_NATIVE)
        status = read_native(n, fault, a, &r);
    if (status == ECMA_OK && flags & FILE_LINES && flags & FILE_SPOTS)
        status = names_read_spots(n, fault, a, &r);
    mark_owners(n);
    return status;
}

ecma_status names_read(names *out, const char **fault, arena *a, bytes resource, names_room *room) {
    reader r = reader_of(resource);
    const uint8_t *header = reader_take(&r, HEADER_BYTES);
    if (!header || memcmp(header, "ILJN", 4) != 0) {
        *fault =
            resource.size == 0 ? "the profile holds none" : "they do not start with a header and the magic bytes ILJN";
        return ECMA_BAD_FILE;
    }
    const uint16_t version = load_u16(header + 4);
    if (version == 0 || version > SHARED) {
        *fault = "they are of a version that this program does not read";
        return ECMA_BAD_FILE;
    }
    bytes deflated = reader_bytes(&r, load_u32(header + 16));
    if (r.failed) {
        *fault = "they are truncated";
        return ECMA_BAD_FILE;
    }
    names n = {.method_count = load_u32(header + 8), .compiled_ahead = load_u16(header + 6) & FILE_AHEAD};
    memcpy(n.mvid, header + 20, 16);
    ecma_status status = inflate(&n.data, fault, a, deflated, load_u32(header + 12), room);
    if (status == ECMA_OK)
        status = read_lists(&n, fault, a, load_u16(header + 6), version == SHARED);
    if (status == ECMA_OK)
        *out = n;
    return status;
}

bytes names_release(bytes resource) {
    reader r = reader_of(resource);
    const uint8_t *header = reader_take(&r, HEADER_BYTES);
    if (!header || memcmp(header, "ILJN", 4) != 0 || load_u16(header + 4) - 1u >= SHARED ||
        !(load_u16(header + 6) & FILE_RELEASE))
        return (bytes){0};
    reader_bytes(&r, load_u32(header + 16));
    const bytes release = reader_strz(&r);
    return r.failed ? (bytes){0} : release;
}

bytes names_simple(bytes name) {
    for (size_t i = name.size; i-- > 1;)
        if (name.data[i] == '.')
            return (bytes){name.data + i + 1, name.size - i - 1};
    return name;
}

uint64_t names_parameters_in(bytes text) {
    uint64_t count = text.size > 0;
    int depth = 0;
    for (size_t i = 0; i < text.size; i++) {
        uint8_t at = text.data[i];
        depth += (at == '<' || at == '[' || at == '(') - (at == '>' || at == ']' || at == ')');
        count += at == ',' && depth == 0;
    }
    return count;
}

bytes names_assembly_name(bytes assembly) {
    const uint8_t *comma = assembly.size ? memchr(assembly.data, ',', assembly.size) : NULL;
    return comma ? (bytes){assembly.data, (size_t)(comma - assembly.data)} : assembly;
}
