#define _GNU_SOURCE
#include "package/zip.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <strings.h>

typedef struct reading {
    zip_view *z;
    diag *d;
    uint64_t end; /* offset of the first end record */
    uint64_t directory_bytes, count;
} reading;

/* ---- Paths ------------------------------------------------------------------------------------------------------ */

/* Windows takes these for devices, with any extension and in any folder. */
static bool is_device(const char *part, size_t size) {
    static const char *const devices[] = {"CON", "PRN", "AUX", "NUL", "CLOCK$", "CONIN$", "CONOUT$"};
    size_t stem = 0;
    while (stem < size && part[stem] != '.' && part[stem] != ' ')
        stem++;
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++)
        if (strlen(devices[i]) == stem && strncasecmp(part, devices[i], stem) == 0)
            return true;
    return stem == 4 && (strncasecmp(part, "COM", 3) == 0 || strncasecmp(part, "LPT", 3) == 0) && part[3] >= '0' &&
           part[3] <= '9';
}

static const char *part_problem(const char *part, size_t size) {
    if (size == 0)
        return "an empty name between slashes";
    if (strspn(part, ".") >= size)
        return "dots for a name, which lead out of the folder";
    if (is_device(part, size))
        return "the name of a device";
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)part[i] < 0x20 || part[i] == 0x7F || part[i] == ':')
            return part[i] == ':' ? "a colon: a drive or a stream" : "a control character";
    return NULL;
}

const char *zip_path_problem(const char *path) {
    size_t depth = 0;
    if (path[0] == '/')
        return "an absolute path";
    if (strlen(path) > ZIP_MOST_PATH)
        return "more than 1,024 bytes";
    for (;;) {
        size_t size = strcspn(path, "/");
        const char *problem = part_problem(path, size);
        if (problem)
            return problem;
        if (++depth > ZIP_MOST_DEPTH)
            return "more than 64 folders";
        if (path[size] == 0)
            return NULL;
        path += size + 1;
    }
}

/* Backslashes count as slashes: archives made on Windows have them. */
static ecma_status settle_path(const reading *r, zip_entry *e) {
    char *path = arena_alloc(&r->z->memory, e->name.size + 2);
    if (!path)
        return diag_no_memory(r->d);
    size_t size = 0;
    for (size_t i = 0; i < e->name.size; i++)
        path[size++] = e->name.data[i] == '\\' ? '/' : (char)e->name.data[i];
    if (memchr(path, 0, size))
        return diag_report(r->d, DIAG_ZIP_ENTRY, "entry '%s' has a name with a zero byte", path);
    e->is_folder = size > 1 && path[size - 1] == '/';
    if (e->is_folder)
        path[--size] = 0;
    while (strncmp(path, "./", 2) == 0 && path[2])
        path += 2;
    const char *problem = e->is_folder && strcmp(path, ".") == 0 ? NULL : zip_path_problem(path);
    if (problem)
        return diag_report(r->d, DIAG_ZIP_ENTRY, "entry '%.200s' cannot be unpacked safely: its name has %s", path,
                           problem);
    e->path = path;
    return ECMA_OK;
}

/* ---- The end of the file ---------------------------------------------------------------------------------------- */

static ecma_status damaged(const reading *r, const char *what, uint64_t offset) {
    return diag_report(r->d, DIAG_ZIP, "no usable zip archive: %s (offset %llu)", what, (unsigned long long)offset);
}

/* The end record is the last one with a directory that fits before it. */
static const uint8_t *find_end(bytes file) {
    size_t lowest = file.size > ZIP_END + ZIP_MASK16 ? file.size - ZIP_END - ZIP_MASK16 : 0;
    for (size_t at = file.size < ZIP_END ? 0 : file.size - ZIP_END + 1; at-- > lowest;) {
        const uint8_t *p = file.data + at;
        if (load_u32(p) != 0x06054b50 || load_u16(p + 20) > file.size - at - ZIP_END)
            continue;
        uint32_t size = load_u32(p + 12), offset = load_u32(p + 16);
        bool large = size == ZIP_MASK32 || offset == ZIP_MASK32 || load_u16(p + 10) == ZIP_MASK16;
        if (large || (offset <= at && size <= at - offset))
            return p;
    }
    return NULL;
}

