#include "report/page/places.h"

#include <inttypes.h>
#include <stdlib.h>

#include "report/page/json.h"
#include "report/page/listing.h"
#include "report/view/source.h"
#include "report/view/source_link.h"

/* A file of a module. */
typedef struct place_file {
    const names *names;
    uint32_t file;                   /* text */
    const report_function *function; /* one that stands in it */
} place_file;

static int by_file(const void *left, const void *right) {
    const place_file *a = left, *b = right;
    if (a->names != b->names)
        return a->names < b->names ? -1 : 1;
    return a->file < b->file ? -1 : a->file > b->file;
}

static const names_method *method_of(const report_function *f) {
    const names_method *m = f->names ? &f->names->methods[f->method] : NULL;
    return m && m->line ? m : NULL;
}

static place_file file_of(const report_function *f) {
    const names_method *m = method_of(f);
    return (place_file){f->names, m ? m->file : 0, f};
}

/* In the order of the functions that name them first, so that the bytes are the same in each run. */
typedef struct place_files {
    place_file *sorted, *listed;
    uint32_t *rank; /* of each of `sorted`: its position in `listed`, from 1 */
    uint32_t sorted_count, listed_count;
} place_files;

static uint32_t position(const place_files *files, const report_function *f) {
    const place_file wanted = file_of(f);
    const place_file *found = bsearch(&wanted, files->sorted, files->sorted_count, sizeof wanted, by_file);
    return (uint32_t)(found - files->sorted);
}

static void list_files(place_files *files, const report_function *const *functions, uint32_t count) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (method_of(functions[i]))
            files->sorted[files->sorted_count++] = file_of(functions[i]);
    qsort(files->sorted, files->sorted_count, sizeof *files->sorted, by_file);
    for (uint32_t i = 0; i < files->sorted_count; i++)
        if (i == 0 || by_file(&files->sorted[i], &files->sorted[kept - 1]) != 0)
            files->sorted[kept++] = files->sorted[i];
    files->sorted_count = kept;
    for (uint32_t i = 0; i < count; i++) {
        if (!method_of(functions[i]))
            continue;
        uint32_t *rank = &files->rank[position(files, functions[i])];
        if (*rank == 0) {
            files->listed[files->listed_count++] = file_of(functions[i]);
            *rank = files->listed_count;
        }
    }
}

static void write_files(printer *out, const report *r, const place_files *files, buffer *text) {
    print_string(out, ",\n\"files\":[");
    for (uint32_t i = 0; i < files->listed_count; i++) {
        (void)view_source(text, r, files->listed[i].function);
        print_string(out, i > 0 ? "," : "");
        page_string(out, buffer_bytes(text));
    }
    print_string(out, "],\n\"links\":[");
    source_link link = {0};
    const names *of = NULL;
    for (uint32_t i = 0; i < files->listed_count; i++) {
        const place_file *f = &files->listed[i];
        if (f->names != of)
            source_link_read(&link, names_text(f->names, f->names->source_link));
        of = f->names;
        source_link_page(text, &link, names_text(f->names, f->file));
        print_string(out, i > 0 ? "," : "");
        page_string(out, buffer_bytes(text));
    }
    source_link_clear(&link);
    print_string(out, "]");
}

static int ascending(const void *left, const void *right) {
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* The lines of each file's functions, in the order of `listed`; `ends`: where each file's end. */
static bool write_sources(printer *out, const report *r, const place_files *files,
                          const report_function *const *functions, uint32_t count) {
    uint32_t *lines = calloc((size_t)count + 1, sizeof *lines);
    uint32_t *ends = calloc((size_t)files->listed_count + 2, sizeof *ends);
    page_listing listing = {.room = LISTING_MOST};
    bool done = lines && ends;
    for (uint32_t i = 0; i < count && done; i++)
        if (method_of(functions[i]))
            ends[files->rank[position(files, functions[i])] + 1]++;
    for (uint32_t i = 1; i < files->listed_count + 2 && done; i++)
        ends[i] += ends[i - 1]; /* of rank i: where they begin */
    for (uint32_t i = 0; i < count && done; i++)
        if (method_of(functions[i]))
            lines[ends[files->rank[position(files, functions[i])]]++] = method_of(functions[i])->line;
    print_string(out, ",\n\"sources\":[");
    for (uint32_t i = 0; i < files->listed_count && done; i++) {
        const uint32_t from = ends[i], to = ends[i + 1];
        qsort(lines + from, to - from, sizeof *lines, ascending);
        print_string(out, i > 0 ? ",\n" : "");
        done = page_listing_write(out, &listing, r, files->listed[i].function, lines + from, to - from);
    }
    print_string(out, "]");
    free(lines);
    free(ends);
    return done;
}

bool page_places_write(printer *out, const report *r, const report_function *const *functions, uint32_t count,
                       bool with_source) {
    place_files files = {.sorted = calloc((size_t)count + 1, sizeof *files.sorted),
                         .listed = calloc((size_t)count + 1, sizeof *files.listed),
                         .rank = calloc((size_t)count + 1, sizeof *files.rank)};
    buffer text = BUFFER_INIT;
    bool done = files.sorted && files.listed && files.rank;
    if (done)
        list_files(&files, functions, count);
    if (files.listed_count > 0) {
        write_files(out, r, &files, &text);
        print_string(out, ",\n\"file\":[");
        for (uint32_t i = 0; i < count; i++)
            print_format(out, i > 0 ? ",%" PRId64 : "%" PRId64,
                         method_of(functions[i]) ? (int64_t)files.rank[position(&files, functions[i])] - 1 : -1);
        print_string(out, "],\n\"line\":[");
        for (uint32_t i = 0; i < count; i++)
            page_element(out, i, method_of(functions[i]) ? method_of(functions[i])->line : 0);
        print_string(out, "]");
        done = !with_source || write_sources(out, r, &files, functions, count);
    }
    done = done && !text.failed;
    buffer_clear(&text);
    free(files.sorted);
    free(files.listed);
    free(files.rank);
    return done;
}
