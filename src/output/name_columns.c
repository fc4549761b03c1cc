#include "output/name_columns.h"

#include "base/pages.h"

#include <xxhash.h>

bool text_column_begin(text_column *c, arena *a, uint32_t count, size_t most, bool compares) {
    enum { USUAL_BYTES = 8 }; /* of a text, by those that are new */
    uint64_t slots = 4;
    while (slots <= count + (uint64_t)count / 4)
        slots *= 2;
    *c = (text_column){.texts.most = most, .mask = (uint32_t)(slots - 1)};
    c->numbers = arena_alloc_open(a, (size_t)count + 1, sizeof *c->numbers);
    c->slots = arena_alloc_array(a, slots, sizeof *c->slots);
    if (compares) {
        c->starts = arena_alloc_open(a, (size_t)count + 1, sizeof *c->starts);
        c->by_text = arena_alloc_array(a, slots, sizeof *c->by_text);
    }
    if (buffer_reserve(&c->texts, (size_t)count * USUAL_BYTES) && count >= PAGES_WORTH_ASKING / USUAL_BYTES)
        pages_use(c->texts.data, (size_t)count * USUAL_BYTES);
    return c->numbers && c->slots && (!compares || (c->starts && c->by_text));
}

uint32_t text_column_add(text_column *c, bytes text) {
    uint32_t at = (uint32_t)XXH3_64bits(text.data, text.size) & c->mask, number;
    const size_t start = c->texts.size;
    for (; (number = c->by_text[at]); at = (at + 1) & c->mask) {
        const uint32_t older = c->starts[number - 1];
        if (start - older >= text.size && memcmp(c->texts.data + older, text.data, text.size) == 0) {
            text_column_again(c, number);
            return number;
        }
    }
    buffer_append(&c->texts, text.data, text.size);
    if (c->texts.failed)
        return 0;
    c->starts[c->known] = (uint32_t)start;
    return c->by_text[at] = text_column_new(c);
}

void text_column_end(text_column *c, buffer *b) {
    b->failed |= c->texts.failed;
    b->over |= c->texts.over;
    enum { MOST_BYTES = 5 }; /* of a number */
    uint8_t *to = buffer_extend(b, (size_t)c->count * MOST_BYTES);
    for (uint32_t i = 0; i < c->count && to; i++)
        to = store_varuint(to, c->numbers[i]);
    if (to)
        b->size = (size_t)(to - b->data);
    buffer_append(b, c->texts.data, c->texts.size);
    buffer_clear(&c->texts);
}
