#include "ready_to_run/native_format.h"

static const uint8_t *take(nf_reader *r, uint32_t size) {
    bytes b;
    if (r->failed || !pe_try_bytes_with_hint(r->image, &r->hint, r->at, &b) || b.size < size) {
        r->failed = true;
        return NULL;
    }
    r->at += size;
    return b.data;
}

uint8_t nf_u8(nf_reader *r) {
    const uint8_t *p = take(r, 1);
    return p ? *p : 0;
}

/* The low bits of the first byte say how many follow. Returns the bits of the value, and how many there are. */
static uint32_t read_number(nf_reader *r, unsigned *bits) {
    const uint8_t *p = take(r, 1);
    *bits = 32;
    if (!p)
        return 0;
    unsigned more = 0;
    while (more < 4 && *p >> more & 1)
        more++;
    if (more == 4) {
        if (*p & 16) /* 64 bits, which no table of an image has */
            r->failed = true;
        p = take(r, 4);
        return p ? load_u32(p) : 0;
    }
    uint32_t value = *p, shift = 8;
    if (more && !(p = take(r, more)))
        return 0;
    for (unsigned i = 0; i < more; i++, shift += 8)
        value |= (uint32_t)p[i] << shift;
    *bits = 7 * (more + 1);
    return value >> (more + 1);
}

uint32_t nf_unsigned(nf_reader *r) {
    unsigned bits;
    uint32_t value = read_number(r, &bits);
    return r->failed ? 0 : value;
}

/* The runtime's reader extends no sign: a number of up to four bytes is never negative to it. */
int32_t nf_signed(nf_reader *r) {
    unsigned bits;
    uint32_t value = read_number(r, &bits);
    if (bits < 32 && value >> (bits - 1))
        r->failed = true;
    return r->failed ? 0 : (int32_t)value;
}

uint32_t nf_compressed(nf_reader *r) {
    const uint8_t *p = take(r, 1);
    if (!p)
        return 0;
    uint32_t first = *p;
    if (!(first & 0x80))
        return first;
    if (!(first & 0x40))
        return (p = take(r, 1)) ? (first & 0x3F) << 8 | *p : 0;
    if (first & 0x20)
        r->failed = true;
    p = take(r, 3);
    return p ? (first & 0x1F) << 24 | (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2] : 0;
}

static uint32_t read_offset(nf_reader *r, uint8_t width) {
    const uint8_t *p = take(r, width);
    return !p ? 0 : width == 1 ? *p : width == 2 ? load_u16(p) : load_u32(p);
}

/* True if `count` offsets of such a width fit between `base` and the end of the place. */
static bool fit(pe_directory place, uint32_t base, uint64_t count, uint8_t width) {
    return base >= place.rva && base - place.rva <= place.size && count * width <= place.size - (base - place.rva);
}

/* ---- Sparse arrays ---------------------------------------------------------------------------------------------- */

bool nf_array_open(nf_array *a, const pe_image *image, pe_directory place) {
    nf_reader r = {.image = image, .at = place.rva};
    uint32_t head = nf_unsigned(&r);
    uint8_t width = (uint8_t)(1u << (head & 3));
    *a = (nf_array){place, r.at, head >> 2, width};
    return !r.failed && width <= 4 && fit(place, a->base, (a->count + (NF_BLOCK - 1ull)) / NF_BLOCK, width);
}

bool nf_array_find(const nf_array *a, nf_reader *r, uint32_t index) {
    if (index >= a->count)
        return false;
    r->at = a->base + index / NF_BLOCK * a->width;
    r->at = a->base + read_offset(r, a->width);
    for (uint32_t bit = NF_BLOCK / 2; bit && !r->failed; bit /= 2) {
        enum { LEFT = 1, RIGHT = 2 };
        uint32_t node = r->at, value = nf_unsigned(r);
        if (index & bit ? value & RIGHT : value & LEFT) {
            if (index & bit)
                r->at = node + (value >> 2);
            continue;
        }
        /* A node without branches holds one element, and the index of that. */
        return !r->failed && !(value & (LEFT | RIGHT)) && value >> 2 == index % NF_BLOCK;
    }
    return !r->failed;
}

/* ---- Hash tables ------------------------------------------------------------------------------------------------ */

bool nf_table_open(nf_table *t, const pe_image *image, pe_directory place) {
    nf_reader r = {.image = image, .at = place.rva};
    uint8_t head = nf_u8(&r);
    uint8_t width = (uint8_t)(1u << (head & 3));
    if (r.failed || head >> 2 > 30 || width > 4)
        return false;
    *t = (nf_table){place, r.at, 1u << (head >> 2), width};
    return fit(place, t->base, t->buckets + 1ull, width);
}

void nf_table_walk(nf_walk *w, const nf_table *t, const pe_image *image) {
    *w = (nf_walk){.table = t, .reader = {.image = image, .at = t->base}, .end = t->base};
}

/* Buckets ascend, so that no entry is seen twice, whatever the offsets say. */
static bool next_bucket(nf_walk *w) {
    const nf_table *t = w->table;
    nf_reader r = w->reader;
    r.at = t->base + w->bucket * t->width;
    uint32_t start = read_offset(&r, t->width), end = read_offset(&r, t->width);
    uint32_t rest = t->place.size - (t->base - t->place.rva);
    if (r.failed || start > end || end > rest || t->base + start < w->end) {
        w->reader.failed = true;
        return false;
    }
    w->reader.at = t->base + start;
    w->end = t->base + end;
    w->bucket++;
    return true;
}

bool nf_table_next(nf_walk *w, nf_entry *e) {
    while (w->reader.at >= w->end || w->bucket == 0)
        if (w->bucket == w->table->buckets || w->reader.failed || !next_bucket(w))
            return false;
    e->bucket = w->bucket - 1;
    e->low_hash = nf_u8(&w->reader);
    uint32_t from = w->reader.at;
    e->rva = from + (uint32_t)nf_signed(&w->reader);
    return !w->reader.failed;
}
