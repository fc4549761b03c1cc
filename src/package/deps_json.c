#include "package/deps_json.h"

#include "package/host_json.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

/* Two views of one text: the parsed document says what is there and whether it is JSON at all; the scanner finds where.
 * The scanner is only used on text that has been parsed, and still never leaves it. */

/* ---- Parsing --------------------------------------------------------------------------------------------------- */

/* A text as the host reads it (host_json.h). */
typedef struct document {
    uint8_t *copy;
    bytes clean;  /* the copy: places in it are places in the text */
    json_t *root; /* NULL: `error` says why, or no memory */
    json_error_t error;
} document;

/* The last one of equal keys stands in the document, the first one is found in the text: a change of such is one that
 * does not read back. Integers of any size are taken; no number is ever written back. */
static void document_open(document *d, bytes text) {
    *d = (document){.copy = text.size <= DEPS_JSON_MAX_BYTES ? host_json_copy(text) : NULL};
    if (!d->copy)
        return;
    d->clean = bytes_of(d->copy, text.size);
    d->root = json_loadb((const char *)d->copy, text.size, JSON_DECODE_INT_AS_REAL | JSON_ALLOW_NUL, &d->error);
}

static void document_close(document *d) {
    json_decref(d->root);
    free(d->copy);
}

static deps_json_outcome unusable(char *problem, const char *text) {
    snprintf(problem, DEPS_JSON_PROBLEM_BYTES, "%s", text);
    return DEPS_JSON_UNUSABLE;
}

/* ---- The document ---------------------------------------------------------------------------------------------- */

static bool is_file(const char *asset, const char *file_name) {
    const char *slash = strrchr(asset, '/');
    return strcmp(slash ? slash + 1 : asset, file_name) == 0;
}

static bool library_lists(const json_t *library, const char *file_name) {
    json_t *runtime = json_object_get(library, "runtime");
    for (void *i = json_object_iter(runtime); i; i = json_object_iter_next(runtime, i))
        if (is_file(json_object_iter_key(i), file_name))
            return true;
    return false;
}

/* The name of the first library that lists the file, or NULL. */
static const char *who_lists(json_t *target, const char *file_name) {
    for (void *i = json_object_iter(target); i; i = json_object_iter_next(target, i))
        if (library_lists(json_object_iter_value(i), file_name))
            return json_object_iter_key(i);
    return NULL;
}

static deps_owner owner_of(const json_t *root, const char *library) {
    const char *type =
        json_string_value(json_object_get(json_object_get(json_object_get(root, "libraries"), library), "type"));
    if (type && strcmp(type, "project") == 0)
        return DEPS_OWNER_PROJECT;
    return type && strcmp(type, "reference") == 0 ? DEPS_OWNER_REFERENCE : DEPS_OWNER_PACKAGE;
}

static bool is_project(const json_t *root, const char *library) {
    return owner_of(root, library) == DEPS_OWNER_PROJECT;
}

/* The name of the app's own library, or NULL. */
static const char *app_library(const json_t *root, json_t *target, const deps_json_options *options) {
    size_t length = strlen(options->app);
    const char *project = NULL;
    for (void *i = json_object_iter(target); i; i = json_object_iter_next(target, i)) {
        const char *name = json_object_iter_key(i);
        if (strncmp(name, options->app, length) == 0 && name[length] == '/')
            return name;
        if (!project && is_project(root, name))
            project = name;
    }
    return project || !options->assembly ? project : who_lists(target, options->assembly);
}

/* Returns the target's name, or NULL with the reason in `problem`. */
static const char *target_name(const json_t *root, char *problem) {
    const json_t *runtime_target = json_object_get(root, "runtimeTarget");
    const char *name =
        json_string_value(json_is_string(runtime_target) ? runtime_target : json_object_get(runtime_target, "name"));
    if (!json_is_object(root))
        unusable(problem, "it is not a JSON object");
    else if (!name)
        unusable(problem, "runtimeTarget has no name");
    else if (!json_is_object(json_object_get(json_object_get(root, "targets"), name)))
        unusable(problem, "targets has no object of the runtimeTarget's name");
    else
        return name;
    return NULL;
}

bool deps_json_is_usable(bytes text) {
    char problem[DEPS_JSON_PROBLEM_BYTES];
    document d;
    document_open(&d, text);
    bool usable = d.root && target_name(d.root, problem);
    document_close(&d);
    return usable;
}

