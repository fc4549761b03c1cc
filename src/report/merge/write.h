/* write.h - the parts of writing a merged profile, and what they share: ids, places in the order of the file, and
 * sections. */
#ifndef ILINJECT_REPORT_MERGE_WRITE_H
#define ILINJECT_REPORT_MERGE_WRITE_H

#include "profile/sections.h"
#include "report/merge/merge.h"

/* The ids that the methods get. */
typedef struct ids {
    const merge *m;
    const merge_module **sorted;
    uint32_t *bases;   /* of m->modules: the first id */
    uint32_t *unknown; /* ids that are no module's: no module may lie over them */
    uint32_t unknown_count, unknown_capacity;
} ids;

/* The id of a number of the merged profile. */
uint32_t merge_id_of(const ids *s, uint32_t number);

/* An item, in the order of parents, ids and, of nodes alone, the calls of which they are slices. */
typedef struct place {
    uint32_t parent, id, node;
    uint32_t slice; /* 0: of none */
} place;

int merge_by_place(const void *left, const void *right);

/* Appends a section, and empties its payload; the second one not when there is nothing in it. */
void merge_put_section(buffer *out, section_id id, buffer *payload);
void merge_put_extra(buffer *out, section_id id, buffer *payload);

/* Appends the sections of one tree. `ranked`: all types of exceptions by name; `histograms`: the payload of HIST, which
 * stands after the first tree. False when memory ran out. */
bool merge_put_tree(buffer *out, buffer *payload, const merge_tree *t, const ids *s, const uint32_t *ranked,
                    buffer *histograms);

/* Appends the payload of BYTE, OBJS, COLL or PAUS; `nodes` has the tree's in the order of the file. Nothing when no
 * node has any of it. */
void merge_put_figures(buffer *b, const merge_tree *t, const uint32_t *nodes, profile_figure kind);

#endif
