#include "report/view/calls.h"

static bool is_known(bytes exception) {
    return exception.size && exception.data[0] != 'n';
}

view_call view_call_of(const report *r, const calls_shown *shown) {
    const calls_call *call = shown->call;
    const calls_method *method = &shown->p->calls.methods[call->method];
    const profile_run *run = &shown->p->run;
    uint32_t caller = report_caller(r, shown->p, call);
    bool went_on = calls_went_on(call);
    view_call c = {.call = call,
                   .method = method,
                   .profile = (size_t)(shown->p - r->profiles),
                   .function = report_called(r, shown->p, call),
                   .has_caller = caller < FUNCTION_FOLDED,
                   .caller = caller,
                   .thread = call->thread,
                   .start_ns = profile_ns(run, call->start),
                   .ns = profile_ns(run, call->ticks),
                   .synchronous_ns = profile_ns(run, went_on ? call->first_part : call->ticks),
                   .awaited = call->awaited,
                   .unended = call->unended,
                   .lost = call->lost,
                   .cancelled = call->cancelled,
                   .thrown = call->thrown,
                   .went_on = went_on,
                   .has_arguments = method->flags & CALLS_ARGUMENTS,
                   .argument_count = method->parameter_count,
                   .result_by_type = method->flags & CALLS_RESULT_BY_TYPE};
    c.has_this = calls_try_value(call, CALLS_POSITION_THIS, &c.self);
    c.has_result = calls_try_value(call, CALLS_POSITION_RESULT, &c.result);
    if (call->thrown && is_known(call->exception))
        c.exception = call->exception;
    return c;
}

view_argument view_argument_of(const view_call *c, uint32_t i) {
    const calls_parameter *p = &c->method->parameters[i];
    view_argument a = {.name = p->name, .by_type = p->flags & CALLS_BY_TYPE};
    a.has_before = calls_try_value(c->call, i, &a.before);
    a.has_after = calls_try_value(c->call, CALLS_BECOMES_FIRST - (int64_t)i, &a.after);
    a.absent = !a.has_before && !a.by_type && p->flags & CALLS_NOT_BEFORE;
    return a;
}

bool view_has_calls(const report *r) {
    for (size_t i = 0; i < r->profile_count; i++)
        if (r->profiles[i].calls.there)
            return true;
    return false;
}
