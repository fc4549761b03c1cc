#include "package/zip_write.h"

#include <libdeflate.h>
#include <stdlib.h>

#include "platform/os.h"

enum { LEVEL = 6 };

/* The fate of one entry. */
typedef struct placed {
    const zip_change *change; /* NULL: it stays */
    bool is_left_out;
    uint64_t local; /* its new place */
    uint32_t crc;   /* of new content */
    uint32_t packed_bytes, bytes;
} placed;

typedef struct writing {
    const zip_view *z;
    diag *d;
    os_output *output;
    const zip_change *changes;
    size_t change_count;
    placed *entries; /* those of the view, in its order, then one for each change */
    uint64_t at;     /* bytes written so far */
    buffer directory;
    uint64_t record_count;
} writing;

static ecma_status put(writing *w, const void *data, size_t size) {
    bytes piece = bytes_of(data, size);
    w->at += size;
    return size ? os_output_append(w->output, &piece, 1) : ECMA_OK;
}

/* ---- Extra fields ----------------------------------------------------------------------------------------------- */

/* All but the zip64 one, which new content does not need. */
static void append_extra(buffer *b, bytes extra) {
    size_t at = 0;
    while (extra.size - at >= 4 && load_u16(extra.data + at + 2) <= extra.size - at - 4) {
        size_t size = 4 + (size_t)load_u16(extra.data + at + 2);
        if (load_u16(extra.data + at) != ZIP_EXTRA64)
            buffer_append(b, extra.data + at, size);
        at += size;
    }
    buffer_append(b, extra.data + at, extra.size - at);
}

/* The zip64 field within extra fields, with its head; size 0: none. */
static bytes find_extra64(bytes extra) {
    size_t at = 0;
    while (extra.size - at >= 4 && load_u16(extra.data + at + 2) <= extra.size - at - 4) {
        size_t size = 4 + (size_t)load_u16(extra.data + at + 2);
        if (load_u16(extra.data + at) == ZIP_EXTRA64)
            return bytes_of(extra.data + at, size);
        at += size;
    }
    return (bytes){0};
}

static bytes record_extra(bytes record) {
    const uint8_t *p = record.data;
    return bytes_of(p + ZIP_RECORD + load_u16(p + 28), load_u16(p + 30));
}

/* ---- Entries ---------------------------------------------------------------------------------------------------- */

static bytes name_of(const zip_change *c, buffer *made) {
    if (c->entry)
        return c->entry->name;
    bytes model = c->model->name;
    size_t folder = c->at_root ? 0 : model.size;
    while (folder > 0 && model.data[folder - 1] != '/' && model.data[folder - 1] != '\\')
        folder--;
    made->size = 0;
    buffer_append(made, model.data, folder);
    buffer_string(made, c->name);
    return buffer_bytes(made);
}

/* The flags that speak of names stay. */
static uint16_t flags_of(const zip_entry *like) {
    return like->flags & 1 << 11;
}

static uint16_t method_of(const zip_change *c) {
    return c->entry && c->entry->method == ZIP_STORED ? ZIP_STORED : ZIP_DEFLATED;
}

static ecma_status put_packed(writing *w, placed *p, bytes content, bytes name) {
    const zip_entry *like = p->change->entry ? p->change->entry : p->change->model;
    const uint8_t *old = w->z->file.data + like->local;
    uint16_t method = method_of(p->change);
    struct libdeflate_compressor *deflater = NULL;
    buffer packed = BUFFER_INIT, head = BUFFER_INIT;
    ecma_status status = ECMA_OK;
    if (method == ZIP_DEFLATED) {
        deflater = libdeflate_alloc_compressor(LEVEL);
        size_t bound = deflater ? libdeflate_deflate_compress_bound(deflater, content.size) : 0;
        uint8_t *to = deflater ? buffer_extend(&packed, bound) : NULL;
        packed.size = to ? libdeflate_deflate_compress(deflater, content.data, content.size, to, bound) : 0;
        libdeflate_free_compressor(deflater);
        if (packed.size == 0)
            status = diag_no_memory(w->d);
    }
    bytes body = method == ZIP_DEFLATED ? buffer_bytes(&packed) : content;
    if (status == ECMA_OK && (body.size >= ZIP_MASK32 || content.size >= ZIP_MASK32))
        status = diag_report(w->d, DIAG_ZIP_LIMIT, "the new content of an entry has more than 4 GiB");
    p->crc = libdeflate_crc32(0, content.data, content.size);
    p->packed_bytes = (uint32_t)body.size;
    p->bytes = (uint32_t)content.size;
    buffer_u32(&head, 0x04034b50);
    buffer_append(&head, old + 4, 2);
    buffer_u16(&head, flags_of(like));
    buffer_u16(&head, method);
    buffer_append(&head, old + 10, 4); /* the time stamp */
    buffer_u32(&head, p->crc);
    buffer_u32(&head, p->packed_bytes);
    buffer_u32(&head, p->bytes);
    size_t name_size = p->change->entry ? load_u16(old + 26) : name.size; /* its slashes may be other ones */
    buffer_u16(&head, (uint16_t)name_size);
    buffer_u16(&head, 0);
    buffer_append(&head, p->change->entry ? old + ZIP_LOCAL : name.data, name_size);
    if (p->change->entry)
        append_extra(&head, bytes_of(old + ZIP_LOCAL + name_size, load_u16(old + 28)));
    if (head.failed && status == ECMA_OK)
        status = diag_no_memory(w->d);
    if (status == ECMA_OK) {
        store_u16(head.data + 28, (uint16_t)(head.size - ZIP_LOCAL - name_size));
        status = put(w, head.data, head.size);
    }
    if (status == ECMA_OK)
        status = put(w, body.data, body.size);
    buffer_clear(&packed);
    buffer_clear(&head);
    return status;
}

