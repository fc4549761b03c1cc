/* Linked into the package's program in front of everything else, so that it needs nothing of the machine that builds,
 * not even a C library: libxml2 and libcrypto are in it, and dlopen hands them out. A static program must not load the
 * machine's libraries, which would bring the machine's C library with them; so nothing else is found, and neither are
 * other character sets, hosts and plug-ins that these libraries could ask for. */
#include <errno.h>
#include <iconv.h>
#include <libxml/parser.h>
#include <libxml/xmlschemas.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CRYPTO_FUNCTION(result, name, parameters) extern result name parameters;
#include "platform/crypto.def"
#undef CRYPTO_FUNCTION
#define NO_LOAD_CONFIG 0x80 /* openssl/crypto.h */
extern int OPENSSL_init_crypto(uint64_t options, const void *settings);

struct addrinfo;
struct hostent;

/* The functions that the linker (--wrap) takes for the C library's. */
void *__wrap_dlopen(const char *library, int mode);
void *__wrap_dlsym(void *handle, const char *name);
int __wrap_dlclose(void *handle);
char *__wrap_dlerror(void);
iconv_t __wrap_iconv_open(const char *to, const char *from);
size_t __wrap_iconv(iconv_t set, char **in, size_t *in_left, char **out, size_t *out_left);
int __wrap_iconv_close(iconv_t set);
int __wrap_getaddrinfo(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **found);
void __wrap_freeaddrinfo(struct addrinfo *found);
struct hostent *__wrap_gethostbyname(const char *host);

typedef void function(void);

static const struct {
    const char *name;
    function *address;
} functions[] = {
#define XML_FUNCTION(name) {#name, (function *)name},
#include "platform/xml.def"
#undef XML_FUNCTION
#define CRYPTO_FUNCTION(result, name, parameters) {#name, (function *)name},
#include "platform/crypto.def"
#undef CRYPTO_FUNCTION
};

void *__wrap_dlopen(const char *library, int mode) {
    static char here;
    (void)mode;
    if (!library)
        return NULL;
    /* No configuration of the machine's: it could name modules to load. */
    if (strcmp(library, "libcrypto.so.3") == 0)
        return OPENSSL_init_crypto(NO_LOAD_CONFIG, NULL) ? &here : NULL;
    return strcmp(library, "libxml2.so.2") == 0 ? &here : NULL;
}

void *__wrap_dlsym(void *handle, const char *name) {
    (void)handle;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (strcmp(functions[i].name, name) == 0)
            return (void *)(uintptr_t)functions[i].address;
    return NULL;
}

int __wrap_dlclose(void *handle) {
    (void)handle;
    return 0;
}

char *__wrap_dlerror(void) {
    static char text[] = "this program loads no libraries";
    return text;
}

/* ---- Character sets: libxml2 itself knows UTF-8, UTF-16, ISO 8859-1 and ASCII -------------------------------------
 */

iconv_t __wrap_iconv_open(const char *to, const char *from) {
    (void)to;
    (void)from;
    errno = EINVAL;
    return (iconv_t)-1;
}

size_t __wrap_iconv(iconv_t set, char **in, size_t *in_left, char **out, size_t *out_left) {
    (void)set;
    (void)in;
    (void)in_left;
    (void)out;
    (void)out_left;
    errno = EBADF;
    return (size_t)-1;
}

int __wrap_iconv_close(iconv_t set) {
    (void)set;
    return 0;
}

#ifdef LIBXML_ICU_ENABLED /* then its headers bring ICU's, which give these names its version; ICU's tables are 30 MB  \
                           */
UConverter *ucnv_open(const char *name, UErrorCode *error) {
    (void)name;
    *error = U_FILE_ACCESS_ERROR;
    return NULL;
}

void ucnv_close(UConverter *set) {
    (void)set;
}

/* The rest is called with what ucnv_open has given, and so never. Their parameters are ICU's, as many as those are. */
void ucnv_convertEx(UConverter *to, UConverter *from, char **target, const char *target_end, const char **source,
                    const char *source_end, UChar *pivot, UChar **pivot_source, UChar **pivot_target,
                    const UChar *pivot_end, UBool reset, UBool flush, UErrorCode *error) {
    (void)to, (void)from, (void)target, (void)target_end, (void)source, (void)source_end, (void)pivot;
    (void)pivot_source, (void)pivot_target, (void)pivot_end, (void)reset, (void)flush;
    *error = U_FILE_ACCESS_ERROR;
}

void ucnv_setFromUCallBack(UConverter *set, UConverterFromUCallback action, const void *context,
                           UConverterFromUCallback *old_action, const void **old_context, UErrorCode *error) {
    (void)set, (void)action, (void)context, (void)old_action, (void)old_context;
    *error = U_FILE_ACCESS_ERROR;
}

void ucnv_setToUCallBack(UConverter *set, UConverterToUCallback action, const void *context,
                         UConverterToUCallback *old_action, const void **old_context, UErrorCode *error) {
    (void)set, (void)action, (void)context, (void)old_action, (void)old_context;
    *error = U_FILE_ACCESS_ERROR;
}

void UCNV_FROM_U_CALLBACK_STOP(const void *context, UConverterFromUnicodeArgs *arguments, const UChar *units,
                               int32_t size, UChar32 point, UConverterCallbackReason reason, UErrorCode *error) {
    (void)context, (void)arguments, (void)units, (void)size, (void)point, (void)reason;
    *error = U_FILE_ACCESS_ERROR;
}

void UCNV_TO_U_CALLBACK_STOP(const void *context, UConverterToUnicodeArgs *arguments, const char *units, int32_t size,
                             UConverterCallbackReason reason, UErrorCode *error) {
    (void)context, (void)arguments, (void)units, (void)size, (void)reason;
    *error = U_FILE_ACCESS_ERROR;
}
#endif

/* ---- Hosts: both libraries can fetch documents, and are not asked to ------------------------------------------------
 */

int __wrap_getaddrinfo(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
    (void)host;
    (void)service;
    (void)hints;
    (void)found;
    return -4; /* EAI_FAIL */
}

void __wrap_freeaddrinfo(struct addrinfo *found) {
    (void)found;
}

struct hostent *__wrap_gethostbyname(const char *host) {
    (void)host;
    return NULL;
}
