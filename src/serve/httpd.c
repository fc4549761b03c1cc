#include "serve/httpd.h"

#include <string.h>

#include "platform/os.h"

#define LIBRARY_NAME OS_LIBRARY("microhttpd", "12")

ecma_status httpd_load(httpd *h, diag *d) {
#define NAME(result, name, parameters) #name,
    static const char *const names[] = {HTTPD_FUNCTIONS(NAME) NULL};
#undef NAME
    void *addresses[sizeof names / sizeof names[0] - 1];
    if (!OS_LOADS_LIBRARIES)
        return diag_report(d, DIAG_NO_HTTP,
                           "receiving profiles needs %s, and this static program loads no libraries: the ilinject of "
                           "Debian's package, or of make install, does",
                           LIBRARY_NAME);
    if (!os_load_library(LIBRARY_NAME, names, addresses))
        return diag_report(
            d, DIAG_NO_HTTP,
            "receiving profiles needs %s (libmicrohttpd 0.9.73 or later; Debian's package libmicrohttpd12), which is "
            "not here",
            LIBRARY_NAME);
    _Static_assert(sizeof *h == sizeof addresses, "httpd has other members than functions");
    memcpy(h, addresses, sizeof addresses);
    return ECMA_OK;
}
