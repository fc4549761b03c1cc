#define _GNU_SOURCE
#include "base/pages.h"

#include <stdint.h>
#include <stdlib.h>
#ifdef __linux__
#include <errno.h>
#include <sys/mman.h>
#endif

#ifdef MADV_POPULATE_WRITE
/* A page has no less and no more bytes. Where it has more than the least, the system refuses some of the requests. */
enum { LEAST_PAGE = 1 << 12, MOST_PAGE = 1 << 16 };

/* From Linux 5.14 on; errors do not count, as the pages then come one by one. */
static void advise(const void *data, size_t size, int how) {
    const int before = errno;
    const uintptr_t start = (uintptr_t)data & ~(uintptr_t)(LEAST_PAGE - 1);
    if (size)
        (void)madvise((void *)start, (uintptr_t)data + size - start, how);
    errno = before;
}

void pages_use(void *data, size_t size) {
    advise(data, size, MADV_POPULATE_WRITE);
}

void pages_read(const void *data, size_t size) {
    advise(data, size, MADV_POPULATE_READ);
}

void *pages_alloc(size_t size) {
    void *data;
    if (size < PAGES_LARGE)
        return malloc(size);
    if (posix_memalign(&data, PAGES_LARGE, size) != 0)
        return NULL;
    advise(data, size, MADV_HUGEPAGE);
    return data;
}

static size_t mapped_size(size_t size) {
    return size < PAGES_LARGE ? size : (size + MOST_PAGE - 1) & ~(size_t)(MOST_PAGE - 1);
}

/* What is mapped too much, so that it starts where a large page does, is given back. */
void *pages_map(size_t size) {
    const size_t whole = mapped_size(size), more = size < PAGES_LARGE ? 0 : PAGES_LARGE;
    if (size > SIZE_MAX / 2)
        return NULL;
    uint8_t *mapped = mmap(NULL, whole + more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED)
        return NULL;
    if (!more)
        return mapped;
    const size_t before = -(uintptr_t)mapped & (PAGES_LARGE - 1);
    uint8_t *data = mapped + before;
    if (before)
        munmap(mapped, before);
    munmap(data + whole, more - before);
    advise(data, whole, MADV_HUGEPAGE);
    return data;
}

void pages_unmap(void *data, size_t size) {
    munmap(data, mapped_size(size));
}
#else
void pages_use(void *data, size_t size) {
    (void)data;
    (void)size;
}

void pages_read(const void *data, size_t size) {
    (void)data;
    (void)size;
}

void *pages_alloc(size_t size) {
    return malloc(size);
}

void *pages_map(size_t size) {
    return calloc(1, size);
}

void pages_unmap(void *data, size_t size) {
    (void)size;
    free(data);
}
#endif
