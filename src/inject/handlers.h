/* handlers.h - a body's handlers in code order. */
#ifndef ILINJECT_INJECT_HANDLERS_H
#define ILINJECT_INJECT_HANDLERS_H

#include "base/buffer.h"
#include "il/body.h"

/* Lists them in place of what is in `list`, each once, as several protected regions may have one; returns how many.
 * When memory runs out, list->failed is set and there are none. */
uint32_t handlers_list(buffer *list, const il_body *body);

/* The first clause that has the handler at `index` of the list. */
static inline uint32_t handlers_clause(const buffer *list, uint32_t index) {
    return (uint32_t)((const uint64_t *)(const void *)list->data)[index];
}

#endif
