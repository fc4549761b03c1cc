#include "output/line_list.h"

#include "output/names_resource.h"
#include "pdb/places.h"

enum { CHECKSUM_BYTES = 8 }; /* NAMES_CHECKSUM_BYTES of the reader */

/* The place of each id's method, and the documents in the order in which methods name them. */
typedef struct places {
    pdb_place *of;      /* by id; `document` becomes the position in `documents`, from 1 */
    uint32_t *position; /* by document: 0, or the position */
    uint32_t *documents, count;
    uint32_t most; /* documents that the symbols may have */
} places;

static uint32_t most_documents(const symbols *s, const pdb_place *of, uint32_t count) {
    uint32_t most = 0;
    if (s->has_pdb)
        return md_row_count(&s->pdb, MD_TABLE_Document);
    for (uint32_t i = 0; i < count; i++)
        most = of[i].document > most ? of[i].document : most;
    return most;
}

/* A .mdb names methods by their rows. */
static bool find_in_mdb(pdb_place *of, const symbols *s, const ids *ids, arena *a) {
    uint32_t rows = ids->count ? ids->methods[ids->count - 1].row : 0;
    pdb_place *by_row = arena_alloc_array(a, rows + 1u, sizeof *by_row);
    if (!by_row)
        return false;
    memset(by_row, 0, (rows + 1u) * sizeof *by_row);
    mdb_places(by_row, rows, s->mdb_file.content);
    for (uint32_t i = 0; i < ids->count; i++)
        of[i] = by_row[ids->methods[i].row];
    return true;
}

static bool find(places *p, const symbols *s, const ids *ids, arena *a) {
    p->of = arena_alloc_array(a, ids->count + 1u, sizeof *p->of);
    if (!p->of || (!s->has_pdb && !find_in_mdb(p->of, s, ids, a)))
        return false;
    for (uint32_t i = 0; s->has_pdb && i < ids->count; i++)
        p->of[i] = pdb_place_of(&s->pdb, ids->methods[i].row);
    uint32_t most = p->most = most_documents(s, p->of, ids->count);
    p->position = arena_alloc_array(a, most + 1u, sizeof *p->position);
    p->documents = arena_alloc_array(a, most + 1u, sizeof *p->documents);
    if (!p->position || !p->documents)
        return false;
    memset(p->position, 0, (most + 1u) * sizeof *p->position);
    for (uint32_t i = 0; i < ids->count; i++) {
        uint32_t document = p->of[i].document;
        if (document && !p->position[document]) {
            p->documents[p->count] = document;
            p->position[document] = ++p->count;
        }
        p->of[i].document = p->position[document];
    }
    return true;
}

static void add_documents(buffer *data, const places *p, const symbols *s) {
    bytes link = s->has_pdb ? pdb_source_link(&s->pdb) : (bytes){0};
    buffer_append(data, link.data, link.size);
    buffer_u8(data, 0);
    buffer_varuint(data, p->count);
    for (uint32_t i = 0; i < p->count; i++) {
        if (s->has_pdb)
            pdb_append_document(data, &s->pdb, p->documents[i]);
        else
            mdb_append_document(data, s->mdb_file.content, p->documents[i]);
        buffer_u8(data, 0);
    }
}

/* How far a line is from the one before. */
static void add_line(buffer *data, int64_t *before, uint32_t line) {
    int64_t step = (int64_t)line - *before;
    buffer_varuint(data, (uint64_t)(step >= 0 ? 2 * step : -2 * step - 1));
    *before = line;
}

/* Two columns, as all of the resource: which document, then how far from the line of the method before. */
static void add_lines(buffer *data, const places *p, const line_source *from) {
    const uint32_t count = from->ids->count;
    int64_t before = 0;
    for (uint32_t i = 0; i < count; i++)
        buffer_varuint(data, p->of[i].document);
    buffer_append_zeros(data, from->leaves->count);
    for (uint32_t i = 0; i < count; i++) {
        if (!p->of[i].document)
            continue;
        add_line(data, &before, p->of[i].line);
    }
}

uint16_t line_list_append(buffer *data, const line_source *from, uint16_t flags, arena *a) {
    const symbols *s = from->symbols;
    places p = {0};
    if (!s->has_pdb && !s->has_mdb)
        return flags;
    if (!find(&p, s, from->ids, a)) {
        data->failed = true;
        return flags;
    }
    if (p.count == 0)
        return flags;
    if (!(flags & (NAMES_FILE_ALLOCATIONS | NAMES_FILE_NOTES)) && !from->calls) {
        buffer_varuint(data, 0);
        buffer_varuint(data, 0);
        flags |= NAMES_FILE_ALLOCATIONS;
    }
    if (!(flags & NAMES_FILE_NOTES))
        buffer_varuint(data, 0);
    add_documents(data, &p, s);
    add_lines(data, &p, from);
    return (uint16_t)(flags | NAMES_FILE_NOTES | NAMES_FILE_LINES);
}

