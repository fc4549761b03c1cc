#include "select/config.h"

#include "base/buffer.h"
#include "platform/os.h"
#include "platform/xml.h"

#include <stdlib.h>

extern const uint8_t config_schema_start[], config_schema_end[]; /* config_schema.S */

/* ---- Errors ---------------------------------------------------------------------------------------------------- */

typedef struct reading {
    xml_library xml;
    ilj_selection *selection;
    ilj_context *context;
    const char *path; /* in the selection's arena */
    unsigned errors;
    bool no_memory;
} reading;

static void tell(reading *r, unsigned line, const char *text) {
    if (r->errors++ >= CONFIG_ERRORS)
        return;
    char place[SELECTION_PLACE];
    diag d = selection_diag(r->context, place, r->path, line);
    diag_report(&d, DIAG_CONFIG, "%.*s", (int)strcspn(text, "\n"), text);
}

static void tell_error(reading *r, const xmlError *error) {
    if (error->code == XML_ERR_NO_MEMORY)
        r->no_memory = true;
    else if (error->level != XML_ERR_WARNING)
        tell(r, error->line > 0 ? (unsigned)error->line : 0, error->message ? error->message : "not well-formed");
}

static void on_schema_error(void *user, xmlErrorPtr error) {
    tell_error(user, error);
}

/* The parser's handlers get the parser; its _private is the reading. */
static void on_parser_error(void *user, xmlErrorPtr error) {
    reading *r = ((xmlParserCtxtPtr)user)->_private;
    if (r->errors == 0) /* what follows the first one is mostly its consequence */
        tell_error(r, error);
}

static void on_document_type(void *user, const xmlChar *name, const xmlChar *external, const xmlChar *system) {
    xmlParserCtxtPtr parser = user;
    reading *r = parser->_private;
    (void)name;
    (void)external;
    (void)system;
    tell(r, parser->input ? (unsigned)parser->input->line : 0, "a document type (<!DOCTYPE ...>) is not taken");
    r->xml.xmlStopParser(parser);
}

/* ---- From bytes to a document that the schema accepts ----------------------------------------------------------- */

static xmlDocPtr parse(reading *r, bytes content) {
    const int options = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_NOCDATA |
                        XML_PARSE_BIG_LINES | XML_PARSE_NOBLANKS;
    xmlParserCtxtPtr parser = r->xml.xmlNewParserCtxt();
    if (!parser) {
        r->no_memory = true;
        return NULL;
    }
    parser->_private = r;
    parser->sax->serror = on_parser_error;
    parser->sax->internalSubset = on_document_type;
    xmlDocPtr document =
        r->xml.xmlCtxtReadMemory(parser, (const char *)content.data, (int)content.size, NULL, NULL, options);
    if (!document && r->errors == 0 && !r->no_memory)
        tell(r, 0, "not well-formed");
    r->xml.xmlFreeParserCtxt(parser);
    return document;
}

static void validate(reading *r, xmlDocPtr document) {
    const xml_library *xml = &r->xml;
    xmlSchemaValidCtxtPtr validator = NULL;
    xmlSchemaPtr schema = NULL;
    xmlSchemaParserCtxtPtr parser = xml->xmlSchemaNewMemParserCtxt(
        (const char *)config_schema_start, (int)((uintptr_t)config_schema_end - (uintptr_t)config_schema_start));
    if (parser) {
        xml->xmlSchemaSetParserStructuredErrors(parser, on_schema_error, r);
        schema = xml->xmlSchemaParse(parser);
    }
    if (schema)
        validator = xml->xmlSchemaNewValidCtxt(schema);
    if (validator) {
        xml->xmlSchemaSetValidStructuredErrors(validator, on_schema_error, r);
        if (xml->xmlSchemaValidateDoc(validator, document) != 0 && r->errors == 0 && !r->no_memory)
            tell(r, 0, "it is not what the schema asks for");
        xml->xmlSchemaFreeValidCtxt(validator);
    } else if (r->errors == 0) {
        r->no_memory = true;
    }
    if (schema)
        xml->xmlSchemaFree(schema);
    if (parser)
        xml->xmlSchemaFreeParserCtxt(parser);
}

