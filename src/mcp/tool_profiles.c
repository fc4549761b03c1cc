#include <stdio.h>
#include <stdlib.h>

#include <libdeflate.h>

#include "mcp/tools.h"
#include "platform/os.h"
#include "platform/os_folder.h"
#include "platform/system.h"
#include "util/list.h"

/* The profiles below a folder, and what the first bytes of each say of it. */

enum { MOST_DEPTH = 6, MOST_FOLDERS = 2000, MOST_PROFILES = 5000, HEAD_BYTES = 1 << 15 };

typedef struct found_profile {
    char *path;
    int64_t changed;
} found_profile;

typedef struct finding {
    found_profile *list;
    uint32_t count, capacity, folders;
    bool cut, no_memory;
} finding;

static void add(finding *f, char *path) {
    int64_t changed = 0;
    bool is_file = false;
    if (f->count >= MOST_PROFILES || os_when_changed(&changed, &is_file, path, false) != 0 || !is_file) {
        f->cut |= f->count >= MOST_PROFILES;
        free(path);
        return;
    }
    f->no_memory |= !list_grow((void **)&f->list, f->count, &f->capacity, sizeof *f->list);
    if (f->no_memory)
        free(path);
    else
        f->list[f->count++] = (found_profile){path, changed};
}

/* Links are not followed: what they lead to has a path of its own, if it is below the root. */
static void search(finding *f, const char *folder, unsigned depth) {
    os_names names = {0};
    if (depth > MOST_DEPTH || ++f->folders > MOST_FOLDERS) {
        f->cut = true;
        return;
    }
    (void)os_names_sorted(&names, folder); /* what cannot be read has no profiles for us */
    for (size_t i = 0; i < names.count && !f->no_memory; i++) {
        const char *name = names.items[i];
        size_t size = strlen(folder) + strlen(name) + 2;
        char *path = name[0] == '.' ? NULL : malloc(size);
        if (name[0] == '.')
            continue;
        f->no_memory |= !path;
        if (!path)
            break;
        snprintf(path, size, "%s/%s", folder, name);
        os_kind kind = os_kind_of(path);
        if (kind == OS_FILE && os_name_ends(name, ".ilprof")) {
            add(f, path);
            continue;
        }
        if (kind == OS_FOLDER && strcmp(name, "node_modules") != 0)
            search(f, path, depth + 1);
        free(path);
    }
    os_names_clear(&names);
}

static int newest_first(const void *left, const void *right) {
    const found_profile *a = left, *b = right;
    return a->changed != b->changed ? (a->changed > b->changed ? -1 : 1) : strcmp(a->path, b->path);
}

/* ---- Its head --------------------------------------------------------------------------------------------------- */

enum { HEADER = 16, SECTION = 16, ENDING = SECTION + 1 + SECTION };

static uint8_t *put_section(uint8_t *at, const char *kind, const uint8_t *payload, size_t size) {
    memcpy(at, kind, 4);
    store_u32(at + 4, libdeflate_crc32(0, payload, size));
    store_u64(at + 8, size);
    memcpy(at + SECTION, payload, size);
    return at + SECTION + size;
}

/* The file's head with its section RUN, no modules, and an end: a small profile, which the reader checks as any other.
 * Returns its size; 0: it has no such head. */
static size_t take_head(uint8_t head[HEAD_BYTES + ENDING], const char *path) {
    static const uint8_t none[1] = {0};
    FILE *file = system_open_file(path);
    size_t size = file ? fread(head, 1, HEAD_BYTES, file) : 0;
    if (file)
        fclose(file);
    if (size < HEADER + SECTION || memcmp(head + HEADER, "RUN ", 4) != 0)
        return 0;
    uint64_t payload = load_u64(head + HEADER + 8);
    if (payload > size - HEADER - SECTION)
        return 0;
    uint8_t *end = put_section(head + HEADER + SECTION + (size_t)payload, "MODS", none, sizeof none);
    return (size_t)(put_section(end, "END ", none, 0) - head);
}

