#include "mcp/protocol.h"

#include <stdlib.h>

#define MODERN        "2026-07-28"
#define NEWEST_LEGACY "2025-11-25"
#define META          "io.modelcontextprotocol/"

/* The revisions before: how a client begins, and not what it asks, differs among them. */
static const char *const legacy[] = {NEWEST_LEGACY, "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07", NULL};

static const char instructions[] =
    "Profiles of .NET programs with exact counts of calls. Call `profiles` or `summary` first; `suggest` in an answer "
    "has the next calls, ids (p1, m17) go into them. Own time is a method's own code, inclusive time has its callees. "
    "Times are in ns; where _from_ns and _to_ns stand beside one, it lies between these.";

enum { DUMP = JSON_COMPACT | JSON_REAL_PRECISION(6), CATALOGUE_MS = 3600000 };

/* One answer on its way. */
typedef struct answer {
    ilj_mcp *mcp;
    const message *m;
    json_t *result; /* owned */
    int fault;      /* its code; 0: the result counts */
    const char *problem;
    json_t *data; /* of the error, owned; NULL: none */
    bool modern, no_memory;
} answer;

static void fail(answer *a, int code, const char *problem) {
    a->fault = code;
    a->problem = problem;
}

static void set(answer *a, json_t *object, const char *key, json_t *value) {
    a->no_memory |= json_object_set_new(object, key, value) != 0;
}

static int append(const char *text, size_t size, void *user) {
    buffer *b = user;
    buffer_append(b, text, size);
    return b->failed ? -1 : 0;
}

static void dump(answer *a, buffer *b, const json_t *value) {
    a->no_memory |= !value || json_dump_callback(value, append, b, DUMP | JSON_ENCODE_ANY) != 0;
}

static json_t *server_info(void) {
    return json_pack("{s:s, s:s, s:s}", "name", "ilinject", "title", "ilinject: profiles of .NET programs", "version",
                     ILJ_VERSION);
}

static json_t *versions(void) {
    json_t *made = json_array();
    bool done = made && json_array_append_new(made, json_string(MODERN)) == 0;
    for (size_t i = 0; legacy[i] && done; i++)
        done = json_array_append_new(made, json_string(legacy[i])) == 0;
    if (done)
        return made;
    json_decref(made);
    return NULL;
}

/* ---- Methods ---------------------------------------------------------------------------------------------------- */

static void initialize(answer *a, const json_t *params) {
    const char *asked = json_string_value(json_object_get(params, "protocolVersion")), *chosen = NEWEST_LEGACY;
    for (size_t i = 0; asked && legacy[i]; i++)
        if (strcmp(asked, legacy[i]) == 0)
            chosen = legacy[i];
    a->result = json_pack("{s:s, s:{s:{}}, s:o, s:s}", "protocolVersion", chosen, "capabilities", "tools", "serverInfo",
                          server_info(), "instructions", instructions);
}

/* Lists say how long they hold. */
static void set_cacheable(answer *a) {
    if (!a->result || !a->modern)
        return;
    set(a, a->result, "ttlMs", json_integer(CATALOGUE_MS));
    set(a, a->result, "cacheScope", json_string("private"));
}

static void discover(answer *a, const json_t *params) {
    (void)params;
    a->modern = true;
    a->result = json_pack("{s:o, s:{s:{}}, s:o, s:s}", "supportedVersions", versions(), "capabilities", "tools",
                          "serverInfo", server_info(), "instructions", instructions);
    set_cacheable(a);
}

static void ping(answer *a, const json_t *params) {
    (void)params;
    a->result = json_object();
}

static void list_tools(answer *a, const json_t *params) {
    if (json_object_get(params, "cursor")) {
        fail(a, FAULT_PARAMETERS, "there is no such cursor: all tools stand in one list");
        return;
    }
    a->result = json_pack("{s:O}", "tools", a->mcp->tools->list);
    set_cacheable(a);
}

/* The result as text, for clients that know no structured ones, and as it is. */
static void set_content(answer *a, mcp_call *c, bool done) {
    buffer text = BUFFER_INIT;
    if (done)
        dump(a, &text, c->result);
    else
        buffer_append(&text, c->problem.data, c->problem.size);
    a->no_memory |= text.failed;
    if (!a->no_memory)
        a->result = json_pack("{s:[{s:s, s:o}], s:b}", "content", "type", "text", "text",
                              json_stringn_nocheck((const char *)text.data, text.size), "isError", !done);
    if (a->result && done)
        a->no_memory |= json_object_set(a->result, "structuredContent", c->result) != 0;
    buffer_clear(&text);
}

