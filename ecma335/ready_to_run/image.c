#include "ready_to_run/image.h"

#include "ready_to_run/signature.h"

enum { HEADER_BYTES = 16, SECTION_BYTES = 12, IMPORTS_BYTES = 20, MACHINE_AMD64 = 0x8664 };

const char *r2r_section_name(uint32_t type) {
    static const char *const names[R2R_SECTIONS] = {
#define R2R_SECTION(type, name, text) [type - R2R_FIRST_SECTION] = text,
#include "ready_to_run/sections.def"
#undef R2R_SECTION
    };
    return type - R2R_FIRST_SECTION < R2R_SECTIONS ? names[type - R2R_FIRST_SECTION] : NULL;
}

static const char *read_sections(r2r_image *r) {
    uint32_t before = 0;
    for (uint32_t i = 0; i < r->section_count; i++) {
        bytes b, content;
        if (!pe_try_bytes(r->image, r->header_rva + HEADER_BYTES + i * SECTION_BYTES, SECTION_BYTES, &b))
            return "the headers of its sections are not in the file";
        uint32_t type = load_u32(b.data);
        pe_directory place = {load_u32(b.data + 4), load_u32(b.data + 8)};
        if (type <= before)
            return "the headers of its sections do not ascend";
        before = type;
        if (!r2r_section_name(type))
            r->unknown_sections++;
        else if (place.size && !pe_try_bytes(r->image, place.rva, place.size, &content))
            return "a section of it is not in the file";
        else
            r->sections[type - R2R_FIRST_SECTION] = place;
    }
    return NULL;
}

const char *r2r_open(r2r_image *r, const pe_image *image) {
    bytes b;
    *r = (r2r_image){.image = image, .header_rva = image->cli.managed_native.rva};
    if (r->header_rva == 0 || !pe_try_bytes(image, r->header_rva, HEADER_BYTES, &b) || memcmp(b.data, "RTR", 4) != 0)
        return "it has no ReadyToRun header";
    r->major = load_u16(b.data + 4);
    r->minor = load_u16(b.data + 6);
    r->flags = load_u32(b.data + 8);
    r->section_count = load_u32(b.data + 12);
    if (r->section_count > image->file.size / SECTION_BYTES)
        return "the headers of its sections are not in the file";
    const char *fault = read_sections(r);
    if (fault)
        return fault;
    r->function_bytes = pe_plain_machine(image->machine) == MACHINE_AMD64 ? 12 : 8;
    r->function_count = r2r_section(r, R2R_FUNCTIONS).size / r->function_bytes;
    pe_directory methods = r2r_section(r, R2R_METHODS), instances = r2r_section(r, R2R_INSTANCES);
    if (methods.size && !nf_array_open(&r->methods, image, methods))
        return "the array of its methods' entries is damaged";
    if (instances.size && !nf_table_open(&r->instances, image, instances))
        return "the table of its instantiations is damaged";
    return NULL;
}

uint32_t r2r_section_header(const r2r_image *r, r2r_section_type type) {
    bytes b;
    for (uint32_t i = 0; i < r->section_count; i++) {
        uint32_t rva = r->header_rva + HEADER_BYTES + i * SECTION_BYTES;
        if (pe_try_bytes(r->image, rva, SECTION_BYTES, &b) && load_u32(b.data) == type)
            return rva;
    }
    return 0;
}

/* ---- Entries ---------------------------------------------------------------------------------------------------- */

/* The low bits: are there fixups, and do these lie elsewhere? A second number then says how many bytes before it. */
static bool read_entry(const r2r_image *r, nf_reader *reader, r2r_entry *entry) {
    enum { FIXUPS = 1, ELSEWHERE = 2 };
    uint32_t id = nf_unsigned(reader);
    *entry = (r2r_entry){.function = id & FIXUPS ? id >> 2 : id >> 1};
    if (id & FIXUPS) {
        entry->fixups = reader->at;
        if (id & ELSEWHERE) {
            uint32_t back = nf_unsigned(reader);
            reader->failed |= back >= entry->fixups;
            entry->fixups -= back;
        }
    }
    bytes b;
    if (entry->function >= r->function_count || (entry->fixups && !pe_try_bytes(r->image, entry->fixups, 1, &b)))
        reader->failed = true;
    return !reader->failed;
}

bool r2r_try_method(const r2r_image *r, nf_reader *reader, uint32_t row, r2r_entry *entry) {
    return row && nf_array_find(&r->methods, reader, row - 1) && read_entry(r, reader, entry);
}

uint32_t r2r_function_rva(const r2r_image *r, uint32_t function) {
    bytes b;
    pe_directory functions = r2r_section(r, R2R_FUNCTIONS);
    return function < r->function_count && pe_try_bytes(r->image, functions.rva + function * r->function_bytes, 4, &b)
               ? load_u32(b.data)
               : 0;
}

void r2r_instances_walk(r2r_instances *w, const r2r_image *r) {
    *w = (r2r_instances){.image = r};
    if (r->instances.buckets)
        nf_table_walk(&w->walk, &r->instances, r->image);
}

bool r2r_instances_next(r2r_instances *w, r2r_instance *instance) {
    if (!w->walk.table || w->failed)
        return false;
    if (!nf_table_next(&w->walk, &instance->place)) {
        w->failed = w->walk.reader.failed;
        return false;
    }
    r2r_signature s = {.reader = {.image = w->image->image}};
    r2r_walk_method(&s, instance->place.rva, &instance->flags, &instance->row);
    w->failed = s.reader.failed || !read_entry(w->image, &s.reader, &instance->entry);
    return !w->failed;
}

/* ---- Imports ---------------------------------------------------------------------------------------------------- */

uint32_t r2r_imports_count(const r2r_image *r) {
    return r2r_section(r, R2R_IMPORTS).size / IMPORTS_BYTES;
}

bool r2r_try_imports(const r2r_image *r, uint32_t index, r2r_imports *imports) {
    bytes b;
    if (!pe_try_bytes(r->image, r2r_section(r, R2R_IMPORTS).rva + index * IMPORTS_BYTES, IMPORTS_BYTES, &b))
        return false;
    reader from = reader_of(b);
    imports->slots.rva = reader_u32(&from);
    imports->slots.size = reader_u32(&from);
    imports->flags = reader_u16(&from);
    imports->type = reader_u8(&from);
    imports->entry_size = reader_u8(&from);
    imports->signatures = reader_u32(&from);
    imports->count = imports->entry_size ? imports->slots.size / imports->entry_size : 0;
    return imports->entry_size && (imports->slots.size == 0 || pe_section_at(r->image, imports->slots.rva));
}

bool r2r_try_signature(const r2r_image *r, const r2r_imports *imports, uint32_t slot, uint32_t *rva) {
    bytes b;
    *rva = 0;
    if (!imports->signatures)
        return true;
    if (!pe_try_bytes(r->image, imports->signatures + slot * 4, 4, &b))
        return false;
    *rva = load_u32(b.data);
    return true;
}
