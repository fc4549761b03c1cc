/* otlp.h - what otlp.c writes of a report: its samples, and the tables that they name. */
#ifndef ILINJECT_REPORT_EXPORT_OTLP_H
#define ILINJECT_REPORT_EXPORT_OTLP_H

#include "report/export/export.h"
#include "report/export/protobuf.h"
#include "report/model/figures.h"

/* The types of measure, each a Profile of its own. */
enum {
    OTLP_CALLS,
    OTLP_WALL, /* own time, working and blocked */
    OTLP_EXCEPTIONS,
    OTLP_AWAITING,
    OTLP_FIGURES, /* one for each */
    OTLP_TYPES = OTLP_FIGURES + FIGURES
};

/* Numbers of tables of the dictionary by their fields. Links are the one zero; stacks have no table of bytes. */
enum {
    OTLP_MAPPINGS = 1,
    OTLP_LOCATIONS,
    OTLP_FUNCTIONS,
    OTLP_LINKS,
    OTLP_STRINGS,
    OTLP_ATTRIBUTES,
    OTLP_STACKS,
    OTLP_TABLES,
};

/* A path of locations; the first is the empty one. */
typedef struct otlp_path {
    uint32_t above, location;
    uint32_t size;  /* bytes of the locations, packed */
    uint32_t stack; /* its number in the stack table; 0: no sample has it */
} otlp_path;

/* What was measured at one stack with the same attributes. */
typedef struct otlp_sample {
    uint32_t path;
    uint32_t attributes; /* number in `sets` */
    uint32_t source;     /* the first one: a node, or after all of them one of the async tree; others by `next` */
} otlp_sample;

typedef struct otlp {
    printer *out;
    const report *r;
    view_frames frames;
    proto_table tables[OTLP_TABLES];
    proto_table sets;    /* lists of attributes, packed */
    uint32_t *locations; /* by frame, the last one of places that are not known; 0: not made yet */
    otlp_path *paths;
    uint32_t path_count, path_capacity, stack_count;
    map known_paths;
    otlp_sample *samples;
    uint32_t sample_count, sample_capacity;
    uint32_t *next;      /* by source; 0: no other one */
    uint32_t *last;      /* by path: the sample that was made last for it; UINT32_MAX: none */
    uint32_t last_count; /* room */
    uint64_t totals[OTLP_TYPES];
    uint32_t counts[OTLP_TYPES]; /* of samples */
    buffer message, inner, text;
    bool failed;
} otlp;

/* Makes the samples, and the tables but for what a Profile itself names. False when memory ran out. */
bool otlp_collect(otlp *o);

/* A sample's value of one type. */
uint64_t otlp_value(const otlp *o, unsigned type, const otlp_sample *sample);

/* The numbers of a string, and of an attribute with a text or a number; they are made when they are new. */
uint32_t otlp_string(otlp *o, const char *text);
uint32_t otlp_attribute(otlp *o, const char *key, bytes text, uint64_t number);

#endif
