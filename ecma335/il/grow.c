#include "il/grow.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool il_grow_more(void *array, size_t *capacity, size_t count, size_t item_size) {
    size_t wanted = *capacity < 16 ? 16 : *capacity, size;
    while (wanted < count)
        wanted = wanted > SIZE_MAX / 2 ? count : wanted * 2;
    if (__builtin_mul_overflow(wanted, item_size, &size))
        return false;
    void *old;
    memcpy(&old, array, sizeof old);
    void *grown = realloc(old, size);
    if (!grown)
        return false;
    memcpy(array, &grown, sizeof grown);
    *capacity = wanted;
    return true;
}
