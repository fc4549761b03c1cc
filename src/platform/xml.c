#include "platform/xml.h"

#include <string.h>

#include "platform/os.h"

#ifdef LIBXML_STATIC

ecma_status xml_load(xml_library *xml, diag *d) {
    (void)d;
    *xml = (xml_library){
#define XML_FUNCTION(name) .name = name,
#include "platform/xml.def"
#undef XML_FUNCTION
    };
    return ECMA_OK;
}

#else

ecma_status xml_load(xml_library *xml, diag *d) {
    static const char *const libraries[] = {"libxml2.so.2", "libxml2.so.16"};
    static const char *const names[] = {
#define XML_FUNCTION(name) #name,
#include "platform/xml.def"
#undef XML_FUNCTION
        NULL};
    void *addresses[sizeof names / sizeof names[0]];
    _Static_assert(sizeof *xml == sizeof addresses - sizeof addresses[0], "one address for each function");
    for (unsigned i = 0; i < sizeof libraries / sizeof libraries[0]; i++)
        if (os_load_library(libraries[i], names, addresses)) {
            memcpy(xml, addresses, sizeof *xml);
            return ECMA_OK;
        }
    return diag_report(d, DIAG_XML_LIBRARY, "libxml2.so.2, which reads it, cannot be loaded (Debian: libxml2)");
}

#endif
