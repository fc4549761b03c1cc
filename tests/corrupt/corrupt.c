/* corrupt.c - damages real assemblies in every way below and judges what instrumenting makes of each:
 *   corrupt [--flips N] [--seed N] [--folder FOLDER] [--case TEXT] FILE...
 *   corrupt --as-is FILE...      judges the files without any damage, whatever they are
 * cut at every 64 bytes; each 16- and 32-bit field of the headers, the metadata root, the stream headers and the table
 * stream's header with edge values; each cell and each row of the tables randomised; N times some bytes anywhere.
 * All in memory; with a FOLDER, a sample goes through files there. Prints one line per FILE; a broken promise ends it.
 * --case writes the case with TEXT in its name to case.bin. */
#define _GNU_SOURCE
#include "judge.h"
#include "made_tracker.h"

#include <dirent.h>
#include <signal.h>
#include <unistd.h>

enum { SAMPLED = 199, OTHER_TRACKER = 5, AGAIN = 3, LIMIT_SECONDS = 120 };

typedef struct run {
    const char *file, *folder, *wanted;
    bytes whole;
    uint64_t random;
    unsigned long cases, verdicts[3];
    char name[200];
} run;

static uint32_t next_random(run *r) {
    r->random ^= r->random << 13;
    r->random ^= r->random >> 7;
    r->random ^= r->random << 17;
    return (uint32_t)(r->random >> 16);
}

/* ---- One case ---------------------------------------------------------------------------------------------------- */

static void put_file(const char *path, bytes content) {
    FILE *f = fopen(path, "wb");
    MUST(f && fwrite(content.data, 1, content.size, f) == content.size && fclose(f) == 0);
}

static bool holds(const char *path, const char *text) {
    char found[16] = "";
    FILE *f = fopen(path, "rb");
    MUST(f);
    size_t size = fread(found, 1, sizeof found - 1, f);
    fclose(f);
    return size == strlen(text) && memcmp(found, text, size) == 0;
}

static unsigned count_entries(const char *folder) {
    unsigned count = 0;
    DIR *d = opendir(folder);
    MUST(d);
    for (const struct dirent *e; (e = readdir(d)) != NULL;)
        count += e->d_name[0] != '.' || strlen(e->d_name) > 2;
    closedir(d);
    return count;
}

/* Through files: a failure leaves the old output and nothing else; a success replaces it. */
static void judge_files(run *r, bytes input, verdict expected) {
    char in[4096], out[4096], tracker[4096];
    snprintf(in, sizeof in, "%s/in.dll", r->folder);
    snprintf(out, sizeof out, "%s/out.dll", r->folder);
    snprintf(tracker, sizeof tracker, "%s/ProfileInfoTracker.dll", r->folder);
    put_file(in, input);
    put_file(out, bytes_of("old", 3));
    told t = {0};
    ilj_context *context = NULL;
    ilj_summary summary;
    MUST(ilj_context_new(&context, tell, &t) == ILJ_OK);
    ilj_status status = ilj_instrument(&summary, context, in, out, &(ilj_instrument_options){.force = true});
    ilj_context_free(context);
    MUST((status != ILJ_OK) == (expected == REFUSED));
    MUST(holds(out, "old") == (status != ILJ_OK));
    unlink(tracker);
    MUST(count_entries(r->folder) == 2);
    unlink(in);
    unlink(out);
}

static void try_case(run *r, bytes input) {
    judged = r->name;
    if (r->wanted && strstr(r->name, r->wanted))
        put_file("case.bin", input);
    alarm(LIMIT_SECONDS);
    unsigned long n = r->cases++;
    verdict v = judge(input, NULL, n % AGAIN == 0);
    r->verdicts[v]++;
    if (v == INSTRUMENTED && n % OTHER_TRACKER == 0)
        judge(input, made_tracker_path((unsigned)(n / OTHER_TRACKER % TRACKER_SHAPES)), false);
    if (r->folder && n % SAMPLED == 0)
        judge_files(r, input, v);
}

/* A copy of the file, of its very size. */
static uint8_t *copy_of(const run *r, size_t size) {
    uint8_t *copy = malloc(size ? size : 1);
    MUST(copy);
    memcpy(copy, r->whole.data, size);
    return copy;
}

