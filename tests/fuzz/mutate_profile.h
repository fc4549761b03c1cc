/* mutate_profile.h - a mutator that knows a profile's sections and their variable-length numbers
 * (docs/profile-format.md). The caller sets the CRCs right. */
#ifndef TESTS_FUZZ_MUTATE_PROFILE_H
#define TESTS_FUZZ_MUTATE_PROFILE_H

#include "mutate.h"

enum { PROFILE_HEAD = 16, SECTION_HEAD = 16, SECTIONS_SEEN = 128, SECTION_SIZE_AT = 8 };

typedef struct profile_section {
    size_t at, size; /* of the payload, after its head */
} profile_section;

static inline uint32_t profile_sections(profile_section *list, const uint8_t *data, size_t size) {
    uint32_t count = 0;
    for (size_t at = PROFILE_HEAD; count < SECTIONS_SEEN && at <= size && size - at >= SECTION_HEAD;) {
        uint64_t payload = load_u64(data + at + SECTION_SIZE_AT);
        if (payload > size - at - SECTION_HEAD)
            break;
        list[count++] = (profile_section){at + SECTION_HEAD, (size_t)payload};
        at += SECTION_HEAD + (size_t)payload;
    }
    return count;
}

/* The bytes of the number at `at`, which has seven bits in each. */
static inline size_t varuint_bytes(const uint8_t *data, size_t at, size_t end) {
    size_t bytes = 1;
    while (at + bytes < end && data[at + bytes - 1] & 0x80 && bytes < 10)
        bytes++;
    return bytes;
}

static inline size_t put_varuint(uint8_t *out, uint64_t value) {
    size_t bytes = 0;
    for (; value >= 0x80; value >>= 7)
        out[bytes++] = (uint8_t)(value | 0x80);
    out[bytes++] = (uint8_t)value;
    return bytes;
}

/* Replaces part of a payload; its size then says so. */
static inline size_t replace_in(uint8_t *data, size_t size, size_t most, const profile_section *s, size_t at,
                                size_t old, const uint8_t *with, size_t count) {
    size_t now = mutate_splice(data, size, most, at, old, with, count);
    if (now != size || old == count)
        store_u64(data + s->at - SECTION_HEAD + SECTION_SIZE_AT, s->size - old + count);
    return now;
}

static inline size_t profile_mutate(uint8_t *data, size_t size, size_t most, uint64_t *random) {
    static const char kinds[][5] = {"RUN ", "MODS", "THRD", "SPAN", "WAIT", "BYTE", "OBJS", "HIST", "TIME", "EXCP",
                                    "ASYN", "SLIC", "RUNS", "TREE", "COST", "SITE", "SWCH", "CALL", "END ", "NONE"};
    static const uint64_t edges[] = {0, 1, 2, 0x7F, 0x80, 0xFFFFFFFF, 0x100000000, INT64_MAX, UINT64_MAX};
    profile_section list[SECTIONS_SEEN];
    uint32_t count = profile_sections(list, data, size);
    if (count == 0)
        return size;
    const profile_section *s = &list[mutate_below(random, count)];
    uint8_t *head = data + s->at - SECTION_HEAD, copy[1024];
    size_t whole = s->size + SECTION_HEAD, at = s->at + mutate_below(random, (uint32_t)s->size);
    uint32_t way = mutate_below(random, 12);
    if (way == 0) { /* the file's head */
        mutate_field(data, size, mutate_below(random, PROFILE_HEAD), 1u << mutate_below(random, 3), random);
    } else if (way == 1) {
        memcpy(head, kinds[mutate_below(random, sizeof kinds / sizeof kinds[0])], 4);
    } else if (way == 2) {
        mutate_field(data, size, s->at - SECTION_HEAD + SECTION_SIZE_AT, 4, random);
    } else if (way <= 4 && whole <= sizeof copy) { /* the section twice, elsewhere, or not at all */
        size_t to = list[mutate_below(random, count)].at - SECTION_HEAD;
        memcpy(copy, head, whole);
        if (mutate_below(random, 3) == 0)
            return mutate_splice(data, size, most, s->at - SECTION_HEAD, whole, copy, 0);
        return mutate_splice(data, size, most, to, 0, copy, whole);
    } else if (way <= 8 && s->size) { /* a number becomes another, of any length */
        uint64_t value = 0;
        size_t bytes = varuint_bytes(data, at, s->at + s->size);
        for (size_t i = bytes; i-- > 0;)
            value = value << 7 | (data[at + i] & 0x7F);
        uint32_t change = mutate_below(random, 3);
        value = change == 0   ? value + 1
                : change == 1 ? value - 1
                              : edges[mutate_below(random, sizeof edges / sizeof edges[0])];
        return replace_in(data, size, most, s, at, bytes, copy, put_varuint(copy, value));
    } else if (way == 9 && s->size) { /* a number more, or one less */
        size_t bytes = varuint_bytes(data, at, s->at + s->size);
        memcpy(copy, data + at, bytes);
        bool more = mutate_below(random, 2);
        return replace_in(data, size, most, s, at, more ? 0 : bytes, copy, more ? bytes : 0);
    } else if (s->size) {
        mutate_field(data, s->at + s->size, at, 1, random);
    }
    return size;
}

#endif
