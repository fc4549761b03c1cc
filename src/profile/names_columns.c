#include "profile/names_columns.h"

#include "util/varuint.h"

uint32_t names_offset_of_text(reader *r) {
    uint32_t offset = (uint32_t)reader_offset(r);
    reader_strz(r);
    return offset;
}

uint64_t columns_next(columns *c) {
    if (!c->texts)
        return reader_varuint(c->r);
    if (c->left == 0) {
        c->value = reader_varuint(c->r);
        c->left = reader_varuint(c->r);
        c->r->failed |= c->left == 0;
    }
    c->left -= c->left > 0;
    return c->value;
}

void columns_end(columns *c) {
    c->r->failed |= c->left != 0;
    c->left = 0;
}

void columns_read_texts(columns *c, uint32_t count, void *field, size_t size) {
    uint32_t fresh = 0;
#define FIELD(i) (*(uint32_t *)(void *)((uint8_t *)field + (i)*size))
    for (size_t i = 0; i < count; i++) {
        if (!c->texts) {
            FIELD(i) = names_offset_of_text(c->r);
            continue;
        }
        uint64_t number = reader_varuint(c->r);
        c->r->failed |= number > fresh;
        FIELD(i) = c->r->failed ? 0 : (uint32_t)number;
        fresh += number == 0;
    }
    if (!c->texts)
        return;
    for (uint32_t i = 0; i < fresh; i++)
        c->texts[i] = names_offset_of_text(c->r);
    fresh = 0;
    for (size_t i = 0; i < count; i++)
        FIELD(i) = c->texts[FIELD(i) ? FIELD(i) - 1 : fresh++];
#undef FIELD
}
