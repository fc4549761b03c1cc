#include "mcp/call.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "platform/os.h"
#include "report/view/names.h"

/* ---- Arguments -------------------------------------------------------------------------------------------------- */

const char *call_argument(const mcp_call *c, const char *name) {
    return json_string_value(json_object_get(c->arguments, name));
}

bool call_fail(mcp_call *c, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (c->problem.size == 0)
        view_text(&c->problem, bytes_of(text, strlen(text)));
    return false;
}

/* "p3" is 2, "m17" is 16; STORE_NONE: it is no such number. */
static uint32_t number_of(const char *text, char letter, uint32_t count) {
    char *end;
    if (text[0] != letter || text[1] < '1' || text[1] > '9')
        return STORE_NONE;
    unsigned long number = strtoul(text + 1, &end, 10);
    return *end == 0 && number <= count ? (uint32_t)number - 1 : STORE_NONE;
}

/* Where the path goes on below the root; NULL: it is not below it. */
static const char *below_root(const char *root, const char *path) {
    size_t length = strlen(root);
    while (length > 0 && (root[length - 1] == '/' || root[length - 1] == '\\'))
        length--;
    if (strncmp(path, root, length) != 0 || (path[length] != '/' && path[length] != '\\'))
        return NULL;
    return path + length + 1;
}

static bool is_absolute(const char *path) {
    return path[0] == '/' || path[0] == '\\' || (path[0] != 0 && path[1] == ':');
}

/* The real path of what the argument means; NULL: nothing, or memory ran out. */
static char *full_path(mcp_call *c, const char *argument) {
    diag d = {.file = argument};
    buffer path = BUFFER_INIT;
    char *full = NULL;
    if (!is_absolute(argument)) {
        buffer_string(&path, c->mcp->root);
        buffer_u8(&path, '/');
    }
    buffer_append(&path, argument, strlen(argument) + 1);
    ecma_status status = path.failed ? ECMA_NO_MEMORY : os_full_path(&d, (const char *)path.data, &full);
    c->no_memory |= status == ECMA_NO_MEMORY;
    buffer_clear(&path);
    return status == ECMA_OK ? full : NULL;
}

uint32_t call_path(mcp_call *c, const char *argument) {
    mcp_store *s = &c->mcp->store;
    uint32_t known = number_of(argument, 'p', s->path_count), id = STORE_NONE;
    char *full = full_path(c, known == STORE_NONE ? argument : s->paths[known]);
    if (full && below_root(c->mcp->root, full)) {
        id = store_path(s, full);
        c->no_memory |= id == STORE_NONE;
    } else if (!c->no_memory) {
        call_fail(c, "there is no profile %.200s below the root; the tool profiles lists those that are there",
                  argument);
    }
    free(full);
    return id;
}

char *call_folder(mcp_call *c, const char *argument) {
    char *full = full_path(c, argument);
    if (full && (strcmp(full, c->mcp->root) == 0 || below_root(c->mcp->root, full)) && os_is_directory(full))
        return full;
    free(full);
    if (!c->no_memory)
        call_fail(c, "there is no folder %.200s below the root", argument);
    return NULL;
}

static void run_loading(void *user) {
    profile_load(user);
}

/* Takes over what was loaded; NULL: it failed, which is said. */
static mcp_profile *loaded(mcp_call *c, profile_loading *l) {
    mcp_store *s = &c->mcp->store;
    mcp_profile *made = l->made;
    if (!made && !l->no_memory)
        call_fail(c, "%.200s: %.600s", below_root(c->mcp->root, l->path),
                  l->problem.size ? (buffer_u8(&l->problem, 0), (const char *)l->problem.data) : "it cannot be read");
    c->no_memory |= l->no_memory || (made && !store_add(s, made));
    buffer_clear(&l->problem);
    return c->no_memory ? NULL : made;
}

bool call_profiles(mcp_call *c, mcp_profile *found[2], const uint32_t ids[2], bool tree) {
    mcp_store *s = &c->mcp->store;
    profile_loading jobs[2] = {{.problem = BUFFER_INIT}, {.problem = BUFFER_INIT}};
    bool wanted[2];
    for (int i = 0; i < 2; i++) {
        found[i] = ids[i] == STORE_NONE ? NULL : store_find(s, ids[i], tree);
        wanted[i] = ids[i] != STORE_NONE && !found[i] && (i == 0 || ids[1] != ids[0]);
        jobs[i].id = ids[i];
        jobs[i].path = ids[i] == STORE_NONE ? NULL : s->paths[ids[i]];
        jobs[i].methods_only = !tree;
    }
    system_threads *threads = NULL;
    unsigned started = 0;
    if (wanted[0] && wanted[1] && system_can(SYSTEM_THREADS))
        started = system_threads_start(&threads, 1, run_loading, &jobs[1]);
    for (int i = 0; i < 2; i++)
        if (wanted[i] && !(i == 1 && started > 0))
            profile_load(&jobs[i]);
    if (started > 0)
        system_threads_join(threads);
    for (int i = 0; i < 2; i++)
        if (wanted[i])
            found[i] = loaded(c, &jobs[i]);
    if (ids[1] == ids[0])
        found[1] = found[0];
    for (int i = 0; i < 2; i++)
        if (found[i])
            c->stamp = (c->stamp ^ (uint64_t)found[i]->changed ^ found[i]->bytes) * 0x100000001B3u;
    return !c->no_memory && c->problem.size == 0;
}

