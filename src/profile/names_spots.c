#include "profile/names_spots.h"

#include "util/varuint.h"

static const char past_end[] = "the lines within methods run past the end of the names";

/* The next line, by how far it is from the one before; 0: there is none, or it is out of range. */
static uint32_t read_line(reader *r, int64_t *before) {
    const uint64_t step = reader_varuint(r);
    *before += (int64_t)(step & 1 ? ~(step >> 1) : step >> 1);
    return r->failed || step > UINT32_MAX || *before < 1 || *before > INT32_MAX ? 0 : (uint32_t)*before;
}

static const char *read_sites(names *n, reader *r) {
    int64_t line = 0;
    for (uint32_t i = 0; i < n->site_count; i++) {
        const uint64_t file = reader_varuint(r);
        if (r->failed || file > n->source_count)
            return r->failed ? past_end : "a place that allocates is in a file that does not exist";
        n->sites[i].file = file ? n->sources[file - 1] : 0;
    }
    for (uint32_t i = 0; i < n->site_count; i++)
        if (n->sites[i].file && (n->sites[i].line = read_line(r, &line)) == 0)
            return r->failed ? past_end : "the line of a place that allocates is out of range";
    return NULL;
}

static const char *read_calls(names *n, reader *r) {
    uint64_t method = 0;
    int64_t line = 0;
    for (uint32_t i = 0; i < n->leaf_call_count; i++) {
        const uint64_t step = reader_varuint(r), leaf = reader_varuint(r), file = reader_varuint(r);
        if (r->failed)
            return past_end;
        if (step >= n->method_count - method || leaf >= n->method_count || file >= n->source_count)
            return "a call of a leaf has a method, a leaf or a file that does not exist";
        method += step;
        n->leaf_calls[i] = (names_leaf_call){(uint32_t)method, (uint32_t)leaf, n->sources[file], read_line(r, &line)};
        if (n->leaf_calls[i].line == 0)
            return r->failed ? past_end : "the line of a call of a leaf is out of range";
    }
    return NULL;
}

ecma_status names_read_spots(names *n, const char **fault, arena *a, reader *r) {
    enum { MIN_BYTES = 4 };
    *fault = read_sites(n, r);
    if (*fault)
        return ECMA_BAD_FILE;
    const uint64_t count = reader_varuint(r);
    if (r->failed || count > reader_left(r) / MIN_BYTES) {
        *fault = "the number of calls of leaves does not fit the size of the names";
        return ECMA_BAD_FILE;
    }
    n->leaf_calls = arena_alloc_array(a, (size_t)count + 1, sizeof *n->leaf_calls);
    if (!n->leaf_calls)
        return ECMA_NO_MEMORY;
    n->leaf_call_count = (uint32_t)count;
    *fault = read_calls(n, r);
    return *fault ? ECMA_BAD_FILE : ECMA_OK;
}
