/* mutate_image.h - a mutator that knows an assembly's headers, tables, heaps, signatures, bodies and clauses, by the
 * changes of tests/corrupt/changes.h. An input that cannot be opened is left to libFuzzer's own mutations. */
#ifndef TESTS_FUZZ_MUTATE_IMAGE_H
#define TESTS_FUZZ_MUTATE_IMAGE_H

#include <stdlib.h>

#include "../corrupt/changes.h"
#include "mutate.h"

static inline size_t image_mutate(uint8_t *data, size_t size, size_t most, uint64_t *random) {
    ilj_context *context = NULL;
    ilj_image *image = NULL;
    uint8_t *old = malloc(size ? size : 1);
    (void)most;
    if (old && ilj_context_new(&context, NULL, NULL) == ILJ_OK) {
        memcpy(old, data, size);
        if (image_open_bytes(&image, context, "x", bytes_of(old, size)) == ILJ_OK) {
            mutant m = {.random = random, .image = image, .old = bytes_of(old, size), .data = data, .size = size};
            change(&m);
        } else if (LLVMFuzzerMutate) {
            size = LLVMFuzzerMutate(data, size, most);
        }
    }
    ilj_image_free(image);
    ilj_context_free(context);
    free(old);
    return size;
}

#endif
