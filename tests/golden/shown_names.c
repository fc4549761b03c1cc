/* Prints what `ilinject report` calls each method of an instrumented module: its names resource is found by the magic
 * bytes ILJN and read by the report's own reader. A line a method, `helper` before what is in no source, sorted by the
 * caller.
 * `--raw`: the metadata name after a tab.
 * `--lines`: a line "0x06000001 LINE FILE" for each that has one instead; `--every-line`: for all, of those without one
 * "0x06000001 0 ". */
#include <stdio.h>
#include <stdlib.h>

#include "profile/names_lambdas.h"

static bytes read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        exit(1);
    }
    size_t size = (size_t)ftell(file);
    uint8_t *data = malloc(size + 1);
    rewind(file);
    if (!data || fread(data, 1, size, file) != size)
        exit(1);
    fclose(file);
    return (bytes){data, size};
}

static int print_all(const names *n, bool raw) {
    buffer name = BUFFER_INIT;
    for (uint32_t i = 0; i < n->method_count; i++) {
        names_parts parts;
        if (n->methods[i].owner != 0 && n->methods[i].flags & (NAMES_ASYNC | NAMES_ITERATOR))
            continue; /* the report shows its owner */
        names_of_method(&name, &parts, n, i, false);
        printf("%s%.*s", parts.helper ? "helper " : "", (int)name.size, (const char *)name.data);
        if (raw) {
            names_of_method(&name, &parts, n, i, true);
            printf("\t%.*s", (int)name.size, (const char *)name.data);
        }
        putchar('\n');
    }
    for (uint32_t i = 0; i < n->left_out_count; i++)
        printf("left out: %.*s %llu\n", (int)n->left_out[i].reason.size, (const char *)n->left_out[i].reason.data,
               (unsigned long long)n->left_out[i].count);
    buffer_clear(&name);
    return 0;
}

static int print_lines(const names *n, bool every) {
    for (uint32_t i = 0; i < n->method_count; i++) {
        const names_method *m = &n->methods[i];
        bytes file = m->line ? names_text(n, m->file) : (bytes){0};
        if (m->line || every)
            printf("0x%08x %u %.*s\n", 0x06000000 + m->row, m->line, (int)file.size, (const char *)file.data);
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc < 2)
        return 2;
    bytes file = read_file(argv[1]);
    for (size_t at = 0; at + 36 < file.size; at++) {
        arena memory = {0};
        names n;
        const char *fault;
        if (memcmp(file.data + at, "ILJN", 4) == 0 &&
            names_read(&n, &fault, &memory, (bytes){file.data + at, file.size - at}, &(names_room){0}) == ECMA_OK &&
            n.method_count > 0 && names_number_lambdas(&n, &memory)) {
            bool every = argc > 2 && strcmp(argv[2], "--every-line") == 0;
            bool lines = every || (argc > 2 && strcmp(argv[2], "--lines") == 0);
            int value = lines ? print_lines(&n, every) : print_all(&n, argc > 2);
            arena_clear(&memory);
            free((void *)(uintptr_t)file.data);
            return value;
        }
        arena_clear(&memory);
    }
    free((void *)(uintptr_t)file.data);
    fprintf(stderr, "%s: no names\n", argv[1]);
    return 1;
}
