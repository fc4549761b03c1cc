/* source.h - the assemblies that a profile is of, as files: they give what its names do not, signatures and IL. */
#ifndef ILINJECT_REPORT_MIBC_SOURCE_H
#define ILINJECT_REPORT_MIBC_SOURCE_H

#include "metadata/index.h"
#include "pe/image.h"
#include "platform/os.h"
#include "report/mibc/types.h"
#include "report/model/model.h"

/* One module of the profiles. */
typedef struct source {
    bool wanted; /* methods of it were called */
    bool found;  /* all below */
    bool other;  /* a file of its name is of another build */
    os_map map;
    arena memory;
    pe_image pe;
    md_view md;
    md_index index;
    type_names *names;         /* borrowed: of all sources */
    uint32_t assembly;         /* its number there */
    uint32_t *of_def, *of_ref; /* by row: the type's number and 1; 0: not asked for yet */
} source;

/* Opens the assemblies of all wanted modules, one for each module of the report: `sources` are as many, and zero but
 * for `wanted`. They are looked for by the options' `assemblies`, files and folders, then beside the profiles. A file
 * fits when it has the MVID that the module had before instrumenting, or is an output of such an input. What is missing
 * is a warning each. Returns ECMA_OK, ECMA_BAD_FILE (also where a file is of another build, or of no module), ECMA_IO
 * (also where none is found), ECMA_UNSUPPORTED, ECMA_NO_MEMORY. */
ecma_status sources_open(source *sources, const report *r, type_names *names, diag *d);
void sources_close(source *sources, uint32_t count);

/* Opens one that lies in memory, for as long as it is used; all zero but for the names. sources_close. Returns ECMA_OK,
 * ECMA_BAD_FILE, ECMA_NO_MEMORY. */
ecma_status source_open_bytes(source *s, bytes file, diag *d);

/* The number of the type that a TypeDef, TypeRef or TypeSpec token names, or that a TypeSpec instantiates; MAP_NONE: it
 * has none here. */
uint32_t source_type(source *s, md_token type);

/* For signature_copy: the user is a source. */
md_token source_named(void *user, md_token type);

#endif
