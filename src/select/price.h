/* price.h - the price that a selection is asked to keep: --overhead, with profiles or without.
 *
 * A method that the selection's rules instrument is left out when the choice by counts (counts.h) leaves it out, or, if
 * no profile knows it, when it looks like one that would be inlined (guess.h). In any case stay: what an include names
 * exactly or [Profile] marks by itself, and the entry point. */
#ifndef ILINJECT_SELECT_PRICE_H
#define ILINJECT_SELECT_PRICE_H

#include "choice/counts.h"
#include "il/body.h"
#include "select/selection.h"

enum { PRICE_LEAST = 1, PRICE_MOST = 1000 }; /* percent */

struct price {
    const ilj_selection *owner; /* that frees it; its copies borrow it */
    unsigned percent;
    bool profiles; /* there are some */
    counts counts;
};

/* Reads the profiles of the options, chooses, and gives the selection its price. The selection's rules are complete.
 * Returns ECMA_OK, ECMA_CONFIG, ECMA_NO_MEMORY, and what counts_add_file returns; reported. */
ecma_status price_make(ilj_selection *s, ilj_context *context, const ilj_selection_options *options);
void price_free(ilj_selection *s);

/* Asks about the methods of one image: price_begin, price_ask for each that rules instrument, price_end. */
typedef struct price_asker {
    ilj_selection *selection; /* NULL: nothing is asked for */
    const ilj_image *image;
    buffer key;
} price_asker;

price_asker price_begin(ilj_selection *selection, const ilj_image *image);

/* ILJ_INSTRUMENT, ILJ_CALLED_OFTEN or ILJ_LIKELY_INLINED, for a method that `rule` (rules.h) selected; *outermost: of
 * one that is called too often, the outermost calls are recorded all the same. When memory ran out, key.failed. */
ilj_reason price_ask(price_asker *a, uint32_t method_row, uint32_t rule, const il_body *body, bool *outermost);

/* Appends why a method was left out, for people: "--overhead=10%: 1234567 calls, but for outermost ones". */
void price_describe(buffer *b, price_asker *a, uint32_t method_row, const il_body *body);
void price_end(price_asker *a);

/* After the last image: says when the profiles know no method of any. */
void price_check(const ilj_selection *s, ilj_context *context);

/* Methods of an assembly that are left out by counts: one that stays has their time. */
enum { PRICE_NAMED = 3 };
typedef struct price_group {
    const counted *within; /* the one that stays; NULL: of the one that is left out the outermost calls stay */
    const counted *named[PRICE_NAMED]; /* of those that are left out the ones that hold most work; NULL: no more */
    uint64_t methods, calls;
} price_group;

/* MethodDef rows of an image. */
typedef struct price_rows {
    const ilj_image *image;
    const uint32_t *list;
    uint32_t count;
} price_rows;

/* Returns how many groups there are: first those of methods that have their outermost calls recorded, then the others;
 * of each kind those with the most calls. */
enum { PRICE_OUTERMOST = 4, PRICE_WITHIN = 8, PRICE_GROUPS = PRICE_OUTERMOST + PRICE_WITHIN + 1 };
uint32_t price_groups(price_group groups[PRICE_GROUPS], const ilj_selection *s, bytes assembly,
                      const price_rows *outermost);

/* Appends "Type.Method". */
void price_name(buffer *b, const counted *m);

/* Appends the setting that makes the tracker hold the price, such as "overhead=10%", if the selection has one. */
void price_setting(buffer *b, const ilj_selection *s);

#endif
