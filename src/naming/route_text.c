#include "naming/route_text.h"

#include "util/unicode.h"

bool route_literal(buffer *b, const md_view *v, uint32_t token) {
    bytes text;
    if (!md_try_user_string(v, md_token_row(token), &text) || text.size / 2 > ROUTE_MOST)
        return false;
    for (size_t i = 0; i + 1 < text.size; i += 2) {
        uint32_t c = load_u16(text.data + i);
        char encoded[4];
        if (c < ' ' || c == 0x7F || (c >= 0xD800 && c <= 0xDFFF))
            return false;
        buffer_append(b, encoded, unicode_encode(encoded, c));
    }
    return true;
}

void route_join(buffer *b, const char *prefix, const char *pattern) {
    size_t start = b->size, size = strlen(prefix);
    while (size > 0 && prefix[size - 1] == '/')
        size--;
    if (size > 0 && prefix[0] != '/' && strncmp(prefix, ROUTE_UNKNOWN, strlen(ROUTE_UNKNOWN)) != 0)
        buffer_u8(b, '/');
    buffer_append(b, prefix, size);
    while (*pattern == '~' || *pattern == '/')
        pattern++;
    buffer_u8(b, '/');
    buffer_string(b, pattern);
    while (!b->failed && b->size > start + 1 && b->data[b->size - 1] == '/')
        b->size--;
}

bool route_give(notes_search *s, uint32_t method, buffer *route) {
    const char *had = s->routes[method];
    size_t before = had ? strlen(had) + 2 : 0;
    if (route->failed)
        return false;
    if (before + route->size > ROUTE_MOST)
        return true;
    char *text = arena_alloc(&s->image->arena, before + route->size + 1);
    if (!text)
        return false;
    if (had) {
        memcpy(text, had, before - 2);
        memcpy(text + before - 2, ", ", 2);
    }
    memcpy(text + before, route->data, route->size);
    text[before + route->size] = 0;
    s->routes[method] = text;
    return true;
}
