/* mutate_zip.h - a mutator that knows the records of a zip archive: end, zip64 end, directory entries, local headers,
 * their names and extra fields (PKWARE's APPNOTE.TXT 6.3, 4.3). */
#ifndef TESTS_FUZZ_MUTATE_ZIP_H
#define TESTS_FUZZ_MUTATE_ZIP_H

#include "mutate.h"

enum {
    ZIP_END_BYTES = 22,
    ZIP_ENTRY_BYTES = 46,
    ZIP_LOCAL_BYTES = 30,
    ZIP_LOCATOR_BYTES = 20,
    ZIP_ENTRIES_SEEN = 64,
};

typedef struct zip_records {
    size_t end; /* of the end record; the directory's entries stand before it */
    size_t entries[ZIP_ENTRIES_SEEN];
    uint32_t count;
} zip_records;

static inline size_t zip_entry_bytes(const uint8_t *entry) {
    return (size_t)ZIP_ENTRY_BYTES + load_u16(entry + 28) + load_u16(entry + 30) + load_u16(entry + 32);
}

static inline bool zip_find_records(zip_records *z, const uint8_t *data, size_t size) {
    *z = (zip_records){0};
    if (size < ZIP_END_BYTES)
        return false;
    for (z->end = size - ZIP_END_BYTES; load_u32(data + z->end) != 0x06054B50; z->end--)
        if (z->end == 0)
            return false;
    size_t at = 0; /* the directory may be anywhere: its first entry is looked for */
    while (at + ZIP_ENTRY_BYTES <= z->end && load_u32(data + at) != 0x02014B50)
        at++;
    while (z->count < ZIP_ENTRIES_SEEN && at + ZIP_ENTRY_BYTES <= z->end && load_u32(data + at) == 0x02014B50) {
        size_t bytes = zip_entry_bytes(data + at);
        if (bytes > z->end - at)
            break;
        z->entries[z->count++] = at;
        at += bytes;
    }
    return true;
}

/* The end record says that the directory has grown, in entries and bytes. */
static inline void zip_grow_directory(uint8_t *end, int entries, int bytes) {
    store_u16(end + 8, (uint16_t)(load_u16(end + 8) + entries));
    store_u16(end + 10, (uint16_t)(load_u16(end + 10) + entries));
    store_u32(end + 12, load_u32(end + 12) + (uint32_t)bytes);
}

/* Puts bytes into an entry of the directory; its length field at `field` counts them. */
static inline size_t zip_grow_entry(uint8_t *data, size_t size, size_t most, const zip_records *z, size_t entry,
                                    unsigned field, size_t at, const uint8_t *with, size_t count) {
    size_t now = mutate_splice(data, size, most, at, 0, with, count);
    if (now != size) {
        store_u16(data + entry + field, (uint16_t)(load_u16(data + entry + field) + count));
        zip_grow_directory(data + z->end + count, 0, (int)count);
    }
    return now;
}

/* The entry's figures stand in its local header, too. */
static inline void zip_agree(uint8_t *data, size_t size, const uint8_t *entry) {
    size_t local = load_u32(entry + 42);
    if (local > size || size - local < ZIP_LOCAL_BYTES)
        return;
    memmove(data + local + 4, entry + 6, 22); /* from the version to the sizes */
    size_t name = load_u16(entry + 28);
    if (load_u16(data + local + 26) == name && name <= size - local - ZIP_LOCAL_BYTES)
        memmove(data + local + ZIP_LOCAL_BYTES, entry + ZIP_ENTRY_BYTES, name);
}

