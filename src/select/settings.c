#include "select/settings.h"

#include "select/pattern.h"
#include "select/price.h"

#include <stdio.h>

typedef enum setting_kind {
    SETTING_PATH,
    SETTING_NUMBER,
    SETTING_PERCENT, /* a number, with or without the sign */
    SETTING_FLAG,
    SETTING_FLAG_ON,
    SETTING_CHOICE,
    SETTING_START,
    SETTING_STOP,
    SETTING_METHOD,
    SETTING_CLOCK,
    SETTING_ADDRESS,
    SETTING_PATTERNS,
    SETTING_TIME,
    SETTING_LABELS
} setting_kind;

static const struct setting {
    const char *name;
    setting_kind kind;
    uint32_t least, most; /* of a number */
    const char *words;    /* with ", " between them */
} known[] = {
#define SETTING(name, Member, KIND, least, most, usual, PART, values, shown, meaning)                                  \
    {#name, SETTING_##KIND, least, most, values},
#include "facts/settings.def"
#undef SETTING
};
enum {
    KNOWN = sizeof known / sizeof known[0],
    SHOWN = 60 /* bytes of what was given, in a problem */,
    WORDS_BYTES = 128
};

static bool say(char problem[ILJ_SETTING_PROBLEM], const char *name, int size, const char *expected,
                const char *given) {
    snprintf(problem, ILJ_SETTING_PROBLEM, "setting %.*s: expected %s, found '%.*s'", size, name, expected, SHOWN,
             given);
    return false;
}

/* True if it has a name, and a value of one line. */
static bool is_pair(char problem[ILJ_SETTING_PROBLEM], const char *setting) {
    size_t name = strcspn(setting, "=");
    if (name == 0 || !setting[name]) {
        snprintf(problem, ILJ_SETTING_PROBLEM, "a setting is name=value, found '%.*s'", SHOWN, setting);
        return false;
    }
    for (const char *p = setting; *p; p++)
        if ((unsigned char)*p < ' ')
            return say(problem, setting, (int)(name < SHOWN ? name : SHOWN), "one line of text", "a control character");
    return true;
}

static bool number_fits(const struct setting *of, const char *value) {
    uint64_t number = 0;
    if (*value < '0' || *value > '9')
        return false;
    for (; *value; value++) {
        if (of->kind == SETTING_PERCENT && strcmp(value, "%") == 0)
            break;
        if (*value < '0' || *value > '9')
            return false;
        number = number * 10 + (uint64_t)(*value - '0');
        if (number > of->most)
            return false;
    }
    return number >= of->least;
}

static bool path_fits(const char *value) {
    for (; *value; value++)
        if (*value == '%' && (!*++value || !strchr("npht%", *value)))
            return false;
    return true;
}

/* True if it is one of the words with ", " between them. */
static bool is_word(const char *words, const char *value) {
    size_t length = strlen(value);
    for (const char *at = words; *at; at += strcspn(at, ",") + strspn(at + strcspn(at, ","), ", "))
        if (strcspn(at, ",") == length && strncmp(at, value, length) == 0)
            return true;
    return false;
}

/* "a, b or c" of "a, b, c". */
static const char *one_of(char out[WORDS_BYTES], const char *words) {
    const char *last = strrchr(words, ',');
    snprintf(out, WORDS_BYTES, "%.*s or%s", (int)(last - words), words, last + 1);
    return out;
}

static bool is_clock(const struct setting *of, const char *value) {
    static const char own[] = "type:";
    if (strncmp(value, own, sizeof own - 1) == 0)
        return value[sizeof own - 1] != 0;
    return is_word(of->words, value);
}

static bool is_address(const char *value) {
    static const char *const schemes[] = {"http://", "https://"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        size_t size = strlen(schemes[i]);
        if (strncmp(value, schemes[i], size) == 0)
            return value[size] && value[size] != '/';
    }
    return false;
}

enum { MOST_SECONDS = 86400 };

/* Seconds with a point before fractions, or a method's name, which has a dot. */
static bool moment_fits(const char *value) {
    if (*value < '0' || *value > '9')
        return *value && strchr(value + 1, '.') != NULL;
    size_t whole = strspn(value, "0123456789"), fraction = 0;
    uint32_t seconds = 0;
    for (size_t i = 0; i < whole && seconds <= MOST_SECONDS; i++)
        seconds = seconds * 10 + (uint32_t)(value[i] - '0');
    if (value[whole] == '.')
        fraction = 1 + strspn(value + whole + 1, "0123456789");
    bool fits = seconds < MOST_SECONDS || (seconds == MOST_SECONDS && strspn(value + whole, ".0") == fraction);
    return fits && fraction != 1 && !value[whole + fraction];
}

/* True if it is one that the tracker can look for. Otherwise `fault` says why not. */
static bool pattern_fits(const char *text, const char **fault) {
    arena memory = ARENA_INIT;
    pattern made = {0};
    ecma_status status = pattern_compile(&made, text, &memory, fault);
    if (status == ECMA_NO_MEMORY)
        *fault = "out of memory";
    else if (!status && made.attribute)
        *fault = "attributes are not known while the program runs";
    bool fits = !status && !made.attribute;
    arena_clear(&memory);
    return fits;
}

/* Patterns with semicolons between them. */
static bool patterns_fit(char problem[ILJ_SETTING_PROBLEM], const char *name, const char *value) {
    char one[PATTERN_BYTES + 2]; /* one more than a pattern may have */
    for (const char *at = value;; at++) {
        size_t size = strcspn(at, ";");
        const char *fault = NULL;
        snprintf(one, sizeof one, "%.*s", (int)(size < sizeof one ? size : sizeof one - 1), at);
        if (!pattern_fits(one, &fault)) {
            snprintf(problem, ILJ_SETTING_PROBLEM, "setting %s: '%.*s': %s", name, SHOWN, one, fault);
            return false;
        }
        at += size;
        if (!*at)
            return true;
    }
}

/* Digits, perhaps a point and more of them, a unit, a day at most; or 0. */
static bool time_fits(const char *value) {
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
    size_t whole = strspn(value, "0123456789"), at = whole;
    double number = 0, part = 1;
    if (strcmp(value, "0") == 0)
        return true;
    for (size_t i = 0; i < whole; i++)
        number = number * 10 + (value[i] - '0');
    if (value[at] == '.') {
        size_t digits = strspn(value + at + 1, "0123456789");
        for (size_t i = 0; i < digits; i++)
            number += (value[at + 1 + i] - '0') * (part /= 10);
        at += digits ? digits + 1 : 0;
    }
    for (size_t i = 0; whole && i < sizeof units / sizeof *units; i++)
        if (strcmp(value + at, units[i].name) == 0)
            return number * units[i].seconds <= MOST_SECONDS;
    return false;
}

/* NAME=VALUE of a label: `size` bytes. */
static bool label_fits(const char *text, size_t size) {
    enum { MOST_NAME = 64, MOST_VALUE = 256 };
    static const char taken[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._-/";
    size_t name = strspn(text, taken);
    return name > 0 && name <= MOST_NAME && name + 1 < size && text[name] == '=' && size - name - 1 <= MOST_VALUE;
}

static bool labels_fit(const char *value) {
    enum { MOST = 32 };
    for (size_t count = 1;; count++) {
        size_t size = strcspn(value, ",");
        if (!label_fits(value, size) || count > MOST)
            return false;
        value += size;
        if (!*value++)
            return true;
    }
}

static bool value_fits(char problem[ILJ_SETTING_PROBLEM], const struct setting *of, const char *value) {
    char expected[WORDS_BYTES];
    int size = (int)strlen(of->name);
    switch (of->kind) {
    case SETTING_PATH:
        return path_fits(value) || say(problem, of->name, size, "n, p, h, t or % after each %", value);
    case SETTING_FLAG:
    case SETTING_FLAG_ON:
        return strcmp(value, "0") == 0 || strcmp(value, "1") == 0 || say(problem, of->name, size, "0 or 1", value);
    case SETTING_CHOICE:
        return is_word(of->words, value) || say(problem, of->name, size, one_of(expected, of->words), value);
    case SETTING_START:
        return strcmp(value, "on") == 0 || strcmp(value, "off") == 0 || moment_fits(value) ||
               say(problem, of->name, size, "on, off, seconds up to 86400, or a method's name with a dot", value);
    case SETTING_STOP:
        return strcmp(value, "never") == 0 || moment_fits(value) ||
               say(problem, of->name, size, "never, seconds up to 86400, or a method's name with a dot", value);
    case SETTING_METHOD:
        return ((*value < '0' || *value > '9') && moment_fits(value)) ||
               say(problem, of->name, size, "a method's name with a dot", value);
    case SETTING_CLOCK:
        return is_clock(of, value) || say(problem, of->name, size, one_of(expected, of->words), value);
    case SETTING_ADDRESS:
        return is_address(value) ||
               say(problem, of->name, size, "an address that begins with http:// or https://", value);
    case SETTING_PATTERNS:
        return patterns_fit(problem, of->name, value);
    case SETTING_TIME:
        return time_fits(value) ||
               say(problem, of->name, size, "a time of at most a day as 5ms, 20us, 800ns or 1.5s", value);
    case SETTING_LABELS:
        return labels_fit(value) ||
               say(problem, of->name, size, "at most 32 labels NAME=VALUE with commas between them", value);
    case SETTING_PERCENT:
        snprintf(expected, sizeof expected, "a price from %u%% to %u%%", of->least, of->most);
        return number_fits(of, value) || say(problem, of->name, size, expected, value);
    case SETTING_NUMBER:
        snprintf(expected, sizeof expected, "a whole number from %u to %u", of->least, of->most);
        return number_fits(of, value) || say(problem, of->name, size, expected, value);
    }
    return false;
}

bool ilj_setting_check(char problem[ILJ_SETTING_PROBLEM], const char *setting) {
    static const char label[] = "label.";
    size_t name = strcspn(setting, "=");
    if (!is_pair(problem, setting))
        return false;
    if (strncmp(setting, label, sizeof label - 1) == 0)
        return label_fits(setting + sizeof label - 1, strlen(setting) - (sizeof label - 1)) ||
               say(problem, setting, (int)(name < SHOWN ? name : SHOWN),
                   "a name of letters, digits, '.', '_', '-' and '/', and a value of 1 to 256 bytes",
                   setting + name + 1);
    for (size_t i = 0; i < KNOWN; i++)
        if (strlen(known[i].name) == name && strncmp(known[i].name, setting, name) == 0)
            return value_fits(problem, &known[i], setting + name + 1);
    buffer names = BUFFER_INIT;
    for (size_t i = 0; i < KNOWN; i++)
        buffer_printf(&names, "%s%s", i ? ", " : "", known[i].name);
    snprintf(problem, ILJ_SETTING_PROBLEM, "unknown setting '%.*s'; known are %.*s", (int)(name < SHOWN ? name : SHOWN),
             setting, (int)names.size, names.size ? (const char *)names.data : "");
    buffer_clear(&names);
    return false;
}

static bool is_given(const ilj_instrument_options *options, const char *name) {
    size_t size = strlen(name);
    for (size_t i = 0; i < options->setting_count; i++)
        if (strncmp(options->settings[i], name, size) == 0 && options->settings[i][size] == '=')
            return true;
    return false;
}

ecma_status settings_join(buffer *text, const ilj_instrument_options *options, diag *d) {
    char problem[ILJ_SETTING_PROBLEM];
    for (size_t i = 0; i < options->setting_count; i++) {
        const char *setting = options->settings[i];
        if (!(options->tracker ? is_pair(problem, setting) : ilj_setting_check(problem, setting)))
            return diag_report(d, DIAG_SETTING, "%s", problem);
        buffer_append(text, setting, strlen(setting));
        buffer_u8(text, '\n');
    }
    if (!options->tracker && !is_given(options, "overhead"))
        price_setting(text, options->selection);
    return text->failed ? diag_no_memory(d) : ECMA_OK;
}
