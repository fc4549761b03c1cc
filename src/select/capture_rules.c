#include "select/capture_rules.h"

#include "base/buffer.h"

#include <stdio.h>

static const capture_rule usual = {.depth = 2, .string = 64, .items = 10, .bytes = 1 << 20};

typedef enum word_kind { WORD_FLAG, WORD_NUMBER, WORD_TIME, WORD_BYTES, WORD_NAMES } word_kind;

static const struct word {
    const char *name;
    word_kind kind;
    size_t offset;
    uint64_t least, most;
} words[] = {
#define AT(field) offsetof(capture_rule, field)
    {"args", WORD_FLAG, AT(arguments), 0, 0},
    {"return", WORD_FLAG, AT(result), 0, 0},
    {"this", WORD_FLAG, AT(self), 0, 0},
    {"exception", WORD_FLAG, AT(exception), 0, 0},
    {"throws", WORD_FLAG, AT(throws), 0, 0},
    {"first", WORD_NUMBER, AT(first), 1, 1000000000},
    {"every", WORD_NUMBER, AT(every), 1, 1000000000},
    {"slower", WORD_TIME, AT(slower_ns), 1, UINT64_C(86400) * 1000000000},
    {"depth", WORD_NUMBER, AT(depth), 0, 10},
    {"string", WORD_NUMBER, AT(string), 0, 65536},
    {"items", WORD_NUMBER, AT(items), 0, 10000},
    {"bytes", WORD_BYTES, AT(bytes), 1024, UINT64_C(1) << 30},
    {"fields", WORD_NAMES, AT(fields), 0, 0},
#undef AT
};
enum { WORDS = sizeof words / sizeof words[0], SHOWN = 40 };

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bytes trimmed(const char *text, size_t size) {
    while (size && is_space(*text))
        text++, size--;
    while (size && is_space(text[size - 1]))
        size--;
    return bytes_of(text, size);
}

static const char *copy_of(arena *a, bytes text) {
    char *copy = arena_alloc(a, text.size + 1);
    if (!copy)
        return NULL;
    if (text.size)
        memcpy(copy, text.data, text.size);
    copy[text.size] = 0;
    return copy;
}

/* Digits and a unit, as a number of what the kind counts. */
static bool try_quantity(const struct word *w, bytes text, uint64_t *value) {
    static const struct unit {
        word_kind kind;
        const char *name;
        uint64_t factor;
    } units[] = {
        {WORD_NUMBER, "", 1},       {WORD_TIME, "ns", 1},         {WORD_TIME, "us", 1000},
        {WORD_TIME, "ms", 1000000}, {WORD_TIME, "s", 1000000000}, {WORD_BYTES, "", 1},
        {WORD_BYTES, "k", 1 << 10}, {WORD_BYTES, "m", 1 << 20},   {WORD_BYTES, "g", 1 << 30},
    };
    uint64_t number = 0;
    size_t digits = 0;
    for (; digits < text.size && text.data[digits] >= '0' && text.data[digits] <= '9'; digits++)
        if (__builtin_mul_overflow(number, 10u, &number) ||
            __builtin_add_overflow(number, (uint64_t)(text.data[digits] - '0'), &number))
            return false;
    if (digits == 0)
        return false;
    bytes unit = {text.data + digits, text.size - digits};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (units[i].kind == w->kind && bytes_equal(unit, bytes_of(units[i].name, strlen(units[i].name))))
            return !__builtin_mul_overflow(number, units[i].factor, value) && *value >= w->least && *value <= w->most;
    return false;
}

/* Names, none of them empty, with a + between two. */
static bool are_names(bytes text) {
    for (size_t i = 0, start = 0; i <= text.size; i++) {
        bool ends = i == text.size || text.data[i] == '+';
        if (ends && i == start)
            return false;
        if (ends)
            start = i + 1;
        else if (is_space((char)text.data[i]))
            return false;
    }
    return true;
}

