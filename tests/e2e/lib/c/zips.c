/* zips make OUT [OPTION...] ENTRY... - makes a zip archive, as odd as is asked for.
 * zips raw FILE - what stands in one, as lines that `diff` compares: for each entry of the central directory its name,
 * a checksum of all bytes from its local header to the next one, and one of its record but for the offset; then the
 * order of the local headers, what is before them, and the archive's comment. Shares no code with what it tests.
 *
 * OPTION: comment=TEXT, after=TEXT (after the archive), before=TEXT, zip64 (end records), count=N (a lie)
 * ENTRY: NAME=FILE[|MOD...], MOD: stored, dd (data descriptor), dd64, local=NAME, extra=HEX (local), record=HEX
 * (central extra), note=TEXT (comment), zip64 (masked sizes), place64 (masked offset), encrypted, method=N, crc
 * (wrong), size=N (claimed), at=N (shares the local header of entry N), link, padding=N (bytes after), repeat=N
 * (NAME.0, NAME.1, ...) */
#include <libdeflate.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct text {
    unsigned char *data;
    size_t size, room;
} text;

static void put(text *t, const void *data, size_t size) {
    if (t->room - t->size < size) {
        t->room = 2 * t->room + size;
        t->data = realloc(t->data, t->room);
        if (!t->data)
            abort();
    }
    if (size)
        memcpy(t->data + t->size, data, size);
    t->size += size;
}
static void number(text *t, uint64_t value, int size) {
    unsigned char b[8];
    for (int i = 0; i < size; i++)
        b[i] = (unsigned char)(value >> 8 * i);
    put(t, b, (size_t)size);
}
static uint64_t get(const unsigned char *p, int size) {
    uint64_t value = 0;
    for (int i = size; i-- > 0;)
        value = value << 8 | p[i];
    return value;
}
static text slurp(const char *path) {
    text t = {0};
    FILE *f = fopen(path, "rb");
    char block[65536];
    if (!f) {
        fprintf(stderr, "zips: %s cannot be read\n", path);
        exit(2);
    }
    for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;)
        put(&t, block, n);
    fclose(f);
    return t;
}
static void hex(text *t, const char *digits) {
    for (; digits[0] && digits[1]; digits += 2) {
        char two[3] = {digits[0], digits[1], 0};
        number(t, strtoul(two, NULL, 16), 1);
    }
}

/* ---- make ------------------------------------------------------------------------------------------------------- */

static text out, directory;
static uint64_t offsets[1 << 20];
static size_t count;

static const char *modifier(char **mods, size_t n, const char *name) {
    size_t length = strlen(name);
    for (size_t i = 0; i < n; i++)
        if (strncmp(mods[i], name, length) == 0 && (mods[i][length] == 0 || mods[i][length] == '='))
            return mods[i] + length + (mods[i][length] == '=');
    return NULL;
}

