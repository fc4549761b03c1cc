#include "selection.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The values of a list; NULL without memory. */
static const char **texts_of(const option_list *list) {
    const char **texts = calloc(list->count + 1, sizeof *texts);
    for (size_t i = 0; i < list->count && texts; i++)
        texts[i] = list->items[i].value;
    return texts;
}

bool selection_has_spans(const selection_settings *settings) {
    for (size_t i = 0; i < settings->rules.count; i++)
        if (settings->rules.items[i].set == RULE_SPANS)
            return true;
    return false;
}

bool selection_try_percent(const char *text, unsigned *percent) {
    enum { LEAST = 1, MOST = 1000, DIGITS = 4 };
    size_t digits = strspn(text, "0123456789");
    if (strcmp(text, "any") == 0) {
        *percent = 0;
        return true;
    }
    if (digits == 0 || digits > DIGITS || (text[digits] && strcmp(text + digits, "%") != 0))
        return false;
    unsigned long number = strtoul(text, NULL, 10);
    if (number < LEAST || number > MOST)
        return false;
    *percent = (unsigned)number;
    return true;
}

int selection_check(console *c, const command *of, const selection_settings *settings) {
    unsigned percent;
    if (settings->overhead && !selection_try_percent(settings->overhead, &percent))
        return usage_failure(c, of, "--overhead is a percentage from 1%% to 1000%%, or any; found '%.40s'",
                             settings->overhead);
    if (settings->profiles.count > 0 && !settings->overhead)
        return usage_failure(c, of, "--profile needs --overhead");
    return EXIT_DONE;
}

int selection_make(ilj_selection **selection, console *c, ilj_context *context, const selection_settings *settings) {
    const size_t given = settings->rules.count;
    size_t count = 0;
    ilj_rule *rules = calloc(given + 2, sizeof *rules);
    const char **captures = texts_of(&settings->captures), **masks = texts_of(&settings->masks);
    const char **configs = texts_of(&settings->configs), **profiles = texts_of(&settings->profiles);
    const char **leaves = texts_of(&settings->leaves), **roots = texts_of(&settings->roots);
    if (!rules || !captures || !masks || !configs || !profiles || !leaves || !roots) {
        free(rules);
        free(configs);
        free(captures);
        free(masks);
        free(profiles);
        free(leaves);
        free(roots);
        console_error(c, "out of memory");
        return EXIT_FAILED;
    }
    /* What no pattern of --spans names has none, wherever those patterns stand. */
    if (selection_has_spans(settings))
        rules[count++] = (ilj_rule){ILJ_RULE_EXCLUDE, "**"};
    for (size_t i = 0; i < given; i++) {
        const struct option_item *item = &settings->rules.items[i];
        rules[count++] = (ilj_rule){item->set == RULE_SPANS ? ILJ_RULE_INCLUDE : (ilj_rule_kind)item->set, item->value};
    }
    ilj_selection_options options = {.size = sizeof options,
                                     .configs = configs,
                                     .config_count = settings->configs.count,
                                     .rules = rules,
                                     .rule_count = count,
                                     .captures = captures,
                                     .capture_count = settings->captures.count,
                                     .masks = masks,
                                     .mask_count = settings->masks.count,
                                     .leaves = leaves,
                                     .leaf_count = settings->leaves.count,
                                     .roots = roots,
                                     .root_count = settings->roots.count,
                                     .profiles = profiles,
                                     .profile_count = settings->profiles.count,
                                     .compiled_again = settings->compiled_again};
    if (settings->overhead)
        selection_try_percent(settings->overhead, &options.overhead);
    /* No body is empty: 1 is as good as 0, and counts for more than the file. */
    if (settings->min_il_size != UINT_MAX)
        options.min_il_size = settings->min_il_size ? settings->min_il_size : 1;
    if (settings->skip_trivial_accessors)
        options.skip_trivial_accessors = ILJ_YES;
    if (settings->compiler_generated != SELECTION_UNSET)
        options.compiler_generated = settings->compiler_generated == 0 ? ILJ_YES : ILJ_NO;
    ilj_status status = ilj_selection_new(selection, context, &options);
    free(rules);
    free(configs);
    free(captures);
    free(masks);
    free(profiles);
    free(leaves);
    free(roots);
    return exit_of(status);
}
