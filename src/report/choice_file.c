#include "report/choice_file.h"

#include <stdlib.h>

#include "choice/counts.h"
#include "platform/os.h"
#include "report/text/overhead.h"
#include "select/name_filter.h"

static int by_calls(const void *left, const void *right) {
    const counted *const *a = left, *const *b = right;
    if ((*a)->owner_calls != (*b)->owner_calls)
        return (*a)->owner_calls > (*b)->owner_calls ? -1 : 1;
    return counts_compare(*a, *b);
}

static void write_one(printer *out, const counted *m, buffer *pattern) {
    pattern->size = 0;
    overhead_print_exclude(out, filter_pattern_of(pattern, m->names, m->method) ? buffer_bytes(pattern) : (bytes){0});
    print_format(out, " <!-- %llu calls -->\n", (unsigned long long)m->owner_calls);
}

/* Returns false when memory ran out. */
static bool write_all(printer *out, const counts *c, unsigned percent) {
    const counted **left_out = calloc((size_t)c->count + 1, sizeof *left_out);
    buffer pattern = BUFFER_INIT;
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->count && left_out; i++)
        if (c->list[i].left_out)
            left_out[count++] = &c->list[i];
    if (!left_out)
        return false;
    qsort(left_out, count, sizeof *left_out, by_calls);
    print_string(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    print_format(out, "<!-- For a price of %u %%: %u of the %u methods that were called stay,", percent, c->sums.kept,
                 c->sums.called);
    print_format(out, " with %llu of their %llu calls. -->\n", (unsigned long long)c->sums.kept_calls,
                 (unsigned long long)c->sums.calls);
    print_string(out, "<ilinject>\n  <choice>\n");
    for (uint32_t i = 0; i < count; i++)
        write_one(out, left_out[i], &pattern);
    print_string(out, "  </choice>\n</ilinject>\n");
    bool done = !pattern.failed;
    buffer_clear(&pattern);
    free(left_out);
    return done;
}

ecma_status choice_file_add(counts *c, const report_input *input) {
    if (input->at_path)
        return counts_add_file(c, input->d);
    profile p = PROFILE_INIT;
    ecma_status status = profile_read(&p, input->content, input->d);
    if (status == ECMA_OK) {
        status = counts_add(c, &p, input->d);
        profile_clear(&p);
    }
    return status;
}

ecma_status choice_file_write(const report_input *inputs, size_t count, unsigned percent, ilj_write_fn *write,
                              void *user) {
    counts c = COUNTS_INIT;
    ecma_status status = ECMA_OK;
    for (size_t i = 0; i < count; i++) {
        ecma_status one = choice_file_add(&c, &inputs[i]);
        if (status == ECMA_OK)
            status = one;
    }
    printer *out = calloc(1, sizeof *out);
    if (status == ECMA_OK && (!out || !counts_choose(&c, percent)))
        status = diag_no_memory(inputs[0].d);
    if (status == ECMA_OK) {
        out->write = write;
        out->user = user;
        bool done = write_all(out, &c, percent) && !out->no_memory;
        bool written = print_flush(out);
        status = !done ? diag_no_memory(inputs[0].d) : written ? ECMA_OK : ECMA_IO;
    }
    free(out);
    counts_clear(&c);
    return status;
}
