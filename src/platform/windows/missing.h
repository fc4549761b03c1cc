/* missing.h - functions of other systems' C libraries that Windows's lacks. The compiler includes it before each file
 * (Makefile). */
#ifndef ILINJECT_PLATFORM_WINDOWS_MISSING_H
#define ILINJECT_PLATFORM_WINDOWS_MISSING_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* As POSIX and the GNU C library have them. */
void *memmem(const void *text, size_t size, const void *part, size_t part_size);
char *strndup(const char *text, size_t most);
void *reallocarray(void *memory, size_t count, size_t size);
struct tm *gmtime_r(const time_t *time, struct tm *to);

/* strerror's texts, but for EBUSY: another program has the file open. */
const char *error_text(int error);
#define strerror error_text

#endif
