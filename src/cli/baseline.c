/* ilinject baseline */
#include "command.h"
#include "lists.h"
#include "platform/system.h"
#include "result.h"

#include <errno.h>
#include <string.h>

static struct {
    common_settings common;
    const char *output;
} settings;

#define AT(field) offsetof(__typeof__(settings), field)
static const option_row options[] = {
    {"output", 'o', OPTION_TEXT, AT(output), 0, "FILE",
     "the baseline to write; the rules and comments of one that is there stay"},
    {NULL, 0, 0, 0, 0, NULL, NULL},
};
#undef AT

typedef struct runs {
    ilj_context *context;
    const name_list *names;
} runs;

static ilj_status write_baseline(void *user, ilj_write_fn *write, void *to) {
    const runs *r = user;
    const ilj_baseline_options wanted = {
        .size = sizeof wanted,
        .previous = system_file_bytes(settings.output) > 0 ? settings.output : NULL,
    };
    return ilj_baseline(r->context, (const char *const *)r->names->items, r->names->count, &wanted, write, to);
}

static int run(console *c, ilj_context *context, arguments operands) {
    name_list names = {0};
    const char *failed = NULL;
    int value = EXIT_FAILED;
    if (!settings.output)
        return usage_failure(c, &baseline_command, "no output: give -o FILE");
    int error = name_list_of_files(&names, &failed, &operands, ".ilprof");
    if (error)
        console_error(c, "%s cannot be read: %s", failed,
                      error == ENOENT ? "it holds no *.ilprof, or is not there" : strerror(error));
    else if (names.count == 0)
        value = usage_failure(c, &baseline_command, "no profile is given");
    else /* counts and names are no secret: a project keeps the file among its sources */
        value =
            result_make(c, settings.output, (const result_inputs[2]){{0}}, write_baseline, &(runs){context, &names});
    name_list_free(&names);
    return value;
}

const command baseline_command = {
    .name = "baseline",
    .synopsis = "PROFILE... -o FILE [OPTION...]",
    .summary = "write a run's counts as a text file to be committed",
    .text = "Writes what the profiles' runs did as a text file, for `ilinject check`: a line for\n"
            "each method, with how often it was called, how many calls it makes, the bytes and\n"
            "exceptions where they were recorded, and objects by type. Each PROFILE is one run of\n"
            "the same program; with several, what does not hold still has its range. A merged\n"
            "profile counts as one run, of several processes. A folder stands for its *.ilprof.",
    .options = options,
    .settings = &settings,
    .run = run,
};