/* ---- The ways ---------------------------------------------------------------------------------------------------- */

static void cut(run *r) {
    for (size_t size = 0; size < r->whole.size; size += 64) {
        snprintf(r->name, sizeof r->name, "%s cut to %zu bytes", r->file, size);
        uint8_t *copy = copy_of(r, size);
        try_case(r, bytes_of(copy, size));
        free(copy);
    }
}

static void set_field(uint8_t *p, unsigned width, uint32_t value) {
    if (width == 2)
        store_u16(p, (uint16_t)value);
    else
        store_u32(p, value);
}

/* Every 16- and 32-bit place in [from, to). */
static void fields(run *r, size_t from, size_t to) {
    for (unsigned width = 2; width <= 4; width += 2)
        for (size_t at = from; at + width <= to && at + width <= r->whole.size; at += width) {
            uint32_t old = width == 2 ? load_u16(r->whole.data + at) : load_u32(r->whole.data + at);
            uint32_t most = width == 2 ? 0xFFFF : 0xFFFFFFFF;
            const uint32_t values[] = {0, 1, most >> 1, most, old + 1, old - 1};
            for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
                snprintf(r->name, sizeof r->name, "%s with 0x%x in %u bytes at 0x%zx", r->file, values[i], width, at);
                uint8_t *copy = copy_of(r, r->whole.size);
                set_field(copy + at, width, values[i]);
                try_case(r, bytes_of(copy, r->whole.size));
                free(copy);
            }
        }
}

static uint32_t some_value(run *r, uint32_t old) {
    uint32_t random = next_random(r), value = next_random(r);
    switch (random % 6) {
    case 0:
        return value % 4;
    case 1:
        return old + 1 - value % 3;
    case 2:
        return value % 64;
    case 3:
        return value & 0xFFFF;
    case 4:
        return 0xFFFFFFFF >> (value % 20);
    default:
        return value;
    }
}

static void set_cell(run *r, const md_view *v, md_column column, uint32_t row, uint8_t *copy) {
    const md_table *t = &v->tables[md_columns[column].table];
    size_t at = (size_t)(t->rows - r->whole.data) + (size_t)(row - 1) * t->row_bytes + v->column_offset[column];
    uint32_t value = some_value(r, md_cell(v, column, row));
    if (v->column_width[column] == 1)
        copy[at] = (uint8_t)value;
    else
        set_field(copy + at, v->column_width[column], value);
}

/* Each cell alone, then each row as a whole. */
static void cells(run *r, const md_view *v) {
    for (unsigned t = 0; t < MD_TABLE_SPACE; t++)
        for (uint32_t row = 1; row <= v->tables[t].row_count; row++)
            for (unsigned c = 0; c <= md_tables[t].column_count; c++) {
                bool all = c == md_tables[t].column_count;
                snprintf(r->name, sizeof r->name, "%s with random %s, table %s row %u", r->file,
                         all ? "cells" : md_columns[md_tables[t].first_column + c].name, md_tables[t].name, row);
                uint8_t *copy = copy_of(r, r->whole.size);
                for (unsigned k = all ? 0 : c; k <= (all ? c - 1 : c); k++)
                    set_cell(r, v, md_tables[t].first_column + k, row, copy);
                try_case(r, bytes_of(copy, r->whole.size));
                free(copy);
            }
}

static void flips(run *r, unsigned long count) {
    for (unsigned long i = 0; i < count; i++) {
        uint8_t *copy = copy_of(r, r->whole.size);
        unsigned changes = 1 + next_random(r) % 8;
        /* Half of them near each other, as damage is. */
        size_t near = next_random(r) % r->whole.size;
        bool scattered = next_random(r) & 1;
        snprintf(r->name, sizeof r->name, "%s with %u random bytes, round %lu, near 0x%zx", r->file, changes, i, near);
        for (unsigned k = 0; k < changes; k++) {
            size_t at = scattered ? next_random(r) % r->whole.size : near + next_random(r) % 32;
            if (at < r->whole.size)
                copy[at] = (uint8_t)some_value(r, copy[at]);
        }
        try_case(r, bytes_of(copy, r->whole.size));
        free(copy);
    }
}

