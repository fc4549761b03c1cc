/* body.h - a method body as it stands in the file (II.25.4): header, code, exception clauses.
 *
 * An il_body borrows the bytes it was read from. A body that cannot be understood has a reason, not an error of the
 * file: the method is then left alone and the rest goes on. */
#ifndef ECMA335_IL_BODY_H
#define ECMA335_IL_BODY_H

#include "base/bytes.h"

/* Why a body cannot be understood. */
typedef struct il_fault {
    const char *what; /* static text; NULL: nothing is wrong */
    uint32_t offset;  /* from the first byte of the header when reading a body, else from the first byte of the code */
} il_fault;

/* Header flags (II.25.4.4) and section kinds (II.25.4.5). */
enum {
    IL_TINY_FORMAT = 0x2,
    IL_FAT_FORMAT = 0x3,
    IL_MORE_SECTS = 0x8,
    IL_INIT_LOCALS = 0x10,
    IL_SECT_EH_TABLE = 0x1,
    IL_SECT_FAT_FORMAT = 0x40,
    IL_SECT_MORE_SECTS = 0x80,
};

/* Clause kinds (II.25.4.6). */
enum { IL_CLAUSE_EXCEPTION = 0, IL_CLAUSE_FILTER = 1, IL_CLAUSE_FINALLY = 2, IL_CLAUSE_FAULT = 4 };

typedef struct il_clause {
    uint32_t flags; /* one of the kinds above */
    uint32_t try_offset;
    uint32_t try_length;
    uint32_t handler_offset;
    uint32_t handler_length;
    uint32_t class_token_or_filter_offset; /* by kind: the caught type's token, the filter's offset, or kept as found */
} il_clause;

/* One exception section. Chained sections are rare; IL_MAX_SECTIONS bounds them. */
enum { IL_MAX_SECTIONS = 4 };

typedef struct il_section {
    uint32_t clause_count;
    bool fat;
    uint8_t data_size_excess; /* DataSize less the clauses' bytes: 4 as the standard has it, 0 as some producers do */
    uint16_t reserved;        /* of a small section: what stands in its padding */
    uint8_t padding[3];       /* the bytes before it, up to its 4-byte boundary */
    uint8_t padding_size;
    const uint8_t *clauses;
} il_section;

typedef struct il_body {
    bytes code;
    uint32_t size; /* of the whole body, from the header's first byte to the end of the last section or of the code */
    uint16_t max_stack; /* a tiny body's is 8 */
    uint16_t flags;     /* the 12 bits of a fat header; IL_TINY_FORMAT */
    uint32_t local_var_sig_token;
    uint32_t clause_count; /* over all sections */
    uint32_t section_count;
    bool tiny;
    bool init_locals;
    uint8_t header_size;                  /* 1 or 12 */
    il_section sections[IL_MAX_SECTIONS]; /* `section_count` of them; the others mean nothing */
} il_body;

/* Reads the body that starts, with its header, at the first byte of `from_header_on`, which may reach far past its end.
 * false: `fault` says why, `body` has lost at most its sections. The clauses' offsets are not compared with the code
 * here; il_edit_begin does that. A fat header is taken to stand on a 4-byte boundary, as II.25.4 requires; a caller who
 * knows the RVA checks that. */
bool il_body_try_read(il_body *body, bytes from_header_on, il_fault *fault);

/* The sections of a fat body from `at` on, where its code ends. Returns where they end; NULL: they cannot be read, and
 * `fault` says why. Sets, apart from body->sections, how many there are, and how many clauses. */
const uint8_t *il_body_read_sections(il_body *body, bytes from_header_on, const uint8_t *at, uint32_t *section_count,
                                     uint32_t *clause_count, il_fault *fault);

/* il_body_try_read, in line but for what is rare. */
static inline bool il_body_read(il_body *body, bytes from, il_fault *fault) {
    enum { TINY_HEAD = 1, FAT_HEAD = 12, FAT_WORDS = 3 };
    const uint8_t *const p = from.data;
    if (from.size < FAT_HEAD || from.size > INT32_MAX)
        return il_body_try_read(body, from, fault);
    const bool tiny = (p[0] & 3) == IL_TINY_FORMAT;
    const uint32_t word = load_u16(p), code_size = tiny ? word >> 2 & 0x3F : load_u32(p + 4);
    if (code_size - 1 >= from.size - FAT_HEAD || (!tiny && ((word & 7) != IL_FAT_FORMAT || word >> 12 != FAT_WORDS)))
        return il_body_try_read(body, from, fault);
    const uint8_t *const code = p + (tiny ? TINY_HEAD : FAT_HEAD), *end = code + code_size;
    uint32_t section_count = 0, clause_count = 0;
    if (!tiny && word & IL_MORE_SECTS &&
        !(end = il_body_read_sections(body, from, end, &section_count, &clause_count, fault)))
        return false;
    body->tiny = tiny;
    body->flags = tiny ? IL_TINY_FORMAT : word & 0xFFF;
    body->max_stack = tiny ? 8 : load_u16(p + 2);
    body->header_size = tiny ? TINY_HEAD : FAT_HEAD;
    body->local_var_sig_token = tiny ? 0 : load_u32(p + 8);
    body->init_locals = !tiny && word & IL_INIT_LOCALS;
    body->clause_count = clause_count;
    body->section_count = section_count;
    body->code = bytes_of(code, code_size);
    body->size = (uint32_t)(end - p);
    return true;
}

/* How many bytes other readers may take for the body, where il_body_try_read does not understand its sections or its
 * format's third bit: the header, the code, and sections of any kind as long as they are there. 0: its code is not. */
uint32_t il_body_claimed(bytes from_header_on);

/* Copies what means something. */
static inline void il_body_copy(il_body *to, const il_body *body) {
    memcpy(to, body, offsetof(il_body, sections));
    for (uint32_t i = 0; i < body->section_count; i++)
        to->sections[i] = body->sections[i];
}

/* The clause `index` (from 0, in file order, which is the order of search) of `index < body->clause_count`. */
void il_body_clause(const il_body *body, uint32_t index, il_clause *clause);

/* True if the code, a protected region, a filter or a handler ends at `offset`: then nothing falls through to it. */
bool il_body_ends_at(const il_body *body, uint32_t offset);

#endif
