#include "pe/loaders.h"

#include "pe/image.h"

#include <stdio.h>

typedef enum rule_subject { IMAGE, SECTION, DIRECTORY, CLI_PART } rule_subject;
typedef enum rule_origin { LAID_OUT, INHERITED } rule_origin;

typedef struct rule {
    rule_subject subject;
    rule_origin origin;
    const char *text, *source;
} rule;

static const rule rules[PE_RULE_COUNT] = {
#define PE_RULE(name, subject, origin, text, source) {subject, origin, text, source},
#include "pe/loaders.def"
#undef PE_RULE
};

enum {
    LFANEW_OFFSET = 0x3C,
    COFF_BYTES = 24, /* with the signature */
    PAGE_BYTES = 0x1000,
    LEAST_FILE_ALIGNMENT = 512,
    BASE_ALIGNMENT = 0x10000,
    MOST_SECTIONS = 96,
    MACHINE_I386 = 0x14C,
    MACHINE_AMD64 = 0x8664,
    IMPORT_DESCRIPTOR_BYTES = 20,
    RELOC_HIGHLOW = 3,
    RELOC_DIR64 = 10,
    FILE_RELOCS_STRIPPED = 0x1, /* Characteristics of the file header (II.25.2.2.1) */
    FILE_SYSTEM = 0x1000,
    FILE_DLL = 0x2000,
    CLI_PARTS = 7,
    CLI_READ_ONLY_PARTS = 4, /* metadata, resources, signature, code manager */
    CLI_KNOWN_FLAGS = PE_CLI_IL_ONLY | PE_CLI_32BIT_REQUIRED | PE_CLI_IL_LIBRARY | PE_CLI_STRONG_NAME_SIGNED |
                      PE_CLI_NATIVE_ENTRYPOINT | PE_CLI_TRACK_DEBUG_DATA | PE_CLI_32BIT_PREFERRED,
};

/* Section characteristics that CoreCLR knows: code, data, zeros, discardable, not cached, not paged,
 * shared, execute, read, write. */
#define SECTION_KNOWN   0xFE0000E0u
#define SECTION_SHARED  0x10000000u
#define SECTION_EXECUTE 0x20000000u
#define SECTION_READ    0x40000000u
#define SECTION_WRITE   0x80000000u

typedef struct headers {
    bytes file;
    const uint8_t *coff, *optional, *directories; /* coff: after the signature */
    const uint8_t *sections;
    const uint8_t *cli; /* 72 bytes; NULL: they cannot be found */
    uint32_t section_count, directory_count, sections_end;
    uint32_t section_alignment, file_alignment, size_of_image, size_of_headers;
    bool plus, il_only;
    pe_verdict *verdict;
} headers;

typedef struct section {
    uint32_t virtual_size, rva, raw_size, raw_offset, characteristics;
} section;

static void hold(const headers *h, pe_rule rule, uint32_t subject, bool obeyed) {
    if (!obeyed && subject < PE_RULE_SUBJECTS)
        h->verdict->any = h->verdict->broken[rule][subject] = true;
}

static bool is_power_of_two(uint32_t value) {
    return value && (value & (value - 1)) == 0;
}

static bool is_multiple(uint64_t value, uint32_t alignment) {
    return alignment && value % alignment == 0;
}

static uint64_t round_up(uint64_t value, uint32_t alignment) {
    return alignment ? (value + alignment - 1) / alignment * alignment : value;
}

static section section_of(const headers *h, uint32_t i) {
    const uint8_t *p = h->sections + (size_t)i * PE_SECTION_HEADER_BYTES;
    return (section){load_u32(p + 8), load_u32(p + 12), load_u32(p + 16), load_u32(p + 20), load_u32(p + 36)};
}

static pe_directory directory_of(const headers *h, uint32_t i) {
    const uint8_t *p = h->directories + (size_t)i * 8;
    return i < h->directory_count ? (pe_directory){load_u32(p), load_u32(p + 4)} : (pe_directory){0};
}

