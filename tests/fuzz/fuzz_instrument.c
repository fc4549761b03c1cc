/* Instruments any bytes, with the built-in tracker and with one of another shape, and holds the output against what
 * instrumenting promises (tests/corrupt/judge.h). */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "../corrupt/judge.h"
#include "made_tracker.h"
#include "mutate_image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (judge(bytes_of(data, size), NULL, true) == INSTRUMENTED)
        judge(bytes_of(data, size), made_tracker_path(data[size - 1] % TRACKER_SHAPES), false);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    return mutate_either(image_mutate, data, size, most, seed);
}