static void judge_as_is(run *r) {
    snprintf(r->name, sizeof r->name, "%s", r->file);
    judged = r->name;
    alarm(LIMIT_SECONDS);
    r->cases++;
    r->verdicts[judge(r->whole, NULL, true)]++;
    for (unsigned shape = 0; shape < TRACKER_SHAPES; shape++)
        judge(r->whole, made_tracker_path(shape), false);
}

static void damage(run *r, unsigned long flip_count) {
    ilj_context *context = NULL;
    ilj_image *image = NULL;
    snprintf(r->name, sizeof r->name, "%s unharmed", r->file);
    judged = r->name;
    MUST(ilj_context_new(&context, NULL, NULL) == ILJ_OK);
    MUST(image_open_bytes(&image, context, r->file, r->whole) == ILJ_OK);
    try_case(r, r->whole);
    MUST(r->verdicts[INSTRUMENTED] == 1);
    cut(r);
    fields(r, 0, 0x40);
    fields(r, image->pe.pe_offset, image->pe.sections_offset + (size_t)image->pe.section_count * 40);
    fields(r, image->pe.cli.file_offset, (size_t)image->pe.cli.file_offset + PE_CLI_HEADER_BYTES);
    const md_view *v = &image->metadata;
    size_t root = (size_t)(v->metadata.data - r->whole.data), tables = (size_t)(v->table_stream.data - r->whole.data);
    fields(r, root, root + v->streams[v->stream_count - 1].header_offset + 16);
    fields(r, tables, tables + v->tables_offset);
    cells(r, v);
    flips(r, flip_count);
    ilj_image_free(image);
    ilj_context_free(context);
}

/* ---- The command line -------------------------------------------------------------------------------------------- */

void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void tell_case(void) {
    fprintf(stderr, "the case: %s\n", judged);
}

static void give_up(int signal_number) {
    (void)signal_number;
    fprintf(stderr, "BROKEN: %s: not done within %d s\n", judged, LIMIT_SECONDS);
    abort();
}

int main(int argc, char **argv) {
    unsigned long flip_count = 1000, seed = 20, files = 0;
    const char *folder = NULL, *wanted = NULL;
    bool as_is = false;
    signal(SIGALRM, give_up);
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(tell_case);
    for (int i = 1; i < argc; i++) {
        if (i + 1 < argc && strcmp(argv[i], "--flips") == 0) {
            flip_count = strtoul(argv[++i], NULL, 10);
        } else if (i + 1 < argc && strcmp(argv[i], "--seed") == 0) {
            seed = strtoul(argv[++i], NULL, 10);
        } else if (i + 1 < argc && strcmp(argv[i], "--folder") == 0) {
            folder = argv[++i];
        } else if (strcmp(argv[i], "--as-is") == 0) {
            as_is = true;
        } else if (i + 1 < argc && strcmp(argv[i], "--case") == 0) {
            wanted = argv[++i];
        } else {
            os_map map = OS_MAP_INIT;
            diag d = {.file = argv[i]};
            if (os_map_file(&map, &d, argv[i]) != ECMA_OK) {
                fprintf(stderr, "%s cannot be read\n", argv[i]);
                return 2;
            }
            run r = {.file = argv[i],
                     .folder = folder,
                     .wanted = wanted,
                     .whole = map.content,
                     .random = seed * 0x9E3779B97F4A7C15u + 1};
            if (as_is)
                judge_as_is(&r);
            else
                damage(&r, flip_count);
            os_unmap(&map);
            files++;
            if (as_is)
                printf("%s: %s\n", argv[i],
                       r.verdicts[REFUSED]  ? refusal
                       : r.verdicts[COPIED] ? "copied"
                                            : "instrumented");
            else
                printf("%s: seed %lu, %lu cases: %lu refused, %lu copied, %lu instrumented\n", argv[i], seed, r.cases,
                       r.verdicts[REFUSED], r.verdicts[COPIED], r.verdicts[INSTRUMENTED]);
        }
    }
    return files ? 0 : 2;
}