/* CoreCLR's RvaToSection: the first section that ends, rounded up, after `rva`, if it holds it. */
static bool try_section(const headers *h, uint32_t rva, section *found) {
    for (uint32_t i = 0; i < h->section_count; i++) {
        *found = section_of(h, i);
        if (rva < found->rva + round_up(found->virtual_size, h->section_alignment))
            return rva >= found->rva;
    }
    return false;
}

/* CoreCLR's CheckRva: all of it in the section's virtual size and in its raw size. */
static bool fits(const headers *h, uint32_t rva, uint32_t size) {
    section s;
    if (!try_section(h, rva, &s))
        return false;
    uint32_t offset = rva - s.rva;
    return offset + (uint64_t)size <= s.virtual_size && offset + (uint64_t)size <= s.raw_size;
}

/* `size` bytes at `rva`, or NULL. */
static const uint8_t *at_rva(const headers *h, uint32_t rva, uint32_t size) {
    section s;
    bytes b;
    if (!fits(h, rva, size) || !try_section(h, rva, &s) ||
        !bytes_try_sub(h->file, s.raw_offset + (size_t)(rva - s.rva), size, &b))
        return NULL;
    return b.data;
}

/* ---- The headers and sections --------------------------------------------------------------------------------- */

static bool committed_is_reserved(const headers *h) {
    const uint8_t *p = h->optional + 72; /* reserve and commit, of the stack, then of the heap */
    if (h->plus)
        return load_u64(p + 8) <= load_u64(p) && load_u64(p + 24) <= load_u64(p + 16);
    return load_u32(p + 4) <= load_u32(p) && load_u32(p + 12) <= load_u32(p + 8);
}

static void check_headers(const headers *h) {
    uint32_t fa = h->file_alignment, sa = h->section_alignment;
    uint32_t characteristics = load_u16(h->coff + 18);
    uint64_t base = h->plus ? load_u64(h->optional + 24) : load_u32(h->optional + 28);
    hold(h, PE_RULE_OPTIONAL_HEADER, 0, load_u16(h->coff + 16) == (h->plus ? 240 : 224));
    hold(h, PE_RULE_SYSTEM_FILE, 0, !(characteristics & FILE_SYSTEM));
    hold(h, PE_RULE_FILE_ALIGNMENT, 0, is_power_of_two(fa) && fa >= LEAST_FILE_ALIGNMENT);
    hold(h, PE_RULE_SECTION_ALIGNMENT, 0, is_power_of_two(sa) && is_multiple(sa, fa));
    hold(h, PE_RULE_IMAGE_SIZE, 0, is_multiple(h->size_of_image, sa));
    hold(h, PE_RULE_HEADERS_SIZE, 0, is_multiple(h->size_of_headers, fa));
    hold(h, PE_RULE_HEADERS_FIT, 0,
         h->size_of_headers <= h->file.size && round_up(h->size_of_headers, sa) <= h->size_of_image);
    hold(h, PE_RULE_SECTION_COUNT, 0, h->section_count >= 1 && load_u16(h->coff + 2) <= MOST_SECTIONS);
    hold(h, PE_RULE_SECTION_TABLE, 0, h->sections_end <= h->size_of_headers);
    hold(h, PE_RULE_IMAGE_BASE, 0, base % BASE_ALIGNMENT == 0);
    hold(h, PE_RULE_STACK_AND_HEAP, 0, committed_is_reserved(h));
    hold(h, PE_RULE_WIN32_VERSION, 0, !h->il_only || characteristics & FILE_DLL || load_u32(h->optional + 52) == 0);
}

