#include "mcp/messages.h"

#include <string.h>

/* jansson goes on when a letter of a text finds no memory, and the text is shorter: a thread notes what it lacked. */
static json_malloc_t plain_malloc;
static _Thread_local bool lacked;

static void *noting_malloc(size_t size) {
    void *made = plain_malloc(size);
    lacked |= !made;
    return made;
}

static void note_what_lacks(void) {
    json_malloc_t now;
    json_free_t release;
    json_get_alloc_funcs(&now, &release);
    if (now == noting_malloc)
        return;
    plain_malloc = now;
    json_set_alloc_funcs(noting_malloc, release);
}

bool messages_open(messages *m) {
    note_what_lacks();
    *m = (messages){.monitor = system_monitor_new(), .line = BUFFER_INIT};
    m->now = MESSAGE_INIT;
    return m->monitor != NULL;
}

void messages_close(messages *m) {
    for (; m->count > 0; m->count--) {
        json_decref(m->list[m->first].request);
        m->first = (m->first + 1) % MESSAGES_WAITING;
    }
    buffer_clear(&m->line);
    if (m->monitor)
        system_monitor_free(m->monitor);
    m->monitor = NULL;
}

/* ---- A line ----------------------------------------------------------------------------------------------------- */

static message faulty(int code, const char *problem) {
    message made = MESSAGE_INIT;
    made.fault = code;
    made.problem = problem;
    return made;
}

/* False: it is no id, or a long one. */
static bool describe_id(char text[MESSAGE_ID_BYTES], const json_t *id) {
    if (!json_is_string(id) && !json_is_number(id))
        return false;
    size_t size = json_dumpb(id, text, MESSAGE_ID_BYTES - 1, JSON_ENCODE_ANY | JSON_COMPACT);
    if (size == 0 || size >= MESSAGE_ID_BYTES)
        return false;
    text[size] = 0;
    return true;
}

static void cancel(messages *m, const json_t *notification) {
    char id[MESSAGE_ID_BYTES];
    if (!describe_id(id, json_object_get(json_object_get(notification, "params"), "requestId")))
        return;
    system_monitor_enter(m->monitor);
    for (uint32_t i = 0; i < m->count; i++) {
        message *waiting = &m->list[(m->first + i) % MESSAGES_WAITING];
        waiting->cancelled |= waiting->request && strcmp(waiting->id, id) == 0;
    }
    m->now.cancelled |= m->answering && strcmp(m->now.id, id) == 0;
    system_monitor_leave(m->monitor);
}

static bool is_blank(bytes line) {
    for (size_t i = 0; i < line.size; i++)
        if (!memchr(" \t\r", line.data[i], 3))
            return false;
    return true;
}

/* What one line says. False: it is to have no answer. */
static bool understand(messages *m, message *made, bytes line) {
    if (is_blank(line))
        return false;
    lacked = false;
    json_t *all = json_loadb((const char *)line.data, line.size, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    if (!all || lacked) {
        json_decref(all);
        *made = lacked ? faulty(FAULT_INTERNAL, "memory ran out") : faulty(FAULT_PARSE, "the line is not JSON");
        return true;
    }
    const json_t *method = json_object_get(all, "method"), *id = json_object_get(all, "id");
    bool answered = true;
    *made = MESSAGE_INIT;
    if (!json_is_object(all)) {
        *made = faulty(FAULT_REQUEST, "a message is an object of JSON-RPC 2.0");
    } else if (!method && (json_object_get(all, "result") || json_object_get(all, "error"))) {
        answered = false; /* nothing was asked of the client */
    } else if (!json_is_string(method)) {
        *made = faulty(FAULT_REQUEST, "a request has a method");
        (void)describe_id(made->id, id);
    } else if (!id) {
        answered = false;
        if (strcmp(json_string_value(method), "notifications/cancelled") == 0)
            cancel(m, all);
    } else if (!describe_id(made->id, id)) {
        *made = faulty(FAULT_REQUEST, "an id is a string of at most 250 bytes, or a number");
    } else {
        made->request = json_incref(all);
    }
    json_decref(all);
    return answered;
}

/* ---- Lines ------------------------------------------------------------------------------------------------------ */

/* The line has come whole: it becomes a message, for which there is room. */
static void finish_line(messages *m) {
    message made = MESSAGE_INIT;
    bool answered = true;
    if (m->passes)
        made = faulty(FAULT_REQUEST, "a line has at most 1048576 bytes");
    else if (m->line.failed)
        made = faulty(FAULT_INTERNAL, "memory ran out");
    else
        answered = understand(m, &made, buffer_bytes(&m->line));
    m->line.size = 0;
    m->line.failed = m->passes = false;
    if (!answered)
        return;
    system_monitor_enter(m->monitor);
    m->list[(m->first + m->count++) % MESSAGES_WAITING] = made;
    system_monitor_changed(m->monitor);
    system_monitor_leave(m->monitor);
}

static bool has_room(messages *m) {
    system_monitor_enter(m->monitor);
    bool room = m->count < MESSAGES_WAITING;
    system_monitor_leave(m->monitor);
    return room;
}

size_t messages_give(messages *m, const char *text, size_t size) {
    size_t at = 0;
    while (at < size) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t length = end ? (size_t)(end - text) - at : size - at;
        if (end && !has_room(m))
            return at;
        m->passes |= m->line.size + length > MESSAGE_BYTES;
        if (!m->passes)
            buffer_append(&m->line, text + at, length);
        if (m->passes)
            m->line.size = 0;
        at += length + (end ? 1 : 0);
        if (end)
            finish_line(m);
    }
    return at;
}

bool messages_end(messages *m) {
    if (m->line.size > 0 || m->passes || m->line.failed) {
        if (!has_room(m))
            return false;
        finish_line(m);
    }
    system_monitor_enter(m->monitor);
    m->ended = true;
    system_monitor_changed(m->monitor);
    system_monitor_leave(m->monitor);
    return true;
}

void messages_wait_for_room(messages *m) {
    system_monitor_enter(m->monitor);
    while (m->count == MESSAGES_WAITING)
        system_monitor_wait(m->monitor);
    system_monitor_leave(m->monitor);
}

bool messages_next(messages *m, message *next, bool waits) {
    system_monitor_enter(m->monitor);
    m->answering = false;
    bool found = false;
    while (!found) {
        while (waits && m->count == 0 && !m->ended)
            system_monitor_wait(m->monitor);
        if (m->count == 0)
            break;
        *next = m->list[m->first];
        m->first = (m->first + 1) % MESSAGES_WAITING;
        m->count--;
        system_monitor_changed(m->monitor);
        found = !next->cancelled;
        if (next->cancelled)
            json_decref(next->request);
    }
    if (found) {
        m->now = *next;
        m->answering = true;
    }
    system_monitor_leave(m->monitor);
    return found;
}

bool messages_is_cancelled(messages *m) {
    system_monitor_enter(m->monitor);
    bool cancelled = m->answering && m->now.cancelled;
    system_monitor_leave(m->monitor);
    return cancelled;
}
