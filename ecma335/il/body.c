#include "il/body.h"

static bool no(il_fault *fault, const char *what, size_t offset) {
    *fault = (il_fault){what, (uint32_t)offset};
    return false;
}

/* One section at `at`, its padding before it, of a body that starts at `start`. Returns where it ends; NULL: it cannot
 * be read. */
static inline const uint8_t *read_section(const uint8_t *at, const uint8_t *start, const uint8_t *end,
                                          il_section *section, bool *more, il_fault *fault) {
    const size_t padding = -(size_t)(at - start) & 3;
    if (padding > (size_t)(end - at)) {
        no(fault, "the padding before an exception section is cut off", (size_t)(end - start));
        return NULL;
    }
    section->padding_size = (uint8_t)padding;
    copy_run(section->padding, at, padding);
    at += padding;

    const char *wrong = NULL;
    const size_t left = (size_t)(end - at);
    if (left < 4) {
        no(fault, "an exception section is cut off", (size_t)(at - start));
        return NULL;
    }
    const uint32_t head = load_u32(at), kind = head & 0xFF;
    section->fat = kind & IL_SECT_FAT_FORMAT;
    section->reserved = section->fat ? 0 : (uint16_t)(head >> 16);
    *more = kind & IL_SECT_MORE_SECTS;
    /* The runtimes divide DataSize by the clause's size, so both n * size + 4 and n * size mean n clauses. */
    uint32_t data_size = section->fat ? head >> 8 : head >> 8 & 0xFF;
    section->clause_count = section->fat ? data_size / 24 : data_size / 12;
    const uint32_t clause_bytes = section->clause_count * (section->fat ? 24 : 12);
    section->data_size_excess = (uint8_t)(data_size - clause_bytes);
    section->clauses = at + 4;
    if ((kind & ~(uint32_t)(IL_SECT_FAT_FORMAT | IL_SECT_MORE_SECTS)) != IL_SECT_EH_TABLE)
        wrong = "a section is not an exception table";
    else if (section->data_size_excess != 0 && section->data_size_excess != 4)
        wrong = "an exception section's DataSize is not a number of clauses";
    else if (clause_bytes > left - 4)
        wrong = "an exception section's clauses are cut off";
    if (!wrong)
        return at + 4 + clause_bytes;
    no(fault, wrong, (size_t)(at - start));
    return NULL;
}

/* These two are functions of their own: what saves registers for a fat body is not in the way of a tiny one. */
static __attribute__((noinline)) bool read_tiny(il_body *body, bytes from, il_fault *fault) {
    uint32_t code_size = from.data[0] >> 2;
    if (code_size > from.size - 1)
        return no(fault, "the code is cut off", 1);
    if (code_size == 0)
        return no(fault, "the code is empty", 1);
    body->tiny = true;
    body->flags = IL_TINY_FORMAT;
    body->max_stack = 8;
    body->header_size = 1;
    body->local_var_sig_token = 0;
    body->init_locals = false;
    body->clause_count = body->section_count = 0;
    body->code = bytes_of(from.data + 1, code_size);
    body->size = 1 + code_size;
    return true;
}

const uint8_t *il_body_read_sections(il_body *body, bytes from_header_on, const uint8_t *at, uint32_t *section_count,
                                     uint32_t *clause_count, il_fault *fault) {
    const uint8_t *const start = from_header_on.data, *const end = start + from_header_on.size;
    uint32_t sections = 0, clauses = 0;
    for (bool more = true; more;) {
        if (sections == IL_MAX_SECTIONS) {
            no(fault, "there are too many sections", (size_t)(at - start));
            return NULL;
        }
        il_section *section = &body->sections[sections++];
        if (!(at = read_section(at, start, end, section, &more, fault)))
            return NULL;
        clauses += section->clause_count;
    }
    *section_count = sections;
    *clause_count = clauses;
    return at;
}

