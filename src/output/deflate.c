/* Names are words that come again. So bytes are looked for at the one place where the first of them stood last, and
 * what has been found is not looked at again. */
#include "output/deflate.h"

#include <stdlib.h>

enum {
    LITERALS = 256,
    END = LITERALS,
    SYMBOLS = 286, /* of literals and lengths */
    DISTANCES = 30,
    LEAST = 6,     /* bytes of a match: shorter ones take longer than their literals */
    MOST = 257,    /* one less than the format has: its last length has a symbol that breaks the rule */
    FAR = 1 << 15, /* the window */
    LONGEST = 14,  /* of a code: four of them, and seven bits that are left, are 64 bits */
    LENGTH_CODES = 19,
    LONGEST_LENGTH_CODE = 7,
    BLOCK_RUNS = 8192,
    MOST_HEAD = 1024,    /* bytes: 316 sizes of 7 bits, and what a flush writes too much */
    BLOCK_BYTES = 60000, /* so that counts and literals of a run are 16 bits */
};

/* Literals, then a match. */
typedef struct run {
    uint16_t literals;
    uint16_t length; /* 0: none, at the end of a block */
    uint16_t behind; /* the distance less 1 */
    uint16_t symbol; /* of the distance */
} run;

/* A symbol's code, as it is written: the first bit is the lowest. */
typedef struct code {
    uint16_t bits;
    uint8_t size;
    uint8_t more; /* bits that follow, of a distance */
} code;

typedef struct work {
    struct counts {
        uint32_t literals[SYMBOLS], distances[DISTANCES], lengths[MOST + 1];
    } counts;
    code literals[SYMBOLS], distances[DISTANCES];
    struct { /* with the bits that follow */
        uint32_t bits, size;
    } lengths[MOST + 1];
    uint32_t run_count;
    run runs[BLOCK_RUNS + 1];
    unsigned shift;  /* of a hash */
    uint32_t last[]; /* by hash: where those bytes stood last */
} work;

typedef struct bit_writer {
    uint8_t *at;
    uint64_t bits;
    unsigned count;
} bit_writer;

static inline void put_bits(bit_writer *w, uint64_t bits, unsigned count) {
    w->bits |= bits << w->count;
    w->count += count;
}

static inline void put_code(bit_writer *w, code c) {
    put_bits(w, c.bits, c.size);
}

/* Leaves at most seven bits. */
static inline void flush(bit_writer *w) {
    store_u64(w->at, w->bits);
    w->at += w->count >> 3;
    w->bits >>= w->count & 0x38;
    w->count &= 7;
}

/* ---- Symbols of lengths and distances ---- */

static inline unsigned high_bit(uint32_t value) {
    return 31 - (unsigned)__builtin_clz(value);
}

/* How many bits follow a length's symbol; four symbols have one number, and of distances two. */
static inline unsigned length_bits(uint32_t length) {
    return high_bit((length - 3) | 4) - 2;
}
static inline unsigned length_symbol(uint32_t length) {
    return LITERALS + 1 + 4 * length_bits(length) + ((length - 3) >> length_bits(length));
}
static inline unsigned distance_symbol(uint32_t behind) {
    const unsigned bits = high_bit(behind | 2) - 1;
    return 2 * bits + (behind >> bits);
}
static inline uint8_t distance_bits(unsigned symbol) {
    return (uint8_t)(symbol < 4 ? 0 : symbol / 2 - 1);
}

/* ---- Codes ---- */

/* The depths of a Huffman tree, for counts in rising order: two are joined until one is left (Moffat and Katajainen, in
 * place: first parents, then depths, each in the place of what is no longer needed). */
static void tree_depths(uint32_t *a, uint32_t n) {
    uint32_t leaf = 0, root = 0;
    for (uint32_t next = 0; next + 1 < n; next++) {
        uint32_t sum = 0;
        for (int child = 0; child < 2; child++)
            if (leaf >= n || (root < next && a[root] < a[leaf])) {
                sum += a[root];
                a[root++] = next;
            } else {
                sum += a[leaf++];
            }
        a[next] = sum;
    }
    a[n - 2] = 0;
    for (uint32_t i = n - 2; i-- > 0;)
        a[i] = a[a[i]] + 1;
    uint32_t inner = n - 1, place = n, depth = 0;
    for (uint32_t room = 1; room > 0; depth++) {
        uint32_t used = 0;
        for (; inner > 0 && a[inner - 1] == depth; inner--)
            used++;
        for (uint32_t left = room - used; left > 0; left--)
            a[--place] = depth;
        room = 2 * used;
    }
}

/* In rising order, by Shell's method. */
static void sort(uint32_t *a, uint32_t n) {
    static const uint8_t gaps[] = {57, 23, 10, 4, 1};
    for (uint32_t g = 0; g < sizeof gaps; g++)
        for (uint32_t gap = gaps[g], i = gap; i < n; i++) {
            const uint32_t moved = a[i];
            uint32_t at = i;
            for (; at >= gap && a[at - gap] > moved; at -= gap)
                a[at] = a[at - gap];
            a[at] = moved;
        }
}

