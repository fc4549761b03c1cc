#include "report/page/listing.h"

#include "base/sha256.h"
#include "platform/os.h"
#include "platform/path.h"
#include "report/page/json.h"
#include "report/view/source.h"

/* A file as it is now; `why`: it is not to be shown. */
typedef struct source_text {
    os_map map;
    bytes text;
    const char *why;
    bool changed; /* since it was compiled */
} source_text;

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

static bool has_parent(const char *path) {
    for (const char *at = strstr(path, ".."); at; at = strstr(at + 1, ".."))
        if ((at == path || path_is_separator(at[-1])) && (at[2] == 0 || path_is_separator(at[2])))
            return true;
    return false;
}

/* A path of this machine: a compiler's relative one, or one of another system, would be looked for anywhere. */
static bool is_known(const char *path, bool replaced) {
    return !has_parent(path) && (replaced || path_is_absolute(path));
}

/* The diag has no sink: why a file is not there is part of the page. */
static ecma_status read_text(source_text *s, const char *path) {
    diag quiet = {.file = path};
    os_map size;
    ecma_status status = os_map_file(&size, &quiet, path);
    if (status)
        return status;
    const bool fits = size.content.size <= LISTING_FILE;
    os_unmap(&size);
    if (!fits) {
        s->why = "is too large";
        return ECMA_OK;
    }
    if ((status = os_read_file(&s->map, &quiet, path)))
        return status;
    s->text = s->map.content;
    if (s->text.size > 0 && memchr(s->text.data, 0, s->text.size))
        s->why = "is no text";
    static const uint8_t mark[] = {0xEF, 0xBB, 0xBF};
    if (s->text.size >= sizeof mark && memcmp(s->text.data, mark, sizeof mark) == 0)
        s->text = bytes_of(s->text.data + sizeof mark, s->text.size - sizeof mark);
    return ECMA_OK;
}

/* False: memory ran out. */
static bool open_text(source_text *s, const report *r, const report_function *in) {
    buffer path = BUFFER_INIT;
    view_source(&path, r, in);
    const bytes recorded = names_text(in->names, in->names->methods[in->method].file);
    const bool replaced = path.size != recorded.size || memcmp(path.data, recorded.data, path.size) != 0;
    buffer_u8(&path, 0);
    ecma_status status = path.failed ? ECMA_NO_MEMORY : ECMA_IO;
    if (!path.failed && is_known((const char *)path.data, replaced))
        status = read_text(s, (const char *)path.data);
    if (status == ECMA_IO)
        s->why = "is not found";
    buffer_clear(&path);
    const uint8_t *compiled = names_checksum(in->names, in->names->methods[in->method].file);
    if (status == ECMA_OK && !s->why && compiled) {
        uint8_t hash[SHA256_BYTES];
        sha256(s->map.content, hash);
        s->changed = memcmp(hash, compiled, NAMES_CHECKSUM_BYTES) != 0;
    }
    return status == ECMA_OK || status == ECMA_IO;
}

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

/* The next line from *at on, without its end. */
static bytes next_line(bytes text, size_t *at) {
    const uint8_t *start = text.data + *at, *end = memchr(start, '\n', text.size - *at);
    size_t size = end ? (size_t)(end - start) : text.size - *at;
    *at += size + (end != NULL);
    if (size > 0 && start[size - 1] == '\r')
        size--;
    return bytes_of(start, size);
}

static bool is_near(uint32_t number, uint32_t line) {
    return number + LISTING_BEFORE >= line && number <= line + LISTING_AFTER;
}

/* Returns whether there was room for all of them. */
static bool write_lines(printer *out, page_listing *l, bytes text, const uint32_t *lines, uint32_t count) {
    uint32_t number = 1, next = 0; /* `next`: the first method that has lines to come */
    bool open = false, first = true;
    for (size_t at = 0; at < text.size; number++) {
        bytes line = next_line(text, &at);
        while (next < count && number > lines[next] + LISTING_AFTER)
            next++;
        if (next == count)
            break;
        if (!is_near(number, lines[next])) {
            print_string(out, open ? "]" : "");
            open = false;
            continue;
        }
        line.size = line.size < LISTING_LINE ? line.size : LISTING_LINE;
        if (line.size + 1 > l->room) {
            print_string(out, open ? "]" : "");
            l->room = 0;
            return false;
        }
        l->room -= line.size + 1;
        if (!open)
            print_format(out, "%s[%u", first ? "" : ",\n", (unsigned)number);
        print_string(out, ",");
        page_string(out, line);
        open = true;
        first = false;
    }
    print_string(out, open ? "]" : "");
    return true;
}

bool page_listing_write(printer *out, page_listing *l, const report *r, const report_function *in,
                        const uint32_t *lines, uint32_t count) {
    source_text s = {.why = NULL};
    bool done = true;
    if (l->room > 0)
        done = open_text(&s, r, in);
    else
        s.why = "has no more room in this page";
    if (s.why) {
        print_format(out, "{\"missing\":\"%s\"}", s.why);
    } else if (done) {
        print_string(out, "{\"parts\":[");
        const bool whole = write_lines(out, l, s.text, lines, count);
        print_format(out, "]%s%s}", whole ? "" : ",\"cut\":true", s.changed ? ",\"changed\":true" : "");
    }
    os_unmap(&s.map);
    return done;
}
