#include "profile/parse.h"

/* The section CALL. */

enum { MIN_RULE_BYTES = 2, MIN_METHOD_BYTES = 4, MIN_PARAMETER_BYTES = 2, MIN_CALL_BYTES = 8 };

/* Flags of a call. */
enum {
#define CALL(ID, value) ID = value,
#define METHOD(ID, value)
#define PARAMETER(ID, value)
#define CALL_FLAG(OF, ID, Member, value, meaning) OF(ID, value)
#include "facts/captured_calls.def"
};

static ecma_status read_rules(parser *p, arena *memory, calls *c) {
    ecma_status status = parse_count(p, &c->rule_count, MIN_RULE_BYTES, "a number of rules");
    if (status != ECMA_OK)
        return status;
    c->rules = arena_alloc_array(memory, c->rule_count, sizeof *c->rules);
    if (!c->rules)
        return diag_no_memory(p->d);
    for (uint32_t i = 0; i < c->rule_count; i++) {
        c->rules[i].text = parse_string(p, "a rule");
        c->rules[i].dropped = parse_quantity(p, "a rule's dropped calls");
    }
    return p->in.failed ? parse_missing(p) : ECMA_OK;
}

static ecma_status read_method(parser *p, arena *memory, calls_method *m) {
    size_t at = parse_offset(p);
    uint64_t id = parse_number(p, "a method's id");
    m->seen = parse_quantity(p, "a method's calls");
    m->flags = (uint32_t)parse_number(p, "a method's flags");
    ecma_status status = parse_count(p, &m->parameter_count, MIN_PARAMETER_BYTES, "a number of parameters");
    if (status != ECMA_OK)
        return status;
    if (id < PROFILE_ID_FIRST || id > INT32_MAX)
        return parse_damaged_at(p, at, "an id from 2^24 to 2^31 - 1");
    m->id = (uint32_t)id;
    m->parameters = arena_alloc_array(memory, m->parameter_count, sizeof *m->parameters);
    if (!m->parameters)
        return diag_no_memory(p->d);
    for (uint32_t i = 0; i < m->parameter_count; i++) {
        m->parameters[i].flags = (uint32_t)parse_number(p, "a parameter's flags");
        m->parameters[i].name = parse_string(p, "a parameter's name");
    }
    return p->in.failed ? parse_missing(p) : ECMA_OK;
}

static ecma_status read_methods(parser *p, arena *memory, calls *c) {
    ecma_status status = parse_count(p, &c->method_count, MIN_METHOD_BYTES, "a number of methods");
    if (status != ECMA_OK)
        return status;
    c->methods = arena_alloc_array(memory, c->method_count, sizeof *c->methods);
    if (!c->methods)
        return diag_no_memory(p->d);
    for (uint32_t i = 0; i < c->method_count && status == ECMA_OK; i++)
        status = read_method(p, memory, &c->methods[i]);
    return status;
}

/* Calls of one method mostly follow each other. */
static bool find_method(const calls *c, uint64_t id, uint32_t *method) {
    for (uint32_t i = 0; i < c->method_count; i++) {
        uint32_t at = (*method + i) % c->method_count;
        if (c->methods[at].id == id) {
            *method = at;
            return true;
        }
    }
    return false;
}

/* Every value is passed over once, so that readers need not look for damage again. */
static ecma_status read_call(parser *p, const calls *c, uint32_t *method, calls_call *call) {
    size_t at = parse_offset(p);
    bytes blob = parse_string(p, "a call");
    if (p->in.failed)
        return parse_missing(p);
    reader r = reader_of(blob);
    uint64_t id = reader_varuint(&r);
    call->thread = reader_varuint(&r);
    call->start = reader_varuint(&r);
    call->ticks = reader_varuint(&r);
    uint64_t flags = reader_varuint(&r);
    call->thrown = flags & THROWN;
    call->awaited = flags & AWAITED;
    call->unended = call->awaited && flags & UNENDED;
    call->cancelled = call->thrown && flags & CANCELLED;
    call->lost = call->awaited && flags & LOST;
    uint64_t caller = reader_varuint(&r), count = reader_varuint(&r);
    if (r.failed || caller > INT32_MAX || count > reader_left(&r) || call->start > PROFILE_MAX ||
        call->ticks > PROFILE_MAX || call->thread > PROFILE_MAX)
        return parse_damaged_at(p, at, "a call's fields");
    if (!find_method(c, id, method))
        return parse_damaged_at(p, at, "a call of one of the methods before");
    call->method = *method;
    call->caller = (uint32_t)caller;
    call->value_count = (uint32_t)count;
    const uint8_t *start = r.at;
    for (uint64_t i = 0; i < count; i++) {
        int64_t position;
        bytes value;
        if (!calls_next_value(&r, &position, &value))
            return parse_damaged_at(p, at, "as many values as the call says");
    }
    call->values = bytes_of(start, (size_t)(r.at - start));
    start = r.at;
    if (call->thrown && !calls_skip_value(&r))
        return parse_damaged_at(p, at, "an exception after the values");
    call->exception = bytes_of(start, (size_t)(r.at - start));
    call->first_part = call->awaited ? reader_varuint(&r) : call->ticks;
    if (r.failed || call->first_part > PROFILE_MAX)
        return parse_damaged_at(p, at, "the time of the synchronous part after the values");
    return ECMA_OK;
}

ecma_status parse_calls(parser *p) {
    arena *memory = &p->out->memory;
    calls *c = &p->out->calls;
    c->there = true;
    ecma_status status = read_rules(p, memory, c);
    if (status == ECMA_OK)
        status = read_methods(p, memory, c);
    if (status == ECMA_OK)
        status = parse_count(p, &c->count, MIN_CALL_BYTES, "a number of calls");
    if (status != ECMA_OK)
        return status;
    c->list = arena_alloc_array(memory, c->count, sizeof *c->list);
    if (!c->list)
        return diag_no_memory(p->d);
    uint32_t method = 0;
    for (uint32_t i = 0; i < c->count && status == ECMA_OK; i++)
        status = read_call(p, c, &method, &c->list[i]);
    return status;
}
