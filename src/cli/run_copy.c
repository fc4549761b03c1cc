#include "run_copy.h"

#include "run_profile.h"

#include <string.h>

static void add(void *user, const char *input, const ilj_summary *summary) {
    run_copy *copy = user;
    (void)input;
    copy->assemblies += summary->instrumented > 0;
    copy->methods += summary->instrumented;
}

int run_copy_make(run_copy *copy, const ilj_application *app, const char *folder, const selection_settings *selection,
                  const ilj_instrument_options *wanted) {
    ilj_instrument_options options = *wanted;
    ilj_selection *methods = NULL;
    int value = selection_make(&methods, copy->console, copy->context, selection);
    if (value != EXIT_DONE)
        return value;
    options.selection = methods;
    value = run_make_folder(copy->console, folder);
    if (value == EXIT_DONE && ilj_application_stage(app, copy->context, folder, &options, add, copy) != ILJ_OK)
        value = EXIT_FAILED;
    ilj_selection_check(methods, copy->context);
    ilj_selection_free(methods);
    return value;
}

void run_copy_note(const run_copy *copy) {
    if (!copy->console->quiet)
        console_note(copy->console, "%zu method%s in %zu assembl%s instrumented, in a copy", copy->methods,
                     copy->methods == 1 ? "" : "s", copy->assemblies, copy->assemblies == 1 ? "y" : "ies");
}

int run_check_settings(console *c, const command *of, const option_list *tracker_settings) {
    char problem[ILJ_SETTING_PROBLEM];
    for (size_t i = 0; i < tracker_settings->count; i++) {
        const char *setting = tracker_settings->items[i].value;
        if (!ilj_setting_check(problem, setting))
            return usage_failure(c, of, "--set: %s", problem);
        if (strncmp(setting, "out=", 4) == 0)
            return usage_failure(c, of, "--set out=: --output says where the profile goes");
    }
    return EXIT_DONE;
}
