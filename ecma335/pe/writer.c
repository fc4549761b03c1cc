#include "pe/writer.h"

#include "base/pages.h"
#include "pe/append.h"
#include "pe/gaps.h"
#include "pe/relocate.h"

enum { ENTRY_STUB_BYTES = 6 }; /* jmp [address] */

ecma_status pe_check_movable(const pe_image *image, diag *d) {
    static const char *const names[PE_DIRECTORY_COUNT] = {
#define PE_DIRECTORY(index, name) #name,
#include "pe/directories.def"
#undef PE_DIRECTORY
    };
    if (image->cli.managed_native.rva != 0 && !image->keeps_ahead)
        return diag_report(d, DIAG_PRECOMPILED, "its precompiled code would run instead of the instrumented IL");
    if (pe_needs_append(image))
        return pe_check_appendable(image, d);
    for (unsigned i = 0; i < PE_DIRECTORY_COUNT; i++) {
        if (image->directories[i].rva == 0 && image->directories[i].size == 0)
            continue;
        switch (i) {
        case PE_DIRECTORY_IMPORT:
        case PE_DIRECTORY_IAT:
        case PE_DIRECTORY_RESOURCE:
        case PE_DIRECTORY_CERTIFICATE:
        case PE_DIRECTORY_RELOCATION:
        case PE_DIRECTORY_DEBUG:
        case PE_DIRECTORY_CLI_HEADER:
            break;
        default:
            return diag_report(d, DIAG_DIRECTORY,
                               "data directory %s (RVA 0x%x, %u bytes) is in use and cannot be moved safely", names[i],
                               image->directories[i].rva, image->directories[i].size);
        }
    }
    return ECMA_OK;
}

static size_t add_table(const pe_image *image, uint32_t rva, uint32_t *anchors, size_t count) {
    bytes b;
    unsigned width = image->pe32_plus ? 8 : 4;
    for (unsigned i = 0; i < 4 && count < PE_ANCHOR_MAX && pe_try_bytes(image, rva + i * width, width, &b); i++) {
        uint32_t value = load_u32(b.data);
        if (value == 0)
            break;
        anchors[count++] = value;
    }
    return count;
}

size_t pe_header_anchors(const pe_image *image, uint32_t anchors[PE_ANCHOR_MAX]) {
    size_t count = 0;
    for (unsigned i = 0; i < PE_DIRECTORY_COUNT; i++)
        if (i != PE_DIRECTORY_CERTIFICATE && image->directories[i].rva)
            anchors[count++] = image->directories[i].rva;
    const pe_cli_header *cli = &image->cli;
    if (cli->resources.rva)
        anchors[count++] = cli->resources.rva;
    if (cli->strong_name.rva)
        anchors[count++] = cli->strong_name.rva;
    if (image->entry_point_rva)
        anchors[count++] = image->entry_point_rva;
    bytes b;
    pe_directory debug = image->directories[PE_DIRECTORY_DEBUG];
    for (uint32_t i = 0;
         i < debug.size / 28 && i < PE_ANCHOR_DEBUG_ENTRIES && pe_try_bytes(image, debug.rva + i * 28, 28, &b); i++)
        anchors[count++] = load_u32(b.data + 20);
    pe_directory import = image->directories[PE_DIRECTORY_IMPORT];
    if (import.rva && pe_try_bytes(image, import.rva, 20, &b)) {
        uint32_t lookup = load_u32(b.data), addresses = load_u32(b.data + 16);
        anchors[count++] = lookup;
        anchors[count++] = load_u32(b.data + 12);
        anchors[count++] = addresses;
        count = add_table(image, lookup, anchors, count);
        count = add_table(image, addresses, anchors, count);
    }
    return count;
}

/* Where a piece stays until the output is written; NULL: it stands there. */
static const uint8_t *elsewhere(const pe_layout *layout, const pe_section *s, size_t p) {
    const pe_piece *piece = &layout->pieces[p];
    if (!layout->copied || layout->copied[p])
        return NULL;
    if (!piece->replacement)
        return pe_gap_data(layout, s, piece);
    return piece->replacement->movable ? piece->replacement->data : NULL;
}

