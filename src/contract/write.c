/* A contract as the text of a baseline: a head, which is people's, then methods and types, a line each, in an order
 * that does not depend on the runs'. No line says how many there are, so that a change of a method is a change of
 * its line. */
#include <inttypes.h>
#include <stdlib.h>

#include "contract/contract.h"

static const char first_head[] = "ilinject baseline 1\n"
                                 "# What `ilinject check` compares runs with. Lines above `runs` are yours, also to\n"
                                 "# change; those below are written by `ilinject baseline`. Rules:\n"
                                 "#   ignore Legacy.**            what the pattern names is not compared\n"
                                 "#   allow calls 5% Shop.Cache.**   of calls, made, bytes, exceptions, objects, all\n"
                                 "allow bytes 1%+16384 **\n"
                                 "\n";

static void print_range(printer *out, const contract_range *r) {
    if (r->unknown) {
        print_string(out, "-");
        return;
    }
    print_number(out, r->least);
    if (r->most == r->least)
        return;
    print_string(out, "..");
    print_number(out, r->most);
}

static void print_text(printer *out, bytes text) {
    print_bytes(out, (const char *)text.data, text.size);
}

static void print_heading(printer *out, const char *word, bytes name) {
    print_string(out, word);
    print_string(out, name.size ? " " : "");
    print_text(out, name);
    print_string(out, "\n");
}

static void print_entry(printer *out, const contract *c, const contract_entry *e) {
    int first = e->is_type ? CONTRACT_OBJECTS : 0, end = e->is_type ? CONTRACT_METRICS : CONTRACT_COLUMNS;
    for (int m = first; m < end; m++) {
        if (!c->known[m])
            continue;
        print_range(out, &e->values[m]);
        print_string(out, " ");
    }
    print_text(out, e->name);
    print_string(out, "\n");
}

static void print_entries(printer *out, const contract *c, const contract_entry *const *sorted) {
    const contract_entry *last = NULL;
    for (uint32_t i = 0; i < c->count; last = sorted[i], i++) {
        const contract_entry *e = sorted[i];
        if (e->is_type && !c->known[CONTRACT_OBJECTS])
            continue;
        bool new_kind = !last || last->is_type != e->is_type;
        bool new_assembly = new_kind || !bytes_equal(last->assembly, e->assembly);
        if (e->is_type && new_kind)
            print_string(out, "\nobjects\n");
        if (!e->is_type && new_assembly) {
            print_string(out, "\n");
            print_heading(out, "assembly", e->assembly);
        }
        if (!e->is_type && (new_assembly ? e->type.size > 0 : !bytes_equal(last->type, e->type)))
            print_heading(out, "type", e->type);
        print_entry(out, c, e);
    }
}

static int by_key(const void *left, const void *right) {
    const contract_entry *const *a = left, *const *b = right;
    return contract_compare(*a, *b);
}

bool contract_write(printer *out, const contract *c) {
    const contract_entry **sorted = calloc((size_t)c->count + 1, sizeof *sorted);
    if (!sorted)
        return false;
    for (uint32_t i = 0; i < c->count; i++)
        sorted[i] = &c->entries[i];
    qsort(sorted, c->count, sizeof *sorted, by_key);
    print_string(out, c->head.size ? "" : first_head);
    print_text(out, c->head);
    print_format(out, "runs %" PRIu32 "\ncolumns", c->runs);
    for (int m = 0; m < CONTRACT_METRICS; m++) {
        if (!c->known[m])
            continue;
        print_string(out, " ");
        print_string(out, contract_metric_names[m]);
    }
    print_string(out, "\n");
    print_entries(out, c, sorted);
    free(sorted);
    return true;
}
