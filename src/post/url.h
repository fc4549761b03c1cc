/* url.h - where a report is sent to: http://HOST[:PORT][/PATH][?QUERY]. */
#ifndef ILINJECT_POST_URL_H
#define ILINJECT_POST_URL_H

#include <stdint.h>

#include "base/diag.h"

enum { POST_HOST_BYTES = 256, POST_PATH_BYTES = 1024 };

typedef struct post_url {
    char host[POST_HOST_BYTES];      /* to connect to: of a number of IPv6 without its brackets */
    char authority[POST_HOST_BYTES]; /* HOST[:PORT] as it was given, for the head of a request */
    char port[6];                    /* decimal; 80 when none is given */
    char path[POST_PATH_BYTES];      /* with its query; when none is given, that of OTLP */
} post_url;

/* Reports POST_URL, which is ECMA_CONFIG. */
ecma_status post_url_read(post_url *url, const char *text, diag *d);

#endif
