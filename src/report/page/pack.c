#include "report/page/pack.h"

#include <libdeflate.h>

#include "base/buffer.h"

enum { LEVEL = 9 };

static const char digits64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void page_base64(printer *out, bytes data) {
    for (size_t at = 0; at < data.size; at += 3) {
        uint32_t three = (uint32_t)data.data[at] << 16;
        char four[4] = {'=', '=', '=', '='};
        for (size_t i = 1; i < 3 && at + i < data.size; i++)
            three |= (uint32_t)data.data[at + i] << (16 - 8 * i);
        for (size_t i = 0; i < 4 && at + i <= data.size; i++)
            four[i] = digits64[three >> (18 - 6 * i) & 63];
        print_bytes(out, four, sizeof four);
    }
}

bool page_data_element(printer *out, bytes json) {
    if (json.size <= PAGE_MOST_PLAIN) {
        print_string(out, "<script type=\"application/json\" id=\"profile\">");
        print_bytes(out, (const char *)json.data, json.size);
        print_string(out, "</script>\n");
        return true;
    }
    buffer packed = BUFFER_INIT;
    struct libdeflate_compressor *c = libdeflate_alloc_compressor(LEVEL);
    const size_t bound = c ? libdeflate_zlib_compress_bound(c, json.size) : 0;
    uint8_t *to = c ? buffer_extend(&packed, bound) : NULL;
    packed.size = to ? libdeflate_zlib_compress(c, json.data, json.size, to, bound) : 0;
    libdeflate_free_compressor(c);
    if (packed.size > 0) {
        print_string(out, "<script type=\"text/plain\" id=\"profile\">");
        page_base64(out, buffer_bytes(&packed));
        print_string(out, "</script>\n");
    }
    buffer_clear(&packed);
    return to != NULL;
}
