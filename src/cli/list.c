/* ilinject list */
#include "selection.h"

#include <limits.h>

static struct {
    common_settings common;
    int format; /* an ilj_list_format */
    selection_settings selection;
} settings = {.selection = SELECTION_DEFAULTS};

static const option_row options[] = {
    SELECTION_ROWS(offsetof(__typeof__(settings), selection)),
    PRICE_ROWS(offsetof(__typeof__(settings), selection)),
    {"format", 0, OPTION_CHOICE, offsetof(__typeof__(settings), format), 0, "text|json", "how to write it"},
    {"json", 0, OPTION_SET, offsetof(__typeof__(settings), format), ILJ_LIST_JSON, NULL, "short for --format=json"},
    {NULL, 0, 0, 0, 0, NULL, NULL},
};

static int run(console *c, ilj_context *context, arguments operands) {
    if (operands.count == 0)
        return usage_failure(c, &list_command, "no input is given");
    bool several = operands.count > 1, json = settings.format == ILJ_LIST_JSON, first = true;
    ilj_selection *selection = NULL;
    int value = selection_check(c, &list_command, &settings.selection);
    if (value == EXIT_DONE)
        value = selection_make(&selection, c, context, &settings.selection);
    if (value != EXIT_DONE)
        return value;
    if (several && json)
        console_printf(c, "[\n");
    for (size_t i = 0; i < operands.count; i++) {
        ilj_image *image = NULL;
        ilj_status status = ilj_image_open(&image, context, operands.items[i]);
        if (status == ILJ_OK) {
            if (several && json && !first)
                console_printf(c, ",\n");
            if (several && !json)
                console_printf(c, "%s%s:\n", first ? "" : "\n", operands.items[i]);
            first = false;
            status = ilj_image_list(image, (ilj_list_format)settings.format, selection, console_write, c);
            ilj_image_free(image);
        }
        if (c->write_error != 0)
            break;
        if (status != ILJ_OK)
            value = exit_of(status);
    }
    if (several && json)
        console_printf(c, "]\n");
    if (c->write_error == 0)
        ilj_selection_check(selection, context);
    ilj_selection_free(selection);
    return value;
}

const command list_command = {
    .name = "list",
    .synopsis = "IN... [OPTION...]",
    .summary = "show types and methods and what instrumenting will do with them",
    .text = "Lists every type and method of the assemblies IN, with token and size of the IL in\n"
            "bytes, and says of each method whether it will be instrumented or why it is left\n"
            "out; the rule that decided, if one did, stands behind <-. The JSON of several\n"
            "inputs is an array of what one input gives.",
    .options = options,
    .settings = &settings,
    .run = run,
};