static ecma_status put_changed(writing *w, placed *p) {
    os_map map = OS_MAP_INIT;
    buffer made = BUFFER_INIT;
    p->local = w->at;
    ecma_status status = os_read_file(&map, w->d, p->change->content);
    if (status == ECMA_OK) {
        bytes name = name_of(p->change, &made);
        status = made.failed ? diag_no_memory(w->d) : put_packed(w, p, map.content, name);
    }
    os_unmap(&map);
    buffer_clear(&made);
    return status;
}

/* Runs of entries that stay are written as one. */
static ecma_status put_entries(writing *w) {
    const zip_view *z = w->z;
    uint64_t from = 0; /* up to here the input is dealt with */
    ecma_status status = ECMA_OK;
    for (size_t i = 0; i < z->count && status == ECMA_OK; i++) {
        const zip_entry *e = z->by_offset[i];
        placed *p = &w->entries[e - z->entries];
        if (!p->change) {
            p->local = w->at + (e->local - from);
            continue;
        }
        status = put(w, z->file.data + from, (size_t)(e->local - from));
        from = e->end;
        if (status == ECMA_OK && !p->is_left_out)
            status = put_changed(w, p);
    }
    if (status == ECMA_OK)
        status = put(w, z->file.data + from, (size_t)(z->directory - from));
    for (size_t i = 0; i < w->change_count && status == ECMA_OK; i++)
        if (w->entries[z->count + i].change)
            status = put_changed(w, &w->entries[z->count + i]);
    return status;
}

/* ---- The central directory -------------------------------------------------------------------------------------- */

/* The record that was, at another place. Where that needs a zip64 field and there is none or none with a place, one is
 * made: after the sizes, before the number of the disk (APPNOTE 4.5.3). */
static void append_record(buffer *b, bytes record, uint64_t local) {
    const uint8_t *p = record.data;
    bytes extra = record_extra(record), old = find_extra64(extra);
    size_t start = b->size, sizes = 8 * (size_t)((load_u32(p + 24) == ZIP_MASK32) + (load_u32(p + 20) == ZIP_MASK32));
    bool masked = load_u32(p + 42) == ZIP_MASK32 && old.size >= 4 + sizes + 8, needed = local >= ZIP_MASK32;
    if (masked || !needed) {
        buffer_append(b, p, record.size);
        if (b->failed)
            return;
        if (masked)
            store_u64(b->data + start + (size_t)(old.data - p) + 4 + sizes, local);
        else
            store_u32(b->data + start + 42, (uint32_t)local);
        return;
    }
    size_t before = old.size ? (size_t)(old.data - p) : (size_t)(extra.data - p);
    if (sizes > old.size - (old.size ? 4 : 0))
        sizes = 0;
    buffer_append(b, p, before);
    buffer_u16(b, ZIP_EXTRA64);
    buffer_u16(b, (uint16_t)((old.size ? old.size - 4 : 0) + 8));
    if (old.size)
        buffer_append(b, old.data + 4, sizes);
    uint8_t *place = buffer_extend(b, 8);
    if (place)
        store_u64(place, local);
    if (old.size)
        buffer_append(b, old.data + 4 + sizes, old.size - 4 - sizes);
    buffer_append(b, p + before + old.size, record.size - before - old.size);
    if (b->failed)
        return;
    store_u16(b->data + start + 30, (uint16_t)(extra.size + 8 + (old.size ? 0 : 4)));
    store_u32(b->data + start + 42, ZIP_MASK32);
    if (load_u16(b->data + start + 6) < 45)
        store_u16(b->data + start + 6, 45);
}

static void append_changed(buffer *b, const placed *p, bytes name) {
    const zip_entry *e = p->change->entry, *like = e ? e : p->change->model;
    const uint8_t *old = like->record.data;
    bytes extra = record_extra(like->record);
    buffer record = BUFFER_INIT;
    buffer_append(&record, old, ZIP_RECORD);
    buffer_append(&record, name.data, name.size);
    if (e)
        append_extra(&record, extra);
    size_t extra_size = record.size - ZIP_RECORD - name.size, comment = e ? load_u16(old + 32) : 0;
    buffer_append(&record, extra.data + extra.size, comment);
    if (!record.failed) {
        uint8_t *to = record.data;
        store_u16(to + 8, flags_of(like));
        store_u16(to + 10, method_of(p->change));
        store_u32(to + 16, p->crc);
        store_u32(to + 20, p->packed_bytes);
        store_u32(to + 24, p->bytes);
        store_u16(to + 28, (uint16_t)name.size);
        store_u16(to + 30, (uint16_t)extra_size);
        store_u16(to + 32, (uint16_t)comment);
        store_u16(to + 34, 0);
        append_record(b, buffer_bytes(&record), p->local);
    }
    b->failed |= record.failed;
    buffer_clear(&record);
}

