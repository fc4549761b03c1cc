#include "report/merge/facts.h"

#include <stdlib.h>

#include "util/list.h"

/* ---- Texts ------------------------------------------------------------------------------------------------------ */

bool merge_copy(bytes *copy, bytes text) {
    uint8_t *data = malloc(text.size + 1);
    if (!data)
        return false;
    if (text.size)
        memcpy(data, text.data, text.size);
    *copy = (bytes){data, text.size};
    return true;
}

void merge_drop(bytes text) {
    free((void *)(uintptr_t)text.data);
}

void merge_string(buffer *b, bytes text) {
    buffer_varuint(b, text.size);
    buffer_append(b, text.data, text.size);
}

/* ---- Facts ------------------------------------------------------------------------------------------------------ */

bool merge_facts_add(merge_facts *f, bytes value, uint64_t runs) {
    uint32_t at = f->count;
    int order = 1;
    while (at > 0 && (order = bytes_compare(f->list[at - 1].value, value)) > 0)
        at--;
    if (order == 0) {
        f->list[at - 1].runs = profile_add(f->list[at - 1].runs, runs);
        return true;
    }
    if (at == MERGE_LISTED) {
        f->others = profile_add(f->others, runs);
        return true;
    }
    bytes copy;
    if (!list_grow((void **)&f->list, f->count, &f->capacity, sizeof *f->list) || !merge_copy(&copy, value))
        return false;
    if (f->count == MERGE_LISTED) {
        const profile_fact *last = &f->list[--f->count];
        f->others = profile_add(f->others, last->runs);
        merge_drop(last->value);
    }
    memmove(&f->list[at + 1], &f->list[at], (f->count - at) * sizeof *f->list);
    f->list[at] = (profile_fact){copy, runs};
    f->count++;
    return true;
}

bool merge_facts_join(merge_facts *f, const profile_facts *more) {
    bool done = true;
    for (uint32_t i = 0; i < more->count && done; i++)
        done = merge_facts_add(f, more->values[i].value, more->values[i].runs);
    f->others = profile_add(f->others, more->others);
    return done;
}

void merge_facts_put(buffer *b, const merge_facts *f) {
    buffer_varuint(b, f->count);
    for (uint32_t i = 0; i < f->count; i++) {
        merge_string(b, f->list[i].value);
        buffer_varuint(b, f->list[i].runs);
    }
    buffer_varuint(b, f->others);
}

void merge_facts_clear(merge_facts *f) {
    for (uint32_t i = 0; i < f->count; i++)
        merge_drop(f->list[i].value);
    free(f->list);
    *f = (merge_facts){0};
}

/* ---- Labels ----------------------------------------------------------------------------------------------------- */

static void drop_last(merge_labels *l) {
    struct merge_label *last = &l->list[--l->count];
    merge_drop(last->name);
    merge_facts_clear(&last->of);
    l->more = true;
}

/* The label of this name, made if it is new; NULL: memory ran out, or (*listed false) there is no room for it. */
static merge_facts *label_of(merge_labels *l, bytes name, bool *listed) {
    uint32_t at = l->count;
    int order = 1;
    while (at > 0 && (order = bytes_compare(l->list[at - 1].name, name)) > 0)
        at--;
    if (order == 0)
        return &l->list[at - 1].of;
    *listed = at < MERGE_LISTED;
    bytes copy;
    if (!*listed || !list_grow((void **)&l->list, l->count, &l->capacity, sizeof *l->list) || !merge_copy(&copy, name))
        return NULL;
    if (l->count == MERGE_LISTED)
        drop_last(l);
    memmove(&l->list[at + 1], &l->list[at], (l->count - at) * sizeof *l->list);
    l->list[at] = (struct merge_label){copy, {0}};
    l->count++;
    return &l->list[at].of;
}

bool merge_labels_add(merge_labels *l, const profile *p) {
    l->more |= p->labels_more;
    for (uint32_t i = 0; i < p->label_count; i++) {
        bool listed = true;
        merge_facts *of = label_of(l, p->labels[i].name, &listed);
        l->more |= !listed;
        if (listed && (!of || !merge_facts_join(of, &p->labels[i].of)))
            return false;
    }
    return true;
}

void merge_labels_put(buffer *b, const merge_labels *l) {
    if (l->count == 0)
        return;
    buffer_varuint(b, l->more);
    buffer_varuint(b, l->count);
    for (uint32_t i = 0; i < l->count; i++) {
        merge_string(b, l->list[i].name);
        merge_facts_put(b, &l->list[i].of);
    }
}

void merge_labels_clear(merge_labels *l) {
    for (uint32_t i = 0; i < l->count; i++) {
        merge_drop(l->list[i].name);
        merge_facts_clear(&l->list[i].of);
    }
    free(l->list);
    *l = (merge_labels){0};
}
