#include "inject/leaves/command_packages.h"

static const struct {
    const char *space, *pattern;
} packages[] = {
#define COMMAND_PACKAGE(space, pattern, reason) {space, pattern},
#include "select/commands.def"
};

static bool is_called(const leaves *l, const char *space) {
    for (uint32_t i = 0; i < l->count; i++)
        if (strcmp(l->types[l->list[i].type].space, space) == 0)
            return true;
    return false;
}

static bool is_included(const ilj_selection *s, const char *pattern) {
    for (uint32_t i = 0; i < s->rule_count; i++)
        if (s->rules[i].include && strcmp(s->rules[i].pattern.text, pattern) == 0)
            return true;
    return false;
}

void command_packages_report(const leaves *l, const ilj_selection *selection) {
    buffer spaces = BUFFER_INIT, rules = BUFFER_INIT;
    for (size_t i = 0; i < sizeof packages / sizeof packages[0]; i++) {
        if (!is_called(l, packages[i].space) || is_included(selection, packages[i].pattern))
            continue;
        buffer_string(&spaces, spaces.size > 0 ? " and " : "");
        buffer_string(&spaces, packages[i].space);
        buffer_string(&rules, " --include='");
        buffer_string(&rules, packages[i].pattern);
        buffer_string(&rules, "'");
    }
    buffer_u8(&spaces, 0);
    buffer_u8(&rules, 0);
    if (!spaces.failed && !rules.failed && rules.size > 1)
        diag_report(&l->image->diag, DIAG_COMMANDS_INSIDE,
                    "commands that %s runs have no texts; with --all --include='[%s]*'%s they have, below its calls",
                    (const char *)spaces.data, md_name(&l->image->metadata, MD_Assembly_Name, 1),
                    (const char *)rules.data);
    buffer_clear(&spaces);
    buffer_clear(&rules);
}
