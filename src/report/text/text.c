#include "report/text/text.h"

#include "report/print/table.h"
#include "report/text/lines.h"
#include "report/view/async.h"
#include "report/view/exceptions.h"
#include "report/view/head.h"

/* ---- The head --------------------------------------------------------------------------------------------------- */

static void print_head_line(printer *out, const report *r, const view_head *h, const view_line *l) {
    bytes text = view_line_text(h, l), after = view_line_after(h, l);
    size_t width = r->options->width;
    if (!r->options->verbose) {
        print_line(out, text, width > 0 ? width : SIZE_MAX);
        print_string(out, "\n");
        return;
    }
    if (l->kind == VIEW_LINE) {
        print_fitted_text(out, r, text);
        return;
    }
    print_shown(out, text);
    if (l->kind == VIEW_LINE_FUNCTION) {
        print_function(out, r, l->function, l->taken, l->least);
        print_shown(out, after);
    }
    print_string(out, "\n");
}

/* Views begin without it. */
static bool has_head(const report *r) {
    return r->options->verbose || r->options->view == ILJ_VIEW_DEFAULT || r->options->view == ILJ_VIEW_BRIEF ||
           r->sum->list.function_count == 0;
}

static bool print_head(printer *out, const report *r) {
    view_head head = {.text = BUFFER_INIT};
    if (!has_head(r))
        return true;
    bool done = r->options->verbose ? view_head_make(&head, r) : view_head_make_brief(&head, r);
    print_set_style(out, PRINT_DIM);
    for (uint32_t i = 0; i < head.count && done; i++)
        print_head_line(out, r, &head, &head.lines[i]);
    print_set_style(out, PRINT_PLAIN);
    view_head_clear(&head);
    return done;
}

/* ---- The views --------------------------------------------------------------------------------------------------- */

enum { MOST_OF_TREE = 60, MOST_OBJECTS = 10 }; /* rows beside other sections */

static bool write_default(printer *out, const report *r) {
    if (r->options->by == ILJ_BY_PART) /* which is about the whole */
        return functions_write(out, r);
    if (r->options->by == ILJ_BY_TEST)
        return tests_write(out, r);
    if (r->sum->kept.text_count > 0) {
        if (!tests_write(out, r))
            return false;
        print_string(out, "\n");
        return tree_write_main(out, r, r->options->top == 0 ? UINT32_MAX : MOST_OF_TREE);
    }
    if (!functions_write(out, r) || !one_call_write(out, r, true) || !switched_write(out, r))
        return false;
    left_out_write(out, r);
    exceptions_write(out, r);
    async_write(out, r);
    if (!objects_write(out, r, MOST_OBJECTS))
        return false;
    print_string(out, "\n");
    return tree_write_main(out, r, r->options->top == 0 ? UINT32_MAX : MOST_OF_TREE);
}

static bool write_exceptions(printer *out, const report *r) {
    exceptions_write(out, r);
    if (!view_has_exceptions(r))
        print_string(out, "\nNo exceptions were recorded.\n");
    return true;
}

static bool write_async(printer *out, const report *r) {
    async_write(out, r);
    if (view_async_count(r) == 0)
        print_string(out, "\nNo async methods were recorded.\n");
    return true;
}

static bool write_objects(printer *out, const report *r) {
    if (r->sum->sites.type_count == 0)
        print_string(out, "No objects were counted; instrument with --allocations.\n");
    return objects_write(out, r, UINT32_MAX);
}

/* A run whose one writing is that of its start did not end by itself. */
static void write_nothing(printer *out, const report *r) {
    print_string(out, "\nNo calls were recorded.\n");
    if (r->profile_count == 1 && r->sum->tree.thread_count == 0 &&
        bytes_equal(r->profiles[0].run.reason, bytes_of("beat", 4)))
        print_string(out,
                     "This is the profile of the run's start. A program that fails fast, overflows its stack or is "
                     "killed\nwrites none at its end; --set beat=1 writes one each second.\n");
}

bool text_write(printer *out, const report *r) {
    ilj_report_view view = r->options->view;
    if (r->wanted)
        return tests_write_that_ran(out, r);
    if (!print_head(out, r))
        return false;
    if (view == ILJ_VIEW_NEVER && r->sum->list.read_count > 0)
        return never_write(out, r);
    if (r->sum->list.function_count == 0) {
        write_nothing(out, r);
        return true;
    }
    if (view == ILJ_VIEW_DEFAULT && !(hot_write_line(out, r) && one_call_write_line(out, r)))
        return false;
    if (view == ILJ_VIEW_BRIEF)
        return hot_write_line(out, r) && brief_write(out, r);
    if (has_head(r) && view != ILJ_VIEW_EXCEPTIONS && view != ILJ_VIEW_ASYNC &&
        (view != ILJ_VIEW_OBJECTS || r->sum->sites.type_count == 0)) /* which begin with one themselves */
        print_string(out, "\n");
    if (aggregate_only_counts(r->sum)) {
        if (r->options->by != ILJ_BY_TEST && (view == ILJ_VIEW_DEFAULT || view == ILJ_VIEW_FUNCTIONS))
            return functions_write(out, r);
        print_string(out, "Only calls were counted: who called whom, and what it took, is not known.\n");
        return true;
    }
    switch (view) {
    case ILJ_VIEW_DEFAULT:
        return write_default(out, r);
    case ILJ_VIEW_FUNCTIONS:
        if (r->options->by == ILJ_BY_TEST)
            return tests_write(out, r);
        if (!functions_write(out, r) || (r->options->by == ILJ_BY_FUNCTION && !one_call_write(out, r, false)))
            return false;
        left_out_write(out, r);
        return true;
    case ILJ_VIEW_TREE:
        if (!tree_write_main(out, r, UINT32_MAX))
            return false;
        left_out_write(out, r);
        return true;
    case ILJ_VIEW_CALLERS:
        return callers_write(out, r);
    case ILJ_VIEW_HOT:
        return hot_write(out, r);
    case ILJ_VIEW_EXCEPTIONS:
        return write_exceptions(out, r);
    case ILJ_VIEW_ASYNC:
        return write_async(out, r);
    case ILJ_VIEW_CALLS:
        return calls_write(out, r);
    case ILJ_VIEW_OBJECTS:
        return write_objects(out, r);
    case ILJ_VIEW_BRIEF: /* written before */
        break;
    case ILJ_VIEW_NEVER:
        return never_write(out, r);
    }
    return true;
}
