/* image.h - the native code of a ReadyToRun image: its sections, the entries of its methods, the slots that are filled
 * before code runs. A view borrows the image and owns nothing. */
#ifndef ECMA335_READY_TO_RUN_IMAGE_H
#define ECMA335_READY_TO_RUN_IMAGE_H

#include "ready_to_run/native_format.h"

enum { R2R_FIRST_SECTION = 100, R2R_SECTIONS = 24 }; /* types; newer ones are counted alone */

typedef enum r2r_section_type {
#define R2R_SECTION(type, name, text) R2R_##name = type,
#include "ready_to_run/sections.def"
#undef R2R_SECTION
} r2r_section_type;

enum { R2R_IMPORTS_BODIES = 7 }; /* a type of import section: bodies of other modules' methods */

enum {
    R2R_FLAG_COMPONENT = 0x20,      /* of a composite image */
    R2R_FLAG_MODULE_INDEXES = 0x40, /* inlining maps name the modules of their methods */
    R2R_FLAG_UNRELATED = 0x80,      /* holds code of other modules */
};

typedef struct r2r_image {
    const pe_image *image;
    uint16_t major, minor;
    uint32_t flags;
    uint32_t header_rva;
    uint32_t section_count;
    uint32_t unknown_sections;           /* of types that sections.def does not have */
    pe_directory sections[R2R_SECTIONS]; /* by type, from R2R_FIRST_SECTION on; size 0: there is none */
    uint32_t function_bytes, function_count;
    nf_array methods;   /* count 0: there are none */
    nf_table instances; /* buckets 0: there are none */
} r2r_image;

/* NULL, or what is wrong with the image: a static text. One without a ReadyToRun header is wrong, too. */
const char *r2r_open(r2r_image *r, const pe_image *image);

static inline pe_directory r2r_section(const r2r_image *r, r2r_section_type type) {
    return r->sections[type - R2R_FIRST_SECTION];
}

const char *r2r_section_name(uint32_t type); /* NULL: not known */

/* The RVA of a section's header; 0: there is none. */
uint32_t r2r_section_header(const r2r_image *r, r2r_section_type type);

/* ---- Entries ---------------------------------------------------------------------------------------------------- */

/* Where a method's code begins, and which slots have to be filled before it runs. */
typedef struct r2r_entry {
    uint32_t function; /* index in RuntimeFunctions */
    uint32_t fixups;   /* RVA of the list of slots; 0: there are none */
} r2r_entry;

/* The entry of a MethodDef row; false when it has no code of its own, or the reader has failed. */
bool r2r_try_method(const r2r_image *r, nf_reader *reader, uint32_t row, r2r_entry *entry);

/* The RVA of a function's first byte; 0 when it cannot be read. */
uint32_t r2r_function_rva(const r2r_image *r, uint32_t function);

/* An instantiation. */
typedef struct r2r_instance {
    nf_entry place;
    uint32_t flags; /* of its signature */
    uint32_t row;   /* of its MethodDef, or MemberRef by the flags */
    r2r_entry entry;
} r2r_instance;

/* A walk over the instantiations; it stops at damage, too, and has failed then. */
typedef struct r2r_instances {
    const r2r_image *image;
    nf_walk walk;
    bool failed;
} r2r_instances;

void r2r_instances_walk(r2r_instances *w, const r2r_image *r);
bool r2r_instances_next(r2r_instances *w, r2r_instance *instance);

/* ---- Imports ---------------------------------------------------------------------------------------------------- */

typedef struct r2r_imports {
    pe_directory slots;
    uint16_t flags;
    uint8_t type, entry_size;
    uint32_t signatures; /* RVA of an array parallel to the slots, of RVAs; 0: there is none */
    uint32_t count;      /* of slots */
} r2r_imports;

uint32_t r2r_imports_count(const r2r_image *r);
/* False when it does not lie in the file, or its entries have no size. */
bool r2r_try_imports(const r2r_image *r, uint32_t index, r2r_imports *imports);
/* The RVA of a slot's signature; 0: it has none; false when it cannot be read. */
bool r2r_try_signature(const r2r_image *r, const r2r_imports *imports, uint32_t slot, uint32_t *rva);

#endif
