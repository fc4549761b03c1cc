#include "output/mvid.h"

#include "ilinject.h"
#include "output/wide_hash.h"

#include <xxhash.h>

typedef struct hasher {
    uint64_t value;
    bool wide; /* wide_hash_pays for much */
} hasher;

/* Takes something into a hash; the order counts. */
static void take_in(hasher *h, const void *data, size_t size) {
    h->value = h->wide && size > WIDE_HASH_FEW ? wide_hash_64(data, size, h->value)
                                               : XXH3_64bits_withSeed(data, size, h->value);
}

static void hash_file(uint64_t hash[2], bytes file, uint64_t seed, bool wide) {
    if (wide) {
        wide_hash_128(hash, file.data, file.size, seed);
        return;
    }
    XXH128_hash_t found = XXH3_128bits_withSeed(file.data, file.size, seed);
    hash[0] = found.low64;
    hash[1] = found.high64;
}

static void take_in_buffer(hasher *h, const buffer *b) {
    take_in(h, b->data, b->size);
}

void mvid_make(uint8_t mvid[16], const mvid_source *from) {
    hasher seed = {.wide = wide_hash_pays(from->file.size)};
    take_in(&seed, ILJ_VERSION, sizeof ILJ_VERSION);
    for (unsigned t = 0; t < MD_TABLE_SPACE; t++)
        take_in_buffer(&seed, &from->edit->rows[t]);
    take_in_buffer(&seed, &from->edit->strings);
    take_in_buffer(&seed, &from->edit->user_strings);
    take_in_buffer(&seed, &from->edit->blobs);
    take_in(&seed, from->new_bodies.data, from->new_bodies.size);
    take_in(&seed, from->methods.data, from->methods.size);
    take_in(&seed, &from->fate, sizeof from->fate);
    if (from->pdb_id.size)
        take_in(&seed, from->pdb_id.data, from->pdb_id.size);
    uint64_t hash[2];
    hash_file(hash, from->file, seed.value, seed.wide);
    store_u64(mvid, hash[0]);
    store_u64(mvid + 8, hash[1]);
    /* Version 8 of RFC 9562: a value of the maker's own making. */
    mvid[7] = (uint8_t)((mvid[7] & 0x0F) | 0x80);
    mvid[8] = (uint8_t)((mvid[8] & 0x3F) | 0x80);
}
