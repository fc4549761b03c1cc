/* retarget - makes the compiled tracker one that every runtime binds, and the same bytes at every build.
 *
 *   retarget [--stamp] FILE
 *
 * Rewrites in place: each AssemblyRef row becomes version 2.0.5.0, Retargetable, public key token 7cec85d7bea7798e
 * (the identity of the portable class libraries; compilers can't write the flag), but for that of
 * System.Diagnostics.DiagnosticSource, which keeps its version and gets its own token; methods marked PreserveSig,
 * which means nothing to managed code, lose the mark and get the prefix `tail.` before their returned call (see
 * mark_tail_call); the time stamp becomes 0 and the MVID a hash of the rest, which alone is done with --stamp. The
 * strong-name signature has to be made again afterwards. Reads only what our compiler writes: #~, no Ptr tables, heaps
 * below 64 KiB are not assumed. (II.24, II.25) */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t *image;
static size_t image_size;

static void fail(const char *text) {
    fprintf(stderr, "retarget: %s\n", text);
    exit(1);
}

static uint8_t *at(size_t offset, size_t size) {
    if (offset > image_size || size > image_size - offset)
        fail("the file ends too early");
    return image + offset;
}

static uint16_t get16(size_t offset) {
    const uint8_t *p = at(offset, 2);
    return (uint16_t)(p[0] | p[1] << 8);
}

static uint32_t get32(size_t offset) {
    return get16(offset) | (uint32_t)get16(offset + 2) << 16;
}

static void put16(size_t offset, uint16_t value) {
    uint8_t *p = at(offset, 2);
    p[0] = (uint8_t)value;
    p[1] = (uint8_t)(value >> 8);
}

static size_t offset_of_rva(uint32_t rva, size_t pe) {
    size_t section = pe + 24 + get16(pe + 20);
    for (unsigned i = 0; i < get16(pe + 6); i++, section += 40) {
        uint32_t start = get32(section + 12);
        if (rva >= start && rva - start < get32(section + 16))
            return (size_t)get32(section + 20) + (rva - start);
    }
    fail("an RVA lies in no section");
    return 0;
}

/* Columns of the tables up to AssemblyRef: 2, 4 bytes; s g b heap indexes; otherwise a letter of `coded` or a table's
 * index as '@' + table (upper half of the byte range). */
enum { T = 0x80 };
#define TABLE(n) (char)(T + (n))
static const struct {
    char letter;
    unsigned tag_bits;
    uint64_t tables;
} coded[] = {
    {'A', 2, 1ull << 0x02 | 1ull << 0x01 | 1ull << 0x1b}, /* TypeDefOrRef */
    {'B', 2, 1ull << 0x04 | 1ull << 0x08 | 1ull << 0x17}, /* HasConstant */
    {'C', 5,
     0x1ull << 0x06 | 0xfull << 0x00 | 1ull << 0x04 | 1ull << 0x08 | 1ull << 0x09 | /* HasCustomAttribute */
         1ull << 0x0a | 1ull << 0x0e | 1ull << 0x11 | 1ull << 0x14 | 1ull << 0x17 | 1ull << 0x1a | 1ull << 0x1b |
         1ull << 0x20 | 1ull << 0x23 | 1ull << 0x26 | 1ull << 0x27 | 1ull << 0x28 | 1ull << 0x2a | 1ull << 0x2b |
         1ull << 0x2c},
    {'D', 1, 1ull << 0x04 | 1ull << 0x08},                                              /* HasFieldMarshal */
    {'E', 2, 1ull << 0x02 | 1ull << 0x06 | 1ull << 0x20},                               /* HasDeclSecurity */
    {'F', 3, 1ull << 0x02 | 1ull << 0x01 | 1ull << 0x1a | 1ull << 0x06 | 1ull << 0x1b}, /* MemberRefParent */
    {'G', 1, 1ull << 0x14 | 1ull << 0x17},                                              /* HasSemantics */
    {'H', 1, 1ull << 0x06 | 1ull << 0x0a},                                              /* MethodDefOrRef */
    {'I', 1, 1ull << 0x04 | 1ull << 0x06},                                              /* MemberForwarded */
    {'J', 3, 1ull << 0x06 | 1ull << 0x0a},                                              /* CustomAttributeType */
    {'K', 2, 1ull << 0x00 | 1ull << 0x1a | 1ull << 0x23 | 1ull << 0x01},                /* ResolutionScope */
};

