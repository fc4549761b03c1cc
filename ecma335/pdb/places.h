/* places.h - where each method stands in its source: the document and line of its first sequence point that is not
 * hidden (Portable PDB, "Sequence Points Blob"; Mono's .mdb). The declaration's own line is in no symbols: this is the
 * line of the body's `{`, or of its first statement. */
#ifndef ECMA335_PDB_PLACES_H
#define ECMA335_PDB_PLACES_H

#include "base/buffer.h"
#include "metadata/view.h"

/* `document`: the row of Document, or the number in the .mdb's source table, from 1; 0: the method has no line. */
typedef struct pdb_place {
    uint32_t document, line; /* the line from 1 */
} pdb_place;

/* Of a row of MethodDef. Damaged points give none. */
pdb_place pdb_place_of(const md_view *pdb, uint32_t method_row);

/* Sets places[row] for the methods of a .mdb that have a line and a row up to `rows`; the others stay as they are. A
 * damaged file gives those before the damage. */
void mdb_places(pdb_place *places, uint32_t rows, bytes file);

/* A spot in a method's code, and the place of the last sequence point up to it that is not hidden. */
typedef struct pdb_spot {
    uint32_t row, offset; /* in MethodDef, and in the code that the symbols are of */
    pdb_place place;
} pdb_spot;

/* Sets the places of spots, which stand in the order of their rows and then of their offsets. Damaged points give
 * none. */
void pdb_find_spots(const md_view *pdb, pdb_spot *spots, uint32_t count);
void mdb_find_spots(pdb_spot *spots, uint32_t count, bytes file);

/* Appends the document's path, as the compiler had it, without a zero byte; nothing when it is damaged, or longer than
 * PDB_MAX_PATH. */
enum { PDB_MAX_PATH = 4096 };
void pdb_append_document(buffer *out, const md_view *pdb, uint32_t document);
void mdb_append_document(buffer *out, bytes file, uint32_t document);

/* The document's SHA-256, 32 bytes; empty: it has none, or one of another kind. */
bytes pdb_document_sha256(const md_view *pdb, uint32_t document);

/* The JSON that SourceLink leaves in a PDB (CustomDebugInformation of the module): where its documents are on the web.
 * Empty: there is none. */
bytes pdb_source_link(const md_view *pdb);

#endif
