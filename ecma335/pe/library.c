#include "pe/library.h"

#include "pe/image.h"

enum {
    PE_AT = 0x80, /* of the PE signature, after the DOS header and its stub */
    COFF_BYTES = 24,
    OPTIONAL_BYTES = 96 + PE_DIRECTORY_COUNT * 8,
    FILE_ALIGNMENT = 0x200,
    SECTION_ALIGNMENT = 0x2000,
    TEXT_RVA = 0x2000,
    HEADERS_BYTES = 0x200,
    MACHINE_I386 = 0x14C,
    /* Executable, for 32-bit machines, a DLL (II.25.2.2.1); and without relocations to be applied. */
    CHARACTERISTICS = 0x0002 | 0x0004 | 0x0008 | 0x0020 | 0x2000,
    SUBSYSTEM_CONSOLE = 3,
    /* Address space layout randomised, no execution of data, no structured exceptions, terminal server aware. */
    DLL_CHARACTERISTICS = 0x0040 | 0x0100 | 0x0400 | 0x8000,
    TEXT_CHARACTERISTICS = 0x60000020,
};
_Static_assert(TEXT_RVA + PE_CLI_HEADER_BYTES == PE_LIBRARY_BODIES_RVA, "bodies lie after the CLI header");
_Static_assert(PE_AT + COFF_BYTES + OPTIONAL_BYTES + PE_SECTION_HEADER_BYTES <= HEADERS_BYTES, "headers have room");

static uint32_t align_up(uint32_t value, uint32_t alignment) { /* a power of two */
    return (value + alignment - 1) & ~(alignment - 1);
}

/* The DOS header says where the PE signature is; a DOS would end the program that the zeros after it are. */
static void write_dos_header(uint8_t *p) {
    static const uint8_t head[] = {'M',  'Z', 0x90, 0,    3, 0, 0, 0, 4, 0, 0, 0,   0xFF,
                                   0xFF, 0,   0,    0xB8, 0, 0, 0, 0, 0, 0, 0, 0x40};
    memcpy(p, head, sizeof head);
    store_u32(p + 0x3C, PE_AT);
}

static void write_headers(uint8_t *file, uint32_t text_bytes) {
    uint8_t *coff = file + PE_AT, *p = coff + COFF_BYTES, *section = p + OPTIONAL_BYTES;
    uint32_t raw = align_up(text_bytes, FILE_ALIGNMENT);
    write_dos_header(file);
    memcpy(coff, "PE\0", 4);
    store_u16(coff + 4, MACHINE_I386);
    store_u16(coff + 6, 1);
    store_u16(coff + 20, OPTIONAL_BYTES);
    store_u16(coff + 22, CHARACTERISTICS);
    store_u16(p, 0x10B);
    p[2] = 48; /* of the linker: the value of compilers today */
    store_u32(p + 4, raw);
    store_u32(p + 20, TEXT_RVA);
    store_u32(p + 24, TEXT_RVA + align_up(text_bytes, SECTION_ALIGNMENT));
    store_u32(p + 28, 0x10000000);
    store_u32(p + 32, SECTION_ALIGNMENT);
    store_u32(p + 36, FILE_ALIGNMENT);
    store_u16(p + 40, 4);
    store_u16(p + 48, 4);
    store_u32(p + 56, TEXT_RVA + align_up(text_bytes, SECTION_ALIGNMENT));
    store_u32(p + 60, HEADERS_BYTES);
    store_u16(p + 68, SUBSYSTEM_CONSOLE);
    store_u16(p + 70, DLL_CHARACTERISTICS);
    static const uint32_t sizes[] = {0x100000, 0x1000, 0x100000, 0x1000}; /* of stack and heap */
    for (unsigned i = 0; i < 4; i++)
        store_u32(p + 72 + i * 4, sizes[i]);
    store_u32(p + 92, PE_DIRECTORY_COUNT);
    store_u32(p + 96 + PE_DIRECTORY_CLI_HEADER * 8, TEXT_RVA);
    store_u32(p + 96 + PE_DIRECTORY_CLI_HEADER * 8 + 4, PE_CLI_HEADER_BYTES);
    memcpy(section, ".text", 5);
    store_u32(section + 8, text_bytes);
    store_u32(section + 12, TEXT_RVA);
    store_u32(section + 16, raw);
    store_u32(section + 20, HEADERS_BYTES);
    store_u32(section + 36, TEXT_CHARACTERISTICS);
}

bool pe_library_write(buffer *out, bytes bodies, bytes metadata) {
    size_t metadata_at = (PE_CLI_HEADER_BYTES + bodies.size + 3) & ~(size_t)3;
    if (bodies.size >= INT32_MAX || metadata.size >= INT32_MAX - metadata_at - TEXT_RVA - 2 * SECTION_ALIGNMENT)
        return false;
    uint32_t text_bytes = (uint32_t)(metadata_at + metadata.size);
    buffer_append_zeros(out, HEADERS_BYTES + (size_t)align_up(text_bytes, FILE_ALIGNMENT));
    if (out->failed)
        return false;
    write_headers(out->data, text_bytes);
    uint8_t *cli = out->data + HEADERS_BYTES;
    store_u32(cli, PE_CLI_HEADER_BYTES);
    store_u16(cli + 4, 2);
    store_u16(cli + 6, 5);
    store_u32(cli + 8, TEXT_RVA + (uint32_t)metadata_at);
    store_u32(cli + 12, (uint32_t)metadata.size);
    store_u32(cli + 16, PE_CLI_IL_ONLY);
    if (bodies.size)
        memcpy(cli + PE_CLI_HEADER_BYTES, bodies.data, bodies.size);
    memcpy(cli + metadata_at, metadata.data, metadata.size);
    return true;
}
