/* sections.h - the sections of a profile: the rows of facts/sections.def. */
#ifndef ILINJECT_PROFILE_SECTIONS_H
#define ILINJECT_PROFILE_SECTIONS_H

#include "profile/profile.h"

typedef enum section_id {
#define SECTION(ID, kind, PLACE, needs, reader, IN, meaning) SECTION_##ID,
#include "facts/sections.def"
#undef SECTION
    SECTIONS,
} section_id;

typedef enum section_place { PLACE_HEAD, PLACE_TREE, PLACE_OF_TREE, PLACE_OF_RUN, PLACE_LAST } section_place;
enum { PLACE_FIGURE = PLACE_OF_TREE };

/* Four letters. */
static inline const char *section_kind(section_id id) {
    static const char kinds[SECTIONS][5] = {
#define SECTION(ID, kind, PLACE, needs, reader, IN, meaning) kind,
#include "facts/sections.def"
#undef SECTION
    };
    return kinds[id];
}

static inline section_place section_place_of(section_id id) {
    static const uint8_t places[SECTIONS] = {
#define SECTION(ID, kind, PLACE, needs, reader, IN, meaning) PLACE_##PLACE,
#include "facts/sections.def"
#undef SECTION
    };
    return (section_place)places[id];
}

/* A tree, or what follows one. */
static inline bool section_is_of_tree(section_id id) {
    return section_place_of(id) == PLACE_TREE || section_place_of(id) == PLACE_OF_TREE;
}

_Static_assert(SECTION_PAUS - SECTION_BYTE == FIGURE_PAUSE, "the sections of figures are the rows of profile_figure");
static inline profile_figure section_figure(section_id id) {
    return (profile_figure)(id - SECTION_BYTE);
}

#endif
