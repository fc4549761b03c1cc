/* row_ids.h - ids of rows, the same on every host: FNV-1a of 64 bits (docs/fleet/rows.md).
 *
 * Texts are UTF-8 with a zero byte after each, numbers eight bytes, the least significant one first. An id is never 0.
 */
#ifndef ILINJECT_REPORT_EXPORT_ROW_IDS_H
#define ILINJECT_REPORT_EXPORT_ROW_IDS_H

#include "base/bytes.h"
#include "profile/profile.h"
#include "util/hash.h"

static inline uint64_t row_hash_text(uint64_t hash, bytes text) {
    return hash_byte(hash_bytes(hash, text), 0);
}

static inline uint64_t row_hash_number(uint64_t hash, uint64_t number) {
    for (int i = 0; i < 8; i++)
        hash = hash_byte(hash, (uint8_t)(number >> 8 * i));
    return hash;
}

static inline uint64_t row_id(uint64_t hash) {
    return hash ? hash : 1;
}

static inline uint64_t row_method_id(bytes assembly, bytes name) {
    return row_id(row_hash_text(row_hash_text(HASH_START, assembly), name));
}

/* `parent`: the id of the path without its last method; 0: none. */
static inline uint64_t row_path_id(uint64_t parent, uint64_t method) {
    return row_id(row_hash_number(row_hash_number(HASH_START, parent), method));
}

static inline uint64_t row_one_run_id(const profile_run *run) {
    uint64_t hash = row_hash_text(HASH_START, run->id);
    if (run->id.size > 0)
        return row_id(hash);
    hash = row_hash_text(row_hash_text(hash, run->host), run->name);
    return row_id(row_hash_number(row_hash_number(hash, run->pid), run->start_ns));
}

/* Of a profile: of its run, or of all that were merged. */
static inline uint64_t row_run_id(const profile *p) {
    if (!p->run.merged)
        return row_one_run_id(&p->run);
    uint64_t hash = row_hash_number(HASH_START, p->run.merged);
    hash = row_hash_number(row_hash_number(hash, p->run.start_ns), p->run.end_ns);
    hash = row_hash_number(hash, p->run.wall_ticks);
    for (uint32_t i = 0; i < p->runs.count; i++)
        hash = row_hash_number(hash, row_one_run_id(&p->runs.listed[i]));
    return row_id(hash);
}

#endif
