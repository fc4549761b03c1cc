#include "report/questions.h"

#include <inttypes.h>
#include <stdlib.h>

#include "platform/os.h"
#include "report/view/changes.h"

/* Patterns are compiled of texts that have a wildcard, so that a part of a display name is no bad pattern. */
ecma_status questions_begin(aggregate *sum, const ilj_test_questions *asked, diag *d) {
    sum->kept = (kept_tests){.texts = asked->tests, .text_count = asked->test_count};
    const char **patterns = calloc(asked->test_count + 1, sizeof *patterns);
    size_t count = 0;
    for (size_t i = 0; i < asked->test_count && patterns; i++)
        if (strchr(asked->tests[i], '*'))
            patterns[count++] = asked->tests[i];
    ecma_status status = patterns ? filter_compile(&sum->kept.patterns, "--test", patterns, count, &sum->list.memory, d)
                                  : diag_no_memory(d);
    free(patterns);
    return status;
}

static ecma_status add_covered(bool *wanted, const report *r, diag *d) {
    const ilj_test_questions *asked = r->options->tests;
    const function_list *list = &r->sum->list;
    filter covers = {0};
    arena memory = ARENA_INIT;
    buffer scratch = BUFFER_INIT;
    ecma_status status = filter_compile(&covers, "--covers", asked->covers, asked->covers_count, &memory, d);
    const uint32_t count = list->function_count + r->sum->switch_count;
    for (uint32_t i = 0; i < count && status == ECMA_OK && covers.count > 0; i++) {
        const report_function *f =
            i < list->function_count ? &list->functions[i] : &r->sum->switches[i - list->function_count].function;
        const filter_method of = {f->module == NO_MODULE ? (bytes){0} : list->modules[f->module].assembly, f->names,
                                  f->method, f->name, f->parts};
        wanted[i] = filter_wants(&covers, &of, &scratch);
    }
    if (status == ECMA_OK && scratch.failed)
        status = diag_no_memory(d);
    buffer_clear(&scratch);
    arena_clear(&memory);
    return status;
}

enum { SHOWN = 200 }; /* most bytes of a name in a message */

/* One note, however many there are. */
static void report_unknown(const changes *c, const char *path, const diag *d) {
    uint32_t count = 0;
    const changed_file *first = NULL;
    for (uint32_t i = 0; i < c->file_count; i++) {
        if (c->files[i].known || c->files[i].is_new)
            continue;
        first = first ? first : &c->files[i];
        count++;
    }
    diag of = *d;
    of.file = path;
    if (first)
        diag_report(&of, DIAG_CHANGES_UNKNOWN,
                    "%.*s%s: no method of the profile is in it, so no test is known to run it",
                    (int)(first->path.size < SHOWN ? first->path.size : SHOWN), (const char *)first->path.data,
                    count > 1 ? " and other files" : "");
}

static ecma_status add_changed(bool *wanted, const report *r, const char *path, const diag *d) {
    changes c = {0};
    os_map map = OS_MAP_INIT;
    diag of = *d;
    of.file = path;
    ecma_status status = os_read_file(&map, &of, path);
    if (status)
        return status;
    const char *fault = NULL;
    uint32_t line = 0;
    status = changes_read(&c, map.content, &fault, &line);
    if (status == ECMA_CONFIG)
        diag_report(&of, DIAG_CHANGES, "line %u: %s", line, fault);
    else if (status || !changes_mark(wanted, &c, r))
        status = diag_no_memory(&of);
    else
        report_unknown(&c, path, d);
    changes_clear(&c);
    os_unmap(&map);
    return status;
}

/* Calls that had no place in the tree, and those of methods that were switched off, belong to no test, but for
 * those that the governor has switched off where it was noted which methods tests called. */
static void report_missing(const bool *wanted, const report *r, diag *d) {
    const aggregate *a = r->sum;
    const fold_link *links = a->tree.places.links;
    const bool *off = wanted + a->list.function_count;
    const uint32_t by_user = PROFILE_BY_USER | PROFILE_BY_USER * PROFILE_WAS_OFF;
    const bool noted = a->tree.below_count > 0;
    const report_switch *first = NULL;
    uint64_t folded = 0;
    uint32_t count = 0;
    for (uint32_t i = 1; i < a->tree.node_count; i++)
        if (link_is_call(&links[i]) && wanted[node_function(&links[i])] &&
            node_kind(&links[links[i].parent]) == NODE_FOLDED)
            folded = profile_add(folded, node_number(&a->tree, NODE_CALLS, i));
    for (uint32_t i = 0; i < a->switch_count; i++) {
        if (!off[i] || (noted && !(a->switches[i].of.reasons & by_user)))
            continue;
        first = first ? first : &a->switches[i];
        count++;
    }
    if (folded > 0 && !noted)
        diag_report(d, DIAG_TESTS_MISSING, "%" PRIu64 " call%s of these methods had no place in the trees", folded,
                    folded == 1 ? "" : "s");
    if (first)
        diag_report(d, DIAG_TESTS_MISSING, "%.*s%s switched off while the program ran",
                    (int)(first->function.name.size < SHOWN ? first->function.name.size : SHOWN),
                    (const char *)first->function.name.data, count > 1 ? " and others were" : " was");
}

ecma_status questions_find(bool **wanted, const report *r, diag *d) {
    const ilj_test_questions *asked = r->options->tests;
    *wanted = NULL;
    if (!asked || asked->covers_count + asked->change_count == 0)
        return ECMA_OK;
    bool *found = calloc((size_t)r->sum->list.function_count + r->sum->switch_count + 1, sizeof *found);
    ecma_status status = found ? add_covered(found, r, d) : diag_no_memory(d);
    for (size_t i = 0; i < asked->change_count && status == ECMA_OK; i++)
        status = add_changed(found, r, asked->changes[i], d);
    if (status) {
        free(found);
        return status;
    }
    report_missing(found, r, d);
    *wanted = found;
    return ECMA_OK;
}
