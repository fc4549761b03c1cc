#include <stdio.h>

#include "mcp/tools.h"
#include "report/model/tests.h"
#include "report/view/brief.h"
#include "report/view/exceptions.h"
#include "report/view/head.h"
#include "report/view/hot_path.h"
#include "report/view/left_out.h"
#include "report/view/switches.h"

/* What dominates a profile, and what says more of that. */

/* The head's five lines, as people read them. */
static void set_head(mcp_call *c, const mcp_profile *p) {
    view_head head = {.text = BUFFER_INIT};
    json_t *lines = call_array(c, c->result, "head");
    c->no_memory |= !view_head_make_brief(&head, &p->r);
    for (uint32_t i = 0; i < head.count && !c->no_memory; i++)
        call_append(c, lines, call_string(c, view_line_text(&head, &head.lines[i])));
    view_head_clear(&head);
}

bool summary_hot_path(mcp_call *c, const mcp_profile *p) {
    enum { MOST = 60, SHOWN = 8 };
    uint32_t nodes[MOST], frames[MOST], count = 0;
    view_hot path;
    json_t *rows = call_array(c, c->result, "hot_path");
    if (aggregate_only_counts(&p->sum) || p->sum.tree.node_count == 0)
        return true;
    if (!view_hot_begin(&path, &p->r))
        return false;
    for (uint32_t at = view_hot_next(&path, 0); at != 0 && count < MOST; at = view_hot_next(&path, at)) {
        nodes[count] = at;
        at = view_hot_last(&path, at, &frames[count]);
        count += link_is_call(&path.nodes[at]);
    }
    /* Its end says most. */
    for (uint32_t i = count > SHOWN ? count - SHOWN : 0; i < count && !c->no_memory; i++) {
        const report_node n = call_tree_node(&p->sum.tree, nodes[i]);
        json_t *row = json_object();
        call_method(c, row, p, &p->sum.list.functions[n.function]);
        call_number(c, row, "calls", n.kind == NODE_RESUMED ? n.steps : n.calls);
        call_number(c, row, "inclusive_ns", view_hot_taken(&path, nodes[i]));
        if (frames[i] > 1)
            call_number(c, row, "recursion_depth", frames[i]);
        call_append(c, rows, row);
    }
    view_hot_end(&path);
    return true;
}

static void set_finding(mcp_call *c, json_t *findings, const mcp_profile *p, const view_finding *f) {
    json_t *made = json_object();
    call_word(c, made, "kind", view_finding_key(f->kind));
    call_word(c, made, "unit", view_finding_unit(f->kind));
    call_number(c, made, "total", f->whole);
    if (f->type.size > 0)
        call_text(c, made, "type", f->type);
    json_t *methods = call_array(c, made, "methods");
    for (uint32_t i = 0; i < f->count && !c->no_memory; i++) {
        json_t *row = json_object();
        call_method(c, row, p, f->functions[i]);
        call_number(c, row, "amount", f->parts[i]);
        call_percent(c, row, "percent", f->parts[i], f->whole);
        call_number(c, row, "calls", f->functions[i]->calls);
        call_append(c, methods, row);
    }
    call_append(c, findings, made);
}

static bool has_left_out(const mcp_profile *p) {
    for (uint32_t i = 0; i < p->sum.list.module_count; i++)
        if (p->sum.list.modules[i].named && p->sum.list.modules[i].names->left_out_count > 0)
            return true;
    return view_switch_count(&p->r) > 0;
}

/* ---- Suggestions ------------------------------------------------------------------------------------------------ */

static void suggest(mcp_call *c, json_t *array, const mcp_profile *p, const char *tool, const char *key,
                    const char *value, const char *why) {
    char id[24];
    json_t *row = json_object();
    call_word(c, row, "tool", tool);
    json_t *arguments = call_object(c, row, "arguments");
    snprintf(id, sizeof id, "p%u", p->id + 1);
    call_word(c, arguments, "profile", id);
    if (key)
        call_word(c, arguments, key, value);
    call_word(c, row, "why", why);
    call_append(c, array, row);
}

static void suggest_method(mcp_call *c, json_t *array, const mcp_profile *p, const view_finding *f) {
    char id[24], why[120];
    uint32_t number =
        store_method(&c->mcp->store, store_assembly(&p->sum.list, f->functions[0]), f->functions[0]->name);
    c->no_memory |= number == STORE_NONE;
    snprintf(id, sizeof id, "m%u", number + 1);
    snprintf(why, sizeof why, "most of %s", view_finding_key(f->kind));
    suggest(c, array, p, "method", "method", id, why);
}

/* The calls that say more of what dominates. */
static void suggest_calls(mcp_call *c, const mcp_profile *p, const view_brief *b) {
    json_t *array = call_array(c, c->result, "suggest");
    for (uint32_t i = 0; i < b->count; i++) {
        bool again = false;
        for (uint32_t k = 0; k < i; k++)
            again |= b->findings[k].functions[0] == b->findings[i].functions[0];
        if (!again)
            suggest_method(c, array, p, &b->findings[i]);
    }
    if (view_has_exceptions(&p->r))
        suggest(c, array, p, "exceptions", NULL, NULL, "exceptions were thrown");
    if (tests_any(&p->sum) && !aggregate_only_counts(&p->sum))
        suggest(c, array, p, "tests", NULL, NULL, "it ran tests or requests: which took longest");
    if (p->sum.list.function_count > VIEW_FINDING_METHODS)
        suggest(c, array, p, "hot", "by", aggregate_only_counts(&p->sum) ? "calls" : "time", "all methods, most first");
    if (has_left_out(p))
        suggest(c, array, p, "explain_left_out", NULL, NULL, "some methods were not recorded");
}