static __attribute__((noinline)) bool read_fat(il_body *body, bytes from, il_fault *fault) {
    enum { HEAD = 12 };
    if (from.size < HEAD)
        return no(fault, "the header is cut off", 0);
    const uint8_t *const start = from.data;
    const uint16_t word = load_u16(start);
    const uint32_t code_size = load_u32(start + 4);
    if (word >> 12 != 3)
        return no(fault, "a fat header's size is not 3 words", 0);
    if (code_size == 0)
        return no(fault, "the code is empty", 4);
    if (code_size > from.size - HEAD)
        return no(fault, "the code is cut off", HEAD);
    const uint8_t *at = start + HEAD + code_size;

    uint32_t section_count = 0, clause_count = 0;
    if (word & IL_MORE_SECTS && !(at = il_body_read_sections(body, from, at, &section_count, &clause_count, fault)))
        return false;
    body->tiny = false;
    body->flags = word & 0xFFF;
    body->max_stack = load_u16(start + 2);
    body->header_size = HEAD;
    body->local_var_sig_token = load_u32(start + 8);
    body->init_locals = word & IL_INIT_LOCALS;
    body->clause_count = clause_count;
    body->section_count = section_count;
    body->code = bytes_of(start + HEAD, code_size);
    body->size = (uint32_t)(at - start);
    return true;
}

bool il_body_try_read(il_body *body, bytes from_header_on, il_fault *fault) {
    if (from_header_on.size > INT32_MAX) /* no offset in a body may exceed it */
        from_header_on.size = INT32_MAX;
    if (from_header_on.size == 0)
        return no(fault, "the header is cut off", 0);
    if ((from_header_on.data[0] & 3) == IL_TINY_FORMAT)
        return read_tiny(body, from_header_on, fault);
    if ((from_header_on.data[0] & 7) == IL_FAT_FORMAT)
        return read_fat(body, from_header_on, fault);
    return no(fault, "the header is neither tiny nor fat", 0);
}

uint32_t il_body_claimed(bytes from_header_on) {
    reader r = reader_of(from_header_on);
    uint16_t word = reader_u16(&r);
    reader_skip(&r, 2);
    uint32_t code_size = reader_u32(&r);
    reader_skip(&r, 4);
    reader_skip(&r, code_size);
    if (r.failed || (word & 3) != IL_FAT_FORMAT || word >> 12 != 3 || from_header_on.size > INT32_MAX)
        return 0;
    size_t claimed = reader_offset(&r);
    bool more = word & IL_MORE_SECTS;
    for (unsigned i = 0; more && i < IL_MAX_SECTIONS; i++) {
        reader_skip(&r, (4 - (claimed & 3)) & 3);
        uint32_t head = reader_u32(&r), kind = head & 0xFF;
        uint32_t data_size = kind & IL_SECT_FAT_FORMAT ? head >> 8 : head >> 8 & 0xFF;
        uint32_t clause_size = kind & IL_SECT_FAT_FORMAT ? 24 : 12;
        reader_skip(&r, data_size / clause_size * clause_size);
        if (r.failed)
            break;
        claimed = reader_offset(&r);
        more = kind & IL_SECT_MORE_SECTS;
    }
    return (uint32_t)claimed;
}

void il_body_clause(const il_body *body, uint32_t index, il_clause *clause) {
    const il_section *section = body->sections;
    while (index >= section->clause_count) {
        index -= section->clause_count;
        section++;
    }
    if (section->fat) {
        const uint8_t *p = section->clauses + (size_t)index * 24;
        *clause = (il_clause){load_u32(p),      load_u32(p + 4),  load_u32(p + 8),
                              load_u32(p + 12), load_u32(p + 16), load_u32(p + 20)};
    } else {
        const uint8_t *p = section->clauses + (size_t)index * 12;
        *clause = (il_clause){load_u16(p), load_u16(p + 2), p[4], load_u16(p + 5), p[7], load_u32(p + 8)};
    }
}

bool il_body_ends_at(const il_body *body, uint32_t offset) {
    if (offset >= body->code.size)
        return true;
    for (uint32_t i = 0; i < body->clause_count; i++) {
        il_clause c;
        il_body_clause(body, i, &c);
        if (offset == c.try_offset + c.try_length || offset == c.handler_offset ||
            offset == c.handler_offset + c.handler_length ||
            (c.flags == IL_CLAUSE_FILTER && offset == c.class_token_or_filter_offset))
            return true;
    }
    return false;
}
