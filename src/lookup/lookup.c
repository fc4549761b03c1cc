/* lookup.c - ilj_explain_word: diagnostics, settings and columns, explained from the tables of the source. */
#include "base/diag.h"
#include "ilinject.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- The tables ------------------------------------------------------------------------------------------------ */

/* Texts stand in structures, and rows have their offsets: without pointers no page is written when a program starts
 * that explains nothing. A diagnostic without a message names a member that does not exist, a message without a
 * diagnostic a code. */
static const struct message_texts {
#define MESSAGE(NAME, cause, remedy) char cause_##NAME[sizeof(cause)], remedy_##NAME[sizeof(remedy)];
#include "facts/messages.def"
#undef MESSAGE
} message_texts = {
#define MESSAGE(NAME, cause, remedy) cause, remedy,
#include "facts/messages.def"
#undef MESSAGE
};
#define MESSAGE(NAME, cause, remedy) _Static_assert(DIAG_##NAME > 0, "a diagnostic");
#include "facts/messages.def"
#undef MESSAGE
_Static_assert(sizeof message_texts <= UINT16_MAX, "an offset");

static const struct fault {
    uint16_t code, cause, remedy; /* a diag_code; offsets in message_texts */
    char name[8];
} faults[] = {
#define DIAG(number, name, severity, status, meaning)                                                                  \
    {number, offsetof(struct message_texts, cause_##name), offsetof(struct message_texts, remedy_##name),              \
     "ILJ0" #number},
#include "base/diagnostics.def"
#undef DIAG
};

typedef enum setting_form { SETTING_OTHER, SETTING_NUMBER, SETTING_FLAG, SETTING_FLAG_ON, SETTING_CHOICE } setting_form;

static const struct setting_texts {
#define SETTING(name, Member, KIND, least, most, usual, PART, values, shown, meaning)                                  \
    char name_##Member[sizeof #name], values_##Member[sizeof(values)], shown_##Member[sizeof(shown)],                  \
        meaning_##Member[sizeof(meaning)];
#include "facts/settings.def"
#undef SETTING
} setting_texts = {
#define SETTING(name, Member, KIND, least, most, usual, PART, values, shown, meaning) #name, values, shown, meaning,
#include "facts/settings.def"
#undef SETTING
};
_Static_assert(sizeof setting_texts <= UINT16_MAX, "an offset");

static const struct setting {
    setting_form form;
    unsigned least, most, usual;           /* of a number */
    uint16_t name, values, shown, meaning; /* offsets in setting_texts */
} settings[] = {
#define NUMBER       SETTING_NUMBER
#define FLAG         SETTING_FLAG
#define FLAG_ON      SETTING_FLAG_ON
#define CHOICE       SETTING_CHOICE
#define PATH         SETTING_OTHER
#define PERCENT      SETTING_OTHER
#define START        SETTING_OTHER
#define STOP         SETTING_OTHER
#define METHOD       SETTING_OTHER
#define CLOCK        SETTING_OTHER
#define ADDRESS      SETTING_OTHER
#define PATTERNS     SETTING_OTHER
#define TIME         SETTING_OTHER
#define LABELS       SETTING_OTHER
#define TEXT(member) offsetof(struct setting_texts, member)
#define SETTING(setting, Member, KIND, least, most, usual, PART, values, shown, meaning)                               \
    {KIND,                                                                                                             \
     least,                                                                                                            \
     most,                                                                                                             \
     usual,                                                                                                            \
     TEXT(name_##Member),                                                                                              \
     TEXT(values_##Member),                                                                                            \
     TEXT(shown_##Member),                                                                                             \
     TEXT(meaning_##Member)},
#include "facts/settings.def"
#undef SETTING
#undef TEXT
};

static const struct column_texts {
#define FIGURE(ID, key, title, FORM, SOURCE, of, SHOWN, meaning, ...)                                                  \
    char name_##ID[sizeof(key)], title_##ID[sizeof(title)], meaning_##ID[sizeof(meaning)];
#include "facts/figures.def"
} column_texts = {
#define FIGURE(ID, key, title, FORM, SOURCE, of, SHOWN, meaning, ...) key, title, meaning,
#include "facts/figures.def"
};
_Static_assert(sizeof column_texts <= UINT16_MAX, "an offset");

static const struct column {
    uint16_t name, title, meaning; /* offsets in column_texts */
} columns[] = {
#define TEXT(member) offsetof(struct column_texts, member)
#define FIGURE(ID, key, title, FORM, SOURCE, of, SHOWN, meaning, ...)                                                  \
    {TEXT(name_##ID), TEXT(title_##ID), TEXT(meaning_##ID)},
#include "facts/figures.def"
#undef TEXT
};

static const char *message_text(uint16_t at) {
    return (const char *)&message_texts + at;
}

static const char *setting_text(uint16_t at) {
    return (const char *)&setting_texts + at;
}

static const char *column_text(uint16_t at) {
    return (const char *)&column_texts + at;
}

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

/* ---- Output ---------------------------------------------------------------------------------------------------- */

enum { WIDTH = 80, INDENT = 2, SETTING_COLUMN = 21, COLUMN_COLUMN = 23, FAULT_COLUMN = 18 };

typedef struct text_out {
    ilj_write_fn *write;
    void *user;
    size_t column; /* of the current line, in characters */
} text_out;

static void put(text_out *out, const char *text, size_t length) {
    out->write(out->user, text, length);
    for (size_t i = 0; i < length; i++)
        out->column += ((unsigned char)text[i] & 0xC0) != 0x80;
}

static void put_text(text_out *out, const char *text) {
    put(out, text, strlen(text));
}

static void put_spaces_to(text_out *out, size_t column) {
    while (out->column < column)
        put(out, " ", 1);
}

static void end_line(text_out *out) {
    put(out, "\n", 1);
    out->column = 0;
}

/* True if the back quote begins code of several words. */
static bool is_phrase(const char *quote) {
    const char *end = strchr(quote + 1, '`');
    return end && memchr(quote, ' ', (size_t)(end - quote));
}

/* Writes `length` bytes of Markdown as words between `indent` and WIDTH, from the current column on: code of several
 * words between apostrophes, other code as it is. Ends the line. */
static void put_wrapped(text_out *out, const char *text, size_t length, size_t indent) {
    char word[256];
    const char *end = text + length;
    bool first = true, in_code = false, in_phrase = false;
    put_spaces_to(out, indent);
    while (text < end) {
        size_t size = 0, shown = 0;
        for (; text < end && *text != ' '; text++) {
            bool quote = *text == '`';
            if (quote) {
                in_phrase = in_code ? in_phrase : is_phrase(text);
                in_code = !in_code;
            }
            if ((!quote || in_phrase) && size < sizeof word) {
                shown += ((unsigned char)*text & 0xC0) != 0x80;
                word[size++] = quote ? '\'' : *text;
            }
        }
        text += text < end;
        if (!first && out->column + 1 + shown > WIDTH) {
            end_line(out);
            put_spaces_to(out, indent);
        } else if (!first) {
            put(out, " ", 1);
        }
        put(out, word, size);
        first = false;
    }
    end_line(out);
}

static size_t first_sentence(const char *text) {
    const char *end = strstr(text, ". ");
    return end ? (size_t)(end - text) + 1 : strlen(text);
}

static const char *severity_of(const struct fault *f) {
    static const char *const names[] = {[DIAG_INFO] = "info", [DIAG_WARNING] = "warning", [DIAG_ERROR] = "error"};
    return names[diag_severity_of((diag_code)f->code)];
}

/* ---- A word ---------------------------------------------------------------------------------------------------- */

static void put_part(text_out *out, const char *head, const char *text) {
    end_line(out);
    put_text(out, head);
    end_line(out);
    put_wrapped(out, text, strlen(text), INDENT);
}

static void explain_fault(text_out *out, const struct fault *f) {
    put_text(out, f->name);
    put_text(out, " ");
    put_text(out, severity_of(f));
    put_text(out, ": ");
    const char *meaning = diag_meaning_of((diag_code)f->code);
    put_wrapped(out, meaning, strlen(meaning), INDENT);
    put_part(out, "Cause", message_text(f->cause));
    put_part(out, "What to do", message_text(f->remedy));
}

/* The values of a setting, and the one that it has without being set. */
static void setting_values(char *values, char *usual, size_t size, const struct setting *s) {
    const char *words = setting_text(s->values);
    switch (s->form) {
    case SETTING_NUMBER:
        snprintf(values, size, "%u to %u", s->least, s->most);
        snprintf(usual, size, "%u", s->usual);
        return;
    case SETTING_FLAG:
    case SETTING_FLAG_ON:
        snprintf(values, size, "0, 1");
        snprintf(usual, size, "%d", s->form == SETTING_FLAG_ON);
        return;
    case SETTING_CHOICE:
        snprintf(values, size, "%s", words);
        snprintf(usual, size, "%.*s", (int)strcspn(words, ","), words);
        return;
    case SETTING_OTHER:
        snprintf(values, size, "%s", words);
        snprintf(usual, size, "%s", setting_text(s->shown));
        return;
    }
}

static void explain_setting(text_out *out, const struct setting *s) {
    char values[128], usual[128], line[512];
    const char *name = setting_text(s->name), *meaning = setting_text(s->meaning);
    setting_values(values, usual, sizeof values, s);
    snprintf(line, sizeof line, "%s: a setting of the tracker (--set %s=VALUE)", name, name);
    put_text(out, line);
    end_line(out);
    end_line(out);
    put_wrapped(out, meaning, strlen(meaning), INDENT);
    end_line(out);
    snprintf(line, sizeof line, "Values: %s. Default: %s.", values, usual);
    put_wrapped(out, line, strlen(line), INDENT);
}

static void explain_column(text_out *out, const struct column *c) {
    char line[512];
    const char *meaning = column_text(c->meaning);
    snprintf(line, sizeof line, "%s: the column \"%s\" of a report (--columns)", column_text(c->name),
             column_text(c->title));
    put_text(out, line);
    end_line(out);
    end_line(out);
    put_wrapped(out, meaning, strlen(meaning), INDENT);
}

/* "ILJ0435", "0435" or "435"; -1: none. */
static long number_of(const char *word) {
    char *end;
    if (strncasecmp(word, "ILJ", 3) == 0)
        word += 3;
    if (*word < '0' || *word > '9' || strlen(word) > 4)
        return -1;
    long number = strtol(word, &end, 10);
    return *end ? -1 : number;
}

/* "beat", "ILINJECT_BEAT" or "beat=5". */
static bool is_setting(const struct setting *s, const char *word) {
    if (strncasecmp(word, "ILINJECT_", 9) == 0)
        word += 9;
    const char *name = setting_text(s->name);
    size_t length = strcspn(word, "=");
    return length == strlen(name) && strncasecmp(word, name, length) == 0;
}

static bool explain_known(text_out *out, const char *word) {
    bool known = false;
    long number = number_of(word);
    for (size_t i = 0; i < COUNT(faults); i++)
        if (faults[i].code == number) {
            explain_fault(out, &faults[i]);
            known = true;
        }
    for (size_t i = 0; i < COUNT(settings); i++)
        if (is_setting(&settings[i], word)) {
            explain_setting(out, &settings[i]);
            known = true;
        }
    for (size_t i = 0; i < COUNT(columns); i++)
        if (strcasecmp(word, column_text(columns[i].name)) == 0 ||
            strcasecmp(word, column_text(columns[i].title)) == 0) {
            if (known)
                end_line(out);
            explain_column(out, &columns[i]);
            known = true;
        }
    return known;
}

/* ---- The lists ------------------------------------------------------------------------------------------------- */

static void list_faults(text_out *out) {
    put_text(out, "Diagnostics:");
    end_line(out);
    for (size_t i = 0; i < COUNT(faults); i++) {
        const char *meaning = diag_meaning_of((diag_code)faults[i].code);
        put_text(out, "  ");
        put_text(out, faults[i].name);
        put_text(out, " ");
        put_text(out, severity_of(&faults[i]));
        put_wrapped(out, meaning, strlen(meaning), FAULT_COLUMN);
    }
}

static void list_settings(text_out *out) {
    put_text(out, "Settings of the tracker:");
    end_line(out);
    for (size_t i = 0; i < COUNT(settings); i++) {
        const char *meaning = setting_text(settings[i].meaning);
        put_text(out, "  ");
        put_text(out, setting_text(settings[i].name));
        put_text(out, " ");
        put_wrapped(out, meaning, first_sentence(meaning), SETTING_COLUMN);
    }
}

static void list_columns(text_out *out) {
    put_text(out, "Columns of a report:");
    end_line(out);
    for (size_t i = 0; i < COUNT(columns); i++) {
        const char *meaning = column_text(columns[i].meaning);
        put_text(out, "  ");
        put_text(out, column_text(columns[i].name));
        put_text(out, " ");
        put_wrapped(out, meaning, strlen(meaning), COLUMN_COLUMN);
    }
}

enum { LIST_FAULTS, LIST_SETTINGS, LIST_COLUMNS, LISTS };
static const char list_names[LISTS][12] = {"diagnostics", "settings", "columns"};

static void write_list(text_out *out, size_t list) {
    if (list == LIST_FAULTS)
        list_faults(out);
    else if (list == LIST_SETTINGS)
        list_settings(out);
    else
        list_columns(out);
}

/* ---- Names that are near ----------------------------------------------------------------------------------------- */

enum { LONGEST_WORD = 32, FAR = 3 };

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static unsigned least(unsigned a, unsigned b) {
    return a < b ? a : b;
}

/* Edits (insert, delete, replace) between two words of at most LONGEST_WORD letters, in any case. */
static unsigned distance(const char *a, const char *b) {
    unsigned row[LONGEST_WORD + 1];
    size_t length = strlen(b);
    for (size_t j = 0; j <= length; j++)
        row[j] = (unsigned)j;
    for (size_t i = 0; a[i]; i++) {
        unsigned corner = row[0]++;
        for (size_t j = 0; j < length; j++) {
            unsigned next = least(least(row[j], row[j + 1]) + 1, corner + (lower(a[i]) != lower(b[j])));
            corner = row[j + 1];
            row[j + 1] = next;
        }
    }
    return row[length];
}

/* A name that begins or ends with the word is as near as one with two edits. */
static unsigned nearness(const char *word, const char *name) {
    size_t length = strlen(word), size = strlen(name);
    if (length == 0 || length > LONGEST_WORD || size > LONGEST_WORD)
        return FAR;
    unsigned edits = distance(word, name), near = FAR;
    if (length >= 3 && length < size &&
        (strncasecmp(word, name, length) == 0 || strcasecmp(word, name + size - length) == 0))
        near = 2;
    return edits <= (length < 6 ? 1 : 2) ? edits : near;
}

typedef struct near_names {
    const char **names;
    unsigned far[ILJ_NEAR_WORDS];
    size_t count;
} near_names;

/* Keeps the nearest, those that came first before others as near. */
static void consider(near_names *near, const char *name, unsigned far) {
    size_t at = near->count;
    for (size_t i = 0; i < near->count; i++)
        if (strcmp(near->names[i], name) == 0)
            return;
    if (far >= FAR)
        return;
    while (at > 0 && near->far[at - 1] > far)
        at--;
    if (at == ILJ_NEAR_WORDS)
        return;
    near->count += near->count < ILJ_NEAR_WORDS;
    for (size_t i = near->count - 1; i > at; i--) {
        near->names[i] = near->names[i - 1];
        near->far[i] = near->far[i - 1];
    }
    near->names[at] = name;
    near->far[at] = far;
}

static void find_near(const char *near[ILJ_NEAR_WORDS + 1], const char *word) {
    near_names found = {.names = near};
    long number = number_of(word);
    size_t after = 0;
    while (number >= 0 && after < COUNT(faults) && faults[after].code < number)
        after++;
    if (number >= 0 && after > 0)
        consider(&found, faults[after - 1].name, 1);
    if (number >= 0 && after < COUNT(faults))
        consider(&found, faults[after].name, 1);
    for (size_t i = 0; i < COUNT(settings); i++)
        consider(&found, setting_text(settings[i].name), nearness(word, setting_text(settings[i].name)));
    for (size_t i = 0; i < COUNT(columns); i++)
        consider(&found, column_text(columns[i].name), nearness(word, column_text(columns[i].name)));
    for (size_t i = 0; i < LISTS; i++)
        consider(&found, list_names[i], nearness(word, list_names[i]));
    near[found.count] = NULL;
}

bool ilj_explain_word(const char *near[ILJ_NEAR_WORDS + 1], const char *word, ilj_write_fn *write, void *user) {
    text_out out = {.write = write, .user = user};
    bool listed = false;
    near[0] = NULL;
    for (size_t i = 0; i < LISTS; i++)
        if (!word || strcasecmp(word, list_names[i]) == 0) {
            if (listed)
                end_line(&out);
            write_list(&out, i);
            listed = true;
        }
    if (listed || explain_known(&out, word))
        return true;
    find_near(near, word);
    return false;
}
