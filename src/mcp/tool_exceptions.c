#include "mcp/tools.h"
#include "report/view/exceptions.h"

/* The rows of a report's view of exceptions. */

static const char *const kinds[] = {
    [EXCEPTION_ROOT] = "root",  [EXCEPTION_TYPE] = "type",       [EXCEPTION_END] = "end",
    [EXCEPTION_FRAME] = "left", [EXCEPTION_GAP] = "frames left", [EXCEPTION_THROWN] = "thrown"};

static const char *outcome_word(uint32_t outcome) {
    static const char *const words[] = {
#define OUTCOME(ID, Member, value, word, alone, before, after, meaning) [value] = word,
#include "facts/outcomes.def"
#undef OUTCOME
    };
    return outcome < sizeof words / sizeof words[0] ? words[outcome] : "unknown";
}

static json_t *exception_row(mcp_call *c, const mcp_profile *p, const view_exception *of) {
    enum { MESSAGES = 2 };
    json_t *row = json_object();
    call_number(c, row, "depth", of->depth);
    call_word(c, row, "kind", of->thrower ? "thrown" : kinds[of->kind]);
    if (of->type.size > 0)
        call_text(c, row, "type", of->type);
    if (of->kind == EXCEPTION_END)
        call_word(c, row, "outcome", outcome_word(of->outcome));
    if (of->function)
        call_method(c, row, p, of->function);
    if (of->kind == EXCEPTION_GAP)
        call_number(c, row, "frames", of->most);
    if (of->has_figures) {
        call_number(c, row, "count", of->count);
        call_number(c, row, "ns", of->ns);
    }
    for (uint32_t i = 0; i < of->message_count && i < MESSAGES && !c->no_memory; i++) {
        json_t *messages = json_object_get(row, "messages");
        call_append(c, messages ? messages : call_array(c, row, "messages"), call_string(c, of->messages[i]));
    }
    return row;
}

bool tool_exceptions(mcp_call *c) {
    mcp_profile *p = call_profile(c);
    uint32_t first, position = 0;
    if (!p || !call_begin_rows(c, &first))
        return false;
    call_file(c, c->result, "profile", p->id);
    const exceptions *e = &p->sum.exceptions;
    call_number(c, c->result, "count", e->node_count > 0 ? e->nodes[0].figures.count : 0);
    json_t *rows = call_array(c, c->result, "rows");
    view_exceptions walk = {.r = &p->r, .folds = true};
    for (view_exception of; view_next_exception(&walk, &of) && !c->no_memory; position++)
        if (position >= first && !call_row(c, rows, exception_row(c, p, &of))) {
            call_next(c, position);
            break;
        }
    return true;
}
