#include <stdio.h>
#include <stdlib.h>

#include "mcp/tools.h"
#include "report/model/figures.h"
#include "report/model/tests.h"

/* Which tests took long, and what that was; which of them ran a method. The rows are those of `report --by=test`. */

/* Marks all functions that are the method: some of other modules have the same assembly's name. */
static bool *wanted_like(const mcp_profile *p, const report_function *f) {
    const function_list *list = &p->sum.list;
    bool *wanted = calloc((size_t)list->function_count + 1, sizeof *wanted);
    for (uint32_t i = 0; i < list->function_count && wanted; i++)
        wanted[i] = p->hashes[i] == p->hashes[f - list->functions] && bytes_equal(list->functions[i].name, f->name);
    return wanted;
}

/* By row: whether it ran the method. NULL when memory ran out. */
static bool *rows_that_ran(const test_rows *t, const mcp_profile *p, const report_function *f) {
    bool *wanted = wanted_like(p, f), *ran = calloc((size_t)t->count + 1, sizeof *ran);
    if (wanted && ran && tests_that_ran(ran, t, &p->r, wanted)) {
        free(wanted);
        return ran;
    }
    free(wanted);
    free(ran);
    return NULL;
}

/* The method that has most of the time: what to ask `method` of. */
static void set_most(mcp_call *c, json_t *row, const mcp_profile *p, const test_row *of) {
    if (!of->reason)
        return;
    json_t *most = call_object(c, row, "most_in");
    call_method(c, most, p, of->reason);
    call_number(c, most, of->reason_waits ? "waiting_ns" : "own_ns", of->reason_ns);
}

static json_t *test_json(mcp_call *c, const mcp_profile *p, const test_row *of) {
    const profile_times *t = &of->times;
    const uint64_t waited = profile_add(of->waiting_ns, of->awaiting_ns);
    json_t *row = json_object();
    call_word(c, row, "kind", test_kind_name(of->kind));
    if (of->function) {
        call_method(c, row, p, of->function);
        if (!bytes_equal(test_name(of->function), function_plain_name(of->function)))
            call_text(c, row, "title", test_name(of->function));
        call_number(c, row, "calls", of->calls);
        call_number(c, row, "duration_ns", of->duration_ns);
    } else {
        call_word(c, row, "name", "(all other code)");
    }
    call_time(c, row, "inclusive", p, t->inclusive_ns, t->inclusive_low_ns, t->inclusive_high_ns);
    call_time(c, row, "own", p, t->exclusive_ns, t->exclusive_low_ns, t->exclusive_high_ns);
    if (waited > 0)
        call_number(c, row, "waiting_ns", waited);
    if (of->thrown > 0)
        call_number(c, row, "left_by_exception", of->thrown);
    for (profile_figure kind = 0; kind < FIGURES; kind++) {
        char key[64];
        snprintf(key, sizeof key, "inclusive_%s", figure_kinds[kind].field);
        if (of->figures[kind] > 0)
            call_number(c, row, key, of->figures[kind]);
    }
    set_most(c, row, p, of);
    return row;
}

/* Those of one method alone, or all with what stands beside them. `ran`: NULL for all. */
static void set_rows(mcp_call *c, const mcp_profile *p, const test_rows *t, const bool *ran, uint32_t first) {
    json_t *tests = call_array(c, c->result, "tests"), *others = ran ? NULL : call_array(c, c->result, "others");
    for (uint32_t i = first, end = ran ? t->tests : t->count; i < end && !c->no_memory; i++) {
        if ((ran && !ran[i]) || call_row(c, i < t->tests ? tests : others, test_json(c, p, &t->rows[i])))
            continue;
        call_next(c, i);
        return;
    }
}

static void set_count(mcp_call *c, const test_rows *t, const bool *ran) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->tests; i++)
        count += !ran || ran[i];
    call_number(c, c->result, "count", count);
}

/* Says why there are none. */
static void set_none(mcp_call *c, const char *why) {
    call_number(c, c->result, "count", 0);
    call_array(c, c->result, "tests");
    call_append(c, call_array(c, c->result, "caveats"), json_string_nocheck(why));
}

/* `of`: the method that tests are asked for, or NULL. False when memory ran out. */
static bool list_tests(mcp_call *c, const mcp_profile *p, const report_function *of, uint32_t first) {
    const char *by = call_argument(c, "by");
    ilj_report_options options = p->options;
    options.sort = tools_sort_key(by);
    report r = p->r;
    r.options = &options;
    test_rows rows;
    bool done = tests_make(&rows, &r);
    bool *ran = done && of ? rows_that_ran(&rows, p, of) : NULL;
    done = done && (ran || !of);
    if (done) {
        call_word(c, c->result, "by", by ? by : "duration");
        set_count(c, &rows, ran);
        set_rows(c, p, &rows, ran, first);
    }
    free(ran);
    tests_clear(&rows);
    return done;
}

bool tool_tests(mcp_call *c) {
    mcp_profile *p = call_profile(c);
    const char *method = call_argument(c, "ran");
    const report_function *of = p && method ? call_function(c, p, method) : NULL;
    uint32_t first;
    if (!p || (method && !of) || !call_begin_rows(c, &first))
        return false;
    call_file(c, c->result, "profile", p->id);
    if (of)
        call_method(c, call_object(c, c->result, "ran"), p, of);
    if (!tests_any(&p->sum)) {
        set_none(c, "no method that was called has an attribute of a test framework; `ilinject --root=PATTERN` names "
                    "others when it instruments");
        return true;
    }
    if (aggregate_only_counts(&p->sum)) {
        set_none(c, "calls were only counted: nothing has a time, and which test ran what is not known");
        return true;
    }
    return list_tests(c, p, of, first);
}
