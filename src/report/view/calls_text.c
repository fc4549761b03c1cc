#include "report/view/calls_text.h"

static void append(buffer *b, bytes text) {
    buffer_append(b, text.data, text.size);
}

static void append_name(buffer *b, const calls_method *m, uint32_t position) {
    if (m->parameters[position].name.size)
        append(b, m->parameters[position].name);
    else
        buffer_printf(b, "#%u", position + 1);
}

/* A parameter's name, and what it was; false when that is not reported. */
static bool append_parameter(buffer *b, const calls_call *call, const calls_method *m, uint32_t position, size_t most) {
    uint32_t flags = m->parameters[position].flags;
    bytes value;
    append_name(b, m, position);
    if (calls_try_value(call, position, &value)) {
        buffer_string(b, ": ");
        calls_append_text(b, value, most);
    } else if (flags & CALLS_BY_TYPE || !(flags & CALLS_NOT_BEFORE)) {
        buffer_string(b, ": (by type)");
    } else {
        return false;
    }
    return true;
}

static bool becomes(const calls_call *call, uint32_t position, bytes *value) {
    return calls_try_value(call, CALLS_BECOMES_FIRST - (int64_t)position, value);
}

/* The outcome of the call, each part after a space. */
static void append_end(buffer *b, const calls_method *m, const calls_call *call, size_t most) {
    bytes value;
    if (calls_try_value(call, CALLS_POSITION_RESULT, &value)) {
        buffer_string(b, " \u2192 ");
        calls_append_text(b, value, most);
    } else if (call->unended) {
        buffer_string(b, " has not ended");
    } else if (call->lost) {
        buffer_string(b, " \u2192 (not known)");
    } else if (m->flags & CALLS_RESULT_BY_TYPE && !call->thrown) {
        buffer_string(b, " \u2192 (by type)");
    }
    if (calls_try_value(call, CALLS_POSITION_THIS, &value)) {
        buffer_string(b, " this: ");
        calls_append_text(b, value, most);
    }
    if (!call->thrown)
        return;
    buffer_string(b, call->cancelled ? " was cancelled: " : " threw ");
    if (call->exception.size && call->exception.data[0] != 'n')
        calls_append_text(b, call->exception, SIZE_MAX);
    else
        buffer_string(b, "(not known)");
}

void calls_describe(buffer *b, const report *r, const profile *p, const calls_call *call, size_t most) {
    const calls_method *m = &p->calls.methods[call->method];
    const report_function *f = &r->sum->list.functions[report_called(r, p, call)];
    append(b, (bytes){f->name.data, f->parts.parameters});
    if (m->flags & CALLS_ARGUMENTS) {
        buffer_string(b, "(");
        for (uint32_t i = 0; i < m->parameter_count; i++) {
            bytes value;
            buffer_string(b, i ? ", " : "");
            bool before = append_parameter(b, call, m, i, most);
            if (becomes(call, i, &value)) {
                buffer_string(b, before ? " \u21d2 " : ": \u21d2 ");
                calls_append_text(b, value, most);
            }
        }
        buffer_string(b, ")");
    } else {
        append(b, (bytes){f->name.data + f->parts.parameters, f->parts.suffix - f->parts.parameters});
    }
    append_end(b, m, call, most);
}

void calls_describe_begin(buffer *b, const calls_method *m, const calls_call *call) {
    if (!(m->flags & CALLS_ARGUMENTS))
        return;
    buffer_string(b, "(");
    for (uint32_t i = 0; i < m->parameter_count; i++) {
        buffer_string(b, i ? ", " : "");
        append_parameter(b, call, m, i, SIZE_MAX);
    }
    buffer_string(b, ")");
}

void calls_describe_end(buffer *b, const calls_method *m, const calls_call *call) {
    bytes value;
    append_end(b, m, call, SIZE_MAX);
    for (uint32_t i = 0; i < m->parameter_count; i++)
        if (becomes(call, i, &value)) {
            buffer_string(b, " ");
            append_name(b, m, i);
            buffer_string(b, " \u21d2 ");
            calls_append_text(b, value, SIZE_MAX);
        }
}
