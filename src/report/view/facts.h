/* facts.h - labelled facts: what a report says of one thing, in order, for formats that give each value a name. */
#ifndef ILINJECT_REPORT_VIEW_FACTS_H
#define ILINJECT_REPORT_VIEW_FACTS_H

#include "report/print/print.h"

typedef enum view_kind {
    VIEW_NUMBER,
    VIEW_TEXT,
    VIEW_WORD,  /* a text of ours: it needs no escapes */
    VIEW_NULL,  /* not known, or not there */
    VIEW_BEGIN, /* those up to its VIEW_END are a group */
    VIEW_END,
} view_kind;

/* Who shows it. */
enum { VIEW_JSON = 1, VIEW_PAGE = 2, VIEW_EACH = VIEW_JSON | VIEW_PAGE };

typedef struct view_fact {
    const char *key;
    view_kind kind;
    unsigned rooms;
    uint64_t number;
    bytes text; /* borrowed */
} view_fact;

/* All zero; add, print, perhaps those of another thing in their place, clear. */
typedef struct view_facts {
    view_fact *list;
    uint32_t count, capacity;
    bool failed; /* memory ran out: some are missing */
} view_facts;

void view_facts_clear(view_facts *f);

void view_add(view_facts *f, view_fact fact);

static inline void view_add_number(view_facts *f, unsigned rooms, const char *key, uint64_t number) {
    view_add(f, (view_fact){.key = key, .kind = VIEW_NUMBER, .rooms = rooms, .number = number});
}
static inline void view_add_known(view_facts *f, unsigned rooms, const char *key, bool known, uint64_t number) {
    view_add(f, (view_fact){.key = key, .kind = known ? VIEW_NUMBER : VIEW_NULL, .rooms = rooms, .number = number});
}
static inline void view_add_text(view_facts *f, unsigned rooms, const char *key, bytes text) {
    view_add(f, (view_fact){.key = key, .kind = VIEW_TEXT, .rooms = rooms, .text = text});
}
static inline void view_add_word(view_facts *f, unsigned rooms, const char *key, const char *word) {
    view_add(f, (view_fact){.key = key, .kind = VIEW_WORD, .rooms = rooms, .text = bytes_of(word, strlen(word))});
}
static inline void view_add_null(view_facts *f, unsigned rooms, const char *key) {
    view_add(f, (view_fact){.key = key, .kind = VIEW_NULL, .rooms = rooms});
}
static inline void view_begin(view_facts *f, unsigned rooms, const char *key) {
    view_add(f, (view_fact){.key = key, .kind = VIEW_BEGIN, .rooms = rooms});
}
static inline void view_end(view_facts *f, unsigned rooms) {
    view_add(f, (view_fact){.kind = VIEW_END, .rooms = rooms});
}

/* How a format writes the members of a JSON object. */
typedef struct view_style {
    unsigned room;
    const char *comma, *colon; /* between members, and after a key */
    void (*text)(printer *out, bytes text);
} view_style;

/* Writes those of the room, without the braces around them; `first`: the object has no member before them. Where memory
 * ran out the printer learns it. */
void view_print(printer *out, const view_facts *f, const view_style *style, bool first);

#endif
