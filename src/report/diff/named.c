/* Methods by their names. */
#include "report/diff/diff.h"
#include "util/hash.h"

uint64_t diff_hash_of(bytes assembly, bytes name) {
    return hash_bytes(hash_bytes(HASH_START, assembly) * 31, name);
}

uint32_t diff_first_named(const diff *d, uint32_t at, bytes assembly, bytes name) {
    while (at != MAP_NONE &&
           (!bytes_equal(d->functions[at].name, name) || !bytes_equal(d->functions[at].assembly, assembly)))
        at = d->functions[at].next_alike;
    return at;
}
