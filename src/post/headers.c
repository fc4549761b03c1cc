#include "post/headers.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* RFC 9110, section 5.6.2. */
static const char name_letters[] = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
static const char blanks[] = " \t";

/* The request gives them itself. */
static bool is_ours(bytes name) {
    static const char *const ours[] = {"Host",
                                       "Connection",
                                       "Content-Type",
                                       "Content-Length",
                                       "Content-Encoding",
                                       "Transfer-Encoding",
                                       "Expect",
                                       "OTLP-Profiles-Development-Version"};
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
        if (strlen(ours[i]) == name.size && strncasecmp(ours[i], (const char *)name.data, name.size) == 0)
            return true;
    return false;
}

static bytes trimmed(const char *from, const char *end) {
    while (from < end && strchr(blanks, *from))
        from++;
    while (end > from && strchr(blanks, end[-1]))
        end--;
    return bytes_of(from, (size_t)(end - from));
}

static int digit(uint8_t c) {
    return c >= '0' && c <= '9' ? c - '0' : isxdigit(c) ? tolower(c) - 'a' + 10 : -1;
}

/* Appends the value; false: it has a byte that no line can hold, or a % before what is no number. */
static bool decode(buffer *to, bytes value) {
    for (size_t i = 0; i < value.size; i++) {
        uint8_t c = value.data[i];
        if (c == '%') {
            const int high = i + 2 < value.size ? digit(value.data[i + 1]) : -1;
            const int low = high >= 0 ? digit(value.data[i + 2]) : -1;
            if (low < 0)
                return false;
            c = (uint8_t)(high * 16 + low);
            i += 2;
        }
        if ((c < ' ' && c != '\t') || c == 0x7F)
            return false;
        buffer_append(to, &c, 1);
    }
    return true;
}

ecma_status post_headers_read(buffer *to, const char *text, diag *d) {
    for (unsigned number = 1; *text; number++) {
        const char *end = text + strcspn(text, ","), *equals = memchr(text, '=', (size_t)(end - text));
        const bytes name = trimmed(text, equals ? equals : end), value = trimmed(equals ? equals + 1 : end, end);
        text = end + (*end == ',');
        if (!equals && name.size == 0)
            continue; /* after a last comma */
        if (!equals || name.size == 0)
            return diag_report(d, DIAG_POST_HEADERS, "header %u: expected NAME=VALUE", number);
        for (size_t i = 0; i < name.size; i++)
            if (!name.data[i] || !strchr(name_letters, name.data[i]))
                return diag_report(d, DIAG_POST_HEADERS, "header %u: its name has a character that none may have",
                                   number);
        if (is_ours(name))
            return diag_report(d, DIAG_POST_HEADERS, "header %u: %.*s is given by the request itself", number,
                               (int)name.size, name.data);
        buffer_append(to, name.data, name.size);
        buffer_string(to, ": ");
        if (!decode(to, value))
            return diag_report(d, DIAG_POST_HEADERS,
                               "header %u, %.*s: its value has a %% that is no escape, or a character that ends a line",
                               number, (int)(name.size < 64 ? name.size : 64), name.data);
        buffer_string(to, "\r\n");
    }
    return ECMA_OK;
}
