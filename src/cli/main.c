#include "command.h"
#include "platform/system.h"
#include "responses.h"

#include <stdio.h>
#include <string.h>

/* The first is the default. */
static const command *const commands[] = {&instrument_command, &list_command,    &dump_command,  &report_command,
                                          &merge_command,      &diff_command,    &mibc_command,  &run_command,
                                          &test_command,       &ctl_command,     &serve_command, &baseline_command,
                                          &check_command,      &explain_command, &mcp_command,   NULL};

static int no_memory(console *c) {
    console_error(c, "out of memory");
    return EXIT_FAILED;
}

static const command *command_named(const char *name) {
    for (const command *const *of = commands; *of; of++)
        if (strcmp((*of)->name, name) == 0)
            return *of;
    return NULL;
}

/* A first word that names no file and does not look like a path was meant as a command. */
static bool is_mistaken_command(const char *word) {
    return word[0] != '-' && !strpbrk(word, "./\\") && !system_exists(word);
}

static int unknown_command(console *c, const char *word) {
    const char *names[sizeof commands / sizeof commands[0]] = {NULL};
    for (size_t i = 0; commands[i]; i++)
        names[i] = commands[i]->name;
    const char *near = nearest_name(word, names);
    if (near)
        return usage_failure(c, NULL, "'%.60s' is neither a command nor a file; did you mean '%s'?", word, near);
    return usage_failure(c, NULL, "'%.60s' is neither a command nor a file", word);
}

static int run(console *c, const command *of, arguments operands) {
    ilj_context *context = NULL;
    ilj_status status = ilj_context_new(&context, console_diagnostic, c);
    if (status != ILJ_OK) {
        console_error(c, "out of memory");
        return exit_of(status);
    }
    int value = of->run(c, context, operands);
    ilj_context_free(context);
    return value;
}

static const command *command_at(char **items, size_t count, size_t *leading) {
    *leading = options_leading(items, count);
    return *leading < count ? command_named(items[*leading]) : NULL;
}

int main(int argc, char **argv) {
    if (!system_start(&argc, &argv)) {
        fputs("ilinject: error: out of memory\n", stderr);
        return EXIT_FAILED;
    }
    char **items = argv + (argc > 0);
    size_t count = argc > 0 ? (size_t)argc - 1 : 0, leading;
    responses read = {0};
    usage_error error = {0};
    bool understood = true;
    const command *of = command_at(items, count, &leading);
    if (!of || !of->own_lists) {
        understood = responses_expand(&read, &error, (of ? of : &instrument_command)->options, items, count);
        items = read.items;
        count = read.count;
        of = command_at(items, count, &leading);
    }
    const char *word = leading < count ? items[leading] : NULL;
    bool named = of != NULL;
    if (named) {
        memmove(items + leading, items + leading + 1, (count - leading - 1) * sizeof *items);
        count--;
    } else {
        of = &instrument_command;
    }

    console c;
    arguments operands = {.items = items, .count = count};
    common_settings *common = of->settings;
    bool whole = understood;
    if (understood)
        understood = options_parse(&operands, &error, of->settings, of->options, of->end);
    console_open(&c, (color_choice)common->color, common->quiet);
    c.program = argc > 0 ? argv[0] : "ilinject";
    int value = EXIT_DONE;
    if (whole && !named && word && is_mistaken_command(word))
        value = unknown_command(&c, word);
    else if (!understood && error.no_memory)
        value = no_memory(&c);
    else if (!understood)
        value = usage_failure(&c, of, "%s", error.text);
    else if (common->version)
        console_printf(&c, "ilinject %s\n", ILJ_VERSION);
    else if (common->help && named)
        help_command(&c, of, of == commands[0], common->help > 1);
    else if (common->help)
        help_overall(&c, commands, common->help > 1);
    else if (!named && count == 0)
        value = usage_failure(&c, NULL, "nothing to do: no input is given");
    else
        value = run(&c, of, operands);
    responses_free(&read);
    return console_close(&c, value);
}