mcp_profile *call_profile(mcp_call *c) {
    const uint32_t ids[2] = {call_path(c, call_argument(c, "profile")), STORE_NONE};
    mcp_profile *found[2] = {NULL, NULL};
    return ids[0] != STORE_NONE && call_profiles(c, found, ids, true) ? found[0] : NULL;
}

/* Does the name end in the text, at the start of one of its parts? */
static bool ends_so(bytes name, const char *text) {
    size_t size = strlen(text);
    if (size == 0 || size > name.size || memcmp(name.data + name.size - size, text, size) != 0)
        return false;
    return size == name.size || name.data[name.size - size - 1] == '.';
}

const report_function *call_function(mcp_call *c, const mcp_profile *p, const char *argument) {
    const mcp_store *s = &c->mcp->store;
    const function_list *list = &p->sum.list;
    uint32_t known = number_of(argument, 'm', s->method_count);
    const report_function *found = known == STORE_NONE ? NULL : store_function(s, known, p);
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->function_count && known == STORE_NONE; i++) {
        const report_function *f = &list->functions[i];
        if (!ends_so(function_plain_name(f), argument) &&
            !ends_so(bytes_of(f->name.data, f->parts.parameters), argument))
            continue;
        count++;
        if (!found || f->rank < found->rank)
            found = f;
    }
    if (!found)
        call_fail(c, "no method %.200s was called in this profile; hot has ids of those that were", argument);
    else if (count > 1)
        call_fail(c, "%u methods have the name %.200s; write more of the name, or an id that hot gives", count,
                  argument);
    return c->problem.size == 0 ? found : NULL;
}

/* ---- Results ---------------------------------------------------------------------------------------------------- */

void call_set(mcp_call *c, json_t *object, const char *key, json_t *value) {
    c->no_memory |= json_object_set_new(object, key, value) != 0;
}

void call_append(mcp_call *c, json_t *array, json_t *value) {
    c->no_memory |= json_array_append_new(array, value) != 0;
}

json_t *call_object(mcp_call *c, json_t *object, const char *key) {
    call_set(c, object, key, json_object());
    return json_object_get(object, key);
}

json_t *call_array(mcp_call *c, json_t *object, const char *key) {
    call_set(c, object, key, json_array());
    return json_object_get(object, key);
}

void call_word(mcp_call *c, json_t *object, const char *key, const char *word) {
    call_set(c, object, key, json_string_nocheck(word));
}

json_t *call_string(mcp_call *c, bytes text) {
    static const char more[] = "\u2026";
    buffer *b = &c->scratch;
    view_text(b, text);
    size_t size = b->size;
    if (size > TEXT_BYTES) {
        for (size = TEXT_BYTES; size > 0 && (b->data[size] & 0xC0) == 0x80;)
            size--;
        b->size = size;
        buffer_append(b, more, sizeof more - 1);
        size = b->size;
    }
    json_t *made = b->failed ? NULL : json_stringn_nocheck((const char *)b->data, size);
    c->no_memory |= !made;
    return made;
}

void call_text(mcp_call *c, json_t *object, const char *key, bytes text) {
    call_set(c, object, key, call_string(c, text));
}

void call_number(mcp_call *c, json_t *object, const char *key, uint64_t number) {
    call_set(c, object, key, json_integer((json_int_t)(number > PROFILE_MAX ? PROFILE_MAX : number)));
}

void call_percent(mcp_call *c, json_t *object, const char *key, uint64_t part, uint64_t whole) {
    if (whole > 0)
        call_set(c, object, key, json_real((double)(uint64_t)((double)part * 1000 / (double)whole + 0.5) / 10));
}

/* What may be shown of a path: what is below the root, or of others the last two parts. */
static bytes shown_path(const char *root, const char *path) {
    const char *below = below_root(root, path), *from = path + strlen(path);
    unsigned parts = 0;
    if (!below && !is_absolute(path))
        below = path;
    while (!below && from > path && parts < 2) {
        from--;
        parts += from > path && (from[-1] == '/' || from[-1] == '\\');
    }
    if (!below)
        below = parts == 2 ? from : strpbrk(path, "/\\") == path ? path + 1 : path;
    return bytes_of(below, strlen(below));
}

