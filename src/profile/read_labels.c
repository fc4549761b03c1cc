#include "profile/names.h"
#include "profile/parse.h"

/* Section LABL, and the labels that a run has by itself. */

enum { MIN_LABEL_BYTES = 3, LABELS_MORE = 1 };

ecma_status parse_labels(parser *p) {
    profile *out = p->out;
    uint64_t flags = parse_number(p, "flags");
    uint32_t count = 0;
    ecma_status status =
        p->in.failed ? parse_missing(p) : parse_count(p, &count, MIN_LABEL_BYTES, "a number of labels");
    if (status != ECMA_OK)
        return status;
    out->labels = arena_alloc_array(&out->memory, count, sizeof *out->labels);
    if (!out->labels)
        return diag_no_memory(p->d);
    out->labels_more = flags & LABELS_MORE;
    for (; out->label_count < count; out->label_count++) {
        profile_label *made = &out->labels[out->label_count];
        size_t at = parse_offset(p);
        made->name = parse_string(p, "a label's name");
        status = p->in.failed ? parse_missing(p) : parse_facts(p, &made->of);
        if (status != ECMA_OK)
            return status;
        if (out->label_count > 0 && bytes_compare(made[-1].name, made->name) >= 0)
            return parse_damaged_at(p, at, "labels by the bytes of their names, each once");
    }
    return ECMA_OK;
}

/* Where the label stands, or would stand. */
static uint32_t place_of(const profile *p, bytes name, bool *found) {
    uint32_t low = 0, high = p->label_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (bytes_compare(p->labels[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *found = low < p->label_count && bytes_equal(p->labels[low].name, name);
    return low;
}

const profile_label *profile_label_of(const profile *p, bytes name) {
    bool found;
    uint32_t at = place_of(p, name, &found);
    return found ? &p->labels[at] : NULL;
}

/* Adds a label unless it is there. False when memory ran out. */
static bool add(profile *p, const char *label, bytes value) {
    const bytes name = bytes_of(label, strlen(label));
    bool found;
    uint32_t at = place_of(p, name, &found);
    if (found || value.size == 0)
        return true;
    profile_label *grown = arena_alloc_array(&p->memory, (size_t)p->label_count + 1, sizeof *grown);
    profile_fact *one = arena_alloc_array(&p->memory, 1, sizeof *one);
    if (!grown || !one)
        return false;
    *one = (profile_fact){value, 1};
    for (uint32_t i = 0; i < p->label_count; i++)
        grown[i + (i >= at)] = p->labels[i];
    grown[at] = (profile_label){name, {.values = one, .count = 1}};
    p->labels = grown;
    p->label_count++;
    return true;
}

/* The module of the entry assembly, by its simple name; NULL: it is not instrumented. */
static const profile_module *entry_of(const profile *p) {
    const bytes name = p->run.name;
    for (size_t i = 0; i < p->module_count && name.size > 0; i++) {
        const bytes full = p->modules[i].assembly;
        if (full.size >= name.size && memcmp(full.data, name.data, name.size) == 0 &&
            (full.size == name.size || full.data[name.size] == ','))
            return &p->modules[i];
    }
    return NULL;
}

ecma_status parse_own_labels(parser *p) {
    profile *out = p->out;
    const profile_module *entry = out->run.merged ? NULL : entry_of(out);
    const bytes release = entry ? names_release(entry->names) : (bytes){0};
    const uint8_t *plus = release.size ? memchr(release.data, '+', release.size) : NULL;
    const bytes version = {release.data, plus ? (size_t)(plus - release.data) : release.size};
    const bytes commit = {plus ? plus + 1 : NULL, plus ? release.size - version.size - 1 : 0};
    return add(out, "version", version) && add(out, "commit", commit) ? ECMA_OK : diag_no_memory(p->d);
}
