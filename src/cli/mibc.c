/* ilinject mibc */
#include "command.h"
#include "lists.h"
#include "result.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct {
    common_settings common;
    const char *output;
    option_list assembly;
} settings;

#define AT(field) offsetof(__typeof__(settings), field)
static const option_row options[] = {
    {"output", 'o', OPTION_TEXT, AT(output), 0, "FILE", "the startup profile to write"},
    {"assembly", 0, OPTION_LIST, AT(assembly), 0, "PATH",
     "a folder of assemblies that were profiled, or one of them; can be repeated. Default: beside the profiles"},
    {NULL, 0, 0, 0, 0, NULL, NULL},
};
#undef AT

typedef struct sources {
    ilj_context *context;
    result_inputs profiles;
    const char **assemblies;
} sources;

static ilj_status write_profile(void *user, ilj_write_fn *write, void *to) {
    const sources *s = user;
    const ilj_report_options wanted = {.size = sizeof wanted,
                                       .format = ILJ_REPORT_MIBC,
                                       .assemblies = s->assemblies,
                                       .assembly_count = settings.assembly.count};
    return ilj_report(s->context, s->profiles.paths, s->profiles.count, &wanted, write, to);
}

static int run(console *c, ilj_context *context, arguments operands) {
    if (!settings.output)
        return usage_failure(c, &mibc_command, "no output: give -o FILE");
    if (operands.count == 0)
        return usage_failure(c, &mibc_command, "no profile is given");
    name_list names = {0};
    const char *failed = NULL;
    int value = EXIT_FAILED;
    int error = name_list_of_files(&names, &failed, &operands, ".ilprof");
    sources s = {context, {(const char *const *)names.items, names.count}, option_values(&settings.assembly)};
    if (error == ENOENT)
        console_diagnostic(c, &(ilj_diagnostic){failed, ILJ_ERROR, "ILJ0604", "no *.ilprof stands in this folder"});
    else if (error)
        console_error(c, "%s cannot be read: %s", failed, strerror(error));
    else if (!s.assemblies)
        console_error(c, "out of memory");
    else
        value = result_make(c, settings.output, (const result_inputs[2]){s.profiles}, write_profile, &s);
    free(s.assemblies);
    free(settings.assembly.items);
    name_list_free(&names);
    return value;
}

const command mibc_command = {
    .name = "mibc",
    .synopsis = "FILE... -o OUT [OPTION...]",
    .summary = "make a startup profile for crossgen2, ILC and Mono",
    .text = "Writes which methods the profiles FILE have called, in the order of their first\n"
            "calls, as a MIBC file: compilers that compile ahead of time take it to compile\n"
            "just these (docs/tasks/startup.md). Several profiles give the methods of all.\n"
            "A folder stands for the *.ilprof in it. The assemblies that were profiled give\n"
            "the methods' signatures; those that were instrumented will do, too.",
    .options = options,
    .settings = &settings,
    .run = run,
};