void call_file(mcp_call *c, json_t *object, const char *key, uint32_t id) {
    char text[24];
    snprintf(text, sizeof text, "p%u", id + 1);
    call_word(c, object, key, text);
    call_text(c, object, "path", shown_path(c->mcp->root, c->mcp->store.paths[id]));
}

static void set_place(mcp_call *c, json_t *object, const report_function *f) {
    const names_method *m = f->names ? &f->names->methods[f->method] : NULL;
    if (!m || !m->line)
        return;
    bytes file = names_text(f->names, m->file);
    buffer path = BUFFER_INIT;
    buffer_append(&path, file.data, file.size);
    buffer_u8(&path, 0);
    if (!path.failed)
        call_text(c, object, "file", shown_path(c->mcp->root, (const char *)path.data));
    c->no_memory |= path.failed;
    buffer_clear(&path);
    call_number(c, object, "line", m->line);
}

void call_method(mcp_call *c, json_t *object, const mcp_profile *p, const report_function *f) {
    char text[24];
    uint32_t id = store_method(&c->mcp->store, store_assembly(&p->sum.list, f), f->name);
    c->no_memory |= id == STORE_NONE;
    snprintf(text, sizeof text, "m%u", id + 1);
    call_word(c, object, "method", text);
    call_text(c, object, "name", function_plain_name(f));
    set_place(c, object, f);
}

void call_time(mcp_call *c, json_t *object, const char *key, const mcp_profile *p, uint64_t ns, uint64_t low_ns,
               uint64_t high_ns) {
    char name[64];
    if (aggregate_only_counts(&p->sum))
        return;
    snprintf(name, sizeof name, "%s_ns", key);
    call_number(c, object, name, ns);
    if (times_trust_of(ns, low_ns, high_ns, p->sum.totals.exclusive_ns) == TIMES_SURE)
        return;
    snprintf(name, sizeof name, "%s_from_ns", key);
    call_number(c, object, name, low_ns);
    snprintf(name, sizeof name, "%s_to_ns", key);
    call_number(c, object, name, high_ns);
}

void call_figures(mcp_call *c, json_t *object, const mcp_profile *p, const report_function *f) {
    const profile_times *t = &f->times;
    const report_totals *all = &p->sum.totals;
    const struct {
        const char *key;
        uint64_t number;
    } others[] = {{"steps", f->steps},
                  {"waiting_ns", f->waiting_ns},
                  {"bytes", f->figures.bytes},
                  {"objects", f->figures.objects},
                  {"collections", f->figures.collections},
                  {"left_by_exception", f->by_exception}};
    call_number(c, object, "calls", f->calls);
    call_time(c, object, "own", p, t->exclusive_ns, t->exclusive_low_ns, t->exclusive_high_ns);
    call_time(c, object, "inclusive", p, t->inclusive_ns, t->inclusive_low_ns, t->inclusive_high_ns);
    call_percent(c, object, "own_percent", profile_add(t->exclusive_ns, f->waiting_ns),
                 profile_add(all->exclusive_ns, all->waiting_ns));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i].number > 0)
            call_number(c, object, others[i].key, others[i].number);
    if (durations_has_span(&f->durations))
        call_number(c, object, "longest_call_ns", f->durations.max_ns);
}

/* ---- Rows ------------------------------------------------------------------------------------------------------- */

/* Position and stamp: a cursor holds as long as what it goes on in is the same. */
static void cursor_of(char text[40], const mcp_call *c, uint32_t position) {
    uint64_t stamp = (c->stamp ^ position) * 0x9E3779B97F4A7C15u;
    snprintf(text, 40, "%u-%08x", position, (unsigned)(stamp >> 32));
}

bool call_begin_rows(mcp_call *c, uint32_t *first) {
    const char *cursor = call_argument(c, "cursor");
    char text[40];
    *first = cursor ? (uint32_t)strtoul(cursor, NULL, 10) : 0;
    cursor_of(text, c, *first);
    if (cursor && strcmp(text, cursor) != 0)
        return call_fail(c, "the cursor is not of these arguments, or a file has changed: begin without one");
    return true;
}

size_t call_bytes(const json_t *value) {
    return value ? json_dumpb(value, NULL, 0, JSON_COMPACT | JSON_REAL_PRECISION(6)) : 0;
}

bool call_row(mcp_call *c, json_t *array, json_t *row) {
    enum { REST = 100 }; /* bytes for the cursor */
    size_t size = call_bytes(row) + 1;
    if (c->rows == 0)
        c->taken = call_bytes(c->result);
    if (c->rows > 0 && c->taken + size > ANSWER_BYTES - REST) {
        json_decref(row);
        return false;
    }
    c->rows++;
    c->taken += size;
    call_append(c, array, row);
    return true;
}

void call_next(mcp_call *c, uint32_t position) {
    char text[40];
    cursor_of(text, c, position);
    call_word(c, c->result, "next", text);
}