uint16_t checksum_list_append(buffer *data, const line_source *from, uint16_t flags, arena *a) {
    const symbols *s = from->symbols;
    const size_t start = data->size;
    places p = {0};
    bool any = false;
    if (!(flags & NAMES_FILE_LINES) || !s->has_pdb)
        return flags;
    if (!find(&p, s, from->ids, a)) {
        data->failed = true;
        return flags;
    }
    for (uint32_t i = 0; i < p.count; i++) {
        const bytes hash = pdb_document_sha256(&s->pdb, p.documents[i]);
        any |= hash.size > 0;
        if (hash.size > 0)
            buffer_append(data, hash.data, CHECKSUM_BYTES);
        else
            buffer_append_zeros(data, CHECKSUM_BYTES);
    }
    if (any)
        return (uint16_t)(flags | NAMES_FILE_CHECKSUMS);
    if (!data->failed)
        data->size = start;
    return flags;
}

/* ---- Within methods --------------------------------------------------------------------------------------------- */

/* Sets the places of the spots, with the position of the document, from 1. One that no method begins in is not known.
 */
static void find_spots(const places *p, const symbols *s, pdb_spot *spots, uint32_t count) {
    if (s->has_pdb)
        pdb_find_spots(&s->pdb, spots, count);
    else
        mdb_find_spots(spots, count, s->mdb_file.content);
    for (uint32_t i = 0; i < count; i++)
        spots[i].place.document = spots[i].place.document <= p->most ? p->position[spots[i].place.document] : 0;
}

static void add_sites(buffer *data, const pdb_spot *spots, uint32_t count) {
    int64_t before = 0;
    for (uint32_t i = 0; i < count; i++)
        buffer_varuint(data, spots[i].place.document);
    for (uint32_t i = 0; i < count; i++)
        if (spots[i].place.document)
            add_line(data, &before, spots[i].place.line);
}

/* Calls of one leaf on one line of a method are one. */
static bool is_again(const pdb_spot *spots, const leaf_call *calls, uint32_t i) {
    return i > 0 && calls[i].row == calls[i - 1].row && calls[i].leaf == calls[i - 1].leaf &&
           spots[i].place.document == spots[i - 1].place.document && spots[i].place.line == spots[i - 1].place.line;
}

static void add_calls(buffer *data, const ids *ids, const pdb_spot *spots, const leaf_call *calls, uint32_t count) {
    buffer lines = BUFFER_INIT;
    uint32_t method = 0, added = 0;
    int64_t before = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t id = ids_of(ids, calls[i].row);
        if (id == NO_ID || !spots[i].place.document || is_again(spots, calls, i))
            continue;
        buffer_varuint(&lines, id - method);
        buffer_varuint(&lines, (uint64_t)ids->count + calls[i].leaf);
        buffer_varuint(&lines, spots[i].place.document - 1);
        add_line(&lines, &before, spots[i].place.line);
        method = id;
        added++;
    }
    buffer_varuint(data, added);
    buffer_append(data, lines.data, lines.size);
    data->failed |= lines.failed;
    buffer_clear(&lines);
}

uint16_t spot_list_append(buffer *data, const line_source *from, uint16_t flags, arena *a) {
    const symbols *s = from->symbols;
    const uint32_t sites = from->objects->image ? allocations_count(from->objects) : 0,
                   calls = (uint32_t)(from->leaves->calls.size / sizeof(leaf_call));
    const allocation_site *site = (const allocation_site *)(const void *)from->objects->sites.data;
    const leaf_call *call = (const leaf_call *)(const void *)from->leaves->calls.data;
    places p = {0};
    if (!(flags & NAMES_FILE_LINES) || sites + calls == 0)
        return flags;
    pdb_spot *spots = arena_alloc_array(a, (size_t)sites + calls, sizeof *spots);
    if (!spots || !find(&p, s, from->ids, a)) {
        data->failed = true;
        return flags;
    }
    for (uint32_t i = 0; i < sites; i++)
        spots[i] = (pdb_spot){.row = site[i].row, .offset = site[i].offset};
    for (uint32_t i = 0; i < calls; i++)
        spots[sites + i] = (pdb_spot){.row = call[i].row, .offset = call[i].offset};
    find_spots(&p, s, spots, sites);
    find_spots(&p, s, spots + sites, calls);
    add_sites(data, spots, sites);
    add_calls(data, from->ids, spots + sites, call, calls);
    data->failed |= from->leaves->calls.failed;
    return (uint16_t)(flags | NAMES_FILE_SPOTS);
}