/* A field of the end record, which the zip64 record holds when it is too large; where both hold it they agree. */
static bool agree(uint64_t *value, uint64_t small, uint64_t mask, uint64_t large) {
    *value = large;
    return small == mask || small == large;
}

static ecma_status read_end64(reading *r, uint64_t locator, const uint8_t *end) {
    zip_view *z = r->z;
    const uint8_t *p = z->file.data + locator;
    uint64_t at = load_u64(p + 8);
    if (load_u32(p + 4) != 0 || load_u32(p + 16) > 1)
        return diag_report(r->d, DIAG_ZIP_UNSUPPORTED, "the archive is split into several files");
    if (at > locator || locator - at < ZIP_END64 || load_u32(z->file.data + at) != 0x06064b50)
        return damaged(r, "the zip64 end record is not where its locator says", locator);
    const uint8_t *q = z->file.data + at;
    uint64_t size = load_u64(q + 4);
    if (size < ZIP_END64 - 12 || size > locator - at - 12)
        return damaged(r, "the zip64 end record has a size that cannot be", at);
    z->end64 = bytes_of(q, (size_t)(locator - at));
    if (!agree(&r->count, load_u16(end + 10), ZIP_MASK16, load_u64(q + 32)) ||
        !agree(&r->directory_bytes, load_u32(end + 12), ZIP_MASK32, load_u64(q + 40)) ||
        !agree(&z->directory, load_u32(end + 16), ZIP_MASK32, load_u64(q + 48)))
        return damaged(r, "the two end records do not agree", at);
    if (load_u32(q + 16) != 0 || load_u32(q + 20) != 0 || load_u64(q + 24) != r->count)
        return diag_report(r->d, DIAG_ZIP_UNSUPPORTED, "the archive is split into several files");
    r->end = at;
    return ECMA_OK;
}

static ecma_status read_end(reading *r) {
    zip_view *z = r->z;
    const uint8_t *end = find_end(z->file);
    if (!end)
        return diag_report(r->d, DIAG_ZIP, "no zip archive, or its end is missing: no end record was found");
    uint64_t at = (uint64_t)(end - z->file.data);
    size_t size = ZIP_END + (size_t)load_u16(end + 20);
    z->end = bytes_of(end, size);
    z->behind = bytes_of(end + size, z->file.size - (size_t)at - size);
    r->end = at;
    r->count = load_u16(end + 10);
    r->directory_bytes = load_u32(end + 12);
    z->directory = load_u32(end + 16);
    bool has_locator = at >= ZIP_LOCATOR64 && load_u32(end - ZIP_LOCATOR64) == 0x07064b50;
    if (!has_locator && (load_u16(end + 4) != 0 || load_u16(end + 6) != 0 || load_u16(end + 8) != r->count))
        return diag_report(r->d, DIAG_ZIP_UNSUPPORTED, "the archive is split into several files");
    ecma_status status = has_locator ? read_end64(r, at - ZIP_LOCATOR64, end) : ECMA_OK;
    if (status)
        return status;
    if (z->directory > r->end || r->directory_bytes > r->end - z->directory)
        return damaged(r, "the central directory is not where the end record says", at);
    if (r->count > ZIP_MOST_ENTRIES)
        return diag_report(r->d, DIAG_ZIP_LIMIT, "%llu entries; more than %d are not taken",
                           (unsigned long long)r->count, ZIP_MOST_ENTRIES);
    if (r->count > r->directory_bytes / ZIP_RECORD)
        return damaged(r, "more entries than the central directory has room for", at);
    return ECMA_OK;
}

/* ---- The central directory -------------------------------------------------------------------------------------- */

/* Takes from the zip64 extra field what the record has no room for (APPNOTE 4.5.3). */
static bool read_extra64(zip_entry *e, bytes extra, bool *disk_fits) {
    reader r = reader_of(extra);
    while (reader_left(&r) >= 4) {
        uint16_t id = reader_u16(&r), size = reader_u16(&r);
        reader field = reader_of(reader_bytes(&r, size));
        if (r.failed)
            return false;
        if (id != ZIP_EXTRA64)
            continue;
        if (e->bytes == ZIP_MASK32)
            e->bytes = reader_u64(&field);
        if (e->packed_bytes == ZIP_MASK32)
            e->packed_bytes = reader_u64(&field);
        if (e->local == ZIP_MASK32)
            e->local = reader_u64(&field);
        *disk_fits = reader_left(&field) < 4 || reader_u32(&field) == 0;
        return !field.failed;
    }
    return true; /* up to three bytes that are no field: written as padding by some */
}