static void add(const char *name, const text *content, char **mods, size_t n) {
#define MOD(name) modifier(mods, n, name)
    text packed = {0}, local_extra = {0}, extra = {0};
    const char *value, *local = (value = MOD("local")) ? value : name;
    unsigned method = MOD("stored") ? 0 : 8,
             flags = (MOD("encrypted") ? 1u : 0u) | (MOD("dd") || MOD("dd64") ? 8u : 0u);
    if (method == 8) {
        struct libdeflate_compressor *c = libdeflate_alloc_compressor(6);
        packed.room = libdeflate_deflate_compress_bound(c, content->size);
        packed.data = malloc(packed.room);
        packed.size = libdeflate_deflate_compress(c, content->data, content->size, packed.data, packed.room);
        libdeflate_free_compressor(c);
    } else {
        put(&packed, content->data, content->size);
    }
    if ((value = MOD("method")))
        method = (unsigned)atoi(value);
    uint32_t crc = libdeflate_crc32(0, content->data, content->size) ^ (MOD("crc") ? 1u : 0u);
    uint64_t size = (value = MOD("size")) ? strtoull(value, NULL, 10) : content->size;
    uint64_t at = (value = MOD("at")) ? offsets[atoi(value)] : out.size;
    bool masked = MOD("zip64") != NULL, place = MOD("place64") != NULL;
    if ((value = MOD("extra")))
        hex(&local_extra, value);
    if (masked) {
        number(&local_extra, 1, 2);
        number(&local_extra, 16, 2);
        number(&local_extra, flags & 8 ? 0 : size, 8);
        number(&local_extra, flags & 8 ? 0 : packed.size, 8);
    }
    if ((value = MOD("record")))
        hex(&extra, value);
    if (masked || place) {
        number(&extra, 1, 2);
        number(&extra, (masked ? 16u : 0u) + (place ? 8u : 0u), 2);
        if (masked) {
            number(&extra, size, 8);
            number(&extra, packed.size, 8);
        }
        if (place)
            number(&extra, at, 8);
    }
    offsets[count++] = at;
    if (!MOD("at")) {
        number(&out, 0x04034b50, 4);
        number(&out, masked ? 45 : 20, 2);
        number(&out, flags, 2);
        number(&out, method, 2);
        number(&out, 0x3d3a6a20, 4);
        number(&out, flags & 8 ? 0 : crc, 4);
        number(&out, masked ? UINT32_MAX : flags & 8 ? 0 : packed.size, 4);
        number(&out, masked ? UINT32_MAX : flags & 8 ? 0 : size, 4);
        number(&out, strlen(local), 2);
        number(&out, local_extra.size, 2);
        put(&out, local, strlen(local));
        put(&out, local_extra.data, local_extra.size);
        put(&out, packed.data, packed.size);
        if (flags & 8) {
            number(&out, 0x08074b50, 4);
            number(&out, crc, 4);
            number(&out, packed.size, MOD("dd64") ? 8 : 4);
            number(&out, size, MOD("dd64") ? 8 : 4);
        }
        for (int i = (value = MOD("padding")) ? atoi(value) : 0; i > 0; i--)
            put(&out, "", 1);
    }
    const char *note = (value = MOD("note")) ? value : "";
    number(&directory, 0x02014b50, 4);
    number(&directory, MOD("link") ? 0x314 : 0x0b14, 2);
    number(&directory, masked ? 45 : 20, 2);
    number(&directory, flags, 2);
    number(&directory, method, 2);
    number(&directory, 0x3d3a6a20, 4);
    number(&directory, crc, 4);
    number(&directory, masked ? UINT32_MAX : packed.size, 4);
    number(&directory, masked ? UINT32_MAX : size, 4);
    number(&directory, strlen(name), 2);
    number(&directory, extra.size, 2);
    number(&directory, strlen(note), 2);
    number(&directory, 0, 2);
    number(&directory, 1, 2);
    number(&directory, MOD("link") ? 0120777u << 16 : 0x20, 4);
    number(&directory, place ? UINT32_MAX : at, 4);
    put(&directory, name, strlen(name));
    put(&directory, extra.data, extra.size);
    put(&directory, note, strlen(note));
    free(packed.data);
    free(local_extra.data);
    free(extra.data);
}

static void make(const char *path, char **arguments) {
    const char *comment = "", *behind = "";
    uint64_t lie = 0;
    bool zip64 = false;
    for (; *arguments; arguments++) {
        char *mods[16], *a = *arguments;
        size_t n = 0;
        if (strncmp(a, "comment=", 8) == 0) {
            comment = a + 8;
        } else if (strncmp(a, "behind=", 7) == 0) {
            behind = a + 7;
        } else if (strncmp(a, "before=", 7) == 0) {
            put(&out, a + 7, strlen(a + 7));
        } else if (strncmp(a, "count=", 6) == 0) {
            lie = strtoull(a + 6, NULL, 10);
        } else if (strcmp(a, "zip64") == 0) {
            zip64 = true;
        } else {
            for (char *bar = strchr(a, '|'); bar && n < 16; bar = strchr(bar + 1, '|')) {
                *bar = 0;
                mods[n++] = bar + 1;
            }
            char *file = strchr(a, '=');
            const char *repeat = modifier(mods, n, "repeat");
            *file++ = 0;
            text content = *file ? slurp(file) : (text){0};
            for (int i = 0; i < (repeat ? atoi(repeat) : 1); i++) {
                char name[2048];
                snprintf(name, sizeof name, repeat ? "%s.%d" : "%s", a, i);
                add(name, &content, mods, n);
            }
            free(content.data);
        }
    }
    uint64_t at = out.size, said = lie ? lie : count;
    put(&out, directory.data, directory.size);
    if (zip64) {
        uint64_t end = out.size;
        number(&out, 0x06064b50, 4);
        number(&out, 44, 8);
        number(&out, 0x2d002d, 4);
        number(&out, 0, 8);
        number(&out, said, 8);
        number(&out, said, 8);
        number(&out, directory.size, 8);
        number(&out, at, 8);
        number(&out, 0x07064b50, 4);
        number(&out, 0, 4);
        number(&out, end, 8);
        number(&out, 1, 4);
    }
    number(&out, 0x06054b50, 4);
    number(&out, 0, 4);
    number(&out, zip64 ? 0xFFFF : said, 2);
    number(&out, zip64 ? 0xFFFF : said, 2);
    number(&out, zip64 ? UINT32_MAX : directory.size, 4);
    number(&out, zip64 ? UINT32_MAX : at, 4);
    number(&out, strlen(comment), 2);
    put(&out, comment, strlen(comment));
    put(&out, behind, strlen(behind));
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(out.data, 1, out.size, f) != out.size || fclose(f) != 0)
        exit(2);
}

