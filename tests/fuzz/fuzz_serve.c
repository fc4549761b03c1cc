/* Any request, any compressed body, and the name of the file for any profile that is read. The first byte says which:
 * an even one, a profile that gets right CRCs first; 255, a body that came compressed; another odd one, lines for
 * path, method and headers, then the body, in parts of the size that the second byte gives. */
#include "serve_unit.h"

#include <ctype.h>
#include <libdeflate.h>

#include "serve/gunzip.h"
#include "serve/policy.h"
#include "serve/reader.h"

#define READER_TOKEN "reader0123456789"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds) {
    if (!holds)
        abort();
}

static void mend_crcs(uint8_t *file, size_t size) {
    for (size_t at = 16; at <= size && size - at >= 16;) {
        uint64_t payload = load_u64(file + at + 8);
        if (payload > size - at - 16)
            return;
        store_u32(file + at + 4, libdeflate_crc32(0, file + at + 16, (size_t)payload));
        at += 16 + (size_t)payload;
    }
}

/* A name is short, of harmless letters, and the same for the same profile. */
static void name_it(const uint8_t *data, size_t size) {
    static const char fine[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    uint8_t *copy = malloc(size + 1);
    profile p = PROFILE_INIT;
    diag d = {.file = "x"};
    if (!copy)
        return;
    memcpy(copy, data, size);
    mend_crcs(copy, size);
    if (profile_read(&p, bytes_of(copy, size), &d) == ECMA_OK) {
        char name[INTAKE_NAME_BYTES], again[INTAKE_NAME_BYTES];
        intake_name(name, &p, bytes_of(copy, size));
        intake_name(again, &p, bytes_of(copy, size));
        size_t length = strlen(name);
        must(strcmp(name, again) == 0 && length == strspn(name, fine) && name[0] != '.' && name[0] != '-');
        must(length > 7 && strcmp(name + length - 7, ".ilprof") == 0);
        profile_clear(&p);
    }
    free(copy);
}

/* The next line, or NULL for an empty one: a header that is not there. */
static const char *line(char **at) {
    char *start = *at, *end = strchr(start, '\n');
    if (end)
        *end++ = 0;
    *at = end ? end : start + strlen(start);
    return *start ? start : NULL;
}

/* It never keeps a file, as there may be none. */
/* Could another reader find a line's end in a value that is sent? */
static bool breaks_a_line(const char *value) {
    for (; value && *value; value++)
        if (iscntrl((unsigned char)*value) && *value != '\t')
            return true;
    return false;
}

static void request_it(const uint8_t *data, size_t size, size_t step) {
    enum { MOST_BYTES = 64 };
    static char reader[] = READER_TOKEN;
    const char *folder = getenv("TMPDIR");
    ilj_server s;
    char *text = malloc(size + 1), *at = text, *where = strdup(folder ? folder : "/tmp");
    if (text && where) {
        memcpy(text, data, size);
        text[size] = 0;
        serve_make(&s, NULL, where, MOST_BYTES, 0);
        s.tellings.cost_ns = UINT64_MAX; /* no client listens */
        s.reader = reader;
        must(reader_open(&s));
        const char *path = line(&at), *method = line(&at);
        serve_now = (serve_call){.path = path ? path : "", .method = method ? method : ""};
        serve_now.length = line(&at);
        serve_now.coding = line(&at);
        serve_now.expect = line(&at);
        size_t head = (size_t)(at - text);
        unsigned status = serve_send(&s, bytes_of(text + head, size - head), step + 1, step % 2);
        bool known = strcmp(serve_now.path, "/" SERVE_TOKEN) == 0, post = strcmp(serve_now.method, "POST") == 0;
        const char *length = serve_now.length;
        if ((length && (!*length || strspn(length, "0123456789") != strlen(length))) || breaks_a_line(serve_now.coding))
            must(status == 400); /* its end is not known */
        else if (status == 400 || status == 413 || status == 415 || status == 507)
            must(known && post);
        else if (status == 405)
            must(known && !post);
        else if (status == 404 || (status == 200 && !policy_at(serve_now.path)))
            must(!known && reader_knows(&s, serve_now.path) &&
                 (strcmp(serve_now.method, "GET") == 0 || strcmp(serve_now.method, "HEAD") == 0) &&
                 (status == 200) == (reader_find(&s, serve_now.path) != NULL));
        else
            must(status == 0 || status == 204 || status == 403 || (status == 200 && policy_at(serve_now.path)));
        must(status != 403 || !known);
        reader_close(&s);
        intake_close(&s.intake);
    }
    free(text);
    free(where);
}

/* Never more than the limit is put down; half of what comes out is a limit that is kept, too. */
static void inflate_it(const uint8_t *data, size_t size) {
    enum { LARGE = 1 << 20 };
    const char *folder = getenv("TMPDIR");
    diag d = {.file = "x"};
    char problem[GUNZIP_PROBLEM_BYTES] = "";
    uint64_t most = LARGE;
    for (int half = 0; half < 2; half++) {
        os_spool out = OS_SPOOL_INIT;
        os_map map = OS_MAP_INIT;
        must(os_spool_open(&out, &d, folder ? folder : "/tmp") == ECMA_OK);
        gunzip_outcome outcome = gunzip(&out, bytes_of(data, size), most, problem, &d);
        must(os_spool_map(&map, &out, &d) == ECMA_OK && map.content.size <= most);
        must(outcome != GUNZIP_FAILED && (outcome != GUNZIP_BAD || strstr(problem, "damaged: offset ")));
        must(half == 0 || most == 0 || outcome != GUNZIP_DONE);
        most = map.content.size / 2;
        os_unmap(&map);
        os_spool_close(&out);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > 0 && data[0] == 255) {
        inflate_it(data + 1, size - 1);
        return 0;
    }
    if (size > 0 && data[0] % 2 == 0)
        name_it(data + 1, size - 1);
    else if (size > 1)
        request_it(data + 2, size - 2, data[1]);
    return 0;
}
