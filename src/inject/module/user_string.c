#include "inject/module/user_string.h"

#include "metadata/names.h"

static bool next_code_point(reader *r, uint32_t *point) {
    if (!reader_left(r))
        return false;
    uint32_t first = reader_u8(r);
    unsigned more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 0;
    static const uint8_t masks[4] = {0x7F, 0x1F, 0x0F, 0x07};
    *point = first & masks[more];
    for (; more && reader_left(r) && (*r->at & 0xC0) == 0x80; more--)
        *point = *point << 6 | (reader_u8(r) & 0x3F);
    if (more || *point > 0x10FFFF || (first & 0xC0) == 0x80)
        *point = 0xFFFD;
    return true;
}

md_token user_string_add(md_edit *edit, buffer *text) {
    size_t utf8 = text->size;
    buffer_align(text, 2);
    size_t start = text->size;
    uint32_t point;
    buffer_reserve(text, utf8 * 4 + 2); /* so that the text does not move while it is read */
    for (reader r = reader_of((bytes){text->data, text->failed ? 0 : utf8}); next_code_point(&r, &point);) {
        uint16_t pair[2] = {(uint16_t)point, 0};
        size_t units = 1;
        if (point > 0xFFFF) {
            pair[0] = (uint16_t)(0xD800 + ((point - 0x10000) >> 10));
            pair[1] = (uint16_t)(0xDC00 + ((point - 0x10000) & 0x3FF));
            units = 2;
        }
        buffer_append(text, pair, units * sizeof *pair);
    }
    if (text->failed) {
        edit->user_strings.failed = true;
        return 0;
    }
    return md_edit_user_string(edit, (const uint16_t *)(const void *)(text->data + start), (text->size - start) / 2);
}

md_token user_string_add_method(md_edit *edit, const md_index *index, uint32_t method_row, buffer *scratch) {
    scratch->size = 0;
    md_append_full_method_name(scratch, edit->view, index, method_row);
    return user_string_add(edit, scratch);
}
