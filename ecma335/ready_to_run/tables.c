#include "ready_to_run/tables.h"

#include "ready_to_run/signature.h"

enum { SHORT_DISTANCE = 4, LONG_DISTANCE = 5, EMPTY_BLOCK = NF_BLOCK << 2, TABLE_HEAD = 1 };

typedef struct r2r_kept_method {
    uint32_t index; /* its row - 1 */
    r2r_entry entry;
} kept_method;

/* ---- Numbers ---------------------------------------------------------------------------------------------------- */

static uint32_t number_size(uint32_t value) {
    return value < 1u << 7 ? 1 : value < 1u << 14 ? 2 : value < 1u << 21 ? 3 : value < 1u << 28 ? 4 : 5;
}

/* `size` is enough for the value. The lowest bits say how many bytes follow the first. */
static uint8_t *put_number(uint8_t *out, uint32_t value, uint32_t size) {
    if (size == LONG_DISTANCE) {
        *out = 0xF;
        store_u32(out + 1, value);
        return out + size;
    }
    uint32_t bits = value << size | ((1u << (size - 1)) - 1);
    for (uint32_t i = 0; i < size; i++)
        out[i] = (uint8_t)(bits >> 8 * i);
    return out + size;
}

static void put_offset(uint8_t *out, uint32_t value, uint8_t width) {
    if (width == 1)
        *out = (uint8_t)value;
    else if (width == 2)
        store_u16(out, (uint16_t)value);
    else
        store_u32(out, value);
}

/* The least width of `count` offsets that lead to the end of what lies after them. */
static uint8_t width_for(uint64_t count, uint64_t content) {
    return count + content <= UINT8_MAX ? 1 : 2 * count + content <= UINT16_MAX ? 2 : 4;
}

static uint8_t width_bits(uint8_t width) {
    return (uint8_t)(width / 2); /* 1, 2, 4: 0, 1, 2 */
}

/* ---- The methods ------------------------------------------------------------------------------------------------ */

/* Where a block's entries lie, from which on. */
typedef struct span {
    const kept_method *first;
    uint32_t count;
} span;

/* How many come before the first index with that bit: they ascend. */
static uint32_t count_left(span s, uint32_t bit) {
    uint32_t left = 0;
    while (left < s.count && !(s.first[left].index & bit))
        left++;
    return left;
}

static uint32_t entry_size(const r2r_tables *t, const kept_method *m) {
    return m->entry.fixups ? number_size(m->entry.function << 2 | 3) + t->distance_bytes
                           : number_size(m->entry.function << 1);
}

/* The size of a tree below `bit`, and of the number that it begins with. */
static uint32_t tree_size(const r2r_tables *t, span s, uint32_t bit, uint32_t *head);

/* What a node with branches begins with: which there are, and how far the right one is from the node. */
static uint32_t branch_value(const r2r_tables *t, span s, uint32_t bit, uint32_t left, uint32_t *left_size) {
    uint32_t head, size = 1, value;
    *left_size = left ? tree_size(t, (span){s.first, left}, bit / 2, &head) : 0;
    if (left == s.count)
        return 1;
    do {
        value = (size + *left_size) << 2 | 2 | (left ? 1 : 0);
    } while (number_size(value) > size++);
    return value;
}

static uint32_t tree_size(const r2r_tables *t, span s, uint32_t bit, uint32_t *head) {
    if (s.count == 1) {
        *head = bit ? (s.first->index % NF_BLOCK) << 2 : 0;
        return (bit ? 1u : 0u) + entry_size(t, s.first);
    }
    uint32_t left = count_left(s, bit), left_size, right_head;
    *head = branch_value(t, s, bit, left, &left_size);
    return number_size(*head) + left_size +
           (left < s.count ? tree_size(t, (span){s.first + left, s.count - left}, bit / 2, &right_head) : 0);
}

static uint8_t *put_entry(const r2r_tables *t, const r2r_entry *e, uint32_t rva, uint8_t *out) {
    if (!e->fixups)
        return put_number(out, e->function << 1, number_size(e->function << 1));
    uint32_t id = e->function << 2 | 3, size = number_size(id);
    return put_number(put_number(out, id, size), rva + size - e->fixups, t->distance_bytes);
}

/* `rva`: of `out`. */
static uint8_t *put_tree(const r2r_tables *t, span s, uint32_t bit, uint32_t rva, uint8_t *out) {
    uint8_t *start = out;
    uint32_t head;
    tree_size(t, s, bit, &head);
    if (s.count != 1 || bit)
        out = put_number(out, head, number_size(head));
    if (s.count == 1)
        return put_entry(t, &s.first->entry, rva + (uint32_t)(out - start), out);
    uint32_t left = count_left(s, bit);
    if (left)
        out = put_tree(t, (span){s.first, left}, bit / 2, rva + (uint32_t)(out - start), out);
    if (left < s.count)
        out = put_tree(t, (span){s.first + left, s.count - left}, bit / 2, rva + (uint32_t)(out - start), out);
    return out;
}

static uint32_t block_count(const r2r_tables *t) {
    return (uint32_t)((t->image->methods.count + (NF_BLOCK - 1ull)) / NF_BLOCK);
}

