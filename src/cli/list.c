/* ilinject list */
#include "selection.h"

#include <limits.h>

static struct {
    common_settings common;
    int format; /* an ilj_list_format */
    const char *explain;
    int exits;      /* ilj_exits - 1 */
    int exceptions; /* ilj_exceptions - 1 */
    bool counts, allocations;
    selection_settings selection;
} settings = {.exits = -1, .exceptions = -1, .selection = SELECTION_DEFAULTS};

static const option_row options[] = {
    SELECTION_ROWS(offsetof(__typeof__(settings), selection)),
    PRICE_ROWS(offsetof(__typeof__(settings), selection)),
    {"explain", 0, OPTION_TEXT, offsetof(__typeof__(settings), explain), 0, "METHOD",
     "for the methods that a pattern or a token (0x06000012) names: the rule that decided, the ways out, the code put "
     "into the body, and with --leaves and --allocations which calls are leaves and how many places count objects"},
    {"exits", 0, OPTION_CHOICE, offsetof(__typeof__(settings), exits), 0, "guarded|ret",
     "with --explain: as for instrument"},
    {"exceptions", 0, OPTION_CHOICE, offsetof(__typeof__(settings), exceptions), 0, "paths|full",
     "with --explain: as for instrument"},
    {"counts", 0, OPTION_FLAG, offsetof(__typeof__(settings), counts), 0, NULL, "with --explain: as for instrument"},
    {"leaves", 0, OPTION_LISTED, offsetof(__typeof__(settings), selection.leaves), 0, "PATTERN,...",
     "with --explain: as for instrument"},
    {"allocations", 0, OPTION_FLAG, offsetof(__typeof__(settings), allocations), 0, NULL,
     "with --explain: as for instrument"},
    {"format", 0, OPTION_CHOICE, offsetof(__typeof__(settings), format), 0, "text|json", "the output's format"},
    {"json", 0, OPTION_SET, offsetof(__typeof__(settings), format), ILJ_LIST_JSON, NULL, "short for --format=json"},
    {NULL, 0, 0, 0, 0, NULL, NULL},
};

/* Refuses what this command line cannot mean. Returns EXIT_DONE or EXIT_USAGE. */
static int check_usage(console *c) {
    bool shapes = settings.exits >= 0 || settings.exceptions >= 0, leaves = settings.selection.leaves.count;
    if ((shapes || settings.counts || settings.allocations || leaves) && !settings.explain)
        return usage_failure(c, &list_command, "--%s needs --explain",
                             settings.counts        ? "counts"
                             : settings.exits >= 0  ? "exits"
                             : leaves               ? "leaves"
                             : settings.allocations ? "allocations"
                                                    : "exceptions");
    if (settings.explain && settings.format == ILJ_LIST_JSON)
        return usage_failure(c, &list_command, "--explain writes text alone");
    if (settings.counts && shapes)
        return usage_failure(c, &list_command, "--counts and --%s exclude each other: only calls are seen",
                             settings.exits >= 0 ? "exits" : "exceptions");
    if (settings.counts && (leaves || settings.allocations))
        return usage_failure(c, &list_command, "--counts and --%s exclude each other: only calls of methods are seen",
                             leaves ? "leaves" : "allocations");
    if (settings.exits + 1 == ILJ_EXITS_RET && settings.exceptions + 1 == ILJ_EXCEPTIONS_FULL)
        return usage_failure(c, &list_command, "--exceptions=full needs --exits=guarded");
    return selection_check(c, &list_command, &settings.selection);
}

static ilj_status write_image(console *c, ilj_image *image, ilj_selection *selection) {
    if (!settings.explain)
        return ilj_image_list(image, (ilj_list_format)settings.format, selection, console_write, c);
    ilj_instrument_options options = {.size = sizeof options,
                                      .selection = selection,
                                      .exits = (ilj_exits)(settings.exits + 1),
                                      .exceptions = (ilj_exceptions)(settings.exceptions + 1),
                                      .counts = settings.counts,
                                      .allocations = settings.allocations};
    return ilj_image_explain(image, settings.explain, &options, console_write, c);
}

static int run(console *c, ilj_context *context, arguments operands) {
    if (operands.count == 0)
        return usage_failure(c, &list_command, "no input is given");
    bool several = operands.count > 1, json = settings.format == ILJ_LIST_JSON, first = true;
    ilj_selection *selection = NULL;
    int value = check_usage(c);
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
            status = write_image(c, image, selection);
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
    .summary = "show types and methods, and which will be instrumented",
    .text = "Lists every type and method of the assemblies IN, with token and size of the IL in\n"
            "bytes, and says of each method whether it will be instrumented or why it is left\n"
            "out; the rule that decided, if one did, stands after <-. The JSON of several\n"
            "inputs is an array of the objects of each.\n"
            "--explain says more about single methods: it makes the output in memory and reads\n"
            "it.",
    .options = options,
    .settings = &settings,
    .run = run,
};
