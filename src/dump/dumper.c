#include "dump/dumper.h"

#include <stdio.h>

void dumper_bad(dumper *d, const char *what, uint32_t value) {
    buffer_printf(d->b, "<bad %s 0x%x>", what, value);
    dumper_count_bad(d, what, value);
}

void dumper_count_bad(dumper *d, const char *what, uint32_t value) {
    if (d->broken++ == 0)
        snprintf(d->first_bad, sizeof d->first_bad, "%s 0x%x", what, value);
}

void dumper_hex(dumper *d, bytes data, size_t most) {
    static const char digits[] = "0123456789abcdef";
    size_t shown = data.size <= most ? data.size : most;
    buffer_u8(d->b, '[');
    for (size_t i = 0; i < shown; i++) {
        const char pair[3] = {' ', digits[data.data[i] >> 4], digits[data.data[i] & 15]};
        buffer_append(d->b, pair + (i == 0), i == 0 ? 2 : 3);
    }
    if (shown < data.size)
        buffer_printf(d->b, " … +%zu", data.size - shown);
    buffer_u8(d->b, ']');
}

/* The first three fields are numbers, little-endian in the heap. */
void dumper_guid(dumper *d, bytes guid) {
    const uint8_t *g = guid.data;
    buffer_printf(d->b, "{%08x-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x}", load_u32(g), load_u16(g + 4),
                  load_u16(g + 6), g[8], g[9], g[10], g[11], g[12], g[13], g[14], g[15]);
}

void dumper_scratch(dumper *d) {
    text_plain(d->b, buffer_bytes(&d->scratch));
}