/* The next block's methods; `done` are those before it. */
static span block_at(const r2r_tables *t, uint32_t block, uint32_t *done) {
    span s = {t->methods + *done, 0};
    while (*done < t->method_count && t->methods[*done].index / NF_BLOCK == block) {
        s.count++;
        (*done)++;
    }
    return s;
}

static ecma_status plan_methods(r2r_tables *t, const r2r_rows *dropped, arena *a) {
    const r2r_image *r = t->image;
    nf_reader reader = {.image = r->image};
    uint32_t count = r->methods.count < dropped->count ? r->methods.count : dropped->count;
    if (r2r_section(r, R2R_METHODS).size == 0)
        return ECMA_OK;
    if (!(t->methods = arena_alloc_array(a, count + 1u, sizeof *t->methods)))
        return ECMA_NO_MEMORY;
    for (uint32_t row = 1; row <= count; row++) {
        kept_method m = {.index = row - 1};
        if (!r2r_rows_have(dropped, row) && r2r_try_method(r, &reader, row, &m.entry))
            t->methods[t->method_count++] = m;
    }
    uint64_t content = 0;
    for (uint32_t block = 0, done = 0, head; block < block_count(t); block++) {
        span s = block_at(t, block, &done);
        content += s.count ? tree_size(t, s, NF_BLOCK / 2, &head) : 1;
    }
    t->method_width = width_for(block_count(t), content);
    uint64_t size = number_size(r->methods.count << 2) + (uint64_t)block_count(t) * t->method_width + content;
    if (reader.failed || size > INT32_MAX)
        return ECMA_BAD_FILE;
    t->method_bytes = (uint32_t)size;
    return ECMA_OK;
}

void r2r_tables_write_methods(const r2r_tables *t, uint32_t rva, uint8_t *out) {
    uint32_t value = t->image->methods.count << 2 | width_bits(t->method_width);
    uint8_t *base = put_number(out, value, number_size(value)), *to = base + block_count(t) * t->method_width;
    for (uint32_t block = 0, done = 0; block < block_count(t); block++) {
        span s = block_at(t, block, &done);
        put_offset(base + block * t->method_width, (uint32_t)(to - base), t->method_width);
        to = s.count ? put_tree(t, s, NF_BLOCK / 2, rva + (uint32_t)(to - out), to)
                     : put_number(to, EMPTY_BLOCK, 1); /* the index of none */
    }
}

/* ---- The instantiations ----------------------------------------------------------------------------------------- */

static bool is_own(const r2r_instance *i) {
    return !(i->flags & (R2R_METHOD_MEMBER_REF | R2R_METHOD_OTHER_MODULE | R2R_METHOD_SLOT));
}

static ecma_status plan_instances(r2r_tables *t, const r2r_rows *dropped, arena *a) {
    r2r_instances walk;
    r2r_instance instance;
    uint32_t count = 0;
    if (t->image->instances.buckets == 0)
        return ECMA_OK;
    r2r_instances_walk(&walk, t->image);
    while (r2r_instances_next(&walk, &instance))
        count++;
    if (walk.failed)
        return ECMA_BAD_FILE;
    if (!(t->instances = arena_alloc_array(a, count + 1u, sizeof *t->instances)))
        return ECMA_NO_MEMORY;
    r2r_instances_walk(&walk, t->image);
    while (r2r_instances_next(&walk, &instance))
        if (is_own(&instance) && instance.row <= dropped->count && !r2r_rows_have(dropped, instance.row))
            t->instances[t->instance_count++] = instance;
    uint64_t content = (uint64_t)t->instance_count * (1u + LONG_DISTANCE);
    uint64_t offsets = t->image->instances.buckets + 1ull;
    t->instance_width = width_for(offsets, content);
    uint64_t size = TABLE_HEAD + offsets * t->instance_width + content;
    if (size > INT32_MAX)
        return ECMA_BAD_FILE;
    t->instance_bytes = (uint32_t)size;
    return ECMA_OK;
}

void r2r_tables_write_instances(const r2r_tables *t, uint32_t rva, uint8_t *out) {
    uint32_t buckets = t->image->instances.buckets, done = 0, shift = 0;
    while (1u << shift < buckets)
        shift++;
    *out = (uint8_t)(shift << 2 | width_bits(t->instance_width));
    uint8_t *base = out + TABLE_HEAD, *to = base + (buckets + 1) * t->instance_width;
    for (uint32_t bucket = 0; bucket <= buckets; bucket++) {
        put_offset(base + bucket * t->instance_width, (uint32_t)(to - base), t->instance_width);
        for (; done < t->instance_count && t->instances[done].place.bucket == bucket; done++) {
            const nf_entry *e = &t->instances[done].place;
            *to++ = e->low_hash;
            /* Counted from where it stands, and negative, for which there is one form (native_format.c). */
            to = put_number(to, e->rva - (rva + (uint32_t)(to - out)), LONG_DISTANCE);
        }
    }
}

ecma_status r2r_tables_plan(r2r_tables *t, const r2r_image *image, const r2r_rows *dropped, arena *a) {
    enum { NEAR = 1 << 26 }; /* with what is added, within 28 bits */
    bool near = image->image->size_of_image < NEAR && image->image->file.size < NEAR;
    *t = (r2r_tables){.image = image, .distance_bytes = near ? SHORT_DISTANCE : LONG_DISTANCE};
    ecma_status status = plan_methods(t, dropped, a);
    return status ? status : plan_instances(t, dropped, a);
}
