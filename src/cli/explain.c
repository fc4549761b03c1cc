/* ilinject explain */
#include "command.h"

#include <stdio.h>
#include <string.h>

static common_settings settings;

static const option_row options[] = {{NULL, 0, 0, 0, 0, NULL, NULL}};

/* "; near: a, b, c", or nothing. */
static void near_text(char *text, size_t size, const char *const *near) {
    size_t at = 0;
    *text = 0;
    for (size_t i = 0; near[i] && at < size; i++)
        at += (size_t)snprintf(text + at, size - at, "%s%s", i == 0 ? "; near: " : ", ", near[i]);
}

static int run(console *c, ilj_context *context, arguments operands) {
    const char *near[ILJ_NEAR_WORDS + 1];
    char names[256];
    int value = EXIT_DONE;
    (void)context;
    if (operands.count == 0)
        ilj_explain_word(near, NULL, console_write, c);
    for (size_t i = 0; i < operands.count && c->write_error == 0; i++) {
        if (i > 0 && value == EXIT_DONE)
            console_printf(c, "\n");
        if (ilj_explain_word(near, operands.items[i], console_write, c))
            continue;
        near_text(names, sizeof names, near);
        value = usage_failure(c, &explain_command, "'%.60s' is no diagnostic, setting or column%s", operands.items[i],
                              names);
    }
    return value;
}

const command explain_command = {
    .name = "explain",
    .synopsis = "[WORD...]",
    .summary = "explain diagnostics, settings and columns",
    .text = "Explains each WORD: the code of a diagnostic (ILJ0435 or 435: what it means, why it\n"
            "is reported, what to do), a setting of the tracker (its values and its default), a\n"
            "column of the report. 'diagnostics', 'settings' and 'columns' are lists; without a\n"
            "WORD all three are printed.",
    .options = options,
    .settings = &settings,
    .run = run,
};