static void check_sections(const headers *h) {
    uint32_t fa = h->file_alignment, sa = h->section_alignment;
    uint64_t address_end = h->size_of_headers, raw_end = h->size_of_headers;
    uint64_t adjacent = round_up(h->size_of_headers, sa);
    for (uint32_t i = 0; i < h->section_count; i++) {
        section s = section_of(h, i);
        uint64_t rounded = round_up(s.virtual_size, sa);
        uint32_t size = s.virtual_size ? s.virtual_size : s.raw_size;
        hold(h, PE_RULE_RAW_OFFSET, i, is_multiple(s.raw_offset, fa));
        hold(h, PE_RULE_RAW_SIZE, i, is_multiple(s.raw_size, fa));
        hold(h, PE_RULE_RAW_FITS, i, s.raw_size <= rounded);
        hold(h, PE_RULE_RAW_IN_FILE, i, s.raw_offset + (uint64_t)s.raw_size <= h->file.size);
        hold(h, PE_RULE_RAW_ORDER, i, s.raw_size == 0 || s.raw_offset >= raw_end);
        hold(h, PE_RULE_ASCENDING, i, s.rva >= address_end);
        hold(h, PE_RULE_IN_IMAGE, i, s.rva + rounded <= h->size_of_image);
        hold(h, PE_RULE_RVA_ALIGNED, i, is_multiple(s.rva, sa));
        hold(h, PE_RULE_ADJACENT, i, s.rva == adjacent);
        hold(h, PE_RULE_NOT_EMPTY, i, size != 0);
        hold(h, PE_RULE_FLAT, i, sa >= PAGE_BYTES || s.raw_size == 0 || s.rva == s.raw_offset);
        hold(h, PE_RULE_CHARACTERISTICS, i, !(s.characteristics & ~(SECTION_KNOWN)));
        hold(h, PE_RULE_CODE_READ_ONLY, i, !(s.characteristics & PE_SECTION_CODE && s.characteristics & SECTION_WRITE));
        hold(h, PE_RULE_NOT_SHARED, i, !h->il_only || !(s.characteristics & SECTION_SHARED));
        hold(h, PE_RULE_ACCESSIBLE, i,
             !h->il_only || s.characteristics & (SECTION_EXECUTE | SECTION_READ | SECTION_WRITE));
        address_end = s.rva + rounded;
        raw_end = s.raw_offset + (uint64_t)s.raw_size;
        adjacent = s.rva + round_up(size, sa);
    }
}

/* ---- The CLI header and the metadata --------------------------------------------------------------------------- */

static const char *const cli_parts[CLI_PARTS] = {
    "metadata",      "managed resources",    "strong name",           "code manager table",
    "vtable fixups", "export address jumps", "managed native header",
};

/* Where part `i` stands in the CLI header (II.25.3.3): the first before flags and entry point. */
static pe_directory cli_part(const headers *h, uint32_t i) {
    const uint8_t *p = h->cli + (i ? 16 + i * 8 : 8);
    return (pe_directory){load_u32(p), load_u32(p + 4)};
}

static bool is_zeros(const uint8_t *p, size_t size) {
    while (size && *p == 0)
        p++, size--;
    return size == 0;
}

typedef struct stream_header {
    uint32_t offset, size, bytes; /* bytes: of the header itself */
} stream_header;

static bool try_stream_header(bytes metadata, uint32_t at, stream_header *s) {
    enum { NAME_MOST = 32 };
    bytes b;
    if (!bytes_try_sub(metadata, at, 8, &b))
        return false;
    uint32_t name = 0;
    while (name < NAME_MOST && at + 8 + name < metadata.size && metadata.data[at + 8 + name])
        name++;
    *s = (stream_header){load_u32(b.data), load_u32(b.data + 4), 8 + (uint32_t)round_up(name + 1, 4)};
    return name > 0 && name < NAME_MOST && at + 8 + name < metadata.size;
}

/* The stream headers, in CoreCLR's way: each stream begins after the last header and before the end
 * of the metadata, even one of no bytes, and none reaches into another. */
static bool streams_are_apart(bytes metadata) {
    bytes root;
    if (!bytes_try_sub(metadata, 0, 16, &root) || memcmp(root.data, "BSJB", 4) != 0)
        return false;
    uint64_t first = 16 + (uint64_t)load_u32(root.data + 12) + 4;
    if (first > metadata.size)
        return false;
    uint32_t count = load_u16(metadata.data + first - 2), begin = (uint32_t)first;
    stream_header s, other;
    for (uint32_t i = 0; i < count; i++, begin += s.bytes)
        if (!try_stream_header(metadata, begin, &s))
            return false;
    uint32_t at = (uint32_t)first;
    for (uint32_t i = 0; i < count; i++, at += s.bytes) {
        if (!try_stream_header(metadata, at, &s) || s.offset < begin || s.offset >= metadata.size ||
            s.size > metadata.size - s.offset)
            return false;
        for (uint32_t before = (uint32_t)first; before < at; before += other.bytes)
            if (!try_stream_header(metadata, before, &other) ||
                (s.offset < other.offset + (uint64_t)other.size && other.offset < s.offset + (uint64_t)s.size))
                return false;
    }
    return true;
}

