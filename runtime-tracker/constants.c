/* constants - what a module has to name of the built-in trackers, as C: nothing of them is read when the program runs.
 *
 *   constants {FILE TYPE NAME}... >SOURCE      `const tracker NAME_constants` for each */
#include <stdio.h>
#include <stdlib.h>

#include "tracker/tracker.h"

static void fail(const char *text) {
    fprintf(stderr, "constants: %s\n", text);
    exit(1);
}

static void tell(void *user, const char *file, diag_severity severity, diag_code code, const char *text) {
    (void)user;
    (void)file;
    (void)severity;
    (void)code;
    fprintf(stderr, "constants: %s\n", text);
}

/* Names of an assembly of ours: no character in them needs an escape. */
static void put_text(const char *field, const char *text) {
    printf("    .%s = \"%s\",\n", field, text);
}

static void put_flags(const char *field, const bool *flags, size_t count) {
    printf("    .%s = {", field);
    for (size_t i = 0; i < count; i++)
        printf("%s%d", i ? ", " : "", flags[i]);
    puts("},");
}

static void put(const tracker *t, const char *name) {
    printf("\nconst tracker %s_constants = {\n", name);
    put_text("assembly_name", t->assembly_name);
    printf("    .version = {%u, %u, %u, %u},\n", t->version[0], t->version[1], t->version[2], t->version[3]);
    put_text("culture", t->culture);
    printf("    .public_key_token = {");
    for (size_t i = 0; i < sizeof t->public_key_token; i++)
        printf("%s%u", i ? ", " : "", t->public_key_token[i]);
    printf("},\n    .has_public_key = %d,\n", t->has_public_key);
    put_text("type_namespace", t->type_namespace);
    put_text("type_name", t->type_name);
    printf("    .enter = %d,\n    .leave = %d,\n    .takes_arguments = %d,\n", (int)t->enter, (int)t->leave,
           t->takes_arguments);
    printf("    .result = %d,\n    .token_element = %d,\n    .registers = %d,\n", (int)t->result, t->token_element,
           t->registers);
    put_flags("guards", t->guards, TRACKER_GUARD_METHODS);
    put_flags("has", t->has, TRACKER_METHODS);
    put_flags("can", t->can, TRACKER_GROUPS);
    puts("};");
}

static void read_and_put(const char *file, const char *type, const char *name, uint8_t *data, size_t most) {
    FILE *from = fopen(file, "rb");
    if (!from)
        fail("it needs the tracker's file");
    size_t size = fread(data, 1, most, from);
    fclose(from);
    ilj_image image = {.diag = {.sink = tell, .file = file}};
    bytes metadata;
    tracker read;
    if (pe_image_open(&image.pe, bytes_of(data, size), &image.arena, &image.diag) ||
        !pe_try_bytes(&image.pe, image.pe.cli.metadata.rva, image.pe.cli.metadata.size, &metadata) ||
        md_view_open(&image.metadata, metadata, &image.arena, &image.diag) ||
        tracker_read(&read, &image, type, &image.diag))
        fail("that is no tracker");
    put(&read, name);
    arena_clear(&image.arena);
}

int main(int argc, char **argv) {
    enum { MOST_BYTES = 1 << 24, OPERANDS = 3 };
    uint8_t *data = malloc(MOST_BYTES);
    if (!data || argc < 1 + OPERANDS || (argc - 1) % OPERANDS != 0)
        fail("usage: constants {FILE TYPE NAME}...");
    puts("#include \"tracker/tracker.h\"");
    for (char **of = argv + 1; *of; of += OPERANDS)
        read_and_put(of[0], of[1], of[2], data, MOST_BYTES);
    free(data);
    return fflush(stdout) || ferror(stdout);
}
