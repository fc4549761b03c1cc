/* Which methods were called, as coverage that other tools read: Cobertura's XML (coverage-04.dtd,
 * https://cobertura.github.io/cobertura/) and lcov's tracefile (geninfo(1)).
 *
 * Each method has one line, that of its first statement, which was hit as often as the method was called: a profile
 * knows methods, and no other line of them. So rates of lines are those of methods. Methods without a line, of modules
 * without symbols, and those with [ExcludeFromCodeCoverage] are left out. */
#include <inttypes.h>
#include <stdlib.h>

#include "report/export/export.h"
#include "report/model/coverage.h"
#include "util/list.h"

/* A method with its place. */
typedef struct placed {
    const covered *of;
    bytes type, file; /* borrowed */
    uint32_t line;
} placed;

typedef struct placed_list {
    placed *list;
    uint32_t count;
    coverage all;
    arena memory;
} placed_list;

static int compare_texts(bytes a, bytes b) {
    size_t size = a.size < b.size ? a.size : b.size;
    int order = size ? memcmp(a.data, b.data, size) : 0;
    return order ? order : list_compare(a.size, b.size);
}

static int by_line(const placed *a, const placed *b) {
    return a->line != b->line ? list_compare(a->line, b->line)
                              : list_compare((uint64_t)(uintptr_t)a->of, (uint64_t)(uintptr_t)b->of);
}

/* Those of one file of one type together. */
static int by_type(const void *left, const void *right) {
    const placed *a = left, *b = right;
    int order = compare_texts(a->of->assembly, b->of->assembly);
    order = order ? order : compare_texts(a->type, b->type);
    order = order ? order : compare_texts(a->file, b->file);
    return order ? order : by_line(a, b);
}

static int by_file(const void *left, const void *right) {
    const placed *a = left, *b = right;
    int order = compare_texts(a->file, b->file);
    return order ? order : by_line(a, b);
}

static bool keep(arena *a, const buffer *b, bytes *text) {
    uint8_t *copy = b->failed ? NULL : arena_alloc(a, b->size);
    if (copy && b->size)
        memcpy(copy, b->data, b->size);
    *text = (bytes){copy, b->size};
    return copy != NULL;
}

static bool place_all(placed_list *p, const report *r) {
    buffer b = BUFFER_INIT;
    bool done = coverage_make(&p->all, r->sum);
    p->list = done ? calloc((size_t)p->all.count + 1, sizeof *p->list) : NULL;
    done = p->list != NULL;
    for (uint32_t i = 0; i < p->all.count && done; i++) {
        placed made = {.of = &p->all.list[i], .line = view_source(&b, r, &p->all.list[i].function)};
        if (!made.line || coverage_is_excluded(made.of))
            continue;
        done = keep(&p->memory, &b, &made.file);
        b.size = 0;
        coverage_type_name(&b, made.of);
        done = done && keep(&p->memory, &b, &made.type);
        p->list[p->count++] = made;
    }
    buffer_clear(&b);
    return done;
}

static void placed_clear(placed_list *p) {
    free(p->list);
    coverage_clear(&p->all);
    arena_clear(&p->memory);
}

/* ---- Cobertura ----------------------------------------------------------------------------------------------------
 */

/* A text in an attribute: what XML has not becomes U+FFFD. */
static void print_xml(printer *out, bytes text) {
    for (size_t from = 0, i = 0; i <= text.size; i++) {
        uint8_t c = i < text.size ? text.data[i] : '<';
        if (c != '<' && c != '>' && c != '&' && c != '"')
            continue;
        print_shown(out, (bytes){text.data + from, i - from});
        if (i < text.size)
            print_format(out, "&#%u;", (unsigned)c);
        from = i + 1;
    }
}

static void print_attribute(printer *out, const char *before, bytes text) {
    print_string(out, before);
    print_xml(out, text);
    print_string(out, "\"");
}

static void print_rates(printer *out, const placed *list, uint32_t count) {
    uint32_t called = 0;
    for (uint32_t i = 0; i < count; i++)
        called += list[i].of->calls > 0;
    uint64_t rate = count ? (uint64_t)called * 10000 / count : 10000;
    print_format(out, " line-rate=\"%" PRIu64 ".%04" PRIu64 "\" branch-rate=\"0\"", rate / 10000, rate % 10000);
}

static void print_hit(printer *out, const placed *p) {
    print_format(out, "<line number=\"%" PRIu32 "\" hits=\"%" PRIu64 "\" branch=\"False\"/>", p->line, p->of->calls);
}

/* How many from the first one on have its assembly, or its type and file too. */
static uint32_t run_of(const placed *list, uint32_t count, bool of_class) {
    uint32_t i = 1;
    while (i < count && bytes_equal(list[i].of->assembly, list->of->assembly) &&
           (!of_class || (bytes_equal(list[i].type, list->type) && bytes_equal(list[i].file, list->file))))
        i++;
    return i;
}

static void print_method(printer *out, const placed *p, buffer *b) {
    const names *n = p->of->function.names;
    b->size = 0;
    coverage_method_name(b, p->of);
    print_attribute(out, "<method name=\"", buffer_bytes(b));
    print_string(out, " signature=\"(");
    print_xml(out, names_text(n, n->methods[p->of->function.method].parameters));
    print_string(out, ")\"");
    print_rates(out, p, 1);
    print_string(out, " complexity=\"1\"><lines>");
    print_hit(out, p);
    print_string(out, "</lines></method>\n");
}