static inline size_t zip_mutate(uint8_t *data, size_t size, size_t most, uint64_t *random) {
    static const uint8_t entry_fields[][2] = {{4, 2},  {6, 2},  {8, 2},  {10, 2}, {12, 4}, {16, 4}, {20, 4},
                                              {24, 4}, {28, 2}, {30, 2}, {32, 2}, {34, 2}, {38, 4}, {42, 4}};
    static const uint8_t local_fields[][2] = {{0, 4},  {4, 2},  {6, 2},  {8, 2}, {14, 4},
                                              {18, 4}, {22, 4}, {26, 2}, {28, 2}};
    static const char name_parts[][6] = {"../", "/", "\\", "..", "a/", "./", ":", "\xC3\xA4", "CON", "\x01", " ", "."};
    static const uint16_t extras[] = {0x0001, 0x7075, 0x5455, 0x9901, 0xCAFE};
    zip_records z;
    if (!zip_find_records(&z, data, size))
        return size;

    size_t at = z.count ? z.entries[mutate_below(random, z.count)] : 0;
    uint8_t *entry = data + at;
    uint32_t way = mutate_below(random, z.count ? 10 : 1);
    if (way == 0) { /* the end, and what zip64 puts before it */
        size_t from = z.end > 76 ? z.end - 76 : 0;
        size_t field = mutate_below(random, 3) ? z.end + 4 + mutate_below(random, 8) * 2
                                               : from + mutate_below(random, (uint32_t)(z.end - from));
        mutate_field(data, size, field, 2u << mutate_below(random, 2), random);
    } else if (way <= 2) {
        const uint8_t *field = entry_fields[mutate_below(random, sizeof entry_fields / 2)];
        mutate_field(data, size, at + field[0], field[1], random);
        if (mutate_below(random, 2))
            zip_agree(data, size, entry);
    } else if (way == 3) {
        const uint8_t *field = local_fields[mutate_below(random, sizeof local_fields / 2)];
        size_t local = load_u32(entry + 42);
        mutate_field(data, size, local + field[0], field[1], random);
    } else if (way == 4) { /* the name */
        const char *part = name_parts[mutate_below(random, sizeof name_parts / sizeof name_parts[0])];
        uint32_t length = load_u16(entry + 28), put = mutate_below(random, length + 1);
        for (uint32_t i = 0; part[i] && put + i < length; i++)
            entry[ZIP_ENTRY_BYTES + put + i] = (uint8_t)part[i];
        zip_agree(data, size, entry);
    } else if (way == 5) { /* the name of another entry */
        const uint8_t *other = data + z.entries[mutate_below(random, z.count)];
        if (load_u16(other + 28) == load_u16(entry + 28))
            memmove(entry + ZIP_ENTRY_BYTES, other + ZIP_ENTRY_BYTES, load_u16(entry + 28));
    } else if (way == 6) { /* an extra field */
        uint8_t extra[24] = {0};
        uint32_t bytes = mutate_below(random, 21);
        store_u16(extra, extras[mutate_below(random, sizeof extras / sizeof extras[0])]);
        store_u16(extra + 2, (uint16_t)(mutate_below(random, 4) ? bytes : mutate_value(random, bytes)));
        return zip_grow_entry(data, size, most, &z, at, 30, at + ZIP_ENTRY_BYTES + load_u16(entry + 28), extra,
                              4 + bytes);
    } else if (way == 7) { /* the entry twice, or not at all */
        uint8_t copy[512];
        size_t bytes = zip_entry_bytes(entry);
        bool twice = mutate_below(random, 2);
        if (bytes > sizeof copy)
            return size;
        memcpy(copy, entry, bytes);
        size_t now = mutate_splice(data, size, most, at, twice ? 0 : bytes, copy, twice ? bytes : 0);
        if (now != size)
            zip_grow_directory(data + z.end + now - size, twice ? 1 : -1, (int)(now - size));
        return now;
    } else if (way == 8) { /* two entries change their places in the file */
        uint8_t *other = data + z.entries[mutate_below(random, z.count)];
        uint32_t local = load_u32(entry + 42);
        store_u32(entry + 42, load_u32(other + 42));
        store_u32(other + 42, local);
    } else { /* the content */
        size_t local = load_u32(entry + 42), packed = load_u32(entry + 20);
        size_t content = local + ZIP_LOCAL_BYTES + mutate_below(random, 40);
        mutate_field(data, size, content + mutate_below(random, (uint32_t)packed), 1, random);
    }

    return size;
}

#endif
