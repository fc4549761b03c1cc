#define _GNU_SOURCE
#include "package/manifest.h"

#include <stdlib.h>
#include <strings.h>

#include "platform/xml.h"

/* ---- The parser's events ---------------------------------------------------------------------------------------- */

/* Depths: 1 Deployment, 2 Deployment.Parts and Deployment.ExternalParts, 3 what is in them. */
enum { IN_NOTHING, IN_PARTS, IN_EXTERNAL };

typedef struct reading {
    xml_library xml;
    manifest *m;
    diag *d;
    ecma_status status;
    bool no_memory;
    unsigned depth, in, x_depth; /* x_depth: of the element that declares the prefix of x:Name */
    bool seen_root, seen_parts, in_part;
    size_t most_parts;
    size_t parts_open; /* after the start tag of Deployment.Parts, without its last characters */
} reading;

/* The parser's handlers get the parser; its _private is the reading. */
static reading *reading_of(void *user) {
    return ((xmlParserCtxtPtr)user)->_private;
}

static void give_up(void *user, const char *what) {
    xmlParserCtxtPtr parser = user;
    reading *r = parser->_private;
    if (r->status == ECMA_OK)
        r->status = diag_report(r->d, DIAG_XAP_MANIFEST, "AppManifest.xaml(%d): %.*s",
                                parser->input ? parser->input->line : 0, (int)strcspn(what, "\n"), what);
    r->xml.xmlStopParser(parser);
}

static void on_error(void *user, xmlErrorPtr error) {
    reading *r = reading_of(user);
    if (error->code == XML_ERR_NO_MEMORY)
        r->no_memory = true;
    else if (error->level != XML_ERR_WARNING)
        give_up(user, error->message ? error->message : "not well-formed");
}

static void on_document_type(void *user, const xmlChar *name, const xmlChar *external, const xmlChar *system) {
    (void)name;
    (void)external;
    (void)system;
    give_up(user, "a document type (<!DOCTYPE ...>) is not taken");
}

static char *keep(reading *r, const xmlChar *text, size_t size) {
    char *kept = arena_alloc(&r->m->memory, size + 1);
    if (kept)
        memcpy(kept, text, size);
    else
        r->no_memory = true;
    return kept;
}

static void add_source(void *user, const xmlChar *value, size_t size, bool is_part) {
    reading *r = reading_of(user);
    manifest *m = r->m;
    size_t *count = is_part ? &m->part_count : &m->extension_count;
    const char ***list = is_part ? &m->parts : &m->extensions;
    if (!*list)
        *list = arena_alloc_array(&m->memory, r->most_parts, sizeof **list);
    if (*count == r->most_parts)
        give_up(user, "more than 10,000 parts");
    else if (!*list)
        r->no_memory = true;
    else if (((*list)[*count] = keep(r, value, size)))
        ++*count;
}

/* How many bytes of the document the parser has read. */
static size_t consumed(void *user) {
    reading *r = reading_of(user);
    long at = r->xml.xmlByteConsumed(user);
    return at >= 0 && (size_t)at <= r->m->text.size ? (size_t)at : 0;
}

/* Returns the start of the tag that the parser is in or has just passed: a tag has no '<' but its first. */
static size_t tag_start(const reading *r, size_t at) {
    while (at > 0 && r->m->text.data[at - 1] != '<')
        at--;
    return at > 0 ? at - 1 : 0;
}