static const char *const columns[0x24] = {
    [0x00] = "2sggg",
    [0x01] = "Kss",
    [0x02] = "4ssA\x84\x86",
    [0x04] = "2sb",
    [0x06] = "422sb\x88",
    [0x08] = "22s",
    [0x09] = "\x82"
             "A",
    [0x0a] = "Fsb",
    [0x0b] = "2Bb",
    [0x0c] = "CJb",
    [0x0d] = "Db",
    [0x0e] = "2Eb",
    [0x0f] = "24\x82",
    [0x10] = "4\x84",
    [0x11] = "b",
    [0x12] = "\x82\x94",
    [0x14] = "2sA",
    [0x15] = "\x82\x97",
    [0x17] = "2sb",
    [0x18] = "2\x86G",
    [0x19] = "\x82HH",
    [0x1a] = "s",
    [0x1b] = "b",
    [0x1c] = "2Is\x9a",
    [0x1d] = "4\x84",
    [0x20] = "422224bss",
    [0x21] = "4",
    [0x22] = "444",
    [0x23] = "22224bssb",
};

static uint32_t rows[64];
static uint8_t heap_sizes;

static unsigned width(char column) {
    uint8_t c = (uint8_t)column;
    if (c == '2' || c == '4')
        return c - '0';
    if (c == 's' || c == 'g' || c == 'b')
        return heap_sizes & (c == 's' ? 1 : c == 'g' ? 2 : 4) ? 4 : 2;
    if (c >= T)
        return rows[c - T] > 0xffff ? 4 : 2;
    for (size_t i = 0; i < sizeof coded / sizeof *coded; i++)
        if (coded[i].letter == column)
            for (unsigned table = 0; table < 64; table++)
                if (coded[i].tables >> table & 1 && rows[table] >= 1u << (16 - coded[i].tag_bits))
                    return 4;
    return 2;
}

static size_t get_index(char column, size_t position) {
    return width(column) == 4 ? get32(position) : get16(position);
}

static size_t row_size(unsigned table) {
    if (!columns[table])
        fail("a table that our compiler does not write");
    size_t size = 0;
    for (const char *c = columns[table]; *c; c++)
        size += width(*c);
    return size;
}

/* `conv.i8, conv.i4, call X, ret` of an int32 argument becomes `tail. call X, ret`, as long as it was, which compilers
 * can't write; .NET compiles a method with such a call as hot code at once. There is exactly one. (II.25.4, III.2.4) */
static void mark_tail_call(size_t body) {
    enum { CONV_I8 = 0x6a, CONV_I4 = 0x69, CALL = 0x28, RET = 0x2a, PREFIX = 0xfe, TAIL = 0x14, LENGTH = 8 };
    unsigned format = *at(body, 1) & 3u;
    size_t size = format == 2 ? *at(body, 1) >> 2 : get32(body + 4), code = body + (format == 2 ? 1 : 12), found = 0;
    for (size_t i = 0; i + LENGTH <= size; i++) {
        uint8_t *il = at(code + i, LENGTH);
        if (il[0] == CONV_I8 && il[1] == CONV_I4 && il[2] == CALL && il[7] == RET) {
            il[0] = PREFIX;
            il[1] = TAIL;
            found++;
        }
    }
    if (found != 1)
        fail("a method marked PreserveSig without its one call to become a tail call");
}

/* ImplFlags stand after the RVA. */
static void mark_tail_calls(size_t methods, size_t pe) {
    enum { PRESERVE_SIG = 0x80 };
    for (uint32_t row = 0; row < rows[0x06]; row++, methods += row_size(0x06)) {
        uint16_t flags = get16(methods + 4);
        if (get32(methods) != 0 && flags & PRESERVE_SIG) { /* of native functions it does mean something */
            put16(methods + 4, (uint16_t)(flags & ~PRESERVE_SIG));
            mark_tail_call(offset_of_rva(get32(methods), pe));
        }
    }
}

/* The whole file is the tracker, some 30 KB: two passes of FNV-1a with different starts are hash enough to distinguish
 * builds. */