enum { SYMBOL_BITS = 9, SYMBOL_MASK = (1 << SYMBOL_BITS) - 1 };

static uint16_t reversed(uint32_t bits, unsigned size) {
    bits = (bits & 0x5555) << 1 | (bits >> 1 & 0x5555);
    bits = (bits & 0x3333) << 2 | (bits >> 2 & 0x3333);
    bits = (bits & 0x0F0F) << 4 | (bits >> 4 & 0x0F0F);
    return (uint16_t)(((bits & 0xFF) << 8 | bits >> 8) >> (16 - size));
}

/* At least 1. */
static uint32_t halved_count(uint32_t count, uint32_t times) {
    return count >> times ? count >> times : 1;
}

/* Gives the symbols that are counted codes of at most `longest` bits: where a tree is deeper, counts are halved. */
static void make_codes(code *codes, const uint32_t *counts, uint32_t symbols, uint32_t longest) {
    uint32_t order[SYMBOLS], depths[SYMBOLS], n = 0;
    for (uint32_t s = 0; s < symbols; s++) {
        codes[s] = (code){0};
        if (counts[s])
            order[n++] = counts[s] << SYMBOL_BITS | s;
    }
    if (n < 2) { /* a code has one bit at least */
        codes[n ? order[0] & SYMBOL_MASK : 0].size = 1;
        return;
    }
    sort(order, n);
    uint32_t halved = 0;
    do {
        for (uint32_t i = 0; i < n; i++)
            depths[i] = halved_count(order[i] >> SYMBOL_BITS, halved);
        halved++;
        tree_depths(depths, n);
    } while (depths[0] > longest);
    uint16_t next[LONGEST + 2] = {0};
    for (uint32_t i = 0; i < n; i++) {
        codes[order[i] & SYMBOL_MASK].size = (uint8_t)depths[i];
        next[depths[i] + 1]++;
    }
    for (uint32_t size = 1; size <= longest; size++)
        next[size] = (uint16_t)((next[size - 1] + next[size]) * 2);
    for (uint32_t s = 0; s < symbols; s++)
        if (codes[s].size)
            codes[s].bits = reversed(next[codes[s].size]++, codes[s].size);
}

/* ---- A block ---- */

enum { FEW_ZEROS = 17, ZEROS = 18 };

/* The sizes of all codes, runs of zeros in one. Returns how many items; each is a symbol and, above it, its bits. */
static uint32_t list_sizes(uint16_t *items, const work *w) {
    uint32_t count = 0, zeros = 0;
    for (uint32_t s = 0; s <= SYMBOLS + DISTANCES; s++) {
        const uint32_t size = s < SYMBOLS               ? w->literals[s].size
                              : s < SYMBOLS + DISTANCES ? w->distances[s - SYMBOLS].size
                                                        : 1;
        if (size == 0 && zeros < 138) {
            zeros++;
            continue;
        }
        if (zeros >= 11)
            items[count++] = (uint16_t)(ZEROS | (zeros - 11) << 8);
        else if (zeros >= 3)
            items[count++] = (uint16_t)(FEW_ZEROS | (zeros - 3) << 8);
        else
            while (zeros-- > 0)
                items[count++] = 0;
        zeros = size == 0;
        if (size && s < SYMBOLS + DISTANCES)
            items[count++] = (uint16_t)size;
    }
    return count;
}

static void put_head(bit_writer *out, const work *w, bool last) {
    static const uint8_t order[LENGTH_CODES] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    uint16_t items[SYMBOLS + DISTANCES];
    uint32_t counts[LENGTH_CODES] = {0}, count = list_sizes(items, w);
    code codes[LENGTH_CODES];
    for (uint32_t i = 0; i < count; i++)
        counts[items[i] & 0xFF]++;
    make_codes(codes, counts, LENGTH_CODES, LONGEST_LENGTH_CODE);
    put_bits(out, last | 2u << 1, 3);
    put_bits(out, SYMBOLS - 257, 5);
    put_bits(out, DISTANCES - 1, 5);
    put_bits(out, LENGTH_CODES - 4, 4);
    flush(out);
    for (uint32_t i = 0; i < LENGTH_CODES; i++) {
        put_bits(out, codes[order[i]].size, 3);
        flush(out);
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t symbol = items[i] & 0xFF;
        put_code(out, codes[symbol]);
        put_bits(out, items[i] >> 8, symbol == ZEROS ? 7 : symbol == FEW_ZEROS ? 3 : 0);
        flush(out);
    }
}

/* The codes for what a block's runs have. */
static void choose_codes(work *w) {
    w->counts.literals[END] = 1;
    for (uint32_t length = LEAST; length <= MOST; length++)
        w->counts.literals[length_symbol(length)] += w->counts.lengths[length];
    make_codes(w->literals, w->counts.literals, SYMBOLS, LONGEST);
    make_codes(w->distances, w->counts.distances, DISTANCES, LONGEST);
    for (uint32_t length = LEAST; length <= MOST; length++) {
        const code c = w->literals[length_symbol(length)];
        const uint32_t bits = length_bits(length), more = (length - 3) & ((1u << bits) - 1);
        w->lengths[length].bits = c.bits | more << c.size;
        w->lengths[length].size = c.size + bits;
    }
    for (unsigned s = 0; s < DISTANCES; s++)
        w->distances[s].more = distance_bits(s);
}

