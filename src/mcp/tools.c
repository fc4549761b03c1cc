#include "mcp/tools.h"

#include <stdlib.h>

#include "mcp/schema.h"

typedef enum mcp_reach { READS, STARTS } mcp_reach;

static const struct {
    const char *name;
    mcp_reach reach;
    mcp_tool_fn *work;
    const char *title, *description, *input, *output;
} rows[TOOLS] = {
#define J(...) #__VA_ARGS__
#define TOOL(ID, name, RUNS, function, title, description, input, output)                                              \
    [TOOL_##ID] = {name, RUNS, function, title, description, input, output},
#include "mcp/tools.def"
};

static bool set(json_t *object, const char *key, json_t *value) {
    return json_object_set_new(object, key, value) == 0;
}

/* What tools/list says of a tool. NULL when memory ran out. */
static json_t *describe(mcp_tool_id id, json_t *input) {
    json_t *made = json_object(), *hints = json_object();
    bool reads = rows[id].reach == READS;
    bool done = made && set(made, "name", json_string(rows[id].name)) &&
                set(made, "title", json_string(rows[id].title)) &&
                set(made, "description", json_string(rows[id].description)) &&
                json_object_set(made, "inputSchema", input) == 0 &&
                set(made, "outputSchema", json_loads(rows[id].output, 0, NULL)) &&
                set(hints, "readOnlyHint", json_boolean(reads)) && set(hints, "idempotentHint", json_boolean(reads)) &&
                set(hints, "destructiveHint", json_false()) && set(hints, "openWorldHint", json_boolean(!reads)) &&
                json_object_set(made, "annotations", hints) == 0;
    json_decref(hints);
    if (done)
        return made;
    json_decref(made);
    return NULL;
}

mcp_tools *tools_make(bool starts) {
    mcp_tools *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->list = json_array();
    bool done = t->list != NULL;
    for (mcp_tool_id id = 0; id < TOOLS && done; id++) {
        if (rows[id].reach == STARTS && !starts)
            continue;
        t->inputs[id] = json_loads(rows[id].input, 0, NULL);
        done = t->inputs[id] && json_array_append_new(t->list, describe(id, t->inputs[id])) == 0;
    }
    if (done)
        return t;
    tools_free(t);
    return NULL;
}

void tools_free(mcp_tools *t) {
    if (!t)
        return;
    for (mcp_tool_id id = 0; id < TOOLS; id++)
        json_decref(t->inputs[id]);
    json_decref(t->list);
    free(t);
}

mcp_tool_id tools_find(const mcp_tools *t, const char *name) {
    for (mcp_tool_id id = 0; id < TOOLS; id++)
        if (t->inputs[id] && strcmp(rows[id].name, name) == 0)
            return id;
    return TOOLS;
}

/* All that a cursor goes on in, but for the files. */
static bool stamp(mcp_call *c, mcp_tool_id id) {
    json_t *others = json_copy((json_t *)c->arguments);
    char *text = NULL;
    if (others) {
        json_object_del(others, "cursor");
        text = json_dumps(others, JSON_COMPACT | JSON_SORT_KEYS);
    }
    c->stamp = 0xCBF29CE484222325u ^ (uint64_t)id;
    for (const char *at = text; at && *at; at++)
        c->stamp = (c->stamp ^ (uint8_t)*at) * 0x100000001B3u;
    bool done = text != NULL;
    free(text);
    json_decref(others);
    return done;
}

bool tools_call(mcp_call *c, mcp_tool_id id) {
    buffer problem = BUFFER_INIT;
    c->result = json_object();
    c->no_memory |= !c->result || !stamp(c, id);
    bool fits = !c->no_memory && schema_fits(&problem, c->mcp->tools->inputs[id], c->arguments);
    if (!c->no_memory && !fits)
        call_fail(c, "%.*s", (int)problem.size, (const char *)problem.data);
    c->no_memory |= problem.failed;
    buffer_clear(&problem);
    bool done = fits && rows[id].work(c);
    c->no_memory |= c->problem.failed || c->scratch.failed;
    if (!done && c->problem.size == 0)
        c->no_memory = true;
    return done && !c->no_memory;
}