/* ---- From the document to rules -------------------------------------------------------------------------------- */

static bool is_named(const xmlNode *node, const char *name) {
    return node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, name) == 0;
}

/* An attribute's value, terminated, in `value`; NULL when it is not there. */
static const char *attribute(buffer *value, const xmlNode *node, const char *name) {
    for (const xmlAttr *a = node->properties; a; a = a->next) {
        if (a->ns || strcmp((const char *)a->name, name) != 0)
            continue;
        value->size = 0;
        for (const xmlNode *text = a->children; text; text = text->next)
            if (text->content)
                buffer_string(value, (const char *)text->content);
        buffer_u8(value, 0);
        return value->failed ? NULL : (const char *)value->data;
    }
    return NULL;
}

static ilj_exits exits_of(buffer *value, const xmlNode *node) {
    const char *text = attribute(value, node, "exits");
    return !text ? ILJ_EXITS_DEFAULT : strcmp(text, "ret") == 0 ? ILJ_EXITS_RET : ILJ_EXITS_GUARDED;
}

static ecma_status take_rule(reading *r, buffer *value, const xmlNode *node) {
    long line = r->xml.xmlGetLineNo(node);
    const char *text = attribute(value, node, "pattern");
    char place[SELECTION_PLACE];
    diag d = selection_diag(r->context, place, r->path, line > 0 ? (unsigned)line : 0);
    if (!text)
        return diag_no_memory(&d); /* the schema asked for it */
    ecma_status status =
        selection_add(r->selection, &d, is_named(node, "include"), text, r->path, line > 0 ? (unsigned)line : 0);
    if (status == ECMA_OK)
        r->selection->rules[r->selection->rule_count - 1].exits = exits_of(value, node);
    return status;
}

static ecma_status take_capture(reading *r, buffer *value, const xmlNode *node) {
    long line = r->xml.xmlGetLineNo(node);
    char place[SELECTION_PLACE];
    diag d = selection_diag(r->context, place, r->path, line > 0 ? (unsigned)line : 0);
    buffer values = BUFFER_INIT;
    const char *asked = attribute(&values, node, "values"), *text = attribute(value, node, "pattern");
    ecma_status status = !text                    ? diag_no_memory(&d)
                         : is_named(node, "mask") ? selection_add_mask(r->selection, &d, text)
                                                  : selection_add_capture(r->selection, &d, text, asked ? asked : "",
                                                                          r->path, line > 0 ? (unsigned)line : 0);
    buffer_clear(&values);
    return status;
}

/* Each file's leaves come after those of the files before it. */
static ecma_status take_leaves(reading *r, const xmlNode *node) {
    buffer value = BUFFER_INIT;
    ecma_status status = ECMA_OK;
    for (const xmlNode *child = node->children; child && status != ECMA_NO_MEMORY; child = child->next) {
        if (!is_named(child, "leaf"))
            continue;
        long line = r->xml.xmlGetLineNo(child);
        char place[SELECTION_PLACE];
        diag d = selection_diag(r->context, place, r->path, line > 0 ? (unsigned)line : 0);
        const char *text = attribute(&value, child, "pattern");
        ecma_status one =
            text ? leaf_patterns_add(&r->selection->leaves, &r->selection->arena, &d, text, r->path,
                                     line > 0 ? (unsigned)line : 0)
                 : diag_no_memory(&d);
        status = one ? one : status;
    }
    buffer_clear(&value);
    return status;
}

static ecma_status take_calls(reading *r, const xmlNode *node) {
    buffer value = BUFFER_INIT;
    ecma_status status = ECMA_OK;
    for (const xmlNode *child = node->children; child && status != ECMA_NO_MEMORY; child = child->next)
        if (is_named(child, "capture") || is_named(child, "mask")) {
            ecma_status one = take_capture(r, &value, child);
            status = one ? one : status;
        }
    buffer_clear(&value);
    return status;
}

/* Every rule is looked at, so that all that is wrong is reported at once. */
static ecma_status take_rules(reading *r, const xmlNode *node) {
    buffer value = BUFFER_INIT;
    ecma_status status = ECMA_OK;
    for (const xmlNode *child = node->children; child && status != ECMA_NO_MEMORY; child = child->next)
        if (is_named(child, "include") || is_named(child, "exclude")) {
            ecma_status one = take_rule(r, &value, child);
            status = one ? one : status;
        }
    buffer_clear(&value);
    return status;
}