static void copy_file(const pe_layout *layout, uint8_t *out) {
    const pe_image *image = layout->image;
    /* Headers, what lies between sections, and what lies after them, each moved by what came before. */
    uint32_t at = 0, to = 0; /* after what is copied: in the old file, in the new one */
    for (uint32_t i = 0; i < image->section_count; i++) {
        const pe_section *s = &image->sections[layout->file_order[i]];
        const pe_new_section *n = &layout->sections[layout->file_order[i]];
        if (s->raw_size == 0)
            continue;
        memcpy(out + to, image->file.data + at, s->file_offset - at);
        at = s->file_offset + s->raw_size;
        to = n->file_offset + n->raw_size;
        if (!n->changed) {
            pages_copy(out + n->file_offset, image->file.data + s->file_offset, s->raw_size);
            continue;
        }
        uint32_t end = n->file_offset;
        for (size_t p = n->first_piece; p < n->end_piece; p++) {
            const pe_piece *piece = &layout->pieces[p];
            if (piece->new_size == 0)
                continue;
            uint32_t offset = n->file_offset + (piece->new_rva - n->rva);
            if (!layout->copied)
                memset(out + end, 0, offset - end);
            if (!elsewhere(layout, s, p)) {
                if (!piece->replacement)
                    pages_copy(out + offset, pe_gap_data(layout, s, piece), piece->new_size);
                else if (piece->replacement->data)
                    pages_copy(out + offset, piece->replacement->data, piece->new_size);
            }
            end = offset + piece->new_size;
        }
        memset(out + end, 0, n->file_offset + n->raw_size - end);
    }
    memcpy(out + to, image->file.data + at, layout->old_end - at);
}

static void write_headers(const pe_layout *layout, const pe_relocator *c, uint8_t *out) {
    const pe_image *image = layout->image;
    uint8_t *optional = out + image->optional_offset;
    uint32_t code = 0, initialized = 0;
    for (uint32_t i = 0; i < image->section_count; i++) {
        const pe_section *s = &image->sections[i];
        const pe_new_section *n = &layout->sections[i];
        uint32_t grown = n->raw_size - s->raw_size;
        if (s->characteristics & PE_SECTION_CODE)
            code += grown;
        else if (s->characteristics & PE_SECTION_INITIALIZED)
            initialized += grown;
        uint8_t *header = out + image->sections_offset + (size_t)i * 40;
        if (n->changed) {
            store_u32(header + 8, n->virtual_size);
            store_u32(header + 16, n->raw_size);
        }
        store_u32(header + 12, n->rva);
        if (n->raw_size)
            store_u32(header + 20, n->file_offset);
    }
    store_u32(optional + 4, load_u32(optional + 4) + code);
    store_u32(optional + 8, load_u32(optional + 8) + initialized);
    pe_relocate_rva(c, optional + 16); /* entry point */
    if (image->entry_point_rva)        /* its stub is read back */
        pe_layout_copy_gaps(layout, image->entry_point_rva, ENTRY_STUB_BYTES, out);
    pe_relocate_rva(c, optional + 20); /* base of code */
    if (!image->pe32_plus)
        pe_relocate_rva(c, optional + 24); /* base of data */
    store_u32(optional + 56, layout->size_of_image);
    uint8_t *directories = out + image->directories_offset;
    for (uint32_t i = 0; i < image->directory_count && i < PE_DIRECTORY_COUNT; i++) {
        if (i == PE_DIRECTORY_CERTIFICATE)
            memset(directories + (size_t)i * 8, 0, 8);
        else
            pe_relocate_rva(c, directories + (size_t)i * 8);
    }
}

static ecma_status write_cli_header(const pe_relocator *c, const pe_changes *changes) {
    const pe_image *image = c->layout->image;
    uint8_t *cli = pe_relocated_cli_header(c);
    if (!cli)
        return diag_report(c->d, DIAG_LAYOUT, "the CLI header lies inside a part that changes");
    store_u32(cli + 8, changes->metadata.rva);
    store_u32(cli + 12, changes->metadata.size);
    if (changes->resources.rva) {
        store_u32(cli + 24, changes->resources.rva);
        store_u32(cli + 28, changes->resources.size);
    } else if (!pe_relocate_rva(c, cli + 24)) {
        return diag_report(c->d, DIAG_LAYOUT, "the managed resources lie inside a part that changes");
    }
    if (!pe_relocate_rva(c, cli + 32) && image->cli.strong_name.size)
        return diag_report(c->d, DIAG_LAYOUT, "the strong-name signature lies inside a part that changes");
    return ECMA_OK;
}