/* The civil date of days since 1970-01-01, by 400 years of 146,097 days that begin in March. */
static void date_of(uint64_t days, unsigned *year, unsigned *month, unsigned *day) {
    enum { TO_1970 = 719468, DAYS_400 = 146097 };
    uint64_t at = days + TO_1970, era = at / DAYS_400, of_era = at % DAYS_400;
    uint64_t years = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    uint64_t of_year = of_era - (365 * years + years / 4 - years / 100), part = (5 * of_year + 2) / 153;
    *day = (unsigned)(of_year - (153 * part + 2) / 5 + 1);
    *month = (unsigned)(part < 10 ? part + 3 : part - 9);
    *year = (unsigned)(years + era * 400 + (*month <= 2));
}

static void set_started(mcp_call *c, json_t *row, uint64_t start_ns) {
    enum { DAY = 86400, HOUR = 3600, MINUTE = 60 };
    uint64_t seconds = start_ns / 1000000000u;
    unsigned year, month, day, of_day = (unsigned)(seconds % DAY);
    char text[80];
    if (start_ns == 0)
        return;
    date_of(seconds / DAY, &year, &month, &day);
    snprintf(text, sizeof text, "%04u-%02u-%02uT%02u:%02u:%02uZ", year, month, day, of_day / HOUR, of_day / MINUTE % 60,
             of_day % MINUTE);
    call_word(c, row, "started", text);
}

static void describe_head(mcp_call *c, json_t *row, const char *path) {
    uint8_t *head = malloc(HEAD_BYTES + ENDING);
    profile p = PROFILE_INIT;
    diag d = {.file = path};
    c->no_memory |= !head;
    size_t size = head ? take_head(head, path) : 0;
    if (size > 0 && profile_read(&p, bytes_of(head, size), &d) == ECMA_OK) {
        if (p.run.name.size > 0)
            call_text(c, row, "program", p.run.name);
        if (p.run.runtime.size > 0)
            call_text(c, row, "runtime", p.run.runtime);
        if (p.run.merged > 0)
            call_number(c, row, "runs", p.run.merged);
        set_started(c, row, p.run.start_ns);
        profile_clear(&p);
    }
    free(head);
}

/* ---- The tool --------------------------------------------------------------------------------------------------- */

static json_t *make_row(mcp_call *c, const char *path) {
    json_t *row = json_object();
    uint32_t id = store_path(&c->mcp->store, path);
    c->no_memory |= id == STORE_NONE || !row;
    if (c->no_memory)
        return row;
    call_file(c, row, "profile", id);
    if (c->rows == 0) /* the newest one of these is most likely asked for next */
        c->mcp->expected = id;
    call_number(c, row, "bytes", system_file_bytes(path));
    describe_head(c, row, path);
    return row;
}

bool tool_profiles(mcp_call *c) {
    const char *folder = call_argument(c, "folder");
    finding f = {.count = 0};
    uint32_t first;
    /* A folder becomes no numbered path: it is looked up as one and forgotten. */
    char *place = call_folder(c, folder ? folder : ".");
    if (!place)
        return false;
    search(&f, place, 0);
    free(place);
    c->no_memory |= f.no_memory;
    for (uint32_t i = 0; i < f.count; i++)
        c->stamp = (c->stamp ^ (uint64_t)f.list[i].changed) * 0x100000001B3u;
    bool done = !c->no_memory && call_begin_rows(c, &first);
    json_t *rows = done ? call_array(c, c->result, "profiles") : NULL;
    if (done && f.count > 0)
        qsort(f.list, f.count, sizeof *f.list, newest_first);
    for (uint32_t i = done ? first : 0; done && i < f.count && !c->no_memory; i++)
        if (!call_row(c, rows, make_row(c, f.list[i].path))) {
            call_next(c, i);
            break;
        }
    for (uint32_t i = 0; i < f.count; i++)
        free(f.list[i].path);
    free(f.list);
    return done;
}
