#include "mcp/store.h"

#include <stdlib.h>

#include "platform/os.h"
#include "platform/os_folder.h"
#include "platform/system.h"
#include "report/model/bounds.h"
#include "report/model/method_sums.h"
#include "util/list.h"
#include "util/text_keep.h"

/* ---- Numbers ---------------------------------------------------------------------------------------------------- */

uint32_t store_path(mcp_store *s, const char *path) {
    for (uint32_t i = 0; i < s->path_count; i++)
        if (strcmp(s->paths[i], path) == 0)
            return i;
    char *copy = strdup(path);
    if (!copy || !list_grow((void **)&s->paths, s->path_count, &s->path_capacity, sizeof *s->paths)) {
        free(copy);
        return STORE_NONE;
    }
    s->paths[s->path_count] = copy;
    return s->path_count++;
}

static uint64_t hash_of(bytes text, uint64_t hash) {
    for (size_t i = 0; i < text.size; i++)
        hash = (hash ^ text.data[i]) * 0x100000001B3u;
    return hash;
}

static uint64_t method_hash(bytes assembly, bytes name) {
    return hash_of(name, hash_of(assembly, 0xCBF29CE484222325u) * 31);
}

uint32_t store_method(mcp_store *s, bytes assembly, bytes name) {
    uint32_t *slot = map_slot(&s->method_map, method_hash(assembly, name));
    if (!slot)
        return STORE_NONE;
    for (uint32_t i = *slot; i != MAP_NONE; i = s->methods[i].next_alike)
        if (bytes_equal(s->methods[i].name, name) && bytes_equal(s->methods[i].assembly, assembly))
            return i;
    mcp_method made = {assembly, name, *slot};
    if (!list_grow((void **)&s->methods, s->method_count, &s->method_capacity, sizeof *s->methods) ||
        !text_keep(&s->memory, &made.assembly) || !text_keep(&s->memory, &made.name))
        return STORE_NONE;
    s->methods[s->method_count] = made;
    return *slot = s->method_count++;
}

bytes store_assembly(const function_list *list, const report_function *f) {
    bytes all = f->module == NO_MODULE ? (bytes){NULL, 0} : list->modules[f->module].assembly;
    const uint8_t *comma = all.size ? memchr(all.data, ',', all.size) : NULL;
    return comma ? bytes_of(all.data, (size_t)(comma - all.data)) : all;
}

const report_function *store_function(const mcp_store *s, uint32_t method, const mcp_profile *p) {
    const function_list *list = &p->sum.list;
    const mcp_method *m = &s->methods[method];
    const uint64_t hash = method_hash(m->assembly, m->name);
    const report_function *found = NULL;
    for (uint32_t i = 0; i < list->function_count; i++) {
        const report_function *f = &list->functions[i];
        if (p->hashes[i] == hash && bytes_equal(f->name, m->name) &&
            bytes_equal(store_assembly(list, f), m->assembly) && (!found || f->rank < found->rank))
            found = f;
    }
    return found;
}

/* ---- Loading ---------------------------------------------------------------------------------------------------- */

static void profile_free(mcp_profile *p) {
    if (!p)
        return;
    aggregate_clear(&p->sum);
    matched_profile_clear(&p->matched);
    profile_clear(&p->of);
    free(p->hashes);
    free(p);
}

static void note_problem(void *user, const char *file, diag_severity severity, diag_code code, const char *text) {
    (void)file;
    (void)code;
    buffer *problem = user;
    if (severity == DIAG_ERROR && problem->size == 0)
        buffer_string(problem, text);
}

static uint64_t held_by(const mcp_profile *p) {
    const aggregate *a = &p->sum;
    uint64_t node = sizeof(fold_link) + sizeof(uint32_t);
    for (unsigned k = 0; k < NODE_COLUMNS; k++)
        node += a->tree.figures.list[k] ? (a->tree.figures.list[k]->small ? 4 : 8) : 0;
    return sizeof *p + node * a->tree.node_count +
           (uint64_t)a->list.function_capacity * (sizeof(report_function) + sizeof *p->hashes) +
           arena_bytes(&a->list.memory) + arena_bytes(&p->of.memory) +
           (uint64_t)a->exceptions.node_capacity * sizeof(exception_node) +
           (uint64_t)a->sites.capacity * sizeof(report_site);
}

/* Of a file that is read. */
static ecma_status add_up(mcp_profile *p, bytes content, bool *fits, diag *d) {
    p->of = (profile){.used = p->methods_only ? NULL : os_discard};
    p->matched = (matched_profile){.uses_up = true};
    p->sum = AGGREGATE_INIT;
    ecma_status status = profile_read(&p->of, content, d);
    if (status == ECMA_OK && p->methods_only)
        status = method_sums_profile(&p->sum, &p->of, fits, d);
    else if (status == ECMA_OK)
        status = aggregate_profile(&p->sum, &p->of, 0, &p->matched, d);
    if (status == ECMA_OK && *fits && !bounds_set(&p->sum, &p->of, 1))
        status = diag_no_memory(d);
    if (status == ECMA_OK && *fits)
        status = aggregate_finish(&p->sum, d);
    if (status == ECMA_OK && *fits && !profile_keep_run(&p->of))
        status = diag_no_memory(d);
    return status;
}