static void check_cli_header(const headers *h) {
    pe_directory directory = directory_of(h, PE_DIRECTORY_CLI_HEADER);
    section s;
    hold(h, PE_RULE_DIRECTORY_FITS, PE_DIRECTORY_CLI_HEADER, fits(h, directory.rva, directory.size));
    hold(h, PE_RULE_CLI_HEADER_SECTION, 0,
         try_section(h, directory.rva, &s) && s.characteristics & SECTION_READ && !(s.characteristics & SECTION_WRITE));
    hold(h, PE_RULE_CLI_HEADER_SIZE, 0,
         directory.size >= PE_CLI_HEADER_BYTES && h->cli && load_u32(h->cli) >= PE_CLI_HEADER_BYTES);
    if (!h->cli)
        return;
    uint32_t flags = load_u32(h->cli + 16), version = load_u16(h->cli + 4);
    hold(h, PE_RULE_CLI_VERSION, 0, version == 2);
    hold(h, PE_RULE_CLI_FLAGS, 0, !(flags & ~(uint32_t)CLI_KNOWN_FLAGS));
    for (uint32_t i = 0; i < CLI_PARTS; i++) {
        pe_directory part = cli_part(h, i);
        hold(h, PE_RULE_CLI_PART_FITS, i, part.rva ? fits(h, part.rva, part.size) : part.size == 0 && i != 0);
        hold(h, PE_RULE_CLI_PART_READ_ONLY, i,
             i >= CLI_READ_ONLY_PARTS || !try_section(h, part.rva, &s) || !(s.characteristics & SECTION_WRITE));
    }
    hold(h, PE_RULE_CLI_IL_ONLY, 0,
         !h->il_only || (cli_part(h, 4).size == 0 && cli_part(h, 5).size == 0 && !(flags & PE_CLI_NATIVE_ENTRYPOINT)));
    hold(h, PE_RULE_CLI_SIGNED, 0, !(flags & PE_CLI_STRONG_NAME_SIGNED) || cli_part(h, 2).rva != 0);
    hold(h, PE_RULE_CLI_NATIVE_HEADER, 0, flags & PE_CLI_IL_LIBRARY || cli_part(h, 6).size == 0);
    pe_directory metadata = cli_part(h, 0);
    const uint8_t *root = at_rva(h, metadata.rva, metadata.size);
    hold(h, PE_RULE_METADATA_STREAMS, 0, root && streams_are_apart(bytes_of(root, metadata.size)));
}

/* ---- Optional parts of an IL-only image ----------------------------------------------------------------------- */

/* One descriptor and an empty one, a lookup table of one name. The names themselves are not read:
 * while an output is made they stand elsewhere still. */
static bool imports_one_function(const headers *h) {
    pe_directory d = directory_of(h, PE_DIRECTORY_IMPORT);
    const uint8_t *p = at_rva(h, d.rva, 2 * IMPORT_DESCRIPTOR_BYTES), *lookup;
    section s;
    if (d.rva == 0 || d.size < 2 * IMPORT_DESCRIPTOR_BYTES || !p || !try_section(h, d.rva, &s) ||
        s.characteristics & SECTION_WRITE)
        return false;
    uint32_t forwarder = load_u32(p + 8), name = load_u32(p + 12), addresses = load_u32(p + 16);
    if (!is_zeros(p + 4, 4) || (forwarder != 0 && forwarder != UINT32_MAX) || addresses == 0 ||
        !is_zeros(p + IMPORT_DESCRIPTOR_BYTES, IMPORT_DESCRIPTOR_BYTES) || !fits(h, name, sizeof "mscoree.dll") ||
        !fits(h, addresses, 8) || !(lookup = at_rva(h, load_u32(p), 8)))
        return false;
    uint32_t hint = load_u32(lookup);
    return hint != 0 && hint <= INT32_MAX && load_u32(lookup + 4) == 0 && fits(h, hint, 2 + sizeof "_CorExeMain");
}

