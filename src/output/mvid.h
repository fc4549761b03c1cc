/* mvid.h - the output's module version id: a hash of all that decides the output, so that equal runs give equal bytes
 * and others do not. */
#ifndef ILINJECT_OUTPUT_MVID_H
#define ILINJECT_OUTPUT_MVID_H

#include "metadata/edit.h"

/* The inputs that decide it besides the program's version; all borrowed. */
typedef struct mvid_source {
    bytes file;          /* the input */
    const md_edit *edit; /* what is added says what there is to know of the tracker: its name, version and key, and how
                            it is called */
    bytes new_bodies;
    bytes methods; /* those that got an id: all that a selection decides */
    uint8_t fate;  /* of the signature */
    bytes pdb_id;  /* of the new PDB, which the output names; empty: it has none */
} mvid_source;

void mvid_make(uint8_t mvid[16], const mvid_source *from);

#endif
