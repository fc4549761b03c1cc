/* Reads the native code of any bytes that are a ReadyToRun image, and instruments them so that it is kept where it can
 * be: all methods, or some. What instrumenting makes it reads back itself; a third reading here adds up. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdlib.h>

#include "instrument/instrument.h"
#include "mutate_image.h"
#include "ready_to_run/inlining.h"
#include "ready_to_run/keep.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds) {
    if (!holds)
        abort();
}

enum { MOST_BYTES = 1 << 20, MOST_ROWS = 0xFFFFFF };

static int swallow(void *user, const char *text, size_t length) {
    size_t *written = user;
    (void)text;
    *written += length;
    return *written > MOST_BYTES;
}

static void dump(ilj_context *context, bytes file) {
    ilj_image *image;
    size_t written = 0;
    if (image_open_bytes(&image, context, "x", file) != ILJ_OK)
        return;
    (void)ilj_image_dump(image, ILJ_DUMP_READY_TO_RUN, swallow, &written);
    ilj_image_free(image);
}

/* How many methods have an entry; what can be kept can be read. */
static uint32_t count_entries(bytes file, bool *can_stay) {
    arena a = ARENA_INIT;
    diag d = {0};
    pe_image image;
    r2r_image r;
    uint32_t count = 0;
    *can_stay = false;
    if (pe_image_open(&image, file, &a, &d) == ECMA_OK && !r2r_open(&r, &image)) {
        nf_reader reader = {.image = &image};
        r2r_entry e;
        *can_stay = !r2r_why_not_kept(&r, MOST_ROWS);
        for (uint32_t row = 1; row <= r.methods.count && !reader.failed; row++)
            count += r2r_try_method(&r, &reader, row, &e);
        must(!*can_stay || !reader.failed);
    }
    arena_clear(&a);
    return count;
}

static void instrument(ilj_context *context, bytes file, const char *include) {
    ilj_selection *selection;
    ilj_summary summary;
    buffer out = BUFFER_INIT;
    const ilj_rule rule = {ILJ_RULE_INCLUDE, include};
    const ilj_selection_options rules = {.size = sizeof rules, .rules = &rule, .rule_count = 1};
    must(ilj_selection_new(&selection, context, &rules) == ILJ_OK);
    ilj_instrument_options options = {.size = sizeof options, .selection = selection, .native = ILJ_NATIVE_KEEP};
    ilj_status status = instrument_bytes(&out, &summary, context, "x", file, &options);
    must(status != ILJ_BUG);
    if (status == ILJ_OK && summary.native_methods) {
        bool can_stay;
        uint32_t before = count_entries(file, &can_stay), after = count_entries(buffer_bytes(&out), &can_stay);
        must(can_stay && after <= before && after <= summary.native_kept);
    }
    buffer_clear(&out);
    ilj_selection_free(selection);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ilj_context *context;
    if (ilj_context_new(&context, NULL, NULL) != ILJ_OK)
        return 0;
    dump(context, bytes_of(data, size));
    instrument(context, bytes_of(data, size), "**");
    instrument(context, bytes_of(data, size), "**.*r*");
    ilj_context_free(context);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    return mutate_either(image_mutate, data, size, most, seed);
}
