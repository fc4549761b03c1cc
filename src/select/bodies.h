/* bodies.h - the method bodies of an image: where they lie, which can be instrumented, which stand in each other's way.
 *
 * Fails closed, per method: a body that cannot be understood, that overlaps another or the data of a field, or that
 * something else refers into (referrers.h) is left as it is, with a diagnostic naming both. Bodies shared by several
 * methods (one RVA) are no overlap.
 */
#ifndef ILINJECT_SELECT_BODIES_H
#define ILINJECT_SELECT_BODIES_H

#include "il/body.h"
#include "input/data_extents.h"
#include "select/resolvers.h"

typedef struct method_body {
    uint32_t row; /* MethodDef */
    uint32_t rva;
    uint32_t size; /* of the old body in the file, also of one that other readers may understand (il_body_claimed);
                      0 when none can, or it is none of IL */
    uint32_t code_size;
    ilj_reason reason;
    uint32_t rule;                 /* what decided (rules.h) */
    uint32_t new_offset, new_size; /* in the buffer of new bodies, when instrumented */
    bool new_is_fat;
    bool outermost; /* a price leaves it out, but for its calls from outside of what it calls itself by */
    bool native;    /* the RVA is one of native code: whatever lies there is never read as IL */
} method_body;

typedef struct bodies {
    method_body *list; /* all methods with an RVA, in MethodDef order; in the image's arena */
    uint32_t *by_rva;  /* their positions, ascending in RVA, then row */
    uint32_t count;
    uint32_t any_impl_flags;             /* each bit of MethodDef.ImplFlags that any method has */
    uint32_t left_out[ILJ_REASON_COUNT]; /* of all methods, those without an RVA too */
    uint32_t *anchors; /* ascending: RVAs that something refers to: headers, field data, bodies that stay */
    uint32_t anchor_count;
    data_extents data; /* of fields */
    resolvers resolvers;
    uint64_t selected_bytes; /* of the bodies that are instrumented; one counts for each method that shares it */
} bodies;

/* Gathers, checks and selects; `selection` may be NULL. Returns ECMA_OK, ECMA_NO_MEMORY. */
ecma_status bodies_find(bodies *b, ilj_image *image, ilj_selection *selection);

/* Refuses an image if its methods share bodies that come to more, together, than budget.h allows. After bodies_find.
 * Returns ECMA_OK, ECMA_UNSUPPORTED. */
ecma_status bodies_check_budget(const bodies *b, ilj_image *image);

/* A walk over the bodies that are instrumented, in MethodDef order. Starts all zero. */
typedef struct bodies_walk {
    uint32_t next;
    pe_section_hint hint;
} bodies_walk;

/* The next one, with the bytes from its header to the end of its section; false after the last. */
static inline bool bodies_next(bodies_walk *walk, const bodies *b, const ilj_image *image, method_body **m,
                               bytes *from) {
    while (walk->next < b->count) {
        *m = &b->list[walk->next++];
        if ((*m)->reason == ILJ_INSTRUMENT && pe_try_bytes_with_hint(&image->pe, &walk->hint, (*m)->rva, from))
            return true;
    }
    return false;
}

/* The method of a MethodDef row; NULL: it has no RVA. */
const method_body *bodies_of(const bodies *b, uint32_t method_row);

/* Reads the body of a MethodDef row; false when it is not instrumented. */
bool bodies_read(const bodies *b, const ilj_image *image, uint32_t method_row, il_body *body);

/* Leaves a body out after all and says why; of a protected file's thousands, the first BODIES_TOLD. */
enum { BODIES_TOLD = 20 };
void bodies_leave_out(bodies *b, ilj_image *image, method_body *body, const char *what, uint32_t offset);

/* When it is settled what stays: adds it to the anchors, and says how many bodies were left out without being named.
 */
void bodies_settle(bodies *b, ilj_image *image);

#endif