static ecma_status read_record(reading *r, reader *directory, zip_entry *e) {
    size_t before = reader_offset(directory);
    uint64_t offset = r->z->directory + before;
    const uint8_t *p = reader_take(directory, ZIP_RECORD);
    if (!p || load_u32(p) != 0x02014b50)
        return damaged(r, "a record of the central directory is missing", offset);
    e->flags = load_u16(p + 8);
    e->method = load_u16(p + 10);
    e->crc = load_u32(p + 16);
    e->packed_bytes = load_u32(p + 20);
    e->bytes = load_u32(p + 24);
    e->local = load_u32(p + 42);
    uint16_t disk = load_u16(p + 34);
    e->is_link = p[5] == 3 && (load_u32(p + 38) >> 16 & 0170000) == 0120000;
    e->name = reader_bytes(directory, load_u16(p + 28));
    bytes extra = reader_bytes(directory, load_u16(p + 30));
    reader_skip(directory, load_u16(p + 32));
    bool disk_fits = true;
    if (directory->failed)
        return damaged(r, "a record of the central directory is cut short", offset);
    e->record = bytes_of(p, reader_offset(directory) - before);
    if (e->name.size == 0)
        return damaged(r, "an entry has no name", offset);
    if (!read_extra64(e, extra, &disk_fits))
        return damaged(r, "an entry's extra fields are cut short", offset);
    if (!disk_fits || (disk != 0 && disk != ZIP_MASK16))
        return diag_report(r->d, DIAG_ZIP_UNSUPPORTED, "the archive is split into several files");
    if (e->flags & 1 << 13)
        return diag_report(r->d, DIAG_ZIP_UNSUPPORTED, "the central directory is encrypted");
    return settle_path(r, e);
}

static ecma_status read_directory(reading *r) {
    zip_view *z = r->z;
    bytes whole = {z->file.data + z->directory, (size_t)(r->end - z->directory)};
    reader directory = reader_of(bytes_of(whole.data, (size_t)r->directory_bytes));
    z->entries = arena_alloc_array(&z->memory, (size_t)r->count + 1, sizeof *z->entries);
    z->by_offset = arena_alloc_array(&z->memory, (size_t)r->count + 1, sizeof *z->by_offset);
    z->by_path = arena_alloc_array(&z->memory, (size_t)r->count + 1, sizeof *z->by_path);
    if (!z->entries || !z->by_offset || !z->by_path)
        return diag_no_memory(r->d);
    for (; z->count < r->count; z->count++) {
        zip_entry *e = &z->entries[z->count];
        ecma_status status = read_record(r, &directory, e);
        if (status)
            return status;
        z->by_offset[z->count] = z->by_path[z->count] = e;
    }
    size_t used = reader_offset(&directory);
    if (reader_left(&directory) > 0 && (reader_left(&directory) < 6 || load_u32(directory.at) != 0x05054b50))
        return damaged(r, "the central directory has more than the end record says", z->directory + used);
    z->signature = bytes_of(whole.data + used, whole.size - used);
    return ECMA_OK;
}

/* ---- Entries among each other ----------------------------------------------------------------------------------- */

static int compare_paths(const void *a, const void *b) {
    return strcmp((*(const zip_entry *const *)a)->path, (*(const zip_entry *const *)b)->path);
}

static int compare_offsets(const void *a, const void *b) {
    const zip_entry *x = *(const zip_entry *const *)a, *y = *(const zip_entry *const *)b;
    return x->local != y->local ? (x->local > y->local) - (x->local < y->local) : (x > y) - (x < y);
}

/* The folders of a path must not be files. */
static const zip_entry *file_above(const zip_view *z, const zip_entry *e) {
    char above[ZIP_MOST_PATH + 1];
    for (const char *slash = strchr(e->path, '/'); slash; slash = strchr(slash + 1, '/')) {
        memcpy(above, e->path, (size_t)(slash - e->path));
        above[slash - e->path] = 0;
        const zip_entry *found = zip_find(z, above);
        if (found && !found->is_folder)
            return found;
    }
    return NULL;
}

