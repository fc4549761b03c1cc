/* handlers.h - a body's handlers in code order. */
#ifndef ILINJECT_INJECT_BODY_HANDLERS_H
#define ILINJECT_INJECT_BODY_HANDLERS_H

#include "base/buffer.h"
#include "il/body.h"
#include "metadata/view.h"

/* Lists them in place of what is in `list`, each once, as several protected regions may have one; returns how many.
 * When memory runs out, list->failed is set and there are none. */
uint32_t handlers_list(buffer *list, const il_body *body);

/* Likewise the offsets of filters, each once. */
uint32_t handlers_list_filters(buffer *list, const il_body *body);
static inline uint32_t handlers_filter(const buffer *list, uint32_t index) {
    return (uint32_t)(((const uint64_t *)(const void *)list->data)[index] >> 32);
}

/* The first clause that has the handler at `index` of the list. */
static inline uint32_t handlers_clause(const buffer *list, uint32_t index) {
    return (uint32_t)((const uint64_t *)(const void *)list->data)[index];
}

/* The part that a catch handler of an async method plays. A compiler cannot let a finally block await, so it makes a
 * handler for any object in its place. */
typedef enum handler_part {
    HANDLER_CATCHES,
    HANDLER_HOLDS,   /* it only puts the exception by; code after it awaits, and throws the exception again */
    HANDLER_UNWINDS, /* F#'s finally block that does not await: it ends by throwing the exception again */
} handler_part;

handler_part handlers_part(const md_view *v, const il_body *body, const il_clause *clause);

#endif
