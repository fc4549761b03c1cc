#include "select/referrers.h"

#include "pe/append.h"
#include "pe/debug.h"
#include "pe/writer.h"

#include <stdio.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

ecma_status referrers_find(referrers *r, ilj_image *image, uint32_t *anchors, uint32_t count, uint32_t from,
                           uint32_t to) {
    *r = (referrers){.image = image, .rvas = anchors, .count = count};
    if (pe_needs_append(&image->pe)) {
        r->first_byte = true;
        if (!(r->rvas = arena_alloc_array(&image->arena, PE_ANCHOR_MAX + 1, sizeof *r->rvas)))
            return diag_no_memory(&image->diag);
        r->count = (uint32_t)pe_header_anchors(&image->pe, r->rvas);
        r->rvas[r->count++] = image->pe.cli.metadata.rva;
        qsort(r->rvas, r->count, sizeof *r->rvas, ascending);
    }
    return pe_patches_find(&r->patches, &image->pe, from, to, &image->arena, &image->diag);
}

/* ---- The referrer ---------------------------------------------------------------------------------------------- */

static const char *directory_name(const pe_image *pe, uint32_t rva) {
    static const char *const names[PE_DIRECTORY_COUNT] = {
#define PE_DIRECTORY(index, name) "data directory " #name,
#include "pe/directories.def"
#undef PE_DIRECTORY
    };
    for (unsigned i = 0; i < PE_DIRECTORY_COUNT; i++)
        if (i != PE_DIRECTORY_CERTIFICATE && pe->directories[i].rva == rva)
            return names[i];
    return NULL;
}

static const char *header_name(const pe_image *pe, uint32_t rva) {
    const char *name = directory_name(pe, rva);
    if (name)
        return name;
    if (rva == pe->cli.metadata.rva)
        return "the CLI header (metadata)";
    if (rva == pe->cli.resources.rva)
        return "the CLI header (managed resources)";
    if (rva == pe->cli.strong_name.rva)
        return "the CLI header (strong name)";
    if (rva == pe->entry_point_rva)
        return "the entry point";
    /* Those that are among the anchors: the directory may claim any size. */
    pe_debug_entry entry;
    for (uint32_t i = 0; i < PE_ANCHOR_DEBUG_ENTRIES && pe_try_debug_entry(pe, i, &entry); i++)
        if (entry.rva == rva)
            return "a debug directory entry";
    return "the import directory";
}

static md_token field_of(const referrers *r, const data_extent *data) {
    return md_token_of(MD_TABLE_Field, md_cell(&r->image->metadata, MD_FieldRVA_Field, data->row));
}

static void name_referrer(const referrers *r, uint32_t rva, char text[REFERRER_TEXT]) {
    const data_extent *data = r->data ? data_extents_at(r->data, rva) : NULL;
    if (data)
        snprintf(text, REFERRER_TEXT, "FieldRVA row %u (Field 0x%08x) refers to RVA 0x%x in it", data->row,
                 field_of(r, data), rva);
    else
        snprintf(text, REFERRER_TEXT, "%s refers to RVA 0x%x in it", header_name(&r->image->pe, rva), rva);
}

static void name_patch(const pe_patch *patch, char text[REFERRER_TEXT]) {
    static const char *const names[] = {
        [PE_PATCH_RELOCATION] = "a base relocation",
        [PE_PATCH_IMPORT] = "the import address table",
        [PE_PATCH_VTABLE] = "a vtable fixup",
    };
    snprintf(text, REFERRER_TEXT, "%s at RVA 0x%x has the loader change %u bytes of it", names[patch->kind], patch->rva,
             patch->size);
}

/* True if data that starts below the body reaches into it. */
static bool data_reaches(referrers *r, uint32_t rva) {
    for (; r->data && r->data_at < r->data->count && r->data->list[r->data_at].rva < rva; r->data_at++) {
        const data_extent *next = &r->data->list[r->data_at];
        if (!r->reaching || next->rva + (uint64_t)next->size > r->reaching->rva + (uint64_t)r->reaching->size)
            r->reaching = next;
    }
    return r->reaching && r->reaching->rva + (uint64_t)r->reaching->size > rva;
}

static void name_data(const referrers *r, char text[REFERRER_TEXT]) {
    const data_extent *data = r->reaching;
    snprintf(text, REFERRER_TEXT, "FieldRVA row %u (Field 0x%08x) has %u bytes at RVA 0x%x, which reach into it",
             data->row, field_of(r, data), data->size, data->rva);
}

bool referrers_ask(referrers *r, uint32_t rva, uint32_t size, uint32_t *offset, char text[REFERRER_TEXT]) {
    while (r->at < r->count && r->rvas[r->at] < rva)
        r->at++;
    const pe_patch *patches = r->patches.list;
    while (r->patch_at < r->patches.count && patches[r->patch_at].rva + (uint64_t)patches[r->patch_at].size <= rva)
        r->patch_at++;
    if (r->at < r->count && r->rvas[r->at] - rva < (r->first_byte && size ? 1 : size)) {
        *offset = r->rvas[r->at] - rva;
        name_referrer(r, r->rvas[r->at], text);
        return true;
    }
    if (data_reaches(r, rva) && size) {
        *offset = 0;
        name_data(r, text);
        return true;
    }
    const pe_patch *patch = &patches[r->patch_at];
    if (r->patch_at < r->patches.count && patch->rva < rva + (uint64_t)size) {
        *offset = patch->rva > rva ? patch->rva - rva : 0;
        name_patch(patch, text);
        return true;
    }
    r->free_until = UINT64_MAX;
    if (r->at < r->count)
        r->free_until = r->rvas[r->at];
    if (r->data && r->data_at < r->data->count && r->data->list[r->data_at].rva < r->free_until)
        r->free_until = r->data->list[r->data_at].rva;
    if (r->patch_at < r->patches.count && patch->rva < r->free_until)
        r->free_until = patch->rva;
    /* Data that reaches into a body without bytes reaches farther. */
    if (r->reaching && r->reaching->rva + (uint64_t)r->reaching->size > rva)
        r->free_until = 0;
    return false;
}