static ecma_status check_paths(const reading *r) {
    const zip_view *z = r->z;
    if (z->count)
        qsort(z->by_path, z->count, sizeof *z->by_path, compare_paths);
    for (size_t i = 1; i < z->count; i++)
        if (strcmp(z->by_path[i - 1]->path, z->by_path[i]->path) == 0)
            return diag_report(r->d, DIAG_ZIP_ENTRY, "two entries are named '%.200s'", z->by_path[i]->path);
    for (size_t i = 0; i < z->count; i++)
        if (file_above(z, &z->entries[i]))
            return diag_report(r->d, DIAG_ZIP_ENTRY, "entry '%.200s' is inside '%.200s', which is a file",
                               z->entries[i].path, file_above(z, &z->entries[i])->path);
    return ECMA_OK;
}

static bool same_name(bytes a, bytes b) {
    if (a.size != b.size)
        return false;
    for (size_t i = 0; i < a.size; i++)
        if (a.data[i] != b.data[i] &&
            !((a.data[i] == '/' || a.data[i] == '\\') && (b.data[i] == '/' || b.data[i] == '\\')))
            return false;
    return true;
}

/* `limit`: where the next entry or the directory begins. */
static ecma_status read_local(const reading *r, zip_entry *e, uint64_t limit) {
    const char *fault = NULL;
    if (e->local >= limit || limit - e->local < ZIP_LOCAL)
        return diag_report(r->d, DIAG_ZIP_ENTRY, "entry '%.200s' overlaps with what stands after it", e->path);
    const uint8_t *p = r->z->file.data + e->local;
    if (load_u32(p) != 0x04034b50)
        return diag_report(r->d, DIAG_ZIP_ENTRY, "entry '%.200s' has no local header at offset %llu", e->path,
                           (unsigned long long)e->local);
    uint16_t flags = load_u16(p + 6), name = load_u16(p + 26), extra = load_u16(p + 28);
    uint64_t left = limit - e->local - ZIP_LOCAL;
    if ((uint64_t)name + extra > left || e->packed_bytes > left - name - extra)
        return diag_report(r->d, DIAG_ZIP_ENTRY, "entry '%.200s' overlaps with what stands after it", e->path);
    e->data = e->local + ZIP_LOCAL + name + extra;
    e->end = limit;
    if (!same_name(bytes_of(p + ZIP_LOCAL, name), e->name))
        fault = "name";
    else if (load_u16(p + 8) != e->method)
        fault = "method";
    else if ((flags ^ e->flags) & ZIP_FLAG_ENCRYPTED)
        fault = "encryption";
    else if (!(flags & ZIP_FLAG_DESCRIPTOR) && load_u32(p + 14) != e->crc)
        fault = "CRC";
    else if (!(flags & ZIP_FLAG_DESCRIPTOR) && load_u32(p + 18) != ZIP_MASK32 && load_u32(p + 18) != e->packed_bytes)
        fault = "packed size";
    else if (!(flags & ZIP_FLAG_DESCRIPTOR) && load_u32(p + 22) != ZIP_MASK32 && load_u32(p + 22) != e->bytes)
        fault = "size";
    if (fault)
        return diag_report(r->d, DIAG_ZIP_ENTRY,
                           "entry '%.200s' has another %s in its local header than in the "
                           "central directory",
                           e->path, fault);
    bool encrypted = e->flags & ZIP_FLAG_ENCRYPTED;
    if ((e->method == ZIP_STORED && !encrypted && e->bytes != e->packed_bytes) ||
        (e->method == ZIP_DEFLATED && e->bytes / ZIP_DEFLATE_LIMIT > e->packed_bytes))
        return diag_report(r->d, DIAG_ZIP_ENTRY, "entry '%.200s' claims %llu bytes out of %llu, which cannot be",
                           e->path, (unsigned long long)e->bytes, (unsigned long long)e->packed_bytes);
    return ECMA_OK;
}

static ecma_status read_locals(const reading *r) {
    const zip_view *z = r->z;
    if (z->count)
        qsort(z->by_offset, z->count, sizeof *z->by_offset, compare_offsets);
    for (size_t i = 0; i < z->count; i++) {
        uint64_t limit = i + 1 < z->count ? z->by_offset[i + 1]->local : z->directory;
        zip_entry *e = &z->entries[z->by_offset[i] - z->entries];
        ecma_status status = read_local(r, e, limit < z->directory ? limit : z->directory);
        if (status)
            return status;
    }
    return ECMA_OK;
}

