#include "ready_to_run/inlining.h"

static const r2r_section_type maps[] = {R2R_CROSS_INLINING, R2R_INLINING};
enum { MAPS = sizeof maps / sizeof maps[0] };

bool r2r_has_inlining(const r2r_image *r) {
    bool has = false;
    for (unsigned i = 0; i < MAPS; i++)
        has |= r2r_section(r, maps[i]).size != 0;
    return has;
}

void r2r_inlining_walk(r2r_inlining *w, const r2r_image *r) {
    *w = (r2r_inlining){.image = r, .budget = r->image->file.size};
}

static uint32_t take(r2r_inlining *w) {
    if (w->left == 0 || w->budget == 0) {
        w->failed = true;
        return 0;
    }
    w->left--;
    w->budget--;
    uint32_t value = nf_unsigned(&w->reader);
    w->failed |= w->reader.failed;
    return value;
}

/* Opens the next map that is there. */
static bool next_map(r2r_inlining *w) {
    for (; w->map < MAPS; w->map++) {
        pe_directory place = r2r_section(w->image, maps[w->map]);
        if (place.size == 0)
            continue;
        w->map++;
        w->failed = !nf_table_open(&w->table, w->image->image, place);
        nf_table_walk(&w->walk, &w->table, w->image->image);
        return !w->failed;
    }
    return false;
}

static bool is_cross(const r2r_inlining *w) {
    return maps[w->map - 1] == R2R_CROSS_INLINING;
}

static void read_inlinee(r2r_inlining *w) {
    enum { HAS_MODULE = 1, BODY = 1, INLINER_BODIES = 2 };
    uint32_t first = take(w);
    w->module = 0;
    w->other_module = false;
    if (!is_cross(w)) {
        w->row = first >> 1;
        if (first & HAS_MODULE)
            w->module = take(w);
        return;
    }
    w->row = first >> 2;
    w->other_module = first & (BODY | INLINER_BODIES);
    if (!(first & BODY) && w->image->flags & R2R_FLAG_MODULE_INDEXES)
        w->module = take(w);
    for (uint32_t bodies = first & INLINER_BODIES ? take(w) : 0; bodies && !w->failed; bodies--)
        take(w);
}

bool r2r_inlining_next(r2r_inlining *w) {
    nf_entry e;
    if (w->failed)
        return false;
    while (!w->walk.table || !nf_table_next(&w->walk, &e))
        if (w->walk.reader.failed || !next_map(w)) {
            w->failed |= w->walk.reader.failed;
            return false;
        }
    w->reader = (nf_reader){.image = w->image->image, .hint = w->walk.reader.hint, .at = e.rva};
    w->left = nf_unsigned(&w->reader);
    w->failed = w->reader.failed;
    if (!w->failed)
        read_inlinee(w);
    return !w->failed;
}

bool r2r_inliner_next(r2r_inlining *w, uint32_t *row, uint32_t *module) {
    if (w->left == 0 || w->failed)
        return false;
    bool modules = !is_cross(w) || w->image->flags & R2R_FLAG_MODULE_INDEXES;
    uint32_t delta = take(w);
    *row += modules ? delta >> 1 : delta;
    *module = is_cross(w) ? w->module : 0;
    if (modules && delta & 1)
        *module = take(w);
    return !w->failed;
}
