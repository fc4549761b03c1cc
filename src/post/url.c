#include "post/url.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCHEME "http://"
#define PATH   "/v1development/profiles"

static const char graphic[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?[]@!$&'()*+,;=%";

static ecma_status wrong(diag *d, const char *what) {
    return diag_report(d, DIAG_POST_URL, "expected http://HOST[:PORT][/PATH], %s", what);
}

/* HOST, HOST:PORT, [ADDRESS] or [ADDRESS]:PORT. */
static ecma_status read_authority(post_url *url, diag *d) {
    const char *at = url->authority;
    const bool bracketed = *at == '[';
    const size_t size = bracketed ? strcspn(at, "]") : strcspn(at, ":");
    const char *after = at + size + (bracketed && at[size] == ']');
    const char *start = at + bracketed, *port = *after == ':' ? after + 1 : after;
    const size_t host = bracketed ? size - 1 : size;
    static const char names[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~%";
    static const char numbers[] = "ABCDEFabcdef0123456789:.";
    if (strchr(at, '@'))
        return wrong(d, "a name or password cannot be sent");
    if ((bracketed && at[size] != ']') || host == 0 || strspn(start, bracketed ? numbers : names) < host)
        return wrong(d, "found no host");
    if (*after && (*after != ':' || !*port || strlen(port) > 5 || strspn(port, "0123456789") != strlen(port) ||
                   atol(port) == 0 || atol(port) > UINT16_MAX))
        return wrong(d, "found no port from 1 to 65535 after the host");
    snprintf(url->host, sizeof url->host, "%.*s", (int)host, start);
    snprintf(url->port, sizeof url->port, "%s", *after ? port : "80");
    return ECMA_OK;
}

ecma_status post_url_read(post_url *url, const char *text, diag *d) {
    if (strncmp(text, "https:", 6) == 0)
        return diag_report(d, DIAG_POST_URL,
                           "https is not spoken here: send to a collector on this machine, or send the file of "
                           "--format=otlp with curl --data-binary");
    if (strncmp(text, SCHEME, sizeof SCHEME - 1) != 0)
        return wrong(d, "found another beginning");
    if (strspn(text, graphic) != strlen(text))
        return wrong(d, "found a character that a URL cannot hold");
    const char *host = text + sizeof SCHEME - 1, *path = host + strcspn(host, "/?");
    if ((size_t)(path - host) >= sizeof url->authority || strlen(path) + 2 > sizeof url->path)
        return wrong(d, "found too long a one");
    snprintf(url->authority, sizeof url->authority, "%.*s", (int)(path - host), host);
    const bool none = !*path || strcmp(path, "/") == 0;
    snprintf(url->path, sizeof url->path, "%s%s", *path == '?' ? "/" : "", none ? PATH : path);
    return read_authority(url, d);
}
