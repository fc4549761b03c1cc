/* route_text.h - the text of an endpoint: its verbs and its pattern. */
#ifndef ILINJECT_NAMING_ROUTE_TEXT_H
#define ILINJECT_NAMING_ROUTE_TEXT_H

#include "base/buffer.h"
#include "naming/notes.h"

enum { ROUTE_MOST = 200 }; /* bytes of a route; of one that is longer nothing is said */

/* Stands for the prefix of a group where it is not known. */
#define ROUTE_UNKNOWN "\u2026"

/* Appends the literal of an ldstr as UTF-8; false when it is too long or has characters that no route has. */
bool route_literal(buffer *b, const md_view *v, uint32_t token);

/* Appends `prefix/pattern` with one slash where they meet, at the start, and none at the end. */
void route_join(buffer *b, const char *prefix, const char *pattern);

/* Gives a method the route of the buffer, after those that it has. False: memory ran out. */
bool route_give(notes_search *s, uint32_t method, buffer *route);

#endif
