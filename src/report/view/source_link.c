#define _GNU_SOURCE
#include "report/view/source_link.h"

#include <jansson.h>
#include <string.h>
#include <strings.h>

/* ---- Which document ------------------------------------------------------------------------------------------- */

void source_link_read(source_link *l, bytes json) {
    source_link_clear(l);
    json_t *root = json_loadb((const char *)json.data, json.size, JSON_REJECT_DUPLICATES, NULL);
    json_t *documents = json_object_get(root, "documents");
    l->documents = json_is_object(documents) ? json_incref(documents) : NULL;
    json_decref(root);
}

void source_link_clear(source_link *l) {
    json_decref(l->documents);
    l->documents = NULL;
}

static char plain(char c) {
    return c == '\\' ? '/' : c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Letters' case and the kind of separator make no difference. */
static bool begins(bytes path, const char *with, size_t size) {
    if (path.size < size)
        return false;
    for (size_t i = 0; i < size; i++)
        if (plain((char)path.data[i]) != plain(with[i]))
            return false;
    return true;
}

/* The key that holds for the path: its own name, else the longest one that ends in `*`. `rest`: what `*` stands for. */
static const char *address_of(json_t *documents, bytes path, bytes *rest) {
    const char *key, *address = NULL;
    json_t *value;
    size_t longest = 0;
    json_object_foreach(documents, key, value) {
        size_t size = strlen(key);
        bool is_family = size > 0 && key[size - 1] == '*';
        if (!json_is_string(value) || !begins(path, key, size - is_family) || (!is_family && path.size != size))
            continue;
        if (!is_family) {
            *rest = bytes_of(NULL, 0);
            return json_string_value(value);
        }
        if (size > longest) {
            longest = size;
            address = json_string_value(value);
            *rest = bytes_of(path.data + size - 1, path.size - (size - 1));
        }
    }
    return address;
}

/* ---- Its address ---------------------------------------------------------------------------------------------- */

/* RFC 3986, section 2.3: all but these is encoded; a separator stays one. */
static void append_encoded(buffer *url, bytes path) {
    for (size_t i = 0; i < path.size; i++) {
        uint8_t c = path.data[i];
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr("-._~/", c)))
            buffer_u8(url, c);
        else if (c == '\\')
            buffer_u8(url, '/');
        else
            buffer_printf(url, "%%%02X", c);
    }
}

/* Puts `to` in the place of `size` bytes at `at`. */
static void replace(buffer *b, size_t at, size_t size, const char *to) {
    buffer after = BUFFER_INIT;
    buffer_append(&after, b->data + at + size, b->size - at - size);
    b->size = at;
    buffer_append(b, to, strlen(to));
    buffer_append(b, after.data, after.size);
    b->failed |= after.failed;
    buffer_clear(&after);
}

/* Position of a text from `from` on; SIZE_MAX: it has none. */
static size_t position(const buffer *b, size_t from, const char *text) {
    const char *found = memmem(b->data + from, b->size - from, text, strlen(text));
    return found ? (size_t)(found - (const char *)b->data) : SIZE_MAX;
}

static bool is_at(const buffer *b, size_t at, const char *text) {
    return b->size - at >= strlen(text) && memcmp(b->data + at, text, strlen(text)) == 0;
}

/* Where the n-th separator after `from` is. */
static size_t separator(const buffer *b, size_t from, unsigned n) {
    for (size_t i = from; i < b->size; i++)
        if (b->data[i] == '/' && --n == 0)
            return i;
    return SIZE_MAX;
}

/* The value of a query's key (`?key=` or `&key=`), as it stands there; empty: it has none. */
static bytes query_value(const buffer *b, const char *first, const char *later) {
    size_t at = position(b, 0, later);
    if (at == SIZE_MAX && (at = position(b, 0, first)) == SIZE_MAX)
        return bytes_of(NULL, 0);
    at += strlen(later);
    const uint8_t *value = b->data + at, *end = memchr(value, '&', b->size - at);
    return bytes_of(value, end ? (size_t)(end - value) : b->size - at);
}

/* dev.azure.com/O/P/_apis/git/repositories/R/items?…version=SHA&path=/F is O/P/_git/R?path=/F&version=GCSHA. */
static void lead_to_azure(buffer *url) {
    static const char repositories[] = "/_apis/git/repositories/", items[] = "/items?";
    size_t apis = position(url, 0, repositories), at = apis == SIZE_MAX ? apis : position(url, apis, items);
    bytes file = query_value(url, "?path=", "&path="), version = query_value(url, "?version=", "&version=");
    if (at == SIZE_MAX || file.size == 0 || version.size == 0)
        return;
    buffer made = BUFFER_INIT;
    size_t name = apis + strlen(repositories);
    buffer_append(&made, url->data, apis);
    buffer_string(&made, "/_git/");
    buffer_append(&made, url->data + name, at - name);
    buffer_string(&made, "?path=");
    buffer_append(&made, file.data, file.size);
    buffer_string(&made, "&version=GC");
    buffer_append(&made, version.data, version.size);
    buffer_string(&made, "&line={line}");
    url->size = 0;
    buffer_append(url, made.data, made.size);
    url->failed |= made.failed;
    buffer_clear(&made);
}

static void lead_to_page(buffer *url, size_t host) {
    static const char github[] = "raw.githubusercontent.com/", bitbucket[] = "api.bitbucket.org/2.0/repositories/",
                      gitlab[] = "/-/raw/", gitea[] = "/raw/commit/";
    size_t at;
    if (is_at(url, host, github)) {
        replace(url, host, strlen(github), "github.com/");
        at = separator(url, host, 3); /* after host, user and repository */
        if (at != SIZE_MAX)
            replace(url, at, 1, "/blob/");
        buffer_string(url, "#L{line}");
    } else if (is_at(url, host, bitbucket)) {
        replace(url, host, strlen(bitbucket), "bitbucket.org/");
        buffer_string(url, "#lines-{line}");
    } else if ((at = position(url, host, gitlab)) != SIZE_MAX) {
        replace(url, at, strlen(gitlab), "/-/blob/");
        buffer_string(url, "#L{line}");
    } else if ((at = position(url, host, gitea)) != SIZE_MAX) {
        replace(url, at, strlen(gitea), "/src/commit/");
        buffer_string(url, "#L{line}");
    } else {
        lead_to_azure(url);
    }
}

void source_link_page(buffer *url, const source_link *l, bytes path) {
    static const char *const schemes[] = {"https://", "http://"};
    bytes rest = bytes_of(NULL, 0);
    const char *address = l->documents ? address_of(l->documents, path, &rest) : NULL;
    size_t host = 0;
    url->size = 0;
    for (size_t i = 0; address && i < sizeof schemes / sizeof schemes[0]; i++)
        if (strncasecmp(address, schemes[i], strlen(schemes[i])) == 0)
            host = strlen(schemes[i]);
    if (host == 0)
        return;
    const char *star = rest.size ? strchr(address, '*') : NULL;
    buffer_append(url, address, star ? (size_t)(star - address) : strlen(address));
    if (star) {
        append_encoded(url, rest);
        buffer_string(url, star + 1);
    }
    lead_to_page(url, host);
}