ecma_status zip_read(zip_view *z, diag *d, bytes file) {
    reading r = {.z = z, .d = d};
    *z = (zip_view){.file = file, .memory = ARENA_INIT};
    ecma_status status = read_end(&r);
    if (status == ECMA_OK)
        status = read_directory(&r);
    if (status == ECMA_OK)
        status = check_paths(&r);
    return status ? status : read_locals(&r);
}

void zip_clear(zip_view *z) {
    arena_clear(&z->memory);
    *z = ZIP_INIT;
}

/* ---- Finding and unpacking -------------------------------------------------------------------------------------- */

const zip_entry *zip_find(const zip_view *z, const char *path) {
    const zip_entry wanted = {.path = path}, *key = &wanted;
    if (z->count == 0)
        return NULL;
    const zip_entry *const *found = bsearch(&key, z->by_path, z->count, sizeof key, compare_paths);
    return found ? *found : NULL;
}

const zip_entry *zip_find_any_case(const zip_view *z, const char *path) {
    const zip_entry *found = zip_find(z, path);
    for (size_t i = 0; !found && i < z->count; i++)
        if (strcasecmp(z->by_path[i]->path, path) == 0)
            found = z->by_path[i];
    return found;
}

uint64_t zip_most_unpacked(const zip_view *z) {
    return (uint64_t)z->file.size * ZIP_MOST_RATIO + ZIP_FREE_BYTES;
}

static ecma_status check_unpackable(diag *d, const zip_entry *e, uint64_t left) {
    if (e->flags & ZIP_FLAG_ENCRYPTED)
        return diag_report(d, DIAG_ZIP_UNSUPPORTED, "entry '%.200s' is encrypted", e->path);
    if (e->method != ZIP_STORED && e->method != ZIP_DEFLATED)
        return diag_report(d, DIAG_ZIP_UNSUPPORTED,
                           "entry '%.200s' is packed by method %u; deflate alone is understood", e->path, e->method);
    if ((e->bytes > ZIP_FREE_BYTES && e->bytes / ZIP_MOST_RATIO > e->packed_bytes) || e->bytes > left)
        return diag_report(d, DIAG_ZIP_LIMIT, "entry '%.200s' unpacks %llu bytes to %llu: a bomb", e->path,
                           (unsigned long long)e->packed_bytes, (unsigned long long)e->bytes);
    if (e->bytes > UINT32_MAX)
        return diag_report(d, DIAG_ZIP_LIMIT, "entry '%.200s' has %llu bytes; more than 4 GiB are not taken", e->path,
                           (unsigned long long)e->bytes);
    return ECMA_OK;
}

static ecma_status inflate(uint8_t *to, diag *d, const zip_view *z, const zip_entry *e) {
    struct libdeflate_decompressor *inflater = libdeflate_alloc_decompressor();
    if (!inflater)
        return diag_no_memory(d);
    size_t used, made;
    enum libdeflate_result result = libdeflate_deflate_decompress_ex(
        inflater, z->file.data + e->data, (size_t)e->packed_bytes, to, (size_t)e->bytes, &used, &made);
    libdeflate_free_decompressor(inflater);
    if (result != LIBDEFLATE_SUCCESS || made != e->bytes || used != e->packed_bytes)
        return diag_report(d, DIAG_ZIP_ENTRY,
                           "entry '%.200s' is damaged: it does not unpack to the %llu bytes that it "
                           "should have",
                           e->path, (unsigned long long)e->bytes);
    return ECMA_OK;
}

ecma_status zip_unpack(buffer *content, diag *d, const zip_view *z, const zip_entry *e, uint64_t *left) {
    ecma_status status = check_unpackable(d, e, *left);
    if (status)
        return status;
    *left -= e->bytes;
    uint8_t *to = buffer_extend(content, (size_t)e->bytes);
    if (!to)
        return diag_no_memory(d);
    if (e->method == ZIP_DEFLATED)
        status = inflate(to, d, z, e);
    else if (e->bytes > 0)
        memcpy(to, z->file.data + e->data, (size_t)e->bytes);
    if (status == ECMA_OK && libdeflate_crc32(0, to, (size_t)e->bytes) != e->crc)
        status = diag_report(d, DIAG_ZIP_ENTRY, "entry '%.200s' is damaged: its CRC is wrong", e->path);
    return status;
}