/* ---- The tool --------------------------------------------------------------------------------------------------- */

static void caveat(mcp_call *c, const char *text) {
    json_t *caveats = json_object_get(c->result, "caveats");
    call_append(c, caveats ? caveats : call_array(c, c->result, "caveats"), json_string_nocheck(text));
}

static void set_caveats(mcp_call *c, const mcp_profile *p) {
    const report_totals *t = &p->sum.totals;
    if (aggregate_only_counts(&p->sum))
        caveat(c, "calls were only counted: nothing has a time, and who called whom is not known");
    if (t->dropped > 0 || t->folded > 0)
        caveat(c, "some calls have no place in the tree: they are folded or dropped, their counts are kept");
    if (p->sum.late > 0)
        caveat(c, "calls at the end may have come after the profile was written");
    if (p->sum.list.function_count == 0)
        caveat(c, "no calls were recorded");
}

/* Long names leave room for fewer methods. */
static void shorten(mcp_call *c) {
    json_t *path = json_object_get(c->result, "hot_path"), *findings = json_object_get(c->result, "findings");
    while (call_bytes(c->result) > ANSWER_BYTES && json_array_size(path) > 2)
        json_array_remove(path, 0);
    for (size_t i = json_array_size(findings); i-- > 0;) {
        json_t *methods = json_object_get(json_array_get(findings, i), "methods");
        while (call_bytes(c->result) > ANSWER_BYTES && json_array_size(methods) > 1)
            json_array_remove(methods, json_array_size(methods) - 1);
    }
}

bool tool_summary(mcp_call *c) {
    mcp_profile *p = call_profile(c);
    view_brief b;
    if (!p)
        return false;
    call_file(c, c->result, "profile", p->id);
    set_head(c, p);
    if (!summary_hot_path(c, p) || !view_brief_make(&b, &p->r))
        return false;
    json_t *findings = call_array(c, c->result, "findings");
    for (uint32_t i = 0; i < b.count && !c->no_memory; i++)
        set_finding(c, findings, p, &b.findings[i]);
    set_caveats(c, p);
    suggest_calls(c, p, &b);
    shorten(c);
    return true;
}

/* ---- Command lines ---------------------------------------------------------------------------------------------- */

static void command(mcp_call *c, json_t *array, const char *line, const char *why) {
    json_t *row = json_object();
    call_word(c, row, "command", line);
    call_word(c, row, "why", why);
    call_append(c, array, row);
}

static bool knows_lines(const mcp_profile *p) {
    for (uint32_t i = 0; i < p->sum.list.function_count; i++) {
        const report_function *f = &p->sum.list.functions[i];
        if (f->names && f->names->methods[f->method].line > 0)
            return true;
    }
    return false;
}

static bool has_leaves(const mcp_profile *p) {
    for (uint32_t i = 0; i < p->sum.list.function_count; i++)
        if (p->sum.list.functions[i].leaf)
            return true;
    return false;
}

bool tool_suggest(mcp_call *c) {
    mcp_profile *p = call_profile(c);
    view_brief b;
    if (!p || !view_brief_make(&b, &p->r))
        return false;
    call_file(c, c->result, "profile", p->id);
    suggest_calls(c, p, &b);
    json_t *lines = call_array(c, c->result, "commands");
    buffer line = BUFFER_INIT;
    buffer_printf(&line, "ilinject report '%s' --html=report.html",
                  json_string_value(json_object_get(c->result, "path")));
    buffer_u8(&line, 0);
    c->no_memory |= line.failed;
    if (!line.failed)
        command(c, lines, (const char *)line.data, "a page with flame graph and tables, for people");
    buffer_clear(&line);
    if (!has_leaves(p))
        command(c, lines, "ilinject run --leaves PROGRAM",
                "names the locks, files, network and database calls that take time");
    if (p->sum.counted.bytes == 0)
        command(c, lines, "ilinject run --set alloc=bytes PROGRAM",
                "bytes that each method allocated: not counted here");
    if (p->sum.counted.objects == 0)
        command(c, lines, "ilinject run --allocations PROGRAM", "objects by type and place: not counted here");
    if (p->sum.totals.probe_high_ns > p->sum.totals.recorded_ns / 4)
        command(c, lines, "ilinject run --overhead=20% PROGRAM", "recording took a large part of the time");
    command(c, lines, "ilinject run --capture='Name.Of.Method: args, return' PROGRAM",
            "single calls with their values");
    if (!knows_lines(p))
        command(c, lines, "dotnet build -p:DebugType=portable",
                "no symbols stood beside the assemblies: lines are not known");
    return true;
}
