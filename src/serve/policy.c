#include "serve/policy.h"

#include <stddef.h>
#include <string.h>

/* Silverlight takes `*` for pages of the same scheme alone, so the others are named: its network security access
 * restrictions. The name of a page gives no access: the token is still needed. */
static const char client_access[] = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
                                    "<access-policy>\n"
                                    "  <cross-domain-access>\n"
                                    "    <policy>\n"
                                    "      <allow-from http-methods=\"*\" http-request-headers=\"*\">\n"
                                    "        <domain uri=\"*\"/>\n"
                                    "        <domain uri=\"http://*\"/>\n"
                                    "        <domain uri=\"https://*\"/>\n"
                                    "        <domain uri=\"file:///\"/>\n"
                                    "      </allow-from>\n"
                                    "      <grant-to>\n"
                                    "        <resource path=\"/\" include-subpaths=\"true\"/>\n"
                                    "      </grant-to>\n"
                                    "    </policy>\n"
                                    "  </cross-domain-access>\n"
                                    "</access-policy>\n";

static const char cross_domain[] =
    "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
    "<!DOCTYPE cross-domain-policy SYSTEM \"http://www.macromedia.com/xml/dtds/cross-domain-policy.dtd\">\n"
    "<cross-domain-policy>\n"
    "  <allow-access-from domain=\"*\" secure=\"false\"/>\n"
    "  <allow-http-request-headers-from domain=\"*\" headers=\"*\" secure=\"false\"/>\n"
    "</cross-domain-policy>\n";

const char *policy_at(const char *path) {
    return strcmp(path, "/clientaccesspolicy.xml") == 0 ? client_access
           : strcmp(path, "/crossdomain.xml") == 0      ? cross_domain
                                                        : NULL;
}
