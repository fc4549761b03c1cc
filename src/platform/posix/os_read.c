#define _GNU_SOURCE
#include "base/pages.h"
#include "platform/posix/os_files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const char *os_kind_text(mode_t mode) {
    return S_ISDIR(mode)    ? "it is a directory"
           : S_ISFIFO(mode) ? "it is a pipe"
           : S_ISSOCK(mode) ? "it is a socket"
                            : "it is a device";
}

static const char read_what[] = "cannot be read";

/* The size of an open file that is a regular one. */
static ecma_status measure(size_t *size, diag *d, int file, const char *path) {
    struct stat info;
    if (fstat(file, &info) != 0)
        return os_fail(d, DIAG_IO_OPEN, path, read_what, errno);
    if (!S_ISREG(info.st_mode))
        return os_refuse(d, DIAG_IO_OPEN, path, read_what, os_kind_text(info.st_mode));
    if ((uintmax_t)info.st_size > SIZE_MAX)
        return os_fail(d, DIAG_IO_OPEN, path, read_what, EFBIG);
    *size = (size_t)info.st_size;
    return ECMA_OK;
}

ecma_status os_map_open(os_map *map, diag *d, int file, const char *path) {
    size_t size;
    ecma_status status = measure(&size, d, file, path);
    void *content = NULL;
    if (status == ECMA_OK && size > 0) {
        content = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
        if (content == MAP_FAILED)
            status = os_fail(d, DIAG_IO_OPEN, path, read_what, errno);
    }
    if (status == ECMA_OK)
        map->content = bytes_of(content, size);
    return status;
}

/* Returns 0 or an errno. */
static int read_all(int file, uint8_t *to, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t got = read(file, to + done, size - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? errno : EIO; /* somebody has shortened it */
        done += (size_t)got;
    }
    return 0;
}

/* Into pages of its own, which os_unmap gives back; large ones, where the system has them, cost less. */
static ecma_status read_open(os_map *map, diag *d, int file, const char *path) {
    size_t size;
    ecma_status status = measure(&size, d, file, path);
    if (status || size == 0)
        return status;
    void *content = pages_map(size);
    if (!content)
        return os_fail(d, DIAG_IO_OPEN, path, read_what, ENOMEM);
    pages_use(content, size);
    int error = read_all(file, content, size);
    if (error) {
        pages_unmap(content, size);
        return os_fail(d, DIAG_IO_OPEN, path, read_what, error);
    }
    *map = (os_map){bytes_of(content, size), true};
    return ECMA_OK;
}

/* Opened so that a pipe without a writer is refused instead of waited for. */
static ecma_status with_file(os_map *map, diag *d, const char *path,
                             ecma_status (*take)(os_map *map, diag *d, int file, const char *path)) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return os_fail(d, DIAG_IO_OPEN, path, read_what, errno);
    ecma_status status = take(map, d, file, path);
    close(file);
    return status;
}

ecma_status os_map_file(os_map *map, diag *d, const char *path) {
    return with_file(map, d, path, os_map_open);
}

ecma_status os_read_file(os_map *map, diag *d, const char *path) {
    return with_file(map, d, path, read_open);
}

void os_unmap(os_map *map) {
    if (map->read)
        pages_unmap((void *)(uintptr_t)map->content.data, map->content.size);
    else if (map->content.size > 0)
        munmap((void *)(uintptr_t)map->content.data, map->content.size);
    *map = OS_MAP_INIT;
}

void os_discard(const void *data, size_t size) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = ((uintptr_t)data + page - 1) & ~(page - 1), end = ((uintptr_t)data + size) & ~(page - 1);
    if (start < end)
        (void)madvise((void *)start, end - start, MADV_DONTNEED);
}

void os_use_much(void *data, size_t size) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = ((uintptr_t)data + page - 1) & ~(page - 1), end = ((uintptr_t)data + size) & ~(page - 1);
    if (start < end)
        (void)madvise((void *)start, end - start, MADV_HUGEPAGE);
}
