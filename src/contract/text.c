/* The outcome of a check as text for people. */
#include "contract/judge.h"
#include "report/print/format.h"

static void flush(printer *out, buffer *b) {
    out->no_memory |= b->failed;
    print_shown(out, buffer_bytes(b));
    b->size = 0;
}

/* "Shop.Cart.Add(int)  src/Cart.cs:12" */
static void print_entry(printer *out, const judgement *j, const contract_entry *e, buffer *b) {
    contract_name(b, e);
    flush(out, b);
    if (change_place(b, j, e)) {
        print_string(out, "  ");
        print_set_style(out, PRINT_DIM);
        flush(out, b);
        print_set_style(out, PRINT_PLAIN);
    }
}

static void print_edges(printer *out, const judgement *j, const change *c, buffer *b) {
    const contract_edge *shown[EDGES_SHOWN];
    uint32_t count = change_edges(j, c, shown);
    for (uint32_t i = 0; i < count && i < EDGES_SHOWN; i++) {
        bool callee = c->kind == CHANGE_PARTS;
        uint32_t entry = callee ? shown[i]->callee : shown[i]->caller;
        print_string(out, callee ? "    calls " : j->after->trees ? "    called by " : "    called, by its IL, by ");
        print_entry(out, j, &j->after->entries[entry], b);
        if (callee && j->changes[entry]) {
            print_string(out, ": ");
            change_words(b, j, &j->list[j->changes[entry] - 1]);
            flush(out, b);
        }
        print_string(out, "\n");
    }
    if (count > EDGES_SHOWN)
        print_format(out, "    ... and %s more\n", format_count(count - EDGES_SHOWN).text);
}

static void print_change(printer *out, const judgement *j, const change *c, buffer *b) {
    print_string(out, "  ");
    print_set_style(out, PRINT_BOLD);
    print_entry(out, j, c->entry, b);
    print_set_style(out, PRINT_PLAIN);
    print_string(out, c->kind == CHANGE_FOLLOWS ? ": " : "\n    ");
    change_words(b, j, c);
    flush(out, b);
    print_string(out, "\n");
    if (c->kind == CHANGE_FOLLOWS)
        return;
    print_edges(out, j, c, b);
    if (change_path(b, j, c)) {
        print_string(out, "    path: ");
        flush(out, b);
        print_string(out, "\n");
    }
}

void check_text(printer *out, judgement *j) {
    static const char *const titles[CHANGE_KINDS] = {
        "Where the call trees part:", "Where counts differ first:", "What changed with these:"};
    buffer b = BUFFER_INIT;
    judgement_summary(&b, j);
    flush(out, &b);
    print_string(out, ".\n");
    for (uint32_t i = 0; i < j->count;) {
        const change_kind kind = j->list[i].kind;
        const uint32_t all = j->kinds[kind], top = j->options->top && j->options->top < all ? j->options->top : all;
        print_string(out, "\n");
        print_string(out, titles[kind]);
        print_string(out, "\n");
        for (uint32_t k = 0; k < top; k++)
            print_change(out, j, &j->list[i + k], &b);
        if (top < all)
            print_format(out, "  ... %s more; --top=0 shows all\n", format_count(all - top).text);
        i += all;
    }
    buffer_clear(&b);
}