static bool is_space(uint8_t c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The start tag of Deployment.Parts: attributes are read, its end is not. */
static void enter_parts(void *user, const xmlChar *prefix) {
    reading *r = reading_of(user);
    if (r->seen_parts) {
        give_up(user, "a second Deployment.Parts");
        return;
    }
    r->seen_parts = true;
    r->in = IN_PARTS;
    size_t size = prefix ? strlen((const char *)prefix) : 0;
    char *kept = keep(r, prefix ? prefix : (const xmlChar *)"", size + 1);
    if (kept) {
        kept[size] = prefix ? ':' : 0;
        r->m->element_prefix = kept;
    }
    r->parts_open = consumed(user);
}

static void note_name_prefix(reading *r, int count, const xmlChar **namespaces) {
    static const char winfx[] = "http://schemas.microsoft.com/winfx/2006/xaml";
    for (int i = 0; i < count; i++) {
        const char *prefix = (const char *)namespaces[2 * i], *uri = (const char *)namespaces[2 * i + 1];
        if (prefix && uri && strcmp(uri, winfx) == 0 && !r->m->name_prefix) {
            r->m->name_prefix = keep(r, namespaces[2 * i], strlen(prefix));
            r->x_depth = r->depth;
        } else if (prefix && r->m->name_prefix && strcmp(prefix, r->m->name_prefix) == 0) {
            r->m->name_prefix = NULL; /* means something else from here on */
        }
    }
}

/* libxml2's startElementNsSAX2Func, hence that many parameters. */
static void on_start(void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int namespace_count,
                     const xmlChar **namespaces, int attribute_count, int defaulted, const xmlChar **attributes) {
    reading *r = reading_of(user);
    const char *element = (const char *)name;
    (void)uri;
    (void)defaulted;
    r->depth++;
    if (r->depth <= 2 && !r->seen_parts)
        note_name_prefix(r, namespace_count, namespaces);
    if (r->depth == 1) {
        if (strcmp(element, "Deployment") != 0)
            give_up(user, "its root is not Deployment");
        r->seen_root = true;
    } else if (r->depth == 2 && strcmp(element, "Deployment.Parts") == 0) {
        enter_parts(user, prefix);
    } else if (r->depth == 2 && strcmp(element, "Deployment.ExternalParts") == 0) {
        r->in = IN_EXTERNAL;
    } else if (r->depth == 3 && r->in != IN_NOTHING) {
        bool is_part = r->in == IN_PARTS && strcmp(element, "AssemblyPart") == 0;
        if (r->in == IN_PARTS) { /* another one, too, shows where a part begins */
            size_t end = tag_start(r, consumed(user)), start = end;
            while (start > 0 && is_space(r->m->text.data[start - 1]))
                start--;
            r->m->before = bytes_of(r->m->text.data + start, end - start);
        }
        if (!is_part && (r->in != IN_EXTERNAL || strcmp(element, "ExtensionPart") != 0))
            return;
        for (int i = 0; i < attribute_count; i++) {
            const xmlChar **a = attributes + 5 * (size_t)i;
            if (!a[1] && strcmp((const char *)a[0], "Source") == 0)
                add_source(user, a[3], (size_t)(a[4] - a[3]), is_part);
        }
    }
}

static void on_end(void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri) {
    reading *r = reading_of(user);
    manifest *m = r->m;
    (void)name;
    (void)prefix;
    (void)uri;
    size_t at = consumed(user);
    if (r->depth == 3 && r->in == IN_PARTS)
        m->place = at;
    if (r->depth == 2 && r->in == IN_PARTS && m->place == 0) { /* without any part */
        m->is_empty = at >= 2 && m->text.data[at - 1] == '>' && m->text.data[at - 2] == '/';
        m->place = r->parts_open;
        if (m->is_empty) {
            m->place = at - 2;
            m->skip = 2;
        } else {
            while (m->place < at && m->text.data[m->place++] != '>')
                ;
        }
    }
    if (r->depth == 2) {
        r->in = IN_NOTHING;
        if (m->name_prefix && r->x_depth == 2 && !r->seen_parts)
            m->name_prefix = NULL;
    }
    r->depth--;
}

/* ---- Reading ---------------------------------------------------------------------------------------------------- */

static void parse(reading *r) {
    /* Without a document type there are the five entities of XML alone, which NOENT resolves in attributes. */
    const int options =
        XML_PARSE_NONET | XML_PARSE_NOENT | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_BIG_LINES;
    xmlParserCtxtPtr parser = r->xml.xmlNewParserCtxt();
    if (!parser) {
        r->no_memory = true;
        return;
    }
    parser->_private = r;
    *parser->sax = (xmlSAXHandler){
        .initialized = XML_SAX2_MAGIC,
        .serror = on_error,
        .internalSubset = on_document_type,
        .startElementNs = on_start,
        .endElementNs = on_end,
    };
    xmlDocPtr document =
        r->xml.xmlCtxtReadMemory(parser, (const char *)r->m->text.data, (int)r->m->text.size, NULL, NULL, options);
    if (!parser->wellFormed && r->status == ECMA_OK && !r->no_memory)
        r->status = diag_report(r->d, DIAG_XAP_MANIFEST, "AppManifest.xaml is not well-formed");
    if (document)
        r->xml.xmlFreeDoc(document);
    r->xml.xmlFreeParserCtxt(parser);
}

/* The parser converts another encoding, and its offsets are then not the document's. */
static const char *other_encoding(bytes text) {
    if (text.size >= 2 &&
        ((text.data[0] == 0xFE && text.data[1] == 0xFF) || (text.data[0] == 0xFF && text.data[1] == 0xFE)))
        return "UTF-16";
    if (memchr(text.data, 0, text.size < 4 ? text.size : 4))
        return "UTF-16 or UTF-32";
    bool mark = text.size >= 3 && memcmp(text.data, "\xEF\xBB\xBF", 3) == 0;
    bytes rest = mark ? bytes_of(text.data + 3, text.size - 3) : text;
    if (rest.size < 6 || memcmp(rest.data, "<?xml", 5) != 0)
        return NULL;
    const uint8_t *end = memmem(rest.data, rest.size, "?>", 2);
    const uint8_t *said = end ? memmem(rest.data, (size_t)(end - rest.data), "encoding", 8) : NULL;
    if (!said)
        return NULL;
    const uint8_t *at = said + 8;
    while (at < end && (is_space(*at) || *at == '='))
        at++;
    bool fits =
        end - at >= 7 && (strncasecmp((const char *)at + 1, "utf-8", 5) == 0) && (at[6] == '"' || at[6] == '\'');
    return fits ? NULL : "another encoding than UTF-8";
}

static ecma_status read_text(manifest *m, diag *d, bytes text, size_t most_parts) {
    reading r = {.m = m, .d = d, .most_parts = most_parts};
    *m = (manifest){.text = text, .memory = ARENA_INIT};
    const char *encoding = other_encoding(text);
    if (encoding)
        return diag_report(d, DIAG_XAP_MANIFEST, "AppManifest.xaml is in %s; save it as UTF-8", encoding);
    ecma_status status = xml_load(&r.xml, d);
    if (status)
        return status;
    parse(&r);
    if (r.no_memory)
        return diag_no_memory(d);
    if (r.status == ECMA_OK && !r.seen_root)
        return diag_report(d, DIAG_XAP_MANIFEST, "AppManifest.xaml has no Deployment");
    return r.status;
}

ecma_status manifest_read(manifest *m, diag *d, bytes text) {
    *m = MANIFEST_INIT;
    if (text.size == 0 || text.size > MANIFEST_BYTES)
        return diag_report(d, DIAG_XAP_MANIFEST, "AppManifest.xaml is %s", text.size ? "larger than 1 MiB" : "empty");
    return read_text(m, d, text, MANIFEST_PARTS);
}

void manifest_clear(manifest *m) {
    arena_clear(&m->memory);
    *m = MANIFEST_INIT;
}

bool manifest_has(const manifest *m, const char *source) {
    for (size_t i = 0; i < m->part_count; i++)
        if (strcasecmp(m->parts[i], source) == 0)
            return true;
    return false;
}

/* ---- One part more ---------------------------------------------------------------------------------------------- */

static bool lists_agree(const char *const *a, size_t count, const char *const *b) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(a[i], b[i]) != 0)
            return false;
    return true;
}

