/* story.h - what a reviewer would say of a comparison first: which call takes longer, or less, and why.
 *
 * The subject is the outermost method that has the largest change of time beyond noise. Below one that is called once
 * the first that is called several times takes its place, as a request is, when it has most of the change. The cause is
 * looked for below the subject, from callee to callee as long as one of them has half of the change. It is the first
 * that is new, that is called more often, or that has changed in its own code. Where no callee has as much, the cause
 * is the method that has half of it in its own code, summed up over all callers. */
#ifndef ILINJECT_REPORT_DIFF_STORY_H
#define ILINJECT_REPORT_DIFF_STORY_H

#include "report/diff/diff.h"

#define STORY_NONE UINT32_MAX

typedef enum story_kind {
    STORY_NOTHING, /* nothing has changed beyond noise */
    STORY_SPREAD,  /* no method has half of the change: there is no cause */
    STORY_ITSELF,  /* the cause's own code has it */
    STORY_NEW,
    STORY_GONE,
    STORY_COUNT, /* the cause is called more often, or less */
} story_kind;

/* Means of both sides. */
typedef struct story_sums {
    double taken[2], own[2], work[2], calls[2]; /* work: what of the own time was not waited */
} story_sums;

typedef struct diff_story {
    story_kind kind;
    uint32_t subject;    /* a method; STORY_NONE: only counts have changed */
    uint32_t cause;      /* a method, perhaps the subject */
    uint32_t caller;     /* of the cause; STORY_NONE: it is not known, or has several */
    double callers[2];   /* the caller's calls; 0: not known */
    bool each;           /* the subject is called several times on both sides: figures are to be shown by its call */
    story_sums whole;    /* of the subject */
    story_sums of_cause; /* below the subject */
} diff_story;

/* False when memory ran out. */
bool story_find(diff_story *story, const diff *d);

/* The sentence, and where names stand in it. */
typedef struct story_text {
    buffer text;
    struct {
        size_t start, end;
    } names[3];
    size_t name_count;
} story_text;

/* Appends it to an empty text (sentence.c). Clear its buffer afterwards. */
void story_tell(story_text *text, const diff *d, const diff_story *story);

/* A method's type and name, without namespace and parameters. */
bytes story_name(const diff_function *f);

#endif
