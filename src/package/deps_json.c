#include "package/deps_json.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

/* Two views of one text: the parsed document says what is there and whether it is JSON at all; the scanner finds where.
 * The scanner is only used on text that has been parsed, and still never leaves it. */

/* ---- Parsing --------------------------------------------------------------------------------------------------- */

static bytes without_mark(bytes text) {
    if (text.size >= 3 && memcmp(text.data, "\xEF\xBB\xBF", 3) == 0)
        return (bytes){text.data + 3, text.size - 3};
    return text;
}

static json_t *parse(bytes text, json_error_t *error) {
    /* Integers of any size are taken; no number is ever written back. */
    return json_loadb(text.size ? (const char *)text.data : "", text.size,
                      JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL | JSON_ALLOW_NUL, error);
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

static bool is_project(const json_t *document, const char *library) {
    const char *type =
        json_string_value(json_object_get(json_object_get(json_object_get(document, "libraries"), library), "type"));
    return type && strcmp(type, "project") == 0;
}

/* The name of the app's own library, or NULL. */
static const char *app_library(const json_t *document, json_t *target, const deps_json_options *options) {
    size_t length = strlen(options->app);
    const char *project = NULL;
    for (void *i = json_object_iter(target); i; i = json_object_iter_next(target, i)) {
        const char *name = json_object_iter_key(i);
        if (strncmp(name, options->app, length) == 0 && name[length] == '/')
            return name;
        if (!project && is_project(document, name))
            project = name;
    }
    return project || !options->assembly ? project : who_lists(target, options->assembly);
}

/* The target's name, or NULL with the problem told. */
static const char *target_name(const json_t *document, char *problem) {
    const json_t *runtime_target = json_object_get(document, "runtimeTarget");
    const char *name =
        json_string_value(json_is_string(runtime_target) ? runtime_target : json_object_get(runtime_target, "name"));
    if (!json_is_object(document))
        unusable(problem, "it is not a JSON object");
    else if (!name)
        unusable(problem, "runtimeTarget has no name");
    else if (!json_is_object(json_object_get(json_object_get(document, "targets"), name)))
        unusable(problem, "targets has no object of the runtimeTarget's name");
    else
        return name;
    return NULL;
}

bool deps_json_is_usable(bytes text) {
    char problem[DEPS_JSON_PROBLEM_BYTES];
    json_error_t error;
    json_t *document = text.size <= DEPS_JSON_MAX_BYTES ? parse(without_mark(text), &error) : NULL;
    bool usable = document && target_name(document, problem);
    json_decref(document);
    return usable;
}

deps_owner deps_json_owner(bytes text, const char *file_name) {
    char problem[DEPS_JSON_PROBLEM_BYTES];
    json_error_t error;
    json_t *document = text.size <= DEPS_JSON_MAX_BYTES ? parse(without_mark(text), &error) : NULL;
    const char *name = document ? target_name(document, problem) : NULL;
    json_t *target = name ? json_object_get(json_object_get(document, "targets"), name) : NULL;
    deps_owner owner = DEPS_OWNER_NONE;
    for (void *i = json_object_iter(target); i && owner != DEPS_OWNER_PACKAGE; i = json_object_iter_next(target, i))
        if (library_lists(json_object_iter_value(i), file_name))
            owner = is_project(document, json_object_iter_key(i)) ? DEPS_OWNER_PROJECT : DEPS_OWNER_PACKAGE;
    json_decref(document);
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

/* Appends the text with the asset, its name given in quotes, listed in the library. */
static bool insert(buffer *b, bytes text, const char *target, const char *library, const char *quoted) {
    bytes root = without_mark(text), at_targets, at_target, at_library, at_runtime;
    reader r = reader_of(root);
    skip_space(&r);
    root = bytes_of(r.at, reader_left(&r));
    if (!find_member(root, "targets", &at_targets) || !find_member(at_targets, target, &at_target) ||
        !find_member(at_target, library, &at_library))
        return false;

    buffer added = BUFFER_INIT;
    style s;
    /* The addition goes between `from`, where the kept head ends, and `to`, where the kept tail starts. */
    const uint8_t *from = NULL, *to = NULL;
    if (find_member(at_library, "runtime", &at_runtime)) {
        if (last_member_end(at_runtime, &from)) {
            to = from;
            s = style_of(at_runtime);
            buffer_string(&added, ",");
            put_asset(&added, &s, 0, quoted);
        } else {
            from = at_runtime.data + 1;
            to = at_runtime.data + at_runtime.size - 1;
            s = style_of(at_library);
            put_asset(&added, &s, 1, quoted);
            put_line(&added, &s, 0);
        }
    } else if (last_member_end(at_library, &from)) {
        to = from;
        s = style_of(at_library);
        buffer_string(&added, ",");
        put_runtime(&added, &s, 0, quoted);
    } else {
        from = at_library.data + 1;
        to = at_library.data + at_library.size - 1;
        s = style_of(at_target);
        put_runtime(&added, &s, 1, quoted);
        put_line(&added, &s, 0);
    }
    buffer_append(b, text.data, (size_t)(from - text.data));
    buffer_append(b, added.data, added.size);
    buffer_append(b, to, (size_t)(text.data + text.size - to));
    b->failed |= added.failed;
    buffer_clear(&added);
    return true;
}

/* Makes the change in the document as well, and reads the text back: they must agree. */
static bool reads_back(bytes patched, json_t *document, json_t *library, const char *asset) {
    json_t *runtime = json_object_get(library, "runtime");
    json_error_t error;
    if (!runtime && json_object_set_new(library, "runtime", json_object()) == 0)
        runtime = json_object_get(library, "runtime");
    if (json_object_set_new(runtime, asset, json_object()) != 0)
        return false;
    json_t *again = parse(without_mark(patched), &error);
    bool same = json_equal(again, document) == 1;
    json_decref(again);
    return same;
}

static deps_json_outcome add(buffer *made, char *problem, bytes text, json_t *document,
                             const deps_json_options *options) {
    const char *name = target_name(document, problem);
    if (!name)
        return DEPS_JSON_UNUSABLE;
    json_t *target = json_object_get(json_object_get(document, "targets"), name);
    if (options->assembly && !who_lists(target, options->assembly))
        return DEPS_JSON_NOT_LISTED;
    if (who_lists(target, options->asset))
        return DEPS_JSON_PRESENT;
    const char *library_name = app_library(document, target, options);
    if (!library_name)
        return unusable(problem, "the target has no library that is the app's own");
    json_t *library = json_object_get(target, library_name), *runtime = json_object_get(library, "runtime");
    if (!json_is_object(library) || (runtime && !json_is_object(runtime)))
        return unusable(problem, "the app's own library, or its runtime map, is not an object");

    json_t *asset = json_string(options->asset);
    if (!asset)
        return unusable(problem, "the name to add is not UTF-8");
    char *quoted = json_dumps(asset, JSON_ENCODE_ANY);
    json_decref(asset);
    if (!quoted)
        return DEPS_JSON_NO_MEMORY;
    bool found = insert(made, text, name, library_name, quoted);
    free(quoted);
    if (made->failed)
        return DEPS_JSON_NO_MEMORY;
    if (!found || !reads_back(buffer_bytes(made), document, library, options->asset))
        return unusable(problem, "its text does not read back as planned");
    return DEPS_JSON_ADDED;
}

deps_json_outcome deps_json_add(buffer *patched, char *problem, bytes text, const deps_json_options *options) {
    if (text.size > DEPS_JSON_MAX_BYTES)
        return unusable(problem, "it is larger than 64 MiB");
    json_error_t error;
    json_t *document = parse(without_mark(text), &error);
    if (!document) {
        if (json_error_code(&error) == json_error_out_of_memory)
            return DEPS_JSON_NO_MEMORY;
        snprintf(problem, DEPS_JSON_PROBLEM_BYTES, "not JSON: line %d, column %d: %s", error.line, error.column,
                 error.text);
        return DEPS_JSON_UNUSABLE;
    }
    buffer made = BUFFER_INIT;
    deps_json_outcome outcome = add(&made, problem, text, document, options);
    if (outcome == DEPS_JSON_ADDED) {
        buffer_append(patched, made.data, made.size);
        if (patched->failed)
            outcome = DEPS_JSON_NO_MEMORY;
    }
    buffer_clear(&made);
    json_decref(document);
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
    if (whole.size > DEPS_JSON_MAX_BYTES || part.size > DEPS_JSON_MAX_BYTES)
        return false;
    json_error_t error;
    json_t *a = parse(without_mark(whole), &error), *b = parse(without_mark(part), &error);
    bool result = json_is_object(a) && json_is_object(b) && covers(a, b);
    json_decref(a);
    json_decref(b);
    return result;
}
