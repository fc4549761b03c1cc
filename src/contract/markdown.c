/* The outcome of a check as Markdown, for one comment of a pull request. Names are code: there a forge makes no mention
 * and no link of them. */
#include "contract/judge.h"
#include "report/print/format.h"

static void code(printer *out, buffer *b, bool in_cell) {
    out->no_memory |= b->failed;
    print_markdown(out, buffer_bytes(b), in_cell);
    b->size = 0;
}

static void plain(printer *out, buffer *b) {
    out->no_memory |= b->failed;
    print_shown(out, buffer_bytes(b));
    b->size = 0;
}

static void entry(printer *out, const judgement *j, const contract_entry *e, buffer *b) {
    contract_name(b, e);
    code(out, b, false);
    if (!change_place(b, j, e))
        return;
    print_string(out, " at ");
    code(out, b, false);
}

static void edges(printer *out, const judgement *j, const change *c, buffer *b) {
    const contract_edge *shown[EDGES_SHOWN];
    uint32_t count = change_edges(j, c, shown);
    for (uint32_t i = 0; i < count && i < EDGES_SHOWN; i++) {
        bool callee = c->kind == CHANGE_PARTS;
        uint32_t of = callee ? shown[i]->callee : shown[i]->caller;
        print_string(out, callee ? "  - calls " : j->after->trees ? "  - called by " : "  - called, by its IL, by ");
        entry(out, j, &j->after->entries[of], b);
        if (callee && j->changes[of]) {
            print_string(out, ": ");
            change_words(b, j, &j->list[j->changes[of] - 1]);
            plain(out, b);
        }
        print_string(out, "\n");
    }
    if (count > EDGES_SHOWN)
        print_format(out, "  - and %s more\n", format_count(count - EDGES_SHOWN).text);
}

static void listed(printer *out, const judgement *j, const change *c, buffer *b) {
    print_string(out, "- ");
    entry(out, j, c->entry, b);
    print_string(out, ": ");
    change_words(b, j, c);
    plain(out, b);
    print_string(out, "\n");
    edges(out, j, c, b);
    if (change_path(b, j, c)) {
        print_string(out, "  - path ");
        code(out, b, false);
        print_string(out, "\n");
    }
}

static void row(printer *out, const judgement *j, const change *c, buffer *b) {
    print_string(out, "| ");
    contract_name(b, c->entry);
    code(out, b, true);
    print_string(out, " | ");
    if (change_place(b, j, c->entry))
        code(out, b, true);
    print_string(out, " | ");
    change_words(b, j, c);
    plain(out, b);
    print_string(out, " |\n");
}

void check_markdown(printer *out, judgement *j) {
    static const char *const titles[CHANGE_KINDS] = {"Where the call trees part", "Where counts differ first",
                                                     "What changed with these"};
    buffer b = BUFFER_INIT;
    print_string(out, "**");
    judgement_summary(&b, j);
    plain(out, &b);
    print_string(out, ".**\n");
    for (uint32_t i = 0; i < j->count;) {
        const change_kind kind = j->list[i].kind;
        const bool table = kind == CHANGE_FOLLOWS;
        const uint32_t all = j->kinds[kind], top = j->options->top && j->options->top < all ? j->options->top : all;
        print_string(out, table ? "\n<details><summary>" : "\n#### ");
        print_string(out, titles[kind]);
        print_format(out, table ? ": %s</summary>\n\n" : "\n\n", format_count(all).text);
        print_string(out, table ? "| Method or type | Place | Change |\n|---|---|---|\n" : "");
        for (uint32_t k = 0; k < top; k++)
            (table ? row : listed)(out, j, &j->list[i + k], &b);
        if (top < all)
            print_format(out, "\n%s more are not shown.\n", format_count(all - top).text);
        print_string(out, table ? "\n</details>\n" : "");
        i += all;
    }
    buffer_clear(&b);
}