static ecma_status take_word(capture_rule *rule, bytes word, arena *a, char problem[CAPTURE_PROBLEM]) {
    static const char *const expected[] = {[WORD_FLAG] = "no value",
                                           [WORD_NUMBER] = "a whole number",
                                           [WORD_TIME] = "a time as 500us, 1ms or 2s",
                                           [WORD_BYTES] = "a size as 4096, 64k or 1m",
                                           [WORD_NAMES] = "names as Id+Name"};
    const uint8_t *equals = memchr(word.data, '=', word.size);
    size_t name_size = equals ? (size_t)(equals - word.data) : word.size;
    bytes name = trimmed((const char *)word.data, name_size);
    int shown = (int)(name.size < SHOWN ? name.size : SHOWN);
    for (size_t i = 0; i < WORDS; i++) {
        const struct word *w = &words[i];
        if (!bytes_equal(name, bytes_of(w->name, strlen(w->name))))
            continue;
        uint64_t value = 0;
        if (w->kind == WORD_NAMES && equals) {
            bytes names = trimmed((const char *)equals + 1, word.size - name_size - 1);
            if (are_names(names))
                return (rule->fields = copy_of(a, names)) ? ECMA_OK : ECMA_NO_MEMORY;
        }
        bool fits = w->kind == WORD_FLAG
                        ? !equals
                        : w->kind != WORD_NAMES && equals &&
                              try_quantity(w, trimmed((const char *)equals + 1, word.size - name_size - 1), &value);
        if (!fits && w->kind == WORD_NUMBER) {
            snprintf(problem, CAPTURE_PROBLEM, "%s: expected a whole number from %u to %u", w->name, (unsigned)w->least,
                     (unsigned)w->most);
            return ECMA_CONFIG;
        }
        if (!fits) {
            snprintf(problem, CAPTURE_PROBLEM, "%s: expected %s", w->name, expected[w->kind]);
            return ECMA_CONFIG;
        }
        char *place = (char *)rule + w->offset;
        if (w->kind == WORD_FLAG)
            *(bool *)place = true;
        else if (w->kind == WORD_NUMBER)
            *(uint32_t *)(void *)place = (uint32_t)value;
        else
            *(uint64_t *)(void *)place = value;
        return ECMA_OK;
    }
    buffer all = BUFFER_INIT;
    for (size_t i = 0; i < WORDS; i++)
        buffer_printf(&all, "%s%s", i ? ", " : "", words[i].name);
    snprintf(problem, CAPTURE_PROBLEM, "'%.*s' is not known; known are %.*s", shown, (const char *)name.data,
             (int)all.size, all.size ? (const char *)all.data : "");
    buffer_clear(&all);
    return ECMA_CONFIG;
}

ecma_status capture_parse_values(capture_rule *rule, const char *values, arena *a, char problem[CAPTURE_PROBLEM]) {
    capture_rule read = usual;
    bytes all = values ? trimmed(values, strlen(values)) : (bytes){0};
    if (!(read.text = copy_of(a, all)))
        return ECMA_NO_MEMORY;
    for (const char *at = read.text; *at; at += *at != 0) {
        size_t size = strcspn(at, ",;");
        bytes word = trimmed(at, size);
        ecma_status status = word.size ? take_word(&read, word, a, problem) : ECMA_OK;
        if (status)
            return status;
        at += size;
    }
    if (!read.arguments && !read.result && !read.self && !read.exception)
        read.arguments = read.result = read.exception = true;
    read.exception |= read.throws;
    *rule = read;
    return ECMA_OK;
}

ecma_status capture_parse(capture_rule *rule, const char **pattern, const char *text, arena *a,
                          char problem[CAPTURE_PROBLEM]) {
    const char *colon = strrchr(text, ':');
    bytes head = trimmed(text, colon ? (size_t)(colon - text) : strlen(text));
    const char *copy = copy_of(a, head);
    ecma_status status = copy ? capture_parse_values(rule, colon ? colon + 1 : NULL, a, problem) : ECMA_NO_MEMORY;
    if (status == ECMA_OK)
        *pattern = copy;
    return status;
}