static ecma_status put_directory(writing *w) {
    const zip_view *z = w->z;
    buffer made = BUFFER_INIT;
    for (size_t i = 0; i < z->count + w->change_count; i++) {
        const placed *p = &w->entries[i];
        if (i < z->count ? p->is_left_out : !p->change)
            continue;
        w->record_count++;
        if (p->change)
            append_changed(&w->directory, p, name_of(p->change, &made));
        else
            append_record(&w->directory, z->entries[i].record, p->local);
    }
    bool failed = made.failed || w->directory.failed;
    buffer_clear(&made);
    return failed ? diag_no_memory(w->d) : put(w, w->directory.data, w->directory.size);
}

/* ---- The end ---------------------------------------------------------------------------------------------------- */

static void append_end64(writing *w, buffer *b, uint64_t directory) {
    uint64_t at = w->at;
    size_t start = b->size;
    if (w->z->end64.size) {
        bytes old = w->z->end64;
        buffer_append(b, old.data, 12 + (size_t)load_u64(old.data + 4));
    } else {
        buffer_u32(b, 0x06064b50);
        buffer_append_zeros(b, ZIP_END64 - 4);
    }
    if (b->failed)
        return;
    uint8_t *to = b->data + start;
    if (!w->z->end64.size) {
        store_u64(to + 4, ZIP_END64 - 12);
        store_u16(to + 12, 45);
        store_u16(to + 14, 45);
    }
    store_u64(to + 24, w->record_count);
    store_u64(to + 32, w->record_count);
    store_u64(to + 40, w->directory.size);
    store_u64(to + 48, directory);
    uint8_t *locator = buffer_extend(b, ZIP_LOCATOR64);
    if (!locator)
        return;
    store_u32(locator, 0x07064b50);
    store_u32(locator + 4, 0);
    store_u64(locator + 8, at);
    store_u32(locator + 16, 1);
}

/* A field that was masked stays so. */
static uint32_t small(uint64_t value, uint32_t old, uint32_t mask) {
    return old == mask || value >= mask ? mask : (uint32_t)value;
}

static ecma_status put_end(writing *w, uint64_t directory) {
    bytes old = w->z->end;
    bool had = w->z->end64.size > 0;
    buffer b = BUFFER_INIT;
    if (had || w->record_count >= ZIP_MASK16 || directory >= ZIP_MASK32 || w->directory.size >= ZIP_MASK32)
        append_end64(w, &b, directory);
    size_t start = b.size;
    buffer_append(&b, old.data, old.size);
    ecma_status status = b.failed ? diag_no_memory(w->d) : ECMA_OK;
    if (status == ECMA_OK) {
        uint8_t *to = b.data + start;
        uint16_t masked = had ? load_u16(old.data + 10) : 0;
        uint16_t count = (uint16_t)small(w->record_count, masked, ZIP_MASK16);
        store_u16(to + 8, count);
        store_u16(to + 10, count);
        store_u32(to + 12, small(w->directory.size, had ? load_u32(old.data + 12) : 0, ZIP_MASK32));
        store_u32(to + 16, small(directory, had ? load_u32(old.data + 16) : 0, ZIP_MASK32));
        status = put(w, b.data, b.size);
    }
    buffer_clear(&b);
    return status;
}

/* ---- All of it -------------------------------------------------------------------------------------------------- */

static void place_changes(writing *w) {
    for (size_t i = 0; i < w->change_count; i++) {
        const zip_change *c = &w->changes[i];
        placed *p = &w->entries[c->entry ? (size_t)(c->entry - w->z->entries) : w->z->count + i];
        p->change = c;
        p->is_left_out = !c->content;
    }
}

ecma_status zip_write(const zip_view *z, diag *d, const char *path, const char *like, const zip_change *changes,
                      size_t count) {
    writing w = {.z = z, .d = d, .changes = changes, .change_count = count};
    w.entries = calloc(z->count + count + 1, sizeof *w.entries);
    if (!w.entries)
        return diag_no_memory(d);
    place_changes(&w);
    ecma_status status = os_output_open(&w.output, d, path, like, OS_FOLLOW);
    if (status == ECMA_OK) {
        status = put_entries(&w);
        uint64_t directory = w.at;
        if (status == ECMA_OK)
            status = put_directory(&w);
        if (status == ECMA_OK)
            status = put_end(&w, directory);
        ecma_status closed = os_output_close(w.output, status == ECMA_OK);
        status = status ? status : closed;
    }
    buffer_clear(&w.directory);
    free(w.entries);
    return status;
}