static void put_runs(bit_writer *out, const work *w, const uint8_t *data) {
    const code *const literals = w->literals;
    bit_writer o = *out;
    for (const run *r = w->runs, *last = r + w->run_count; r < last; r++) {
        const uint8_t *const end = data + r->literals;
        for (; end - data >= 4; data += 4) {
            put_code(&o, literals[data[0]]);
            put_code(&o, literals[data[1]]);
            put_code(&o, literals[data[2]]);
            put_code(&o, literals[data[3]]);
            flush(&o);
        }
        for (; data < end; data++)
            put_code(&o, literals[*data]);
        flush(&o);
        if (r->length == 0)
            break;
        const code distance = w->distances[r->symbol];
        put_bits(&o, w->lengths[r->length].bits, w->lengths[r->length].size);
        put_code(&o, distance);
        put_bits(&o, r->behind & ((1u << distance.more) - 1), distance.more);
        flush(&o);
        data += r->length;
    }
    put_code(&o, literals[END]);
    flush(&o);
    *out = o;
}

/* ---- Matches ---- */

/* How many bytes are the same at both places, `end` after the last that may be. */
static inline uint32_t match_length(const uint8_t *p, const uint8_t *seen, const uint8_t *end) {
    const uint8_t *start = p;
    for (; end - p >= 8; p += 8, seen += 8) {
        const uint64_t differs = load_u64(p) ^ load_u64(seen);
        if (differs)
            return (uint32_t)(p - start) + ((uint32_t)__builtin_ctzll(differs) >> 3);
    }
    for (; p < end && *p == *seen; p++)
        seen++;
    return (uint32_t)(p - start);
}

/* Parts the data from `at` on into the runs of a block. Returns where it ends. */
static size_t find_runs(work *w, bytes all, size_t at) {
    const uint64_t SPREAD = 0x9E3779B97F4A7C15u; /* 2^64 by the golden ratio */
    enum { IGNORED = 64 - 8 * LEAST };           /* of the bits that are loaded */
    const size_t left = all.size - at;
    const uint8_t *const data = all.data, *const end = data + all.size,
                         *const stop = left > BLOCK_BYTES ? data + at + BLOCK_BYTES : end,
                         *const last = end - stop >= 8 ? stop
                                       : left >= 8     ? end - 7
                                                       : data + at;
    const uint8_t *p = data + at, *literals = p;
    const unsigned shift = w->shift;
    run *r = w->runs;
    memset(&w->counts, 0, sizeof w->counts);
    while (p < last && r < w->runs + BLOCK_RUNS) {
        const uint64_t here = load_u64(p);
        uint32_t *const slot = &w->last[(here << IGNORED) * SPREAD >> shift];
        const uint32_t place = (uint32_t)(p - data), before = *slot, behind = place - before - 1;
        *slot = place;
        if ((here ^ load_u64(data + before)) << IGNORED || behind >= FAR) {
            w->counts.literals[*p++]++;
            continue;
        }
        const uint32_t length = LEAST + match_length(p + LEAST, data + before + LEAST, end - p > MOST ? p + MOST : end);
        const unsigned symbol = distance_symbol(behind);
        *r++ = (run){(uint16_t)(p - literals), (uint16_t)length, (uint16_t)behind, (uint16_t)symbol};
        w->counts.lengths[length]++;
        w->counts.distances[symbol]++;
        literals = p += length;
    }
    for (; r < w->runs + BLOCK_RUNS && p < stop; p++)
        w->counts.literals[*p]++;
    if (literals < p)
        *r++ = (run){.literals = (uint16_t)(p - literals)};
    w->run_count = (uint32_t)(r - w->runs);
    return (size_t)(p - data);
}

void deflate_append(buffer *to, bytes data) {
    enum { FEWEST_PLACES = 8, MOST_PLACES = 14, HASH_BITS = 64 };
    unsigned places = FEWEST_PLACES;
    while (places < MOST_PLACES && data.size >> (places + 2))
        places++;
    work *w = malloc(sizeof *w + (sizeof *w->last << places));
    to->failed |= w == NULL;
    if (!w)
        return;
    memset(w->last, 0, sizeof *w->last << places);
    w->shift = HASH_BITS - places;
    bit_writer out = {0};
    for (size_t at = 0, end; at < data.size; at = end) {
        end = find_runs(w, data, at);
        choose_codes(w);
        /* No literal has more than two bytes, and no match more than six. */
        if (!buffer_reserve(to, 2 * (end - at) + MOST_HEAD))
            break;
        out.at = to->data + to->size;
        put_head(&out, w, end == data.size);
        put_runs(&out, w, data.data + at);
        to->size = (size_t)(out.at - to->data);
    }
    if (out.count)
        buffer_u8(to, (uint8_t)out.bits);
    free(w);
}
