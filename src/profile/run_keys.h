/* run_keys.h - the keys of RUN: the rows of facts/run_keys.def. */
#ifndef ILINJECT_PROFILE_RUN_KEYS_H
#define ILINJECT_PROFILE_RUN_KEYS_H

#include "profile/profile.h"

enum {
#define RUN_KEY(GROUP, key, KIND, field, MERGED, place, meaning) RUN_KEY_##key,
#include "facts/run_keys.def"
#undef RUN_KEY
    RUN_KEYS,
    /* How many of them are among the numbers of a run in RUNS. */
    RUN_PLACES = 0
#define RUN_KEY(GROUP, key, KIND, field, MERGED, place, meaning) +((place) != 0)
#include "facts/run_keys.def"
#undef RUN_KEY
};

typedef enum run_key_kind { RUN_NUMBER, RUN_TEXT, RUN_MODE, RUN_UNREAD } run_key_kind;
typedef enum run_key_merged { RUN_ALONE, RUN_SUM, RUN_TOTAL, RUN_LEAST, RUN_MOST, RUN_FACT } run_key_merged;

typedef struct run_key {
    const char *key;
    uint8_t merged;  /* run_key_merged */
    uint8_t place;   /* in RUNS, from 1; 0: none */
    uint8_t kind;    /* run_key_kind */
    uint16_t offset; /* in profile_run, of NUMBER and TEXT */
} run_key;

extern const run_key run_keys[RUN_KEYS];

/* The field of a NUMBER, and its value; the field of a TEXT. */
static inline uint64_t *run_number_at(profile_run *run, const run_key *key) {
    return (uint64_t *)(void *)((char *)run + key->offset);
}
static inline uint64_t run_number(const profile_run *run, const run_key *key) {
    return *(const uint64_t *)(const void *)((const char *)run + key->offset);
}
static inline bytes *run_text_at(profile_run *run, const run_key *key) {
    return (bytes *)(void *)((char *)run + key->offset);
}

#endif
