#include "pe/writer.h"

static uint64_t add(uint64_t sum, uint64_t more) {
    sum += more;
    return sum + (sum < more);
}

/* The sum of all 16-bit words with end-around carry, plus the file's length. Words are added two at a time: what
 * carries out of one comes back in at the end, since 2^16, 2^32 and 2^64 are all 1 modulo 2^16 - 1. No carry ties an
 * addition to the one before, so that a compiler does several at once: less than half of the instructions. */
void pe_sum_add(pe_sum *s, const uint8_t *part, size_t size) {
    uint64_t low = 0, high = 0; /* at most 2^32 additions of less than 2^32 each: no file is larger */
    size_t at = 0;
    for (; at + 8 <= size; at += 8) {
        uint64_t words = load_u64(part + at);
        low += words & UINT32_MAX;
        high += words >> 32;
    }
    uint64_t sum = add(add(s->sum, low), high);
    for (; at < size; at += 2)
        sum = add(sum, at + 1 < size ? load_u16(part + at) : part[at]);
    s->sum = sum;
    s->size += size;
}

uint32_t pe_sum_checksum(const pe_sum *s, uint32_t field, size_t checksum_offset) {
    uint64_t sum = s->sum;
    /* Take the field's own words out again, by adding their complement. */
    unsigned misaligned = (unsigned)(checksum_offset % 2) * 8;
    uint64_t own = (uint64_t)field << misaligned;
    while (sum >> 16)
        sum = (sum & 0xFFFF) + (sum >> 16);
    while (own >> 16)
        own = (own & 0xFFFF) + (own >> 16);
    sum += 0xFFFF - own;
    while (sum >> 16)
        sum = (sum & 0xFFFF) + (sum >> 16);
    return (uint32_t)sum + (uint32_t)s->size;
}

uint32_t pe_checksum(const uint8_t *file, size_t size, size_t checksum_offset) {
    pe_sum s = {0};
    pe_sum_add(&s, file, size);
    return pe_sum_checksum(&s, load_u32(file + checksum_offset), checksum_offset);
}