static ecma_status take_selection(reading *r, const xmlNode *node) {
    buffer value = BUFFER_INIT;
    ilj_selection *s = r->selection;
    const char *text = attribute(&value, node, "min-il-size");
    if (text)
        s->min_il_size = (uint32_t)strtoul(text, NULL, 10);
    if ((text = attribute(&value, node, "skip-trivial-accessors")))
        s->skip_trivial_accessors = strcmp(text, "yes") == 0;
    if ((text = attribute(&value, node, "compiler-generated")))
        s->leave_out_compiler_generated = strcmp(text, "no") == 0;
    buffer_clear(&value);
    return take_rules(r, node);
}

/* A choice for a price has excludes alone, which stand after all other rules. */
static ecma_status take_choice(reading *r, const xmlNode *node) {
    uint32_t before = r->selection->rule_count;
    ecma_status status = take_rules(r, node);
    for (uint32_t i = before; i < r->selection->rule_count; i++)
        r->selection->rules[i].chosen = true;
    return status;
}

static ecma_status take(reading *r, xmlDocPtr document) {
    ecma_status status = ECMA_OK;
    const xmlNode *root = r->xml.xmlDocGetRootElement(document);
    buffer value = BUFFER_INIT;
    ilj_exits exits = exits_of(&value, root);
    if (exits) /* else what an earlier file says holds */
        r->selection->exits = exits;
    const char *text = attribute(&value, root, "exceptions");
    if (text)
        r->selection->exceptions = strcmp(text, "full") == 0 ? ILJ_EXCEPTIONS_FULL : ILJ_EXCEPTIONS_PATHS;
    text = attribute(&value, root, "counts");
    r->selection->counts = text && strcmp(text, "yes") == 0;
    text = attribute(&value, root, "allocations");
    r->selection->allocations = text && strcmp(text, "yes") == 0;
    text = attribute(&value, root, "command-texts");
    r->selection->command_texts = text && strcmp(text, "yes") == 0;
    buffer_clear(&value);
    for (const xmlNode *child = root->children; child; child = child->next)
        if (is_named(child, "selection") && status == ECMA_OK)
            status = take_selection(r, child);
        else if (is_named(child, "choice") && status == ECMA_OK)
            status = take_choice(r, child);
        else if (is_named(child, "calls") && status == ECMA_OK)
            status = take_calls(r, child);
        else if (is_named(child, "leaves") && status == ECMA_OK)
            status = take_leaves(r, child);
    return status;
}

ecma_status config_read_bytes(ilj_selection *s, ilj_context *context, const char *path, bytes content) {
    reading r = {.selection = s, .context = context};
    diag d = context_diag(context, path);
    size_t size = strlen(path) + 1;
    char *copy = arena_alloc(&s->arena, size);
    if (!copy)
        return diag_no_memory(&d);
    memcpy(copy, path, size);
    r.path = copy;
    if (content.size == 0 || content.size > CONFIG_BYTES)
        return diag_report(&d, DIAG_CONFIG, content.size ? "it is larger than 8 MiB" : "it is empty");
    ecma_status status = xml_load(&r.xml, &d);
    if (status)
        return status;
    xmlDocPtr document = parse(&r, content);
    if (document && r.errors == 0)
        validate(&r, document);
    status = r.no_memory ? diag_no_memory(&d) : r.errors || !document ? ECMA_CONFIG : take(&r, document);
    if (r.errors > CONFIG_ERRORS)
        diag_report(&d, DIAG_CONFIG, "%u more errors", r.errors - CONFIG_ERRORS);
    if (document)
        r.xml.xmlFreeDoc(document);
    return status;
}

ecma_status config_read(ilj_selection *s, ilj_context *context, const char *path) {
    diag d = context_diag(context, path);
    os_map map = OS_MAP_INIT;
    ecma_status status = os_read_file(&map, &d, path);
    if (status)
        return status;
    status = config_read_bytes(s, context, path, map.content);
    os_unmap(&map);
    return status;
}
