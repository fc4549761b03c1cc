/* faults.c - a library to be preloaded: it makes the machine of one program run short.
 *
 *     FAULT_MEMORY=N        the Nth allocation from 1 fails
 *     FAULT_MEMORY_REST=1   and each one after it
 *     FAULT_COUNT=FILE      the number of allocations goes there at the end
 *     FAULT_READ=NAME       reading a file at PATH…NAME fails with EIO: it can be opened, but not mapped or read
 *     FAULT_ERROR=N         that error instead of EIO
 *     FAULT_CLOCK=N         the machine's clock stands N seconds after 1970
 *
 * Only the GNU C library exports its allocator under the names that are called here. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static atomic_ulong allocations;
static unsigned long failing; /* 0: none fails */
static bool rest_fails;

__attribute__((constructor)) static void begin(void) {
    const char *n = getenv("FAULT_MEMORY");
    rest_fails = getenv("FAULT_MEMORY_REST") != NULL;
    atomic_store(&allocations, 0);
    failing = n ? strtoul(n, NULL, 10) : 0;
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("FAULT_COUNT");
    unsigned long count = atomic_load(&allocations);
    FILE *f = path ? fopen(path, "w") : NULL;
    if (!f)
        return;
    fprintf(f, "%lu\n", count);
    fclose(f);
}

static bool fails(void) {
    unsigned long n = atomic_fetch_add(&allocations, 1) + 1;
    if (failing == 0 || n < failing || (n > failing && !rest_fails))
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size) {
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    return fails() ? NULL : __libc_realloc(old, size);
}

/* True, with errno, for the file that cannot be read. */
static bool is_bad(int file) {
    static const char *name;
    static int error = EIO;
    if (!name) {
        const char *number = getenv("FAULT_ERROR");
        if (number)
            error = atoi(number);
        if (!(name = getenv("FAULT_READ")))
            name = "";
    }
    if (!*name || file < 0)
        return false;
    int kept = errno;
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path);
    size_t size = strlen(name);
    bool bad = length > 0 && (size_t)length >= size && memcmp(path + length - size, name, size) == 0;
    errno = bad ? error : kept;
    return bad;
}

void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset) {
    static void *(*next)(void *, size_t, int, int, int, off_t);
    if (!next)
        next = (void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap");
    return is_bad(file) ? MAP_FAILED : next(address, size, protection, flags, file, offset);
}

ssize_t read(int file, void *to, size_t size) {
    static ssize_t (*next)(int, void *, size_t);
    if (!next)
        next = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
    return is_bad(file) ? -1 : next(file, to, size);
}

ssize_t pread(int file, void *to, size_t size, off_t offset) {
    static ssize_t (*next)(int, void *, size_t, off_t);
    if (!next)
        next = (ssize_t(*)(int, void *, size_t, off_t))dlsym(RTLD_NEXT, "pread");
    return is_bad(file) ? -1 : next(file, to, size, offset);
}

static bool stands(struct timespec *now) {
    const char *seconds = getenv("FAULT_CLOCK");
    if (!seconds)
        return false;
    now->tv_sec = (time_t)strtoll(seconds, NULL, 10);
    now->tv_nsec = 0;
    return true;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    if (clock == CLOCK_REALTIME && stands(now))
        return 0;
    return (int)syscall(SYS_clock_gettime, clock, now);
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec at;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &at) != 0)
        return -1;
    now->tv_sec = at.tv_sec;
    now->tv_usec = at.tv_nsec / 1000;
    return 0;
}
