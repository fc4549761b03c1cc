/* ilinject diff */
#include "command.h"
#include "lists.h"
#include "platform/system.h"
#include "repository.h"
#include "result.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_TOP = 20 }; /* rows of a table that is looked at */

static struct {
    common_settings common;
    int format; /* an ilj_diff_format */
    int by;     /* 1: paths */
    int time;   /* 1: inclusive */
    bool raw;
    unsigned top;
    unsigned width;
    const char *output;
    option_list fail_if;
    bool allow_missing;
    const char *root;
} settings = {.width = UINT32_MAX, .top = UINT32_MAX};

#define AT(field) offsetof(__typeof__(settings), field)
static const option_row options[] = {
    {"fail-if", 0, OPTION_LIST, AT(fail_if), 0, "CONDITION",
     "exit 4 when it holds: 'PATTERN: METRIC > LIMIT [and LIMIT]', as in 'My.App: exclusive > +10% and +5ms', or when "
     "its "
     "pattern names no method; may be given again"},
    {"allow-missing", 0, OPTION_FLAG, AT(allow_missing), 0, NULL, "a condition that names no method only warns"},
    {"by", 0, OPTION_CHOICE, AT(by), 0, "function|path||method", "a row stands for a function, or for a path of calls"},
    {"sort", 0, OPTION_CHOICE, AT(time), 0, "exclusive|inclusive",
     "the time by which functions are slower or faster, and the order of the table"},
    {"time", 0, OPTION_CHOICE, AT(time), 0, "exclusive|inclusive", NULL},
    {"format", 0, OPTION_CHOICE, AT(format), 0, "text|markdown|json|sarif|github|gitlab",
     "the output's format; the last three have the conditions that held, as SARIF 2.1.0, annotations of GitHub, "
     "GitLab's Code Quality"},
    {"root", 0, OPTION_TEXT, AT(root), 0, "DIR",
     "folder of the repository, to which paths are made relative. Default: the one with .git at or above this folder"},
    {"json", 0, OPTION_SET, AT(format), ILJ_DIFF_JSON, NULL, "short for --format=json"},
    {"raw", 0, OPTION_FLAG, AT(raw), 0, NULL, "times as recorded, with the cost of recording"},
    {"top", 0, OPTION_NUMBER, AT(top), 0, "N", "only the first N rows; 0: all. Default: 20"},
    {"output", 'o', OPTION_TEXT, AT(output), 0, "FILE", "write to FILE instead of standard output"},
    {"width", 0, OPTION_NUMBER, AT(width), 0, "N",
     "columns to fit to; 0: no limit. Default: the terminal's, else $COLUMNS, else 120"},
    {NULL, 0, 0, 0, 0, NULL, NULL},
};
#undef AT

typedef struct sides {
    name_list before, after;
} sides;

typedef struct comparison {
    ilj_context *context;
    result_inputs sides[2];
    const ilj_diff_options *wanted;
    bool failed; /* a condition of --fail-if holds */
} comparison;

static ilj_status compare(void *user, ilj_write_fn *write, void *to) {
    comparison *of = user;
    return ilj_diff(&of->failed, of->context, of->sides[0].paths, of->sides[0].count, of->sides[1].paths,
                    of->sides[1].count, of->wanted, write, to);
}

/* Both sides' names, or the value to exit with. */
static int find_sides(sides *s, console *c, arguments operands) {
    arguments before = {operands.items, operands.before_dashes, 0, false}, after = before;
    if (!operands.has_dashes && operands.count == 2)
        before.count = 1;
    else if (!operands.has_dashes)
        return usage_failure(c, &diff_command,
                             operands.count < 2 ? "two profiles are needed, one before and one after"
                                                : "which are before, which after? Put -- between them");
    after.items = operands.items + before.count;
    after.count = operands.count - before.count;
    const char *failed = NULL;
    int error = name_list_make(&s->before, &failed, &before);
    if (!error)
        error = name_list_make(&s->after, &failed, &after);
    if (error) {
        console_error(c, "%s cannot be read: %s", failed + (failed[0] == '@'), strerror(error));
        return EXIT_FAILED;
    }
    if (s->before.count == 0 || s->after.count == 0)
        return usage_failure(c, &diff_command, "no profile %s", s->before.count == 0 ? "before" : "after");
    return EXIT_DONE;
}

static int run(console *c, ilj_context *context, arguments operands) {
    ilj_diff_options wanted = {
        .size = sizeof wanted,
        .format = (ilj_diff_format)settings.format,
        .by_path = settings.by == 1,
        .inclusive = settings.time == 1,
        .raw = settings.raw,
        .top = settings.top != UINT32_MAX ? settings.top : DEFAULT_TOP,
        .width = settings.width != UINT32_MAX ? settings.width : system_width(),
        .color = settings.output ? settings.common.color == COLOR_ALWAYS : c->color_out,
        .fail_if_count = settings.fail_if.count,
        .allow_missing = settings.allow_missing,
    };
    sides s = {.before = {.count = 0}};
    char *root = settings.root || wanted.format < ILJ_DIFF_SARIF ? NULL : repository_root();
    const char **conditions = option_values(&settings.fail_if);
    int value = conditions ? find_sides(&s, c, operands) : EXIT_FAILED;
    if (!conditions)
        console_error(c, "out of memory");
    wanted.fail_if = conditions;
    wanted.root = settings.root ? settings.root : root;
    if (value == EXIT_DONE) {
        comparison of = {context,
                         {{(const char *const *)s.before.items, s.before.count},
                          {(const char *const *)s.after.items, s.after.count}},
                         &wanted,
                         false};
        value = result_make(c, settings.output, of.sides, compare, &of);
        value = value == EXIT_DONE && of.failed ? EXIT_FAIL_IF : value;
    }
    name_list_free(&s.before);
    name_list_free(&s.after);
    free(conditions);
    free(root);
    return value;
}

const command diff_command = {
    .name = "diff",
    .synopsis = "BEFORE AFTER | BEFORE... -- AFTER... [OPTION...]",
    .summary = "compare profiles: what takes longer, and why",
    .text = "Compares the profiles of one or several runs before with those of one or several\n"
            "after: a sentence says what takes longer, or less, and why; a table has times and\n"
            "calls of both sides. Noise is known only with several runs of each. Methods are\n"
            "matched by their full names. With --fail-if it is a gate: the exit status is 4 when\n"
            "a condition holds, and a line names each method for which it does.",
    .options = options,
    .settings = &settings,
    .end = OPTIONS_ON_BOTH_SIDES,
    .own_lists = true,
    .run = run,
};
