/* facts.h - in how many runs a fact or a label has a value, the first values by their bytes.
 *
 * A list is bounded by keeping what comes first in a total order: what falls out of a part's list would have fallen out
 * of the whole's, so the order of runs does not matter. */
#ifndef ILINJECT_REPORT_MERGE_FACTS_H
#define ILINJECT_REPORT_MERGE_FACTS_H

#include "base/buffer.h"
#include "profile/profile.h"

enum { MERGE_LISTED = 100 }; /* runs, values of a fact, labels, threads' names */

typedef struct merge_facts {
    profile_fact *list; /* owned, as its values are */
    uint32_t count, capacity;
    uint64_t others; /* runs with other values */
} merge_facts;

/* False when memory ran out, as below. */
bool merge_facts_add(merge_facts *f, bytes value, uint64_t runs);

/* Adds those of a merged profile. */
bool merge_facts_join(merge_facts *f, const profile_facts *more);
void merge_facts_put(buffer *b, const merge_facts *f);
void merge_facts_clear(merge_facts *f);

/* Labels by name, the first MERGE_LISTED. */
typedef struct merge_labels {
    struct merge_label {
        bytes name; /* owned */
        merge_facts of;
    } * list;
    uint32_t count, capacity;
    bool more; /* there are further ones */
} merge_labels;

bool merge_labels_add(merge_labels *l, const profile *p);

/* The payload of LABL; it stays empty when there are none. */
void merge_labels_put(buffer *b, const merge_labels *l);
void merge_labels_clear(merge_labels *l);

/* A copy of a text, malloc's; false when memory ran out. */
bool merge_copy(bytes *copy, bytes text);
void merge_drop(bytes text);
/* `str`. */
void merge_string(buffer *b, bytes text);

#endif
