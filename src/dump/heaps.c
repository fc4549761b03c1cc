#include "dump/dump.h"

static void strings(dumper *d) {
    bytes heap = d->view->strings, text;
    buffer_printf(d->b, "heap #Strings %zu bytes\n", heap.size);
    for (uint32_t at = 0; at < heap.size && text_out_flush(&d->out);) {
        if (!md_try_string(d->view, at, &text)) {
            buffer_printf(d->b, "0x%06x ", at);
            dumper_bad(d, "string", at);
            buffer_u8(d->b, '\n');
            return;
        }
        if (text.size) {
            buffer_printf(d->b, "0x%06x ", at);
            text_quoted(d->b, text);
            buffer_u8(d->b, '\n');
        }
        at += (uint32_t)text.size + 1;
    }
}

/* The entries of #Blob or #US one after another; empty ones are the padding at the end, or the first. */
static void counted(dumper *d, const char *name, bytes heap) {
    bool text = heap.data == d->view->user_strings.data;
    buffer_printf(d->b, "heap %s %zu bytes\n", name, heap.size);
    for (uint32_t at = 0; at < heap.size && text_out_flush(&d->out);) {
        reader r = reader_of((bytes){heap.data + at, heap.size - at});
        uint32_t size = reader_compressed(&r);
        bytes entry = reader_bytes(&r, size);
        if (r.failed) {
            buffer_printf(d->b, "0x%06x ", at);
            dumper_bad(d, text ? "user string" : "blob", at);
            buffer_u8(d->b, '\n');
            return;
        }
        if (entry.size) {
            buffer_printf(d->b, "0x%06x ", at);
            if (text) {
                text_quoted_utf16(d->b, (bytes){entry.data, entry.size & ~(size_t)1});
                if (entry.size & 1)
                    buffer_printf(d->b, " %u", entry.data[entry.size - 1]);
            } else {
                dumper_hex(d, entry, 64);
            }
            buffer_u8(d->b, '\n');
        }
        at += (uint32_t)reader_offset(&r);
    }
}

static void guids(dumper *d) {
    bytes heap = d->view->guids, guid;
    buffer_printf(d->b, "heap #GUID %zu bytes\n", heap.size);
    for (uint32_t index = 1; md_try_guid(d->view, index, &guid) && text_out_flush(&d->out); index++) {
        buffer_printf(d->b, "%u ", index);
        dumper_guid(d, guid);
        buffer_u8(d->b, '\n');
    }
}

void dump_heaps(dumper *d) {
    strings(d);
    counted(d, "#US", d->view->user_strings);
    guids(d);
    counted(d, "#Blob", d->view->blobs);
}