static void hash(uint8_t out[16]) {
    for (unsigned half = 0; half < 2; half++) {
        uint64_t h = 0xcbf29ce484222325ull ^ (half * 0x9e3779b97f4a7c15ull);
        for (size_t i = 0; i < image_size; i++)
            h = (h ^ image[i]) * 0x100000001b3ull;
        for (unsigned i = 0; i < 8; i++)
            out[half * 8 + i] = (uint8_t)(h >> (8 * i));
    }
    out[7] = (uint8_t)((out[7] & 0x0f) | 0x40);
    out[8] = (uint8_t)((out[8] & 0x3f) | 0x80);
}

int main(int argc, char **argv) {
    static const uint8_t portable[9] = {8, 0x7c, 0xec, 0x85, 0xd7, 0xbe, 0xa7, 0x79, 0x8e},
                         diagnostics[9] = {8, 0xcc, 0x7b, 0x13, 0xff, 0xcd, 0x2d, 0xdd, 0x51};
    int stamp_alone = argc == 3 && strcmp(argv[1], "--stamp") == 0;
    if (argc != 2 + stamp_alone)
        fail("usage: retarget [--stamp] FILE");
    FILE *file = fopen(argv[argc - 1], "r+b");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        fail("the file can't be opened");
    long end = ftell(file);
    if (end <= 0 || !(image = malloc((size_t)end)))
        fail("the file can't be read");
    image_size = (size_t)end;
    rewind(file);
    if (fread(image, 1, image_size, file) != image_size)
        fail("the file can't be read");

    size_t pe = get32(0x3c);
    size_t directories = pe + 24 + (get16(pe + 24) == 0x20b ? 112 : 96);
    size_t cli = offset_of_rva(get32(directories + 14 * 8), pe);
    size_t root = offset_of_rva(get32(cli + 8), pe);
    memset(at(pe + 8, 4), 0, 4);  /* TimeDateStamp */
    memset(at(pe + 88, 4), 0, 4); /* CheckSum */

    size_t stream = root + 16 + get32(root + 12), tables = 0, blob = 0, guid = 0, strings = 0;
    for (unsigned left = get16(stream + 2), i = (stream += 4, 0); i < left; i++) {
        const char *name = (const char *)at(stream + 8, 8);
        size_t start = root + get32(stream);
        if (!strncmp(name, "#~", 3))
            tables = start;
        else if (!strncmp(name, "#Blob", 6))
            blob = start;
        else if (!strncmp(name, "#Strings", 8))
            strings = start;
        else if (!strncmp(name, "#GUID", 6))
            guid = start;
        stream += 8 + ((strnlen(name, 32) + 4) & ~(size_t)3);
    }
    if (!tables || !blob || !guid || !strings)
        fail("a stream is missing");

    heap_sizes = *at(tables + 6, 1);
    size_t position = tables + 24;
    for (unsigned table = 0; table < 64; table++)
        if ((table < 32 ? get32(tables + 8) >> table : get32(tables + 12) >> (table - 32)) & 1) {
            rows[table] = get32(position);
            position += 4;
        }
    for (unsigned table = 0; table < 0x23; table++)
        if (rows[table]) {
            if (table == 0x06 && !stamp_alone)
                mark_tail_calls(position, pe);
            position += rows[table] * row_size(table);
        }
    for (uint32_t row = 0; row < rows[0x23] && !stamp_alone; row++, position += row_size(0x23)) {
        static const uint16_t version[4] = {2, 0, 5, 0};
        static const char other[] = "System.Diagnostics.DiagnosticSource";
        size_t key = get_index('b', position + 12), name = get_index('s', position + 12 + width('b'));
        bool own = !memcmp(at(strings + name, sizeof other), other, sizeof other);
        for (unsigned i = 0; i < 4 && !own; i++)
            put16(position + 2 * i, version[i]);
        put16(position + 8, own ? 0 : 0x100); /* Retargetable */
        put16(position + 10, 0);
        if (*at(blob + key, 1) != 8)
            fail("an AssemblyRef without a public key token");
        memcpy(at(blob + key, sizeof portable), own ? diagnostics : portable, sizeof portable);
    }
    memset(at(guid, 16), 0, 16);
    uint8_t mvid[16];
    hash(mvid);
    memcpy(at(guid, 16), mvid, 16);

    rewind(file);
    if (fwrite(image, 1, image_size, file) != image_size || fclose(file) != 0)
        fail("the file can't be written");
    return 0;
}
