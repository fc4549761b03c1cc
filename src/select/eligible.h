/* eligible.h - which methods can be instrumented, from the tables alone: `list` and `instrument` ask the same question.
 */
#ifndef ILINJECT_SELECT_ELIGIBLE_H
#define ILINJECT_SELECT_ELIGIBLE_H

#include "il/body.h"
#include "input/image.h"
#include "input/marker.h"
#include "metadata/flags.h"
#include "metadata/types.h"

/* ILJ_INSTRUMENT, or why a method is left out. Not found here are ILJ_BAD_BODY, which needs the body,
 * ILJ_REFERENCE_ASSEMBLY, which is asked once for the whole image, and what rules.h answers. */
ilj_reason select_method(const struct ilj_image *image, uint32_t method_row);

/* The same from the method's cells, for who knows whether its type is the helper type of an earlier run
 * (marker_is_helper_type).
 */
static inline ilj_reason select_by_flags(uint32_t flags, uint32_t impl_flags, uint32_t rva) {
    if (flags & MD_METHOD_ABSTRACT)
        return ILJ_ABSTRACT;
    if (impl_flags & MD_IMPL_INTERNAL_CALL)
        return ILJ_INTERNAL_CALL;
    if (flags & MD_METHOD_PINVOKE_IMPL)
        return ILJ_EXTERN;
    if ((impl_flags & MD_IMPL_CODE_TYPE_MASK) == MD_IMPL_RUNTIME)
        return ILJ_RUNTIME;
    /* Native and OPTIL code types: the RVA, if there is one, is not of IL. */
    if (impl_flags & (MD_IMPL_CODE_TYPE_MASK | MD_IMPL_UNMANAGED))
        return ILJ_UNMANAGED;
    /* ForwardRef has no RVA either, until a linker has put a body in its place. */
    return rva == 0 ? ILJ_NO_BODY : ILJ_INSTRUMENT;
}

/* True if the assembly is marked as one that is only compiled against: its bodies never run. */
bool select_reference_assembly(const struct ilj_image *image);

/* Why the image goes through unchanged, which is reported to its diag; NULL: it does not. `tracker`: name of the
 * tracker's assembly. With `force` only the tracker itself does. */
const char *select_reason_to_copy(struct ilj_image *image, const char *tracker, bool force);

/* Reads the body of a method that select_method would instrument. false: it cannot be understood, `fault` says why. Its
 * instructions are not looked at here. */
bool select_try_body(const struct ilj_image *image, uint32_t method_row, il_body *body, il_fault *fault);

#endif
