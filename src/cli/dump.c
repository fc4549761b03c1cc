/* ilinject dump */
#include "command.h"

static struct {
    common_settings common;
    bool headers;
    bool heaps;
    bool tables;
    bool il;
    bool ready_to_run;
    bool plan;
} settings;

#define PART(field, help) PART_NAMED(#field, field, help)
#define PART_NAMED(name, field, help)                                                                                  \
    { name, 0, OPTION_FLAG, offsetof(__typeof__(settings), field), 0, NULL, help }
static const option_row options[] = {
    PART(headers, "PE and CLI headers, sections, directories"),
    PART(heaps, "the metadata heaps"),
    PART(tables, "the metadata tables, row by row"),
    PART(il, "the method bodies"),
    PART_NAMED("ready-to-run", ready_to_run, "native code that was compiled ahead: methods, instantiations, inlining"),
    PART(plan, "where the pieces of an instrumented output come to lie, and where they lay; not without this option"),
    {NULL, 0, 0, 0, 0, NULL, NULL},
};
#undef PART
#undef PART_NAMED

static int run(console *c, ilj_context *context, arguments operands) {
    if (operands.count != 1)
        return usage_failure(c, &dump_command, operands.count ? "one input at a time" : "no input is given");
    unsigned parts = (settings.headers ? ILJ_DUMP_HEADERS : 0u) | (settings.heaps ? ILJ_DUMP_HEAPS : 0u) |
                     (settings.tables ? ILJ_DUMP_TABLES : 0u) | (settings.il ? ILJ_DUMP_IL : 0u) |
                     (settings.ready_to_run ? ILJ_DUMP_READY_TO_RUN : 0u);
    const ilj_instrument_options plain = {.size = sizeof plain};
    ilj_image *image = NULL;
    ilj_status status = ilj_image_open(&image, context, operands.items[0]);
    if (status != ILJ_OK)
        return exit_of(status);
    if (parts || !settings.plan)
        status = ilj_image_dump(image, parts ? parts : ILJ_DUMP_ALL, console_write, c);
    if (status == ILJ_OK && settings.plan)
        status = ilj_image_plan(image, &plain, console_write, c);
    ilj_image_free(image);
    return c->write_error != 0 ? EXIT_DONE : exit_of(status);
}

const command dump_command = {
    .name = "dump",
    .synopsis = "IN [OPTION...]",
    .summary = "write headers, metadata and IL as text",
    .text = "Writes the image IN as text. The options choose parts; without any,\n"
            "all of the image itself are written.",
    .options = options,
    .settings = &settings,
    .run = run,
};
