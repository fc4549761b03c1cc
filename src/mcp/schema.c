#include "mcp/schema.h"

#include <string.h>

static bool is_of(const json_t *value, const char *type) {
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return strcmp(type, "object") == 0;
    case JSON_ARRAY:
        return strcmp(type, "array") == 0;
    case JSON_STRING:
        return strcmp(type, "string") == 0;
    case JSON_INTEGER:
        return strcmp(type, "integer") == 0 || strcmp(type, "number") == 0;
    case JSON_REAL:
        return strcmp(type, "number") == 0;
    case JSON_TRUE:
    case JSON_FALSE:
        return strcmp(type, "boolean") == 0;
    case JSON_NULL:
        return strcmp(type, "null") == 0;
    }
    return false;
}

static bool has_type(const json_t *types, const json_t *value) {
    bool found = !types || (json_is_string(types) && is_of(value, json_string_value(types)));
    for (size_t i = 0; i < json_array_size(types) && !found; i++)
        found = is_of(value, json_string_value(json_array_get(types, i)));
    return found;
}

static void list_words(buffer *b, const json_t *words) {
    if (json_is_string(words))
        buffer_string(b, json_string_value(words));
    for (size_t i = 0; i < json_array_size(words); i++) {
        buffer_string(b, i > 0 ? ", " : "");
        buffer_string(b, json_string_value(json_array_get(words, i)));
    }
}

static bool is_one_of(const json_t *words, const json_t *value) {
    for (size_t i = 0; i < json_array_size(words); i++)
        if (json_equal(json_array_get(words, i), value))
            return true;
    return words == NULL;
}

/* `name`: of the argument, for the sentence. */
static bool fits(buffer *problem, const json_t *schema, const json_t *value, const char *name);

static bool number_fits(buffer *problem, const json_t *schema, const json_t *value, const char *name) {
    const json_t *least = json_object_get(schema, "minimum"), *most = json_object_get(schema, "maximum");
    double number = json_number_value(value);
    if ((least && number < json_number_value(least)) || (most && number > json_number_value(most))) {
        buffer_printf(problem, "%s is a number from %.0f to %.0f", name, least ? json_number_value(least) : 0,
                      most ? json_number_value(most) : 9e15);
        return false;
    }
    return true;
}

static bool string_fits(buffer *problem, const json_t *schema, const json_t *value, const char *name) {
    const json_t *most = json_object_get(schema, "maxLength");
    size_t length = json_string_length(value);
    if (strlen(json_string_value(value)) != length || (most && length > (size_t)json_integer_value(most))) {
        buffer_printf(problem, "%s is a text without a character 0, of at most %lld bytes", name,
                      most ? (long long)json_integer_value(most) : (long long)INT32_MAX);
        return false;
    }
    return true;
}

static bool array_fits(buffer *problem, const json_t *schema, const json_t *value, const char *name) {
    const json_t *items = json_object_get(schema, "items"), *least = json_object_get(schema, "minItems"),
                 *most = json_object_get(schema, "maxItems");
    size_t count = json_array_size(value);
    if ((least && count < (size_t)json_integer_value(least)) || (most && count > (size_t)json_integer_value(most))) {
        buffer_printf(problem, "%s has %lld to %lld elements", name, least ? (long long)json_integer_value(least) : 0,
                      most ? (long long)json_integer_value(most) : (long long)INT32_MAX);
        return false;
    }
    for (size_t i = 0; i < count && items; i++)
        if (!fits(problem, items, json_array_get(value, i), name))
            return false;
    return true;
}

static bool object_fits(buffer *problem, const json_t *schema, const json_t *value, const char *name) {
    const json_t *properties = json_object_get(schema, "properties"), *required = json_object_get(schema, "required");
    for (size_t i = 0; i < json_array_size(required); i++) {
        const char *key = json_string_value(json_array_get(required, i));
        if (!json_object_get(value, key)) {
            buffer_printf(problem, "the argument %s is missing", key);
            return false;
        }
    }
    /* By the iterator's own functions: the macro wants a value that may be changed. */
    for (void *at = json_object_iter((json_t *)value); at; at = json_object_iter_next((json_t *)value, at)) {
        const char *key = json_object_iter_key(at);
        const json_t *of = json_object_get(properties, key);
        if (!of && json_is_false(json_object_get(schema, "additionalProperties"))) {
            buffer_printf(problem, "%.60s is no argument of %s", key, name);
            return false;
        }
        if (of && !fits(problem, of, json_object_iter_value(at), key))
            return false;
    }
    return true;
}

static bool fits(buffer *problem, const json_t *schema, const json_t *value, const char *name) {
    const json_t *types = json_object_get(schema, "type"), *words = json_object_get(schema, "enum");
    if (!has_type(types, value)) {
        buffer_printf(problem, "%s is of the type ", name);
        list_words(problem, types);
        return false;
    }
    if (!is_one_of(words, value)) {
        buffer_printf(problem, "%s is one of ", name);
        list_words(problem, words);
        return false;
    }
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return object_fits(problem, schema, value, name);
    case JSON_ARRAY:
        return array_fits(problem, schema, value, name);
    case JSON_STRING:
        return string_fits(problem, schema, value, name);
    case JSON_INTEGER:
    case JSON_REAL:
        return number_fits(problem, schema, value, name);
    default:
        return true;
    }
}

bool schema_fits(buffer *problem, const json_t *schema, const json_t *value) {
    return fits(problem, schema, value, "this tool");
}
