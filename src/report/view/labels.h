/* labels.h - the labels of all profiles of a report. */
#ifndef ILINJECT_REPORT_VIEW_LABELS_H
#define ILINJECT_REPORT_VIEW_LABELS_H

#include "report/model/model.h"

/* By name, values by their bytes. The texts are the profiles'. */
typedef struct view_labels {
    profile_label *list;
    uint32_t count;
    bool more; /* there are further ones */
} view_labels;

/* False when memory ran out; view_labels_clear all the same. */
bool view_labels_make(view_labels *l, const report *r);
void view_labels_clear(view_labels *l);

/* A label that runs have without being given one: `version` and `commit` of the program. */
bool view_label_is_own(const profile_label *l);

/* Appends the labels of one profile as a JSON object, a list of values each. */
void view_labels_json(buffer *b, const profile *p);

/* Appends the text as a JSON string. */
void view_json_text(buffer *b, bytes text);

#endif
