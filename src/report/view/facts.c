#include "report/view/facts.h"

#include <stdlib.h>

#include "util/list.h"

void view_add(view_facts *f, view_fact fact) {
    if (list_grow((void **)&f->list, f->count, &f->capacity, sizeof *f->list))
        f->list[f->count++] = fact;
    else
        f->failed = true;
}

void view_facts_clear(view_facts *f) {
    free(f->list);
    *f = (view_facts){.list = NULL};
}

static void print_value(printer *out, const view_fact *f, const view_style *style) {
    switch (f->kind) {
    case VIEW_NUMBER:
        print_number(out, f->number);
        break;
    case VIEW_TEXT:
        style->text(out, f->text);
        break;
    case VIEW_WORD:
        print_string(out, "\"");
        print_bytes(out, (const char *)f->text.data, f->text.size);
        print_string(out, "\"");
        break;
    case VIEW_NULL:
        print_string(out, "null");
        break;
    case VIEW_BEGIN:
        print_string(out, "{");
        break;
    case VIEW_END:
        print_string(out, "}");
        break;
    }
}

void view_print(printer *out, const view_facts *f, const view_style *style, bool first) {
    out->no_memory |= f->failed;
    for (uint32_t i = 0; i < f->count; i++) {
        const view_fact *fact = &f->list[i];
        if (!(fact->rooms & style->room))
            continue;
        if (fact->kind != VIEW_END) {
            print_string(out, first ? "" : style->comma);
            print_string(out, "\"");
            print_string(out, fact->key);
            print_string(out, "\"");
            print_string(out, style->colon);
        }
        print_value(out, fact, style);
        first = fact->kind == VIEW_BEGIN;
    }
}
