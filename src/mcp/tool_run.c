#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "mcp/tools.h"
#include "platform/os.h"
#include "platform/os_folder.h"
#include "platform/system.h"

/* A program is run as `ilinject run` does, by this program itself. */

/* A command line that grows; its texts are its own. */
typedef struct command_line {
    char **items;
    size_t count;
    bool no_memory;
} command_line;

static void add(command_line *l, const char *before, const char *text) {
    size_t size = strlen(before) + strlen(text) + 1;
    char **grown = realloc(l->items, (l->count + 2) * sizeof *grown), *item = malloc(size);
    l->no_memory |= !grown || !item;
    l->items = grown ? grown : l->items;
    if (!grown || !item) {
        free(item);
        return;
    }
    snprintf(item, size, "%s%s", before, text);
    l->items[l->count++] = item;
    l->items[l->count] = NULL;
}

static void command_clear(command_line *l) {
    for (size_t i = 0; i < l->count; i++)
        free(l->items[i]);
    free(l->items);
}

static void make_command(mcp_call *c, command_line *l, const char *output) {
    const json_t *command = json_object_get(c->arguments, "command"),
                 *exclude = json_object_get(c->arguments, "exclude"),
                 *overhead = json_object_get(c->arguments, "overhead");
    char text[32];
    add(l, "", c->mcp->program);
    add(l, "", "run");
    add(l, "", "-q");
    add(l, "--output=", output);
    if (overhead) {
        snprintf(text, sizeof text, "%d%%", (int)json_integer_value(overhead));
        add(l, "--overhead=", text);
    }
    for (size_t i = 0; i < json_array_size(exclude); i++)
        add(l, "--exclude=", json_string_value(json_array_get(exclude, i)));
    if (json_is_true(json_object_get(c->arguments, "bytes")))
        add(l, "", "--set=alloc=bytes");
    if (json_is_true(json_object_get(c->arguments, "leaves")))
        add(l, "", "--leaves");
    add(l, "", "--");
    for (size_t i = 0; i < json_array_size(command); i++)
        add(l, "", json_string_value(json_array_get(command, i)));
}

/* The path of the profile, in the root itself: no folder, so no link on the way. */
static char *output_path(mcp_call *c) {
    const char *name = call_argument(c, "output");
    name = name ? name : "run.ilprof";
    size_t length = strlen(name), size = strlen(c->mcp->root) + length + 2;
    if (strpbrk(name, "/\\:") || name[0] == '.' || length < 8 || strcmp(name + length - 7, ".ilprof") != 0) {
        call_fail(c, "output is a name that ends in .ilprof, without folders");
        return NULL;
    }
    char *path = malloc(size);
    c->no_memory |= !path;
    if (!path)
        return NULL;
    snprintf(path, size, "%s/%s", c->mcp->root, name);
    if (os_kind_of(path) == OS_LINK || os_kind_of(path) == OS_OTHER || os_kind_of(path) == OS_FOLDER) {
        call_fail(c, "%s is no file: name another output", name);
        free(path);
        return NULL;
    }
    return path;
}

typedef struct watched {
    ilj_mcp *mcp;
    bool ends;
} watched;

static void look(void *user) {
    watched *w = user;
    w->ends = messages_is_cancelled(&w->mcp->in);
}

bool tool_run(mcp_call *c) {
    char *path = output_path(c);
    command_line line = {.items = NULL};
    watched w = {.mcp = c->mcp};
    const system_unseen unseen = {.still_runs = look, .user = &w, .without_input = true, .is_to_end = &w.ends};
    int value = 0;
    if (!path)
        return false;
    int64_t before = 0, after = 0;
    bool was_there = false, is_there = false;
    (void)os_when_changed(&before, &was_there, path, false);
    make_command(c, &line, path);
    c->no_memory |= line.no_memory;
    int error = c->no_memory ? ENOMEM : system_run(line.items, &unseen, &value);
    (void)os_when_changed(&after, &is_there, path, false);
    if (!c->no_memory && error)
        call_fail(c, "the program cannot be started: %s", strerror(error));
    else if (!c->no_memory && (!is_there || (was_there && after == before)))
        call_fail(c, "no profile was written; the program ended with %d. Run `ilinject run` with it to see why", value);
    bool done = !c->no_memory && c->problem.size == 0;
    uint32_t id = done ? store_path(&c->mcp->store, path) : STORE_NONE;
    c->no_memory |= done && id == STORE_NONE;
    if (done && !c->no_memory) {
        call_file(c, c->result, "profile", id);
        call_set(c, c->result, "exit_status", json_integer(value));
    }
    command_clear(&line);
    free(path);
    return done;
}
