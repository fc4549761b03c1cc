#include "serve/intake.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <xxhash.h>

#include "base/buffer.h"
#include "platform/os.h"
#include "util/map.h"

#define ENDING ".ilprof"

/* ---- Files ------------------------------------------------------------------------------------------------------ */

static ecma_status count_one(void *user, const char *name) {
    (void)name;
    ++*(uint32_t *)user;
    return ECMA_OK;
}

static ecma_status count_files(intake *in, diag *d) {
    uint32_t count = 0;
    ecma_status status = os_visit_folder(d, in->folder, ENDING, count_one, &count);
    if (status == ECMA_OK)
        in->files = count;
    return status;
}

ecma_status intake_open(intake *in, diag *d, const char *folder, uint32_t most_files) {
    intake made = {.folder = folder, .most_files = most_files};
    ecma_status status = count_files(&made, d);
    if (status != ECMA_OK)
        return status;
    made.runs = calloc((size_t)most_files + 1, sizeof *made.runs);
    if (!made.runs)
        return diag_no_memory(d);
    *in = made;
    return ECMA_OK;
}

void intake_close(intake *in) {
    free(in->runs);
    *in = INTAKE_INIT;
}

/* ---- Runs ------------------------------------------------------------------------------------------------------- */

static void add_text(buffer *b, bytes text) {
    buffer_varuint(b, text.size);
    buffer_append(b, text.data, text.size);
}

static uint64_t hash_of(const profile *p, bytes content) {
    const profile_run *run = &p->run;
    buffer b = BUFFER_INIT;
    add_text(&b, run->name);
    add_text(&b, run->host);
    add_text(&b, run->id);
    buffer_varuint(&b, run->pid);
    buffer_varuint(&b, run->start_ns);
    bytes identity = run->merged || b.failed ? content : buffer_bytes(&b);
    uint64_t hash = XXH3_64bits(identity.data, identity.size);
    buffer_clear(&b);
    return hash;
}

/* Letters, digits and a few marks that mean nothing to any shell or file system; anything else is an underscore. */
static size_t put_clean(char *to, size_t most, bytes text) {
    size_t size = text.size < most ? text.size : most;
    for (size_t i = 0; i < size; i++) {
        char c = (char)text.data[i];
        bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                    (i > 0 && (c == '.' || c == '-'));
        to[i] = c;
        if (!fine)
            to[i] = '_';
    }
    return size;
}

void intake_name(char name[INTAKE_NAME_BYTES], const profile *p, bytes content) {
    enum { MOST_BYTES = 64 }; /* of the program's name */
    const profile_run *run = &p->run;
    bytes program = run->name.size > 0 ? run->name : bytes_of("profile", 7);
    size_t used = put_clean(name, MOST_BYTES, program);
    time_t seconds = (time_t)(run->start_ns / 1000000000u);
    struct tm t;
    if (run->start_ns > 0 && gmtime_r(&seconds, &t))
        used += strftime(name + used, INTAKE_NAME_BYTES - used, "-%Y%m%dT%H%M%SZ", &t);
    snprintf(name + used, INTAKE_NAME_BYTES - used, "-%016" PRIx64 ENDING, hash_of(p, content));
}

static intake_run *known_run(const intake *in, uint64_t hash) {
    for (uint32_t i = 0; i < in->run_count; i++)
        if (in->runs[i].hash == hash)
            return &in->runs[i];
    return NULL;
}

static void remember_run(intake *in, uint64_t hash, uint64_t wall_ns) {
    intake_run *run = known_run(in, hash);
    if (!run && in->run_count < in->most_files)
        run = &in->runs[in->run_count++];
    if (!run) {
        run = &in->runs[in->next_run];
        in->next_run = (in->next_run + 1) % in->run_count;
    }
    *run = (intake_run){hash, wall_ns};
}

/* ---- Taking ----------------------------------------------------------------------------------------------------- */

/* It does not read the names; the report does that. */
static ecma_status count_calls(intake_receipt *receipt, const profile *p, diag *d) {
    map seen = MAP_INIT;
    bool done = true;
    for (size_t t = 0; t < p->thread_count; t++)
        for (uint32_t i = 0; i < p->threads[t].node_count && done; i++) {
            const uint32_t id = p->threads[t].ids[i];
            if (id == PROFILE_ID_ROOT || id == PROFILE_ID_FOLDED)
                continue;
            uint32_t *slot = map_slot(&seen, id);
            done = slot != NULL;
            if (done && *slot == MAP_NONE) {
                *slot = 0;
                receipt->methods++;
            }
            receipt->calls = profile_add(receipt->calls, profile_number(&p->threads[t], PROFILE_CALLS, i));
        }
    map_clear(&seen);
    return done ? ECMA_OK : diag_no_memory(d);
}

static char *path_in(const char *folder, const char *name) {
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/%s", folder, name);
    return path;
}

/* A file that has the name of ours is replaced; a link there is not followed. The profile may hold values that were
 * captured: it is for the user alone. */
static intake_outcome put_down(intake *in, intake_receipt *receipt, bytes content, diag *d) {
    char *path = path_in(in->folder, receipt->name);
    if (!path) {
        diag_no_memory(d);
        return INTAKE_FAILED;
    }
    receipt->again = os_kind_of(path) != OS_NOTHING;
    intake_outcome outcome = INTAKE_KEPT;
    if (!receipt->again && in->files >= in->most_files &&
        (count_files(in, d) != ECMA_OK || in->files >= in->most_files)) {
        outcome = INTAKE_FULL;
    } else if (os_place_file(d, path, &content, 1, NULL, OS_PRIVATE) != ECMA_OK) {
        outcome = INTAKE_FAILED;
    } else if (!receipt->again) {
        in->files++;
    }
    free(path);
    return outcome;
}

intake_outcome intake_take(intake *in, intake_receipt *receipt, bytes content, diag *d) {
    profile p = PROFILE_INIT;
    intake_receipt made = {.calls = 0};
    ecma_status status = profile_read(&p, content, d);
    if (status != ECMA_OK)
        return status == ECMA_NO_MEMORY ? INTAKE_FAILED : INTAKE_BAD;
    intake_outcome outcome = INTAKE_FAILED;
    status = count_calls(&made, &p, d);
    if (status == ECMA_OK) {
        uint64_t hash = hash_of(&p, content), wall_ns = profile_ns(&p.run, p.run.wall_ticks);
        const intake_run *known = known_run(in, hash);
        intake_name(made.name, &p, content);
        outcome = known && known->wall_ns > wall_ns ? INTAKE_OVERTAKEN : put_down(in, &made, content, d);
        if (outcome == INTAKE_KEPT)
            remember_run(in, hash, wall_ns);
    }
    profile_clear(&p);
    if (outcome == INTAKE_KEPT || outcome == INTAKE_OVERTAKEN)
        *receipt = made;
    return outcome;
}