static bool hash_functions(mcp_profile *p) {
    const function_list *list = &p->sum.list;
    p->hashes = malloc(((size_t)list->function_count + 1) * sizeof *p->hashes);
    for (uint32_t i = 0; p->hashes && i < list->function_count; i++)
        p->hashes[i] = method_hash(store_assembly(list, &list->functions[i]), list->functions[i].name);
    return p->hashes != NULL;
}

static ecma_status read_file(mcp_profile *p, const char *path, diag *d) {
    os_map map = OS_MAP_INIT;
    bool fits = true;
    ecma_status status = os_read_file(&map, d, path);
    if (status == ECMA_OK)
        status = add_up(p, map.content, &fits, d);
    if (status == ECMA_OK && !fits) {
        aggregate_clear(&p->sum);
        profile_clear(&p->of);
        p->methods_only = false;
        fits = true;
        status = add_up(p, map.content, &fits, d);
    }
    os_unmap(&map);
    return status == ECMA_OK && !hash_functions(p) ? diag_no_memory(d) : status;
}

void profile_load(profile_loading *l) {
    diag d = {.sink = note_problem, .user = &l->problem, .file = l->path};
    bool is_file = false;
    mcp_profile *p = calloc(1, sizeof *p);
    l->no_memory = !p;
    if (!p)
        return;
    p->id = l->id;
    p->methods_only = l->methods_only;
    p->bytes = system_file_bytes(l->path);
    ecma_status status = ECMA_IO;
    if (os_when_changed(&p->changed, &is_file, l->path, false) == 0 && is_file)
        status = read_file(p, l->path, &d);
    else
        buffer_string(&l->problem, "it is no file");
    l->no_memory = status == ECMA_NO_MEMORY || l->problem.failed;
    if (status != ECMA_OK) {
        profile_free(p);
        return;
    }
    p->options = (ilj_report_options){.size = sizeof p->options, .sort = ILJ_SORT_TIME};
    p->r = (report){&p->sum, &p->of, &p->matched, 1, NULL, &p->options, NULL, NULL};
    p->held = held_by(p);
    l->made = p;
}

/* ---- Keeping ---------------------------------------------------------------------------------------------------- */

static void drop(mcp_store *s, uint32_t at) {
    s->held -= s->profiles[at]->held;
    profile_free(s->profiles[at]);
    s->profiles[at] = s->profiles[--s->profile_count];
}

mcp_profile *store_find(mcp_store *s, uint32_t id, bool tree) {
    for (uint32_t i = 0; i < s->profile_count; i++) {
        mcp_profile *p = s->profiles[i];
        int64_t changed = 0;
        bool is_file = false;
        if (p->id != id || (tree && p->methods_only))
            continue;
        if (os_when_changed(&changed, &is_file, s->paths[id], false) == 0 && is_file && changed == p->changed &&
            system_file_bytes(s->paths[id]) == p->bytes) {
            p->used = ++s->calls;
            return p;
        }
        return NULL;
    }
    return NULL;
}

bool store_add(mcp_store *s, mcp_profile *p) {
    for (uint32_t i = s->profile_count; i-- > 0;)
        if (s->profiles[i]->id == p->id)
            drop(s, i);
    if (!list_grow((void **)&s->profiles, s->profile_count, &s->profile_capacity, sizeof(mcp_profile *))) {
        profile_free(p);
        return false;
    }
    p->used = ++s->calls;
    s->held += p->held;
    s->profiles[s->profile_count++] = p;
    return true;
}

void store_trim(mcp_store *s) {
    while (s->profile_count > 0 && s->held > s->most) {
        uint32_t oldest = 0;
        for (uint32_t i = 1; i < s->profile_count; i++)
            if (s->profiles[i]->used < s->profiles[oldest]->used)
                oldest = i;
        drop(s, oldest);
    }
}

void store_read_ahead(mcp_store *s, uint32_t id) {
    enum { MOST_BYTES = 64 << 20, HELD_BY_BYTE = 8 }; /* a profile in memory is up to that much larger than its file */
    const uint64_t bytes = system_file_bytes(s->paths[id]);
    if (bytes > MOST_BYTES || bytes * HELD_BY_BYTE > s->most || store_find(s, id, true))
        return;
    profile_loading job = {.path = s->paths[id], .id = id, .problem = BUFFER_INIT};
    profile_load(&job);
    if (job.made && store_add(s, job.made))
        store_trim(s);
    buffer_clear(&job.problem);
}

void store_close(mcp_store *s) {
    while (s->profile_count > 0)
        drop(s, s->profile_count - 1);
    for (uint32_t i = 0; i < s->path_count; i++)
        free(s->paths[i]);
    free(s->profiles);
    free(s->paths);
    free(s->methods);
    map_clear(&s->method_map);
    arena_clear(&s->memory);
    *s = (mcp_store){.most = s->most};
}
