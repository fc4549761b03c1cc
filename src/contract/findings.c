/* The outcome of a check as findings for forges: what parts, and what changed by itself. What follows from these is
 * only counted, so that one change is one finding. */
#include <stdlib.h>

#include "contract/judge.h"
#include "report/print/format.h"
#include "util/text_keep.h"

/* "Shop.Cart.Add(int): calls made 5 -> 6 (+1); it calls Shop.Item.Load(int): calls 5 -> 6 (+1)" */
static void append_finding(buffer *b, const judgement *j, const change *c, buffer *scratch) {
    const contract_edge *shown[EDGES_SHOWN];
    uint32_t count = change_edges(j, c, shown), follow = j->kinds[CHANGE_FOLLOWS];
    contract_name(b, c->entry);
    buffer_string(b, ": ");
    change_words(b, j, c);
    for (uint32_t i = 0; i < count && i < EDGES_SHOWN; i++) {
        bool callee = c->kind == CHANGE_PARTS;
        uint32_t of = callee ? shown[i]->callee : shown[i]->caller;
        contract_name(scratch, &j->after->entries[of]);
        buffer_string(b, callee ? "; it calls " : "; it is called by ");
        buffer_append(b, scratch->data, scratch->size);
        buffer_string(b, callee ? ": " : "");
        if (callee && j->changes[of])
            change_words(b, j, &j->list[j->changes[of] - 1]);
    }
    if (count > EDGES_SHOWN)
        buffer_printf(b, "; and %s more", format_count(count - EDGES_SHOWN).text);
    if (follow && j->count == follow + 1)
        buffer_printf(b, "; %s more changed with it", format_count(follow).text);
}

/* The text of the buffer in the arena. */
static bool keep(arena *a, buffer *b, bytes *text) {
    *text = buffer_bytes(b);
    return !b->failed && text_keep(a, text);
}

/* A method that is gone has no place: one of its type has. */
static const contract_entry *place_of(const judgement *j, const change *c) {
    const contract_entry *e = c->entry;
    for (uint32_t i = 0; i < j->after->count && !e->line && !e->is_type; i++) {
        const contract_entry *other = &j->after->entries[i];
        if (other->line && bytes_equal(other->type, c->entry->type) && bytes_equal(other->assembly, c->entry->assembly))
            e = other;
    }
    return e;
}

bool check_findings(printer *out, judgement *j) {
    findings f = {.root = j->options->root};
    uint32_t count = j->kinds[CHANGE_PARTS] + j->kinds[CHANGE_OWN];
    finding *list = calloc((size_t)count + 1, sizeof *list);
    arena memory = ARENA_INIT;
    buffer b = BUFFER_INIT, scratch = BUFFER_INIT;
    bool done = list != NULL;
    count = count ? count : j->count > 0; /* something has to be said */
    for (uint32_t i = 0; i < count && done; i++) {
        const change *c = &j->list[i];
        const contract_entry *place = place_of(j, c);
        list[i] = (finding){.code = DIAG_BASELINE_CHANGED, .path = place->path, .line = place->line};
        contract_name(&b, c->entry);
        done = keep(&memory, &b, &list[i].name);
        append_finding(&b, j, c, &scratch);
        done = done && keep(&memory, &b, &list[i].text);
    }
    f.list = list;
    f.count = count;
    if (done && j->options->format == ILJ_CHECK_SARIF)
        findings_sarif(out, &f);
    else if (done && j->options->format == ILJ_CHECK_GITHUB)
        findings_github(out, &f);
    else if (done)
        findings_gitlab(out, &f);
    free(list);
    arena_clear(&memory);
    buffer_clear(&b);
    buffer_clear(&scratch);
    return done && !scratch.failed;
}
