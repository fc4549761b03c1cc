/* manifest.h - AppManifest.xaml, the deployment manifest of a XAP: which parts it names, and one part more in it.
 *
 * The document is parsed by libxml2 (no document type, so no entities; no network) to find where things stand; what is
 * changed are a few bytes, so that all others stay: byte order mark, attributes, comments, line ends. It has to be
 * UTF-8, as all known ones are. */
#ifndef ILINJECT_PACKAGE_MANIFEST_H
#define ILINJECT_PACKAGE_MANIFEST_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/diag.h"

enum { MANIFEST_BYTES = 1 << 20, MANIFEST_PARTS = 10000 };

typedef struct manifest {
    bytes text; /* borrowed */
    arena memory;
    const char **parts; /* the Source of each AssemblyPart */
    size_t part_count;
    const char **extensions; /* the Source of each ExtensionPart */
    size_t extension_count;
    /* Where a part is put in: */
    size_t place;               /* bytes before it; 0: the document has no Deployment.Parts */
    size_t skip;                /* bytes that it takes the place of: "/>" */
    const char *element_prefix; /* "d:" of <d:Deployment.Parts>; "" without */
    const char *name_prefix;    /* of x:Name; NULL: none is declared */
    bool is_empty;              /* <Deployment.Parts/> */
    bytes before;               /* the white space before the last part */
} manifest;

#define MANIFEST_INIT ((manifest){0})

/* Returns ECMA_OK, ECMA_BAD_FILE, ECMA_UNSUPPORTED (no libxml2), ECMA_NO_MEMORY; clear in any case. */
ecma_status manifest_read(manifest *m, diag *d, bytes text);
void manifest_clear(manifest *m);

/* True if a part has this Source, but for the case of ASCII letters. */
bool manifest_has(const manifest *m, const char *source);

/* The text with an AssemblyPart after the others; read back: it has that part more, and else says what it said. The
 * document has Deployment.Parts; `name` is a file name for Windows, too, without .dll. Returns ECMA_OK, ECMA_BUG,
 * ECMA_NO_MEMORY. */
ecma_status manifest_add(buffer *made, diag *d, const manifest *m, const char *name);

#endif
