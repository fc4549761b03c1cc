/* ilinject check */
#include "command.h"
#include "lists.h"
#include "repository.h"
#include "result.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_TOP = 20 };

static struct {
    common_settings common;
    int format; /* an ilj_check_format */
    unsigned top;
    const char *output;
    const char *root;
    option_list source;
} settings = {.top = UINT32_MAX};

#define AT(field) offsetof(__typeof__(settings), field)
static const option_row options[] = {
    {"format", 0, OPTION_CHOICE, AT(format), 0, "text|markdown|sarif|github|gitlab",
     "the output's format: markdown for a comment, SARIF 2.1.0, annotations of GitHub, GitLab's Code Quality"},
    {"top", 0, OPTION_NUMBER, AT(top), 0, "N",
     "only the first N of each kind of change, in text and Markdown; 0: all. Default: 20"},
    {"root", 0, OPTION_TEXT, AT(root), 0, "DIR",
     "folder of the repository, to which paths are made relative. Default: the one with .git at or above this folder"},
    {"source", 0, OPTION_LIST, AT(source), 0, "FROM=DIR",
     "sources whose paths begin with FROM, as the compiler had them, stand in DIR; can be repeated"},
    {"output", 'o', OPTION_TEXT, AT(output), 0, "FILE", "write to FILE instead of standard output"},
    {NULL, 0, 0, 0, 0, NULL, NULL},
};
#undef AT

typedef struct comparison {
    ilj_context *context;
    const char *baseline;
    result_inputs profiles;
    const ilj_check_options *wanted;
    bool changed;
} comparison;

static ilj_status compare(void *user, ilj_write_fn *write, void *to) {
    comparison *of = user;
    return ilj_check(&of->changed, of->context, of->baseline, of->profiles.paths, of->profiles.count, of->wanted, write,
                     to);
}

static int check_all(console *c, ilj_context *context, const char *baseline, const name_list *names) {
    const char **sources = option_values(&settings.source);
    char *root = settings.root ? NULL : repository_root();
    int value = EXIT_FAILED;
    const ilj_check_options wanted = {
        .size = sizeof wanted,
        .format = (ilj_check_format)settings.format,
        .top = settings.top != UINT32_MAX ? settings.top : DEFAULT_TOP,
        .color = settings.output ? settings.common.color == COLOR_ALWAYS : c->color_out,
        .root = settings.root ? settings.root : root,
        .sources = sources,
        .source_count = settings.source.count,
    };
    comparison of = {context, baseline, {(const char *const *)names->items, names->count}, &wanted, false};
    if (sources)
        value = result_make(c, settings.output, (const result_inputs[2]){of.profiles}, compare, &of);
    else
        console_error(c, "out of memory");
    if (value == EXIT_DONE && of.changed)
        value = EXIT_FAIL_IF;
    free(sources);
    free(root);
    return value;
}

static int run(console *c, ilj_context *context, arguments operands) {
    name_list names = {0};
    const char *failed = NULL;
    int value = EXIT_FAILED;
    for (size_t i = 0; i < settings.source.count; i++)
        if (settings.source.items[i].value[0] == '=' || !strchr(settings.source.items[i].value, '='))
            return usage_failure(c, &check_command, "--source is FROM=DIR, found '%.80s'",
                                 settings.source.items[i].value);
    if (operands.count < 2)
        return usage_failure(c, &check_command, "a baseline and a profile are needed");
    const char *baseline = operands.items[0];
    arguments rest = {operands.items + 1, operands.count - 1, 0, false};
    int error = name_list_of_files(&names, &failed, &rest, ".ilprof");
    if (error)
        console_error(c, "%s cannot be read: %s", failed,
                      error == ENOENT ? "it holds no *.ilprof, or is not there" : strerror(error));
    else
        value = check_all(c, context, baseline, &names);
    name_list_free(&names);
    return value;
}

const command check_command = {
    .name = "check",
    .synopsis = "BASELINE PROFILE... [OPTION...]",
    .summary = "compare runs with a baseline: exit 4 when counts changed",
    .text = "Compares what the profiles' runs did with the baseline that `ilinject baseline` wrote:\n"
            "which methods are called more or less often, allocate more or less, are new or gone,\n"
            "and where the call trees part, with callers and lines. No time is judged, so a busy\n"
            "machine changes nothing. The exit status is 4 when something changed beyond what the\n"
            "baseline's rules allow. With several runs, all have to differ from it. A folder stands\n"
            "for its *.ilprof.",
    .options = options,
    .settings = &settings,
    .run = run,
};
