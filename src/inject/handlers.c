#include "inject/handlers.h"

#include <stdlib.h>

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

uint32_t handlers_list(buffer *list, const il_body *body) {
    uint32_t last = 0, count = 0;
    bool sorted = true;
    list->size = 0;
    for (uint32_t i = 0; i < body->clause_count; i++) {
        il_clause c;
        il_body_clause(body, i, &c);
        sorted &= last <= c.handler_offset;
        last = c.handler_offset;
        buffer_append(list, &(uint64_t){(uint64_t)c.handler_offset << 32 | i}, sizeof(uint64_t));
    }
    if (list->failed)
        return 0;
    uint64_t *all = (uint64_t *)(void *)list->data;
    if (!sorted)
        qsort(all, body->clause_count, sizeof *all, by_value);
    for (uint32_t i = 0; i < body->clause_count; i++)
        if (i == 0 || all[i] >> 32 != all[count - 1] >> 32)
            all[count++] = all[i];
    return count;
}