/* ---- raw -------------------------------------------------------------------------------------------------------- */

typedef struct entry {
    uint64_t local;
    size_t number;
} entry;

static int by_place(const void *a, const void *b) {
    uint64_t x = ((const entry *)a)->local, y = ((const entry *)b)->local;
    return (x > y) - (x < y);
}

static unsigned sum(const unsigned char *data, uint64_t size) {
    return libdeflate_crc32(0, data, (size_t)size);
}

static int raw(const char *path) {
    text t = slurp(path);
    const unsigned char *end = t.data + t.size - 22;
    while (end > t.data && !(get(end, 4) == 0x06054b50 && end + 22 + get(end + 20, 2) <= t.data + t.size))
        end--;
    uint64_t n = get(end + 10, 2), at = get(end + 16, 4);
    if (end - t.data > 20 && get(end - 20, 4) == 0x07064b50) {
        const unsigned char *end64 = t.data + get(end - 12, 8);
        n = get(end64 + 32, 8);
        at = get(end64 + 48, 8);
    }
    entry *entries = calloc(n + 1, sizeof *entries);
    const unsigned char **records = calloc(n + 1, sizeof *records);
    const unsigned char *p = t.data + at;
    for (uint64_t i = 0; i < n; i++) {
        records[i] = p;
        uint64_t name = get(p + 28, 2), extra = get(p + 30, 2), place = get(p + 42, 4);
        for (const unsigned char *x = p + 46 + name; place == UINT32_MAX && x < p + 46 + name + extra;
             x += 4 + get(x + 2, 2))
            if (get(x, 2) == 1)
                place = get(x + 4 + (get(p + 20, 4) == UINT32_MAX ? 8 : 0) + (get(p + 24, 4) == UINT32_MAX ? 8 : 0), 8);
        entries[i] = (entry){place, (size_t)i};
        p += 46 + name + extra + get(p + 32, 2);
    }
    entry *sorted = calloc(n + 1, sizeof *sorted);
    memcpy(sorted, entries, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_place);
    uint64_t *ends = calloc(n + 1, sizeof *ends);
    for (uint64_t i = 0; i < n; i++)
        ends[sorted[i].number] = i + 1 < n ? sorted[i + 1].local : at;
    for (uint64_t i = 0; i < n; i++) {
        const unsigned char *r = records[i];
        uint64_t name = get(r + 28, 2), extra = get(r + 30, 2), note = get(r + 32, 2);
        text record = {0};
        put(&record, r, 42);
        if (get(r + 42, 4) != UINT32_MAX)
            put(&record, r + 46, name + extra + note);
        else
            put(&record, r + 46, name);
        printf("%.*s: local %08x record %08x\n", (int)name, (const char *)r + 46,
               sum(t.data + entries[i].local, ends[i] - entries[i].local), sum(record.data, record.size));
        free(record.data);
        const unsigned char *local = t.data + entries[i].local;
        printf("stamp %.*s: %08x %08x attributes %08x method %u %u\n", (int)name, (const char *)r + 46,
               (unsigned)get(local + 10, 4), (unsigned)get(r + 12, 4), (unsigned)get(r + 38, 4),
               (unsigned)get(local + 8, 2), (unsigned)get(r + 10, 2));
    }
    for (uint64_t i = 0; i < n; i++)
        printf("order %.*s\n", (int)get(records[sorted[i].number] + 28, 2),
               (const char *)records[sorted[i].number] + 46);
    printf("before %08x\n", n ? sum(t.data, sorted[0].local) : 0);
    printf("comment %.*s\n", (int)get(end + 20, 2), (const char *)end + 22);
    free(entries);
    free(records);
    free(sorted);
    free(ends);
    free(t.data);
    return 0;
}

int main(int count_, char **arguments) {
    if (count_ >= 3 && strcmp(arguments[1], "make") == 0) {
        make(arguments[2], arguments + 3);
        return 0;
    }
    return count_ == 3 && strcmp(arguments[1], "raw") == 0 ? raw(arguments[2]) : 2;
}