ecma_status pe_layout_write(const pe_layout *layout, const pe_changes *changes, uint8_t *out, diag *d) {
    pe_relocator c = {layout, out, d};
    ecma_status status;
    if (layout->appended) {
        pe_append_write(layout, out);
        status = write_cli_header(&c, changes);
        return status ? status : pe_relocate_debug(&c);
    }
    copy_file(layout, out);
    if ((status = write_cli_header(&c, changes)) || (status = pe_relocate_imports(&c)) ||
        (status = pe_relocate_debug(&c)) || (status = pe_relocate_base_relocations(&c)) ||
        (status = pe_relocate_native_resources(&c)))
        return status;
    write_headers(layout, &c, out);
    return ECMA_OK;
}

/* ---- The bytes in order ------------------------------------------------------------------------------------------ */

typedef struct walk {
    const uint8_t *out;
    const borrowed_run *borrowed, *borrowed_end; /* those that come next */
    uint32_t at;                                 /* what lies before it is reported, but for `run` */
    bytes run;                                   /* what may go on: bodies stand one after another in memory, too */
    runs_take_fn *take;
    void *user;
} walk;

static ecma_status tell_run(walk *w) {
    return w->run.size ? w->take(w->user, w->run.data, w->run.size) : ECMA_OK;
}

static ecma_status tell(walk *w, const uint8_t *data, uint32_t size) {
    ecma_status status = ECMA_OK;
    if (size == 0)
        return status;
    w->at += size;
    if (w->run.size && data == w->run.data + w->run.size) {
        w->run.size += size;
        return status;
    }
    status = tell_run(w);
    w->run = bytes_of(data, size);
    return status;
}

/* Do the run and `data` stand as far from each other in memory as in the file, with zeros between them? */
static bool goes_on(const walk *w, uint32_t offset, const uint8_t *data) {
    static const uint8_t zeros[PE_GAP_ALIGNMENT];
    const uint32_t padding = offset - w->at;
    return data && w->run.size && padding < sizeof zeros && data == w->run.data + w->run.size + padding &&
           memcmp(data - padding, zeros, padding) == 0;
}

/* The content of the buffer up to `end`, and what is borrowed there. */
static ecma_status tell_until(walk *w, uint32_t end) {
    ecma_status status = ECMA_OK;
    for (const borrowed_run *b; !status && (b = w->borrowed) < w->borrowed_end && b->offset < end; w->borrowed++)
        if ((status = tell(w, w->out + w->at, b->offset - w->at)) == ECMA_OK)
            status = tell(w, b->data, b->size);
    return status ? status : tell(w, w->out + w->at, end - w->at);
}

static ecma_status tell_padding(walk *w, uint32_t end) {
    static const uint8_t zeros[PE_GAP_ALIGNMENT];
    ecma_status status = ECMA_OK;
    while (!status && w->at < end)
        status = tell(w, zeros, end - w->at < sizeof zeros ? end - w->at : sizeof zeros);
    return status;
}

ecma_status pe_layout_runs(const pe_layout *layout, const uint8_t *out, const borrowed_run *borrowed,
                           size_t borrowed_count, runs_take_fn *take, void *user) {
    const pe_image *image = layout->image;
    walk w = {.out = out, .borrowed = borrowed, .borrowed_end = borrowed + borrowed_count, .take = take, .user = user};
    ecma_status status = ECMA_OK;
    for (uint32_t i = 0; layout->copied && i < image->section_count; i++) {
        const pe_section *s = &image->sections[layout->file_order[i]];
        const pe_new_section *n = &layout->sections[layout->file_order[i]];
        uint32_t end = n->file_offset; /* of the piece before */
        const size_t last = s->raw_size && n->changed ? n->end_piece : n->first_piece;
        for (size_t p = n->first_piece; p < last && !status; p++) {
            const pe_piece *piece = &layout->pieces[p];
            if (piece->new_size == 0)
                continue;
            uint32_t offset = n->file_offset + (piece->new_rva - n->rva);
            const uint8_t *data = elsewhere(layout, s, p);
            if (w.at == end && offset != end && goes_on(&w, offset, data)) {
                w.run.size += offset - end;
                w.at = end = offset;
            }
            /* Padding stands nowhere: whether the piece after it was going to be copied was not known before. */
            if (offset != end && (status = tell_until(&w, end)) == ECMA_OK)
                status = tell_padding(&w, offset);
            if (data && !status && (status = tell_until(&w, offset)) == ECMA_OK)
                status = tell(&w, data, piece->new_size);
            end = offset + piece->new_size;
        }
    }
    if (!status && (status = tell_until(&w, layout->file_size)) == ECMA_OK)
        status = tell_run(&w);
    return status;
}
