/* ilinject merge */
#include "command.h"
#include "lists.h"
#include "result.h"

#include <string.h>

static struct {
    common_settings common;
    bool keep_going;
    const char *output;
} settings;

#define AT(field) offsetof(__typeof__(settings), field)
static const option_row options[] = {
    {"output", 'o', OPTION_TEXT, AT(output), 0, "FILE", "the profile to write; may be one of those that are merged"},
    {"keep-going", 'k', OPTION_FLAG, AT(keep_going), 0, NULL,
     "write also when some cannot be read, which are left out; exit 1 all the same"},
    {NULL, 0, 0, 0, 0, NULL, NULL},
};
#undef AT

static ilj_status write_merged(void *user, ilj_write_fn *write, void *to) {
    return ilj_merge_write(user, write, to);
}

static int merge_all(console *c, ilj_merge *sum, const name_list *names) {
    ilj_status first = ILJ_OK;
    for (size_t i = 0; i < names->count; i++) {
        ilj_status status = ilj_merge_add(sum, names->items[i]);
        if (status == ILJ_NO_MEMORY)
            return exit_of(status);
        if (first == ILJ_OK)
            first = status;
    }
    if (first != ILJ_OK && !settings.keep_going)
        return exit_of(first);
    const result_inputs inputs[2] = {{(const char *const *)names->items, names->count}};
    int value = result_make(c, settings.output, inputs, write_merged, sum);
    return value != EXIT_DONE ? value : exit_of(first);
}

static int run(console *c, ilj_context *context, arguments operands) {
    if (!settings.output)
        return usage_failure(c, &merge_command, "no output: give -o FILE");
    if (operands.count == 0)
        return usage_failure(c, &merge_command, "nothing to merge: no profile is given");
    name_list names = {0};
    const char *failed = NULL;
    ilj_merge *sum = NULL;
    int value = EXIT_FAILED;
    int error = name_list_make(&names, &failed, &operands);
    if (error)
        console_error(c, "%s cannot be read: %s", failed + (failed[0] == '@'), strerror(error));
    else if (names.count == 0)
        console_error(c, "nothing to merge: the lists are empty");
    else if (ilj_merge_new(&sum, context) != ILJ_OK)
        console_error(c, "out of memory");
    else
        value = merge_all(c, sum, &names);
    ilj_merge_free(sum);
    name_list_free(&names);
    return value;
}

const command merge_command = {
    .name = "merge",
    .synopsis = "FILE... -o OUT [OPTION...]",
    .summary = "fold profiles into one",
    .text = "Folds the profiles FILE, of any number of processes, machines and days, into OUT. A\n"
            "FILE may be a merged one, and @LIST stands for the names in the file LIST (@-: on\n"
            "standard input), one a line. The outcome is the same to the byte whatever the order\n"
            "and however they were merged before, so parts can be merged anywhere by anything.\n"
            "The size of OUT bounds the memory, not the number of inputs.",
    .options = options,
    .settings = &settings,
    .own_lists = true,
    .run = run,
};
