/* ilinject mcp */
#include "command.h"
#include "platform/system.h"

#include <stdio.h>

static struct {
    common_settings common;
    const char *root;
    bool allow_run;
    unsigned memory; /* MiB */
} settings = {.root = ".", .memory = 512};

#define AT(field) offsetof(__typeof__(settings), field)
static const option_row options[] = {
    {"root", 0, OPTION_TEXT, AT(root), 0, "DIR",
     "the folder whose profiles may be read, and those below it; the current one by default"},
    {"allow-run", 0, OPTION_FLAG, AT(allow_run), 0, NULL, "a tool more: run, which records a run of a program"},
    {"memory", 0, OPTION_NUMBER, AT(memory), 0, "MiB", "that profiles may take between calls; 512 by default"},
    {NULL, 0, 0, 0, 0, NULL, NULL},
};
#undef AT

/* A line, or a part of a long one: what has come is not kept waiting for more. */
static size_t read_line(void *user, char *to, size_t size) {
    (void)user;
    size_t count = 0;
    for (int c; count < size && (c = getc(stdin)) != EOF;) {
        to[count++] = (char)c;
        if (c == '\n')
            break;
    }
    return count;
}

static int write_line(void *user, const char *text, size_t length) {
    int refused = console_write(user, text, length);
    return refused ? refused : system_flush();
}

static int run(console *c, ilj_context *context, arguments operands) {
    ilj_mcp *mcp = NULL;
    if (operands.count > 0)
        return usage_failure(c, &mcp_command, "unexpected '%.60s': --root says where profiles are", operands.items[0]);
    if (settings.memory == 0)
        return usage_failure(c, &mcp_command, "--memory is at least 1");
    const ilj_mcp_options wanted = {
        .size = sizeof wanted,
        .root = settings.root,
        .program = settings.allow_run ? c->program : NULL,
        .memory_bytes = (uint64_t)settings.memory << 20,
    };
    ilj_status status = ilj_mcp_new(&mcp, context, &wanted);
    if (status == ILJ_OK)
        status = ilj_mcp_serve(mcp, read_line, write_line, c);
    ilj_mcp_free(mcp);
    return c->write_error != 0 && status == ILJ_IO ? EXIT_DONE : exit_of(status); /* console_close reports it */
}

const command mcp_command = {
    .name = "mcp",
    .synopsis = "[--root=DIR] [OPTION...]",
    .summary = "answer assistants about profiles",
    .text = "Answers programs that ask about profiles, by the Model Context Protocol on standard\n"
            "input and output: what dominates, methods, callers, exceptions, what changed. An\n"
            "assistant starts it by itself; docs/assistant has files that say so to the usual\n"
            "ones. It reads no profile outside of DIR and starts nothing without --allow-run.",
    .options = options,
    .settings = &settings,
    .run = run,
};