static bool reads_back(const manifest *m, bytes made, const char *name, bool *no_memory) {
    diag silent = {0};
    manifest again;
    ecma_status status = read_text(&again, &silent, made, MANIFEST_PARTS + 1);
    size_t size = strlen(name);
    *no_memory = status == ECMA_NO_MEMORY;
    bool fine = status == ECMA_OK && again.part_count == m->part_count + 1 &&
                again.extension_count == m->extension_count && lists_agree(m->parts, m->part_count, again.parts) &&
                lists_agree(m->extensions, m->extension_count, again.extensions) &&
                strncmp(again.parts[m->part_count], name, size) == 0 &&
                strcmp(again.parts[m->part_count] + size, ".dll") == 0;
    manifest_clear(&again);
    return fine;
}

ecma_status manifest_add(buffer *made, diag *d, const manifest *m, const char *name) {
    bool no_memory = false;
    buffer_append(made, m->text.data, m->place);
    if (m->is_empty)
        buffer_string(made, ">");
    buffer_append(made, m->before.data, m->before.size);
    buffer_printf(made, "<%sAssemblyPart ", m->element_prefix);
    if (m->name_prefix)
        buffer_printf(made, "%s:Name=\"%s\" ", m->name_prefix, name);
    buffer_printf(made, "Source=\"%s.dll\" />", name);
    if (m->is_empty)
        buffer_printf(made, "</%sDeployment.Parts>", m->element_prefix);
    buffer_append(made, m->text.data + m->place + m->skip, m->text.size - m->place - m->skip);
    if (made->failed)
        return diag_no_memory(d);
    if (reads_back(m, buffer_bytes(made), name, &no_memory))
        return ECMA_OK;
    return no_memory ? diag_no_memory(d)
                     : diag_report(d, DIAG_READ_BACK, "AppManifest.xaml does not read back with the tracker in it");
}