/* The one block fills its directory; after its first entry there is padding alone. */
static bool relocates_one_place(const headers *h) {
    pe_directory d = directory_of(h, PE_DIRECTORY_RELOCATION);
    uint32_t characteristics = load_u16(h->coff + 18);
    bool stripped = characteristics & FILE_RELOCS_STRIPPED;
    if (d.rva == 0)
        return stripped && !(characteristics & FILE_DLL);
    const uint8_t *block = at_rva(h, d.rva, d.size);
    section s;
    if (stripped || !block || d.size < 10 || load_u32(block + 4) != d.size || !try_section(h, d.rva, &s) ||
        s.characteristics & SECTION_WRITE || !(s.characteristics & SECTION_READ))
        return false;
    for (uint32_t at = 10; at + 2 <= d.size; at += 2)
        if (load_u16(block + at) >> 12)
            return false;
    return load_u16(block + 8) >> 12 == (load_u16(h->coff) == MACHINE_AMD64 ? RELOC_DIR64 : RELOC_HIGHLOW);
}

/* `jmp [address]`, where the address is that of the first import. */
static bool jumps_to_first_import(const headers *h) {
    const uint8_t *stub = at_rva(h, load_u32(h->optional + 16), 6);
    const uint8_t *imports = at_rva(h, directory_of(h, PE_DIRECTORY_IMPORT).rva, IMPORT_DESCRIPTOR_BYTES);
    uint32_t base = h->plus ? (uint32_t)load_u64(h->optional + 24) : load_u32(h->optional + 28);
    return stub && imports && stub[0] == 0xFF && stub[1] == 0x25 && load_u32(stub + 2) - base == load_u32(imports + 16);
}

static void check_il_only(const headers *h) {
    static const uint32_t allowed = 1u << PE_DIRECTORY_IMPORT | 1u << PE_DIRECTORY_RESOURCE |
                                    1u << PE_DIRECTORY_CERTIFICATE | 1u << PE_DIRECTORY_RELOCATION |
                                    1u << PE_DIRECTORY_DEBUG | 1u << PE_DIRECTORY_IAT | 1u << PE_DIRECTORY_CLI_HEADER;
    for (uint32_t i = 0; i < h->directory_count; i++) {
        pe_directory d = directory_of(h, i);
        if (d.rva == 0)
            continue;
        hold(h, PE_RULE_DIRECTORY_ALLOWED, i, allowed >> i & 1);
        hold(h, PE_RULE_DIRECTORY_FITS, i, i == PE_DIRECTORY_CERTIFICATE || fits(h, d.rva, d.size));
    }
    if (directory_of(h, PE_DIRECTORY_IMPORT).rva == 0 && directory_of(h, PE_DIRECTORY_RELOCATION).rva == 0 &&
        load_u32(h->optional + 16) == 0)
        return;
    hold(h, PE_RULE_IMPORTS, 0, imports_one_function(h));
    hold(h, PE_RULE_RELOCATIONS, 0, relocates_one_place(h));
    hold(h, PE_RULE_ENTRY_STUB, 0, load_u16(h->coff) != MACHINE_I386 || jumps_to_first_import(h));
}

/* ---- Judging --------------------------------------------------------------------------------------------------- */

