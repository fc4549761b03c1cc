#include "platform/control.h"

#include <stdlib.h>
#include <string.h>

static const char magic[8] = "ILCTL\r\n\x01";

bool control_read_header(uint32_t *pid, const uint8_t header[CONTROL_REQUEST_AT]) {
    *pid = (uint32_t)header[8] | (uint32_t)header[9] << 8 | (uint32_t)header[10] << 16 | (uint32_t)header[11] << 24;
    return memcmp(header, magic, sizeof magic) == 0;
}

bool control_add_process(uint32_t **pids, size_t *count, uint32_t pid) {
    enum { STEP = 256 };
    uint32_t *more = *count % STEP ? *pids : realloc(*pids, (*count + STEP) * sizeof *more);
    if (!more)
        return false;
    *pids = more;
    more[(*count)++] = pid;
    return true;
}

static int compare_processes(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

void control_sort_processes(uint32_t *pids, size_t count) {
    if (count > 0)
        qsort(pids, count, sizeof *pids, compare_processes);
}