static void call_tool(answer *a, const json_t *params) {
    const char *name = json_string_value(json_object_get(params, "name"));
    json_t *given = json_object_get(params, "arguments"), *none = given ? NULL : json_object();
    mcp_tool_id id = name ? tools_find(a->mcp->tools, name) : TOOLS;
    if (!given && !none) {
        a->no_memory = true;
    } else if (id == TOOLS) {
        fail(a, FAULT_PARAMETERS, "there is no such tool; tools/list has their names");
    } else if (given && !json_is_object(given)) {
        fail(a, FAULT_PARAMETERS, "the arguments of a tool are an object");
    } else {
        mcp_call c = {.mcp = a->mcp, .arguments = given ? given : none, .problem = BUFFER_INIT, .scratch = BUFFER_INIT};
        bool done = tools_call(&c, id);
        a->no_memory |= c.no_memory;
        if (!a->no_memory)
            set_content(a, &c, done);
        json_decref(c.result);
        buffer_clear(&c.problem);
        buffer_clear(&c.scratch);
        store_trim(&a->mcp->store);
    }
    json_decref(none);
}

static const struct {
    const char *name;
    void (*work)(answer *a, const json_t *params);
} methods[] = {{"server/discover", discover},
               {"initialize", initialize},
               {"ping", ping},
               {"tools/list", list_tools},
               {"tools/call", call_tool}};

/* The revision that the request names; false: it is none that is known, which is said. */
static bool choose_era(answer *a, const json_t *params) {
    const json_t *version = json_object_get(json_object_get(params, "_meta"), META "protocolVersion");
    const char *asked = json_string_value(version);
    if (!version)
        return true;
    a->modern = asked && strcmp(asked, MODERN) == 0;
    for (size_t i = 0; asked && legacy[i] && !a->modern; i++)
        if (strcmp(asked, legacy[i]) == 0)
            return true;
    if (a->modern)
        return true;
    fail(a, FAULT_VERSION, "this revision of the protocol is not known");
    json_t *requested = json_is_string(version) ? json_incref((json_t *)version) : json_null();
    a->data = json_pack("{s:o, s:o}", "supported", versions(), "requested", requested);
    a->no_memory |= !a->data;
    return false;
}

static void answer_request(answer *a) {
    const json_t *request = a->m->request, *params = json_object_get(request, "params");
    const char *version = json_string_value(json_object_get(request, "jsonrpc"));
    const char *method = json_string_value(json_object_get(request, "method"));
    if (!version || strcmp(version, "2.0") != 0) {
        fail(a, FAULT_REQUEST, "a message is an object of JSON-RPC 2.0");
        return;
    }
    if (params && !json_is_object(params)) {
        fail(a, FAULT_PARAMETERS, "the parameters of a request are an object");
        return;
    }
    if (!choose_era(a, params))
        return;
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        if (strcmp(method, methods[i].name) == 0) {
            methods[i].work(a, params);
            a->no_memory |= !a->result && !a->fault;
            return;
        }
    fail(a, FAULT_METHOD, "there is no such method");
}

/* ---- Lines ------------------------------------------------------------------------------------------------------ */

/* Without memory for more than a line of this form. */
static void write_error(buffer *out, const char *id, int code, const char *problem) {
    buffer_printf(out, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":%d,\"message\":\"%s\"}}\n", id, code,
                  problem);
}

static void write_result(answer *a, buffer *out) {
    if (a->modern) {
        set(a, a->result, "resultType", json_string("complete"));
        set(a, a->result, "_meta", json_pack("{s:o}", META "serverInfo", server_info()));
    }
    buffer_printf(out, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":", a->m->id);
    dump(a, out, a->result);
    buffer_string(out, "}\n");
}

static void write_fault(answer *a, buffer *out) {
    if (!a->data) {
        write_error(out, a->m->id, a->fault, a->problem);
        return;
    }
    buffer_printf(out, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":%d,\"message\":\"%s\",\"data\":", a->m->id,
                  a->fault, a->problem);
    dump(a, out, a->data);
    buffer_string(out, "}}\n");
}

void protocol_answer(buffer *out, ilj_mcp *mcp, const message *m) {
    answer a = {.mcp = mcp, .m = m, .fault = m->fault, .problem = m->problem};
    out->size = 0;
    if (!a.fault)
        answer_request(&a);
    if (!a.no_memory && a.fault)
        write_fault(&a, out);
    else if (!a.no_memory)
        write_result(&a, out);
    json_decref(a.result);
    json_decref(a.data);
    if (a.no_memory || out->failed) {
        out->size = 0;
        out->failed = false;
        write_error(out, m->id, FAULT_INTERNAL, "memory ran out");
    }
    if (messages_is_cancelled(&mcp->in))
        out->size = 0;
}