static bool try_headers(headers *h, bytes file) {
    bytes b;
    if (!bytes_try_sub(file, LFANEW_OFFSET, 4, &b))
        return false;
    uint32_t pe = load_u32(b.data);
    if (!bytes_try_sub(file, pe, COFF_BYTES, &b))
        return false;
    *h = (headers){.file = file, .coff = b.data + 4};
    uint32_t optional_bytes = load_u16(h->coff + 16), optional = pe + COFF_BYTES;
    if (!bytes_try_sub(file, optional, optional_bytes, &b) || optional_bytes < 2)
        return false;
    h->optional = b.data;
    h->plus = load_u16(b.data) == 0x20B;
    uint32_t directories = h->plus ? 112 : 96;
    if (optional_bytes < directories)
        return false;
    h->section_alignment = load_u32(b.data + 32);
    h->file_alignment = load_u32(b.data + 36);
    h->size_of_image = load_u32(b.data + 56);
    h->size_of_headers = load_u32(b.data + 60);
    h->directories = b.data + directories;
    uint32_t room = (optional_bytes - directories) / 8;
    h->directory_count = load_u32(h->directories - 4);
    h->directory_count = h->directory_count < room ? h->directory_count : room;
    if (h->directory_count > PE_DIRECTORY_COUNT)
        h->directory_count = PE_DIRECTORY_COUNT;
    uint32_t sections = optional + optional_bytes;
    h->section_count = load_u16(h->coff + 2);
    h->sections_end = sections + h->section_count * PE_SECTION_HEADER_BYTES;
    if (h->section_count > MOST_SECTIONS)
        h->section_count = MOST_SECTIONS;
    if (!bytes_try_sub(file, sections, (size_t)h->section_count * PE_SECTION_HEADER_BYTES, &b))
        return false;
    h->sections = b.data;
    h->cli = at_rva(h, directory_of(h, PE_DIRECTORY_CLI_HEADER).rva, PE_CLI_HEADER_BYTES);
    /* CoreCLR asks no IL-only rules of a precompiled image, whatever its flag says. */
    h->il_only = h->cli && load_u32(h->cli + 16) & PE_CLI_IL_ONLY && cli_part(h, 6).rva == 0;
    return true;
}

void pe_loaders_judge(pe_verdict *verdict, bytes file) {
    headers h;
    memset(verdict, 0, sizeof *verdict);
    if (!try_headers(&h, file))
        return;
    h.verdict = verdict;
    check_headers(&h);
    check_sections(&h);
    check_cli_header(&h);
    if (h.il_only)
        check_il_only(&h);
}

bool pe_loaders_find_cli_header(bytes file) {
    headers h;
    return try_headers(&h, file) && h.cli;
}

static const char *subject_name(rule_subject subject, uint32_t i, char number[24]) {
    static const char *const directories[PE_DIRECTORY_COUNT] = {
#define PE_DIRECTORY(index, name) #name,
#include "pe/directories.def"
#undef PE_DIRECTORY
    };
    if (subject == DIRECTORY)
        return directories[i];
    if (subject == CLI_PART)
        return cli_parts[i];
    snprintf(number, 24, subject == SECTION ? "section %u" : "headers", i + 1);
    return number;
}

static bool breaks_any(const pe_verdict *v) {
    bool any = false;
    for (uint32_t r = 0; r < PE_RULE_COUNT; r++)
        for (uint32_t i = 0; i < PE_RULE_SUBJECTS; i++)
            any |= v->broken[r][i] && rules[r].origin == LAID_OUT;
    return any;
}

/* True if an image with new headers takes it from its input: a value of the headers, a part or a directory that the
 * input states. */
static bool is_handed_on(const rule *r) {
    return r->origin != LAID_OUT || r->subject == CLI_PART || r->subject == DIRECTORY;
}

ecma_status pe_loaders_check(bytes output, bytes input, bool anew, diag *d) {
    pe_verdict now, before;
    char number[24];
    pe_loaders_judge(&now, output);
    if (!now.any)
        return ECMA_OK;
    pe_loaders_judge(&before, input);
    /* Where the input's headers are damaged, the layout has nothing that it could keep right. */
    if (!anew && breaks_any(&before))
        return ECMA_OK;
    for (uint32_t r = 0; r < PE_RULE_COUNT; r++)
        for (uint32_t i = 0; i < PE_RULE_SUBJECTS; i++)
            if (now.broken[r][i] && (!before.broken[r][i] || (anew && !is_handed_on(&rules[r]))))
                return diag_report(d, DIAG_READ_BACK,
                                   "the output would not be loaded: %s: it does not hold that %s (%s); please report "
                                   "this",
                                   subject_name(rules[r].subject, i, number), rules[r].text, rules[r].source);
    return ECMA_OK;
}