static void print_class(printer *out, const placed *list, uint32_t count, size_t root, buffer *b) {
    print_attribute(out, "<class name=\"", list->type);
    print_attribute(out, " filename=\"", (bytes){list->file.data + root, list->file.size - root});
    print_rates(out, list, count);
    print_string(out, " complexity=\"1\">\n<methods>\n");
    for (uint32_t i = 0; i < count; i++)
        print_method(out, &list[i], b);
    print_string(out, "</methods>\n<lines>");
    for (uint32_t i = 0, end; i < count; i = end) { /* methods of one line are one line: the most of their calls */
        const placed *most = &list[i];
        for (end = i; end < count && list[end].line == list[i].line; end++)
            most = list[end].of->calls > most->of->calls ? &list[end] : most;
        print_hit(out, most);
    }
    print_string(out, "</lines>\n</class>\n");
}

/* The bytes of the folder that all files are in, with its separator. */
static size_t common_folder(const placed_list *p) {
    size_t common = p->count ? p->list[0].file.size : 0, end = 0;
    for (uint32_t i = 1; i < p->count; i++) {
        bytes file = p->list[i].file;
        size_t same = 0;
        while (same < common && same < file.size && file.data[same] == p->list[0].file.data[same])
            same++;
        common = same;
    }
    for (size_t i = 0; i < common; i++)
        end = p->list[0].file.data[i] == '/' || p->list[0].file.data[i] == '\\' ? i + 1 : end;
    return end;
}

static uint64_t newest_start(const report *r) {
    uint64_t newest = 0;
    for (size_t i = 0; i < r->profile_count; i++)
        newest = r->profiles[i].run.start_ns > newest ? r->profiles[i].run.start_ns : newest;
    return newest / 1000000000;
}

bool cobertura_write(printer *out, const report *r) {
    placed_list p = {.count = 0};
    buffer b = BUFFER_INIT;
    bool done = place_all(&p, r);
    uint32_t called = 0;
    if (done && p.count)
        qsort(p.list, p.count, sizeof *p.list, by_type);
    for (uint32_t i = 0; i < p.count && done; i++)
        called += p.list[i].of->calls > 0;
    size_t root = done ? common_folder(&p) : 0;
    print_string(out, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<coverage");
    print_rates(out, p.list, done ? p.count : 0);
    print_format(out, " version=\"1.9\" timestamp=\"%" PRIu64 "\" lines-covered=\"%" PRIu32 "\" lines-valid=\"%" PRIu32,
                 newest_start(r), called, p.count);
    print_string(out, "\" branches-covered=\"0\" branches-valid=\"0\" complexity=\"1\">\n<sources><source>");
    print_xml(out, p.count ? (bytes){p.list[0].file.data, root} : (bytes){0});
    print_string(out, "</source></sources>\n<packages>\n");
    for (uint32_t i = 0, end; i < p.count && done; i = end) {
        end = i + run_of(&p.list[i], p.count - i, false);
        print_attribute(out, "<package name=\"", p.list[i].of->assembly);
        print_rates(out, &p.list[i], end - i);
        print_string(out, " complexity=\"1\">\n<classes>\n");
        for (uint32_t k = i, more; k < end; k += more) {
            more = run_of(&p.list[k], end - k, true);
            print_class(out, &p.list[k], more, root, &b);
        }
        print_string(out, "</classes>\n</package>\n");
    }
    print_string(out, "</packages>\n</coverage>\n");
    done = done && !b.failed;
    placed_clear(&p);
    buffer_clear(&b);
    return done;
}

/* ---- lcov ---------------------------------------------------------------------------------------------------------
 */

/* A comma would end the name for readers. */
static void print_name_without_commas(printer *out, const covered *c) {
    bytes name = function_plain_name(&c->function);
    for (size_t from = 0, i = 0; i <= name.size; i++) {
        uint8_t at = i < name.size ? name.data[i] : ' ';
        if (at != ',' && at != ' ')
            continue;
        print_shown(out, (bytes){name.data + from, i - from});
        print_string(out, at == ',' ? ";" : "");
        from = i + 1;
    }
}

static void print_file(printer *out, const placed *list, uint32_t count) {
    uint32_t called = 0, lines = 0, lines_hit = 0;
    print_string(out, "TN:\nSF:");
    print_shown(out, list->file);
    print_string(out, "\n");
    for (uint32_t i = 0; i < count; i++) {
        print_format(out, "FN:%" PRIu32 ",", list[i].line);
        print_name_without_commas(out, list[i].of);
        print_string(out, "\n");
    }
    for (uint32_t i = 0; i < count; i++) {
        called += list[i].of->calls > 0;
        print_format(out, "FNDA:%" PRIu64 ",", list[i].of->calls);
        print_name_without_commas(out, list[i].of);
        print_string(out, "\n");
    }
    print_format(out, "FNF:%" PRIu32 "\nFNH:%" PRIu32 "\n", count, called);
    for (uint32_t i = 0, end; i < count; i = end) { /* methods of one line are one line: the most of their calls */
        uint64_t most = 0;
        for (end = i; end < count && list[end].line == list[i].line; end++)
            most = list[end].of->calls > most ? list[end].of->calls : most;
        print_format(out, "DA:%" PRIu32 ",%" PRIu64 "\n", list[i].line, most);
        lines++;
        lines_hit += most > 0;
    }
    print_format(out, "LF:%" PRIu32 "\nLH:%" PRIu32 "\nend_of_record\n", lines, lines_hit);
}

bool lcov_write(printer *out, const report *r) {
    placed_list p = {.count = 0};
    bool done = place_all(&p, r);
    if (done && p.count)
        qsort(p.list, p.count, sizeof *p.list, by_file);
    for (uint32_t i = 0, end; i < p.count && done; i = end) {
        for (end = i; end < p.count && bytes_equal(p.list[end].file, p.list[i].file);)
            end++;
        print_file(out, &p.list[i], end - i);
    }
    placed_clear(&p);
    return done;
}
