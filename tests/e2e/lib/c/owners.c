/* Prints what the names resource of an instrumented module says of state machines: a line "Type.Method KIND of
 * Type.Method" for each method with an owner or a flag of these, KIND "async", "iterator" or "async iterator", the last
 * part "nobody" without an owner. Reads the format by docs/profile-format.md, section 2, with nothing of the library's.
 */
#include <libdeflate.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t *at, *end;

static uint64_t varuint(void) {
    uint64_t value = 0;
    for (unsigned shift = 0; at < end; shift += 7) {
        value |= (uint64_t)(*at & 0x7F) << shift;
        if (!(*at++ & 0x80))
            return value;
    }
    fputs("the names end early\n", stderr);
    exit(1);
}

static const char *text(void) {
    const char *s = (const char *)at;
    const uint8_t *zero = memchr(at, 0, (size_t)(end - at));
    if (!zero) {
        fputs("a name has no end\n", stderr);
        exit(1);
    }
    at = zero + 1;
    return s;
}

/* A column of runs, a value and how many have it. */
static uint64_t *runs(size_t count) {
    uint64_t *values = calloc(count + 1, sizeof *values);
    for (size_t i = 0; i < count;) {
        uint64_t value = varuint(), length = varuint();
        if (length == 0 || length > count - i) {
            fputs("a run is longer than its column\n", stderr);
            exit(1);
        }
        while (length-- > 0)
            values[i++] = value;
    }
    return values;
}

/* A column of texts: 0 for a new one, else the number of an earlier one, from 1; the new ones follow. */
static const char **shared_texts(size_t count) {
    uint64_t *numbers = calloc(count + 1, sizeof *numbers);
    const char **texts = calloc(count + 1, sizeof *texts), **made = calloc(count + 1, sizeof *made);
    size_t news = 0;
    for (size_t i = 0; i < count; i++) {
        numbers[i] = varuint();
        if (numbers[i] > news) {
            fputs("a text is no earlier one\n", stderr);
            exit(1);
        }
        if (numbers[i] == 0)
            numbers[i] = ++news;
    }
    for (size_t i = 0; i < news; i++)
        made[i] = text();
    for (size_t i = 0; i < count; i++)
        texts[i] = made[numbers[i] - 1];
    free(numbers);
    free(made);
    return texts;
}

static void skip_texts(uint64_t total) {
    while (total-- > 0)
        text();
}

static uint64_t sum_of(uint64_t *values, size_t count) {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    free(values);
    return sum;
}

static uint8_t *whole(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) {
        perror(path);
        exit(1);
    }
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *data = malloc(*size);
    if (!data || fread(data, 1, *size, file) != *size) {
        perror(path);
        exit(1);
    }
    fclose(file);
    return data;
}

static uint32_t u32(const uint8_t *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* What stands after all that is read here. */
enum { HAS_PLACES_OR_NOTES = 2 | 4 };

int main(int argc, char **argv) {
    size_t size;
    if (argc != 2)
        return 2;
    uint8_t *file = whole(argv[1], &size), *header = NULL;
    for (size_t i = 0; i + 36 < size; i++)
        if (memcmp(file + i, "ILJN\2\0", 6) == 0 && (file[i + 6] & ~HAS_PLACES_OR_NOTES) == 0 && file[i + 7] == 0)
            header = file + i;
    if (!header) {
        fputs("no names resource\n", stderr);
        return 1;
    }
    size_t inflated = u32(header + 12);
    uint8_t *data = malloc(inflated + 1);
    struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
    if (!data || !d || libdeflate_deflate_decompress(d, header + 36, u32(header + 16), data, inflated, NULL)) {
        fputs("the names do not inflate\n", stderr);
        return 1;
    }
    at = data;
    end = data + inflated;
    text();
    text();
    size_t types = varuint(), methods = varuint();
    const char **type_names = calloc(types, sizeof *type_names);
    size_t *type_of = calloc(methods, sizeof *type_of), *flags = calloc(methods, sizeof *flags);
    for (size_t i = 0; i < types; i++)
        varuint();
    free(shared_texts(types));
    for (size_t i = 0; i < types; i++)
        type_names[i] = text();
    uint64_t generics = 0;
    for (size_t i = 0; i < types; i++)
        generics += varuint();
    skip_texts(generics);
    uint64_t *deltas = runs(methods);
    size_t type = 0;
    for (size_t i = 0; i < methods; i++) {
        uint64_t folded = deltas[i];
        type += folded & 1 ? ~(folded >> 1) : folded >> 1;
        type_of[i] = type;
    }
    free(deltas);
    free(runs(methods)); /* rows */
    for (size_t i = 0; i < methods; i++)
        varuint(); /* sizes */
    for (size_t i = 0; i < methods; i++)
        flags[i] = varuint();
    const char **names = shared_texts(methods);
    skip_texts(sum_of(runs(methods), methods));
    free(shared_texts(methods)); /* parameter types */
    uint64_t *owners = runs(methods);
    for (size_t i = 0; i < methods; i++) {
        size_t owner = owners[i], kind = flags[i] >> 4 & 3;
        static const char *const kinds[] = {"nothing", "async", "iterator", "async iterator"};
        if (owner == 0 && kind == 0)
            continue;
        printf("%s.%s %s of ", type_names[type_of[i]], names[i], kinds[kind]);
        if (owner)
            printf("%s.%s\n", type_names[type_of[owner - 1]], names[owner - 1]);
        else
            puts("nobody");
    }
    for (size_t i = 0; i < methods; i++)
        if (strcmp(names[i], "op_Implicit") == 0 || strcmp(names[i], "op_Explicit") == 0 ||
            strcmp(names[i], "op_CheckedExplicit") == 0)
            text(); /* results */
    for (size_t reasons = varuint(); reasons > 0; reasons--) {
        text();
        varuint();
    }
    if (at != end) {
        fputs("bytes are left behind the names\n", stderr);
        return 1;
    }
    free(owners);
    free(type_names);
    free(names);
    free(type_of);
    free(flags);
    free(data);
    free(file);
    libdeflate_free_decompressor(d);
    return 0;
}
