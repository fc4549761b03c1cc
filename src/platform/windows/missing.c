#include <errno.h>
#include <stdint.h>

void *memmem(const void *text, size_t size, const void *part, size_t part_size) {
    const char *at = text, *wanted = part;
    if (part_size == 0)
        return (void *)(uintptr_t)text;
    while (size >= part_size) {
        const char *found = memchr(at, *wanted, size - part_size + 1);
        if (!found)
            return NULL;
        if (memcmp(found, wanted, part_size) == 0)
            return (void *)(uintptr_t)found;
        size -= (size_t)(found - at) + 1;
        at = found + 1;
    }
    return NULL;
}

char *strndup(const char *text, size_t most) {
    size_t size = strnlen(text, most);
    char *copy = malloc(size + 1);
    if (copy) {
        memcpy(copy, text, size);
        copy[size] = 0;
    }
    return copy;
}

void *reallocarray(void *memory, size_t count, size_t size) {
    return size && count > SIZE_MAX / size ? NULL : realloc(memory, count * size);
}

struct tm *gmtime_r(const time_t *time, struct tm *to) {
    return gmtime_s(to, time) == 0 ? to : NULL;
}

#undef strerror
const char *error_text(int error) {
    return error == EBUSY ? "another program has it open" : strerror(error);
}