deps_owner deps_json_owner(bytes text, const char *file_name) {
    char problem[DEPS_JSON_PROBLEM_BYTES];
    document d;
    document_open(&d, text);
    const char *name = d.root ? target_name(d.root, problem) : NULL;
    json_t *target = name ? json_object_get(json_object_get(d.root, "targets"), name) : NULL;
    deps_owner owner = DEPS_OWNER_NONE;
    for (void *i = json_object_iter(target); i && owner != DEPS_OWNER_PACKAGE; i = json_object_iter_next(target, i))
        if (library_lists(json_object_iter_value(i), file_name)) {
            const deps_owner one = owner_of(d.root, json_object_iter_key(i));
            owner = one > owner ? one : owner;
        }
    document_close(&d);
    return owner;
}

/* ---- Where it stands in the text ------------------------------------------------------------------------------- */

typedef struct member {
    bytes key; /* with its quotes, as written */
    bytes value;
} member;

static bool is_space(uint8_t c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_space(reader *r) {
    while (r->at < r->end && is_space(*r->at))
        r->at++;
}

static void skip_string(reader *r) {
    uint8_t c = reader_u8(r);
    while (!r->failed && (c = reader_u8(r)) != '"')
        if (c == '\\')
            reader_skip(r, 1);
}

static void skip_value(reader *r) {
    size_t depth = 0;
    do {
        skip_space(r);
        if (r->at == r->end)
            return;
        uint8_t c = *r->at;
        if (c == '"') {
            skip_string(r);
            continue;
        }
        if (c == '}' || c == ']')
            depth -= depth > 0;
        else if (c == '{' || c == '[')
            depth++;
        else if (depth == 0) /* a number or a word: up to what ends it */
            while (r->at + 1 < r->end && !is_space(r->at[1]) && !strchr(",]}", r->at[1]))
                r->at++;
        r->at++;
    } while (depth > 0);
}

/* Starts after the '{' of an object's text. */
static reader members_of(bytes object) {
    reader r = reader_of(object);
    reader_skip(&r, 1);
    return r;
}

static bool next_member(reader *r, member *m) {
    skip_space(r);
    if (r->at < r->end && *r->at == ',')
        r->at++;
    skip_space(r);
    if (r->at == r->end || *r->at != '"')
        return false;
    const uint8_t *start = r->at;
    skip_string(r);
    m->key = bytes_of(start, (size_t)(r->at - start));
    skip_space(r);
    reader_skip(r, 1);
    skip_space(r);
    start = r->at;
    skip_value(r);
    m->value = bytes_of(start, (size_t)(r->at - start));
    return !r->failed;
}

/* Whether a key as written, with its quotes and escapes, is `name`. */
static bool key_is(bytes key, const char *name) {
    json_t *decoded = json_loadb((const char *)key.data, key.size, JSON_DECODE_ANY, NULL);
    bool same = json_is_string(decoded) && strcmp(json_string_value(decoded), name) == 0;
    json_decref(decoded);
    return same;
}

static bool find_member(bytes object, const char *name, bytes *value) {
    reader r = members_of(object);
    member m;
    while (next_member(&r, &m))
        if (key_is(m.key, name)) {
            *value = m.value;
            return true;
        }
    return false;
}

/* ---- How an object is set out ---------------------------------------------------------------------------------- */

typedef struct style {
    bytes line;  /* before each member: a newline and indentation, or what there is */
    bytes unit;  /* by how much members of members are indented further */
    bytes colon; /* between a key and its value */
} style;

/* The white space that ends at `end`, from its last newline on. */
static bytes space_before(const uint8_t *start, const uint8_t *end) {
    const uint8_t *at = end;
    while (at > start && is_space(at[-1])) {
        at--;
        if (*at == '\n') {
            at -= at > start && at[-1] == '\r';
            break;
        }
    }
    return bytes_of(at, (size_t)(end - at));
}

/* For an object with at least one member. */
static style style_of(bytes object) {
    reader r = members_of(object);
    member first = {{NULL, 0}, {NULL, 0}};
    next_member(&r, &first);
    const uint8_t *key_end = first.key.data + first.key.size;
    style s = {
        .line = space_before(object.data, first.key.data),
        .colon = bytes_of(key_end, (size_t)(first.value.data - key_end)),
    };
    bytes close = space_before(object.data, object.data + object.size - 1);
    if (s.line.size > close.size && memcmp(s.line.data, close.data, close.size) == 0)
        s.unit = bytes_of(s.line.data + close.size, s.line.size - close.size);
    return s;
}

static void put_line(buffer *b, const style *s, unsigned level) {
    buffer_append(b, s->line.data, s->line.size);
    while (level-- > 0)
        buffer_append(b, s->unit.data, s->unit.size);
}

static void put_asset(buffer *b, const style *s, unsigned level, const char *quoted) {
    put_line(b, s, level);
    buffer_string(b, quoted);
    buffer_append(b, s->colon.data, s->colon.size);
    buffer_string(b, "{}");
}

static void put_runtime(buffer *b, const style *s, unsigned level, const char *quoted) {
    put_line(b, s, level);
    buffer_string(b, "\"runtime\"");
    buffer_append(b, s->colon.data, s->colon.size);
    buffer_string(b, "{");
    put_asset(b, s, level + 1, quoted);
    put_line(b, s, level);
    buffer_string(b, "}");
}

/* ---- The change ------------------------------------------------------------------------------------------------ */

/* Where the last member of an object ends; false when it has none. */
static bool last_member_end(bytes object, const uint8_t **end) {
    reader r = members_of(object);
    member m;
    bool any = false;
    while (next_member(&r, &m)) {
        *end = m.value.data + m.value.size;
        any = true;
    }
    return any;
}

/* A new text between `from`, where a kept part ends, and `to`, where the next one starts. */
typedef struct splice {
    const uint8_t *from, *to;
    buffer added;
} splice;

/* Lists the asset, its name given in quotes, in a library of the target. */
static void list_asset(splice *s, bytes target, bytes library, const char *quoted) {
    bytes runtime;
    style look;
    if (find_member(library, "runtime", &runtime)) {
        if (last_member_end(runtime, &s->from)) {
            s->to = s->from;
            look = style_of(runtime);
            buffer_string(&s->added, ",");
            put_asset(&s->added, &look, 0, quoted);
        } else {
            s->from = runtime.data + 1;
            s->to = runtime.data + runtime.size - 1;
            look = style_of(library);
            put_asset(&s->added, &look, 1, quoted);
            put_line(&s->added, &look, 0);
        }
    } else if (last_member_end(library, &s->from)) {
        s->to = s->from;
        look = style_of(library);
        buffer_string(&s->added, ",");
        put_runtime(&s->added, &look, 0, quoted);
    } else {
        s->from = library.data + 1;
        s->to = library.data + library.size - 1;
        look = style_of(target);
        put_runtime(&s->added, &look, 1, quoted);
        put_line(&s->added, &look, 0);
    }
}

/* One member more, on one line: its name, in quotes, and its value. */
static void put_member(splice *s, bytes object, const char *quoted, const char *value) {
    if (last_member_end(object, &s->from)) {
        style look = style_of(object);
        buffer_string(&s->added, ",");
        put_line(&s->added, &look, 0);
    } else {
        s->from = object.data + 1;
    }
    s->to = s->from;
    buffer_string(&s->added, quoted);
    buffer_string(&s->added, ": ");
    buffer_string(&s->added, value);
}

/* The text with what was added; places are those in `clean`. */
static void put_splices(buffer *b, bytes text, bytes clean, splice *first, splice *second) {
    if (second->from && second->from < first->from) {
        splice *other = first;
        first = second;
        second = other;
    }
    size_t kept = 0;
    splice *const both[] = {first, second};
    for (size_t i = 0; i < 2; i++) {
        if (both[i]->from) {
            size_t from = (size_t)(both[i]->from - clean.data);
            buffer_append(b, text.data + kept, from - kept);
            buffer_append(b, both[i]->added.data, both[i]->added.size);
            kept = (size_t)(both[i]->to - clean.data);
        }
        b->failed |= both[i]->added.failed;
    }
    buffer_append(b, text.data + kept, text.size - kept);
}

/* ---- The change ------------------------------------------------------------------------------------------------ */

/* A library of its own, as the SDK has one for a reference: {"NAME/1.0.0": {"runtime": {"NAME.dll": {}}}}. */
static const char library_facts[] = "{\"type\": \"reference\", \"serviceable\": false, \"sha512\": \"\"}";

typedef struct change {
    bytes text;
    const document *document;
    json_t *target;           /* within it */
    const char *target_name;  /* of it */
    const char *library_name; /* of the app's own library; NULL: there is none */
    char *asset;              /* in quotes */
    char *library;            /* of the tracker, in quotes */
    char *value;              /* that library's */
} change;

/* Appends the changed text, and makes the change in the document as well. */
static bool make_change(buffer *b, const change *c, const char *asset, const char *library) {
    json_t *root = c->document->root;
    bytes clean = c->document->clean, at_targets, at_target, at_library, at_libraries;
    splice first = {.added = BUFFER_INIT}, second = {.added = BUFFER_INIT};
    reader r = reader_of(clean);
    skip_space(&r);
    bytes at_root = bytes_of(r.at, reader_left(&r));
    bool found = find_member(at_root, "targets", &at_targets) && find_member(at_targets, c->target_name, &at_target);
    bool made = true;
    if (found && c->library_name) {
        json_t *own = json_object_get(c->target, c->library_name), *runtime = json_object_get(own, "runtime");
        found = find_member(at_target, c->library_name, &at_library);
        if (found)
            list_asset(&first, at_target, at_library, c->asset);
        if (!runtime && json_object_set_new(own, "runtime", json_object()) == 0)
            runtime = json_object_get(own, "runtime");
        made = json_object_set_new(runtime, asset, json_object()) == 0;
    } else if (found) {
        json_t *libraries = json_object_get(root, "libraries");
        put_member(&first, at_target, c->library, c->value);
        made = json_object_set_new(c->target, library, json_loads(c->value, 0, NULL)) == 0;
        if (find_member(at_root, "libraries", &at_libraries)) {
            put_member(&second, at_libraries, c->library, library_facts);
        } else {
            buffer value = BUFFER_INIT;
            buffer_string(&value, "{");
            buffer_string(&value, c->library);
            buffer_string(&value, ": ");
            buffer_string(&value, library_facts);
            buffer_append(&value, "}", 2); /* ended by a zero */
            if (!value.failed)
                put_member(&second, at_root, "\"libraries\"", (const char *)value.data);
            made = made && !value.failed && json_object_set_new(root, "libraries", json_object()) == 0;
            libraries = json_object_get(root, "libraries");
            buffer_clear(&value);
        }
        made = made && json_object_set_new(libraries, library, json_loads(library_facts, 0, NULL)) == 0;
    }
    if (found)
        put_splices(b, c->text, clean, &first, &second);
    buffer_clear(&first.added);
    buffer_clear(&second.added);
    return found && made;
}

/* True if the text says what the document does. */
static bool reads_back(bytes patched, json_t *root) {
    document again;
    document_open(&again, patched);
    bool same = json_equal(again.root, root) == 1;
    document_close(&again);
    return same;
}

/* In quotes, as JSON has it; NULL: no memory. */
static char *quoted(const char *text) {
    json_t *string = json_string(text);
    char *result = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
    json_decref(string);
    return result;
}

/* Appends the map of assets for single systems; false: no memory. */
static bool put_native_form(buffer *b, const deps_json_options *options) {
    buffer path = BUFFER_INIT;
    buffer_printf(&path, DEPS_NATIVE_ASSET, options->rid, options->asset);
    buffer_u8(&path, 0);
    char *asset = path.failed ? NULL : quoted((const char *)path.data), *rid = quoted(options->rid);
    if (asset && rid)
        buffer_printf(b, ", \"runtimeTargets\": {%s: {\"rid\": %s, \"assetType\": \"runtime\"}}", asset, rid);
    bool put = asset && rid;
    free(asset);
    free(rid);
    buffer_clear(&path);
    return put;
}

static deps_json_outcome change_text(buffer *made, char *problem, change *c, const deps_json_options *options) {
    buffer library = BUFFER_INIT, value = BUFFER_INIT;
    const char *dot = strrchr(options->asset, '.');
    buffer_append(&library, options->asset, dot ? (size_t)(dot - options->asset) : strlen(options->asset));
    buffer_append(&library, "/1.0.0", sizeof "/1.0.0");
    c->asset = quoted(options->asset);
    c->library = library.failed ? NULL : quoted((const char *)library.data);
    buffer_string(&value, "{\"runtime\": {");
    if (c->asset)
        buffer_string(&value, c->asset);
    buffer_string(&value, ": {}}");
    bool put = !options->rid || put_native_form(&value, options);
    buffer_append(&value, "}", 2); /* ended by a zero */
    c->value = (char *)value.data;
    deps_json_outcome outcome = DEPS_JSON_NO_MEMORY;
    if (c->asset && c->library && put && !value.failed) {
        const char *name = (const char *)library.data;
        bool taken =
            json_object_get(c->target, name) || json_object_get(json_object_get(c->document->root, "libraries"), name);
        if (options->rid && !taken)
            c->library_name = NULL;
        taken = taken && !c->library_name;
        bool changed = !taken && make_change(made, c, options->asset, name);
        if (made->failed)
            outcome = DEPS_JSON_NO_MEMORY;
        else if (!changed || !reads_back(buffer_bytes(made), c->document->root))
            outcome = unusable(problem, "its text does not read back as planned");
        else
            outcome = DEPS_JSON_ADDED;
    }
    free(c->asset);
    free(c->library);
    buffer_clear(&library);
    buffer_clear(&value);
    return outcome;
}

static deps_json_outcome add(buffer *made, char *problem, bytes text, const document *d,
                             const deps_json_options *options) {
    change c = {.text = text, .document = d, .target_name = target_name(d->root, problem)};
    if (!c.target_name)
        return DEPS_JSON_UNUSABLE;
    c.target = json_object_get(json_object_get(d->root, "targets"), c.target_name);
    if (options->assembly && !who_lists(c.target, options->assembly))
        return DEPS_JSON_NOT_LISTED;
    if (who_lists(c.target, options->asset))
        return DEPS_JSON_PRESENT;
    c.library_name = app_library(d->root, c.target, options);
    json_t *library = c.library_name ? json_object_get(c.target, c.library_name) : NULL;
    json_t *runtime = json_object_get(library, "runtime"), *libraries = json_object_get(d->root, "libraries");
    if (library && (!json_is_object(library) || (runtime && !json_is_object(runtime))))
        return unusable(problem, "the app's own library, or its runtime map, is not an object");
    if (libraries && !json_is_object(libraries))
        return unusable(problem, "libraries is not an object");
    json_t *asset = json_string(options->asset);
    if (!asset)
        return unusable(problem, "the name to add is not UTF-8");
    json_decref(asset);
    return change_text(made, problem, &c, options);
}

deps_json_outcome deps_json_add(buffer *patched, char *problem, bytes text, const deps_json_options *options) {
    if (text.size > DEPS_JSON_MAX_BYTES)
        return unusable(problem, "it is larger than 64 MiB");
    document d;
    document_open(&d, text);
    if (!d.root) {
        bool no_memory = !d.copy || json_error_code(&d.error) == json_error_out_of_memory;
        if (!no_memory)
            snprintf(problem, DEPS_JSON_PROBLEM_BYTES, "not JSON: line %d, column %d: %s", d.error.line, d.error.column,
                     d.error.text);
        document_close(&d);
        return no_memory ? DEPS_JSON_NO_MEMORY : DEPS_JSON_UNUSABLE;
    }
    buffer made = BUFFER_INIT;
    deps_json_outcome outcome = add(&made, problem, text, &d, options);
    if (outcome == DEPS_JSON_ADDED) {
        buffer_append(patched, made.data, made.size);
        if (patched->failed)
            outcome = DEPS_JSON_NO_MEMORY;
    }
    buffer_clear(&made);
    document_close(&d);
    return outcome;
}

/* The depth is the parser's: at most 2,048. */
static bool covers(const json_t *whole, json_t *part) {
    if (!json_is_object(part))
        return json_equal(whole, part) == 1;
    if (!json_is_object(whole))
        return false;
    for (void *i = json_object_iter(part); i; i = json_object_iter_next(part, i)) {
        json_t *mine = json_object_get(whole, json_object_iter_key(i));
        if (!mine || !covers(mine, json_object_iter_value(i)))
            return false;
    }
    return true;
}

bool deps_json_covers(bytes whole, bytes part) {
    document a, b;
    document_open(&a, whole);
    document_open(&b, part);
    bool result = json_is_object(a.root) && json_is_object(b.root) && covers(a.root, b.root);
    document_close(&a);
    document_close(&b);
    return result;
}
