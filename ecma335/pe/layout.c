#include "pe/layout.h"

enum { MAX_PADDING = 15, MOST_OVERTAKEN = 24 };

static uint64_t align_up(uint64_t value, uint32_t alignment) { /* a power of two */
    return (value + alignment - 1) & ~(uint64_t)(alignment - 1);
}

static bool all_zero(const uint8_t *p, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (p[i])
            return false;
    return true;
}

/* Bytes of a section that mean something: its virtual size, unless the file holds more than zeros after it. */
static uint32_t content_of(const pe_image *image, const pe_section *s) {
    uint32_t content = s->virtual_size == 0 || s->virtual_size > s->raw_size ? s->raw_size : s->virtual_size;
    if (!all_zero(image->file.data + s->file_offset + content, s->raw_size - content))
        content = s->raw_size;
    return content;
}

/* The least size in the file that holds `content` and is the old size plus or minus whole file
 * alignments: the raw size is the content rounded up (II.25.3), and what follows in the file
 * keeps its alignment. CoreCLR refuses a raw size past the virtual one rounded up to the section
 * alignment (src/coreclr/utilcode/pedecoder.cpp, CheckSection). */
static uint32_t raw_size_for(uint32_t content, uint32_t old_raw_size, uint32_t file_alignment) {
    uint32_t residue = old_raw_size & (file_alignment - 1);
    return content <= residue ? residue : residue + (uint32_t)align_up(content - residue, file_alignment);
}

/* Bytes that a section takes in memory before rounding; virtual size 0 means the raw size. */
static uint32_t memory_size(uint32_t virtual_size, uint32_t raw_size) {
    return virtual_size ? virtual_size : raw_size;
}

/* How far section `i` moves in memory, when the one before ends at `end` (rounded up) and moved by
 * `shift`. Windows loads sections only where each begins where the one before ends (ReactOS,
 * ntoskrnl/mm/section.c, PeFmtCreateSection), so one that did so follows an end that comes nearer. A
 * gap of the input stays; the sections after it move when they have to, by whole alignments. */
static int64_t next_shift(const pe_image *image, uint32_t i, int64_t shift, uint64_t end) {
    const pe_section *s = &image->sections[i], *before = s - 1;
    uint64_t old_end =
        align_up(before->rva + (uint64_t)memory_size(before->virtual_size, before->raw_size), image->section_alignment);
    int64_t nearest = (int64_t)end - s->rva;
    if (s->rva == old_end)
        return nearest;
    if (nearest <= shift)
        return shift;
    return shift + (int64_t)align_up((uint64_t)(nearest - shift), image->section_alignment);
}

/* The headers, and what sections have in memory alone, are pieces of the map, too. */
static void add_rest(pe_layout *layout, uint32_t old_rva, uint32_t new_rva, uint32_t size) {
    if (size)
        layout->pieces[layout->piece_count++] =
            (pe_piece){.old_rva = old_rva, .old_size = size, .new_rva = new_rva, .new_size = size};
}

/* The gap after the content of section `i`, with the RVA at its end, unless the next one has that. */
static void add_tail(pe_layout *layout, uint32_t i) {
    const pe_section *s = &layout->image->sections[i];
    const pe_new_section *n = &layout->sections[i];
    uint32_t size = s->virtual_size > s->raw_size ? s->virtual_size : s->raw_size;
    bool touches = i + 1 < layout->image->section_count && s[1].rva - s->rva == size;
    add_rest(layout, s->rva + n->old_content, n->rva + n->new_content, size - n->old_content + !touches);
}

typedef struct planner {
    pe_layout *layout;
    const uint32_t *anchors;
    size_t anchor, anchor_count; /* the first that is not below the last gap, of how many */
    pe_piece *dropped;           /* the last piece, when it is padding that goes; else NULL */
    uint64_t at;                 /* offset within the new section */
} planner;

/* Dropped padding takes the address of what follows it. */
static void settle_dropped(planner *p, uint32_t follows_at) {
    if (p->dropped)
        p->dropped->new_rva = follows_at;
    p->dropped = NULL;
}

static void add_gap(planner *p, const pe_section *s, pe_new_section *n, uint32_t from, uint32_t to) {
    uint32_t size = to - from;
    pe_piece *piece = &p->layout->pieces[p->layout->piece_count++];
    *piece = (pe_piece){.old_rva = s->rva + from, .old_size = size};
    while (p->anchor < p->anchor_count && p->anchors[p->anchor] < piece->old_rva)
        p->anchor++;
    bool anchored = p->anchor < p->anchor_count && p->anchors[p->anchor] - piece->old_rva < size;
    if (n->changed && size <= MAX_PADDING && !anchored &&
        all_zero(p->layout->image->file.data + s->file_offset + from, size)) {
        p->dropped = piece; /* new_size stays 0 */
        return;
    }
    uint64_t residue = (s->rva + from) % PE_GAP_ALIGNMENT;
    uint64_t base = n->rva + p->at;
    p->at += (residue + PE_GAP_ALIGNMENT - base % PE_GAP_ALIGNMENT) % PE_GAP_ALIGNMENT;
    piece->new_size = size;
    piece->new_rva = (uint32_t)(n->rva + p->at);
    p->at += size;
}

static void add_replacement(planner *p, pe_new_section *n, pe_replacement *r) {
    pe_piece *piece = &p->layout->pieces[p->layout->piece_count++];
    p->at = align_up(n->rva + p->at, r->alignment) - n->rva;
    r->new_rva = (uint32_t)(n->rva + p->at);
    settle_dropped(p, r->new_rva);
    *piece = (pe_piece){
        .old_rva = r->rva, .old_size = r->old_size, .new_rva = r->new_rva, .new_size = r->size, .replacement = r};
    p->at += r->size;
}

static void swap_places(pe_replacement **first, pe_replacement **second) {
    pe_replacement *a = *first, *b = *second;
    uint32_t rva = a->rva, old_size = a->old_size;
    a->rva = b->rva, a->old_size = b->old_size;
    b->rva = rva, b->old_size = old_size;
    *first = b, *second = a;
}

/* The pieces ahead of the place that is to be filled: as each is looked at once, looking costs the same
 * where there are few that fill. Both are positions after that place, or the count. */
typedef struct ahead {
    size_t filling; /* the first that is movable and of alignment 1 */
    size_t fixed;   /* the first that is not movable */
} ahead;

/* Where padding would stand before r[at], moves a later one there that fits the padding exactly, if there is one
 * nearby. All of these may change their places. */
static void fill_padding(const planner *p, const pe_new_section *n, pe_replacement **r, size_t at, size_t count,
                         ahead *next) {
    uint32_t alignment = r[at]->alignment;
    uint32_t padding = (uint32_t)(align_up(n->rva + p->at, alignment) - (n->rva + p->at));
    if (padding == 0 || !r[at]->movable)
        return;
    if (next->fixed <= at)
        next->fixed = at + 1;
    size_t end = count - at <= MOST_OVERTAKEN ? count : at + MOST_OVERTAKEN + 1;
    while (next->fixed < end && r[next->fixed]->movable)
        next->fixed++;
    end = next->fixed < end ? next->fixed : end;
    if (next->filling <= at)
        next->filling = at + 1;
    while (next->filling < end && r[next->filling]->alignment != 1)
        next->filling++;
    for (size_t i = next->filling; i < end; i++)
        if (r[i]->alignment == 1 && (r[i]->size & (alignment - 1)) == padding) {
            /* Each one in between moves one place on. */
            next->filling += 1;
            for (; i > at; i--)
                swap_places(&r[i - 1], &r[i]);
            return;
        }
}

/* Cuts one section into pieces and gives them addresses. `r` are the `left` replacements from here on; *used says how
 * many lie in it. */
static ecma_status plan_section(planner *p, uint32_t index, pe_replacement **r, size_t left, size_t *used, diag *d) {
    const pe_image *image = p->layout->image;
    const pe_section *s = &image->sections[index];
    pe_new_section *n = &p->layout->sections[index];
    n->old_content = content_of(image, s);
    n->first_piece = p->layout->piece_count;
    size_t count = 0;
    while (count < left && r[count]->rva >= s->rva && r[count]->rva - s->rva <= n->old_content &&
           r[count]->old_size <= n->old_content - (r[count]->rva - s->rva))
        count++;
    n->changed = count != 0;
    p->at = 0;
    uint32_t from = 0;
    ahead next = {0};
    for (size_t i = 0; i < count; i++) {
        uint32_t offset = r[i]->rva - s->rva;
        if (offset < from)
            return diag_report(d, DIAG_LAYOUT, "two parts that both change overlap at RVA 0x%x", r[i]->rva);
        if (from != offset)
            add_gap(p, s, n, from, offset);
        fill_padding(p, n, r, i, count, &next);
        add_replacement(p, n, r[i]);
        from = offset + r[i]->old_size;
    }
    if (from != n->old_content)
        add_gap(p, s, n, from, n->old_content);
    settle_dropped(p, (uint32_t)(n->rva + p->at));
    n->end_piece = p->layout->piece_count;
    if (p->at > INT32_MAX)
        return diag_report(d, DIAG_IMAGE_SIZE, "section %s would be more than 2 GiB", s->name);
    n->new_content = (uint32_t)p->at;
    if (!n->changed) {
        n->virtual_size = s->virtual_size;
        n->raw_size = s->raw_size;
    } else {
        uint32_t tail = s->virtual_size > n->old_content ? s->virtual_size - n->old_content : 0;
        if (tail > INT32_MAX - n->new_content)
            return diag_report(d, DIAG_IMAGE_SIZE, "section %s would be more than 2 GiB", s->name);
        n->virtual_size = n->new_content + tail;
        n->raw_size = raw_size_for(n->new_content, s->raw_size, image->file_alignment);
    }
    *used = count;
    return ECMA_OK;
}

ecma_status pe_layout_order(pe_layout *layout, arena *a, diag *d) {
    const pe_image *image = layout->image;
    layout->file_order = arena_alloc_array(a, image->section_count, sizeof *layout->file_order);
    if (!layout->file_order)
        return diag_no_memory(d);
    for (uint32_t i = 0; i < image->section_count; i++) {
        uint32_t at = i;
        while (at > 0 && image->sections[layout->file_order[at - 1]].file_offset > image->sections[i].file_offset) {
            layout->file_order[at] = layout->file_order[at - 1];
            at--;
        }
        layout->file_order[at] = i;
    }
    enum { SECTION_HEADER_BYTES = 40 };
    uint64_t end = image->sections_offset + (uint64_t)image->section_count * SECTION_HEADER_BYTES;
    if (end > image->size_of_headers)
        return diag_report(d, DIAG_LAYOUT, "the section headers end at 0x%llx, past SizeOfHeaders 0x%x",
                           (unsigned long long)end, image->size_of_headers);
    for (uint32_t i = 0; i < image->section_count; i++) {
        const pe_section *s = &image->sections[layout->file_order[i]];
        if (s->raw_size == 0)
            continue;
        if (s->file_offset < end || s->file_offset < image->size_of_headers)
            return diag_report(d, DIAG_LAYOUT, "section %s shares file bytes with another or with the headers",
                               s->name);
        end = s->file_offset + (uint64_t)s->raw_size;
    }
    return ECMA_OK;
}

uint32_t pe_file_end(const pe_image *image) {
    pe_directory certificate = image->directories[PE_DIRECTORY_CERTIFICATE];
    uint64_t sections_end = image->size_of_headers;
    for (uint32_t i = 0; i < image->section_count; i++) {
        const pe_section *s = &image->sections[i];
        if (s->raw_size && s->file_offset + (uint64_t)s->raw_size > sections_end)
            sections_end = s->file_offset + (uint64_t)s->raw_size;
    }
    /* The certificate directory holds a file offset. The signature is void after any change. */
    if (certificate.size != 0 && certificate.rva >= sections_end && certificate.rva <= image->file.size &&
        certificate.size >= image->file.size - certificate.rva)
        return certificate.rva;
    return (uint32_t)image->file.size;
}

/* Sections keep their file order and what lies between and after them; each moves by what those
 * before it grew or shrank. */
static ecma_status place_in_file(pe_layout *layout, diag *d) {
    const pe_image *image = layout->image;
    int64_t shift = 0;
    for (uint32_t i = 0; i < image->section_count; i++) {
        const pe_section *s = &image->sections[layout->file_order[i]];
        pe_new_section *n = &layout->sections[layout->file_order[i]];
        if (s->raw_size == 0 && n->raw_size == 0) {
            n->file_offset = s->file_offset;
            continue;
        }
        n->file_offset = (uint32_t)(s->file_offset + shift);
        shift += (int64_t)n->raw_size - s->raw_size;
    }
    layout->old_end = pe_file_end(image);
    if (layout->old_end + shift > INT32_MAX)
        return diag_report(d, DIAG_IMAGE_SIZE, "the output would be more than 2 GiB");
    layout->file_size = (uint32_t)(layout->old_end + shift);
    return ECMA_OK;
}

/* With a section alignment below a page, sections lie in memory as in the file; those that did must
 * still. */
static ecma_status check_flat(const pe_layout *layout, diag *d) {
    enum { PAGE_BYTES = 0x1000 };
    const pe_image *image = layout->image;
    for (uint32_t i = 0; image->section_alignment < PAGE_BYTES && i < image->section_count; i++) {
        const pe_section *s = &image->sections[i];
        const pe_new_section *n = &layout->sections[i];
        if (s->raw_size && s->rva == s->file_offset && n->rva != n->file_offset)
            return diag_report(d, DIAG_LAYOUT,
                               "sections lie in memory as in the file (alignment 0x%x): they cannot move apart",
                               image->section_alignment);
    }
    return ECMA_OK;
}

ecma_status pe_layout_plan(pe_layout *layout, const pe_image *image, const pe_layout_parts *parts, arena *a, diag *d) {
    pe_replacement **replacements = parts->replacements;
    const size_t replacement_count = parts->replacement_count;
    *layout = (pe_layout){.image = image, .section_count = image->section_count};
    size_t most = replacement_count * 2 + image->section_count * (size_t)2 + 1;
    layout->pieces = arena_alloc_open(a, most, sizeof *layout->pieces);
    layout->sections = arena_alloc_array(a, image->section_count, sizeof *layout->sections);
    if (!layout->pieces || !layout->sections)
        return diag_no_memory(d);
    ecma_status status = pe_layout_order(layout, a, d);
    if (status)
        return status;

    planner p = {.layout = layout, .anchors = parts->anchors, .anchor_count = parts->anchor_count};
    int64_t shift = 0;
    size_t done = 0;
    add_rest(layout, 0, 0, image->size_of_headers);
    for (uint32_t i = 0; i < image->section_count; i++) {
        const pe_section *s = &image->sections[i];
        pe_new_section *n = &layout->sections[i];
        if (s->rva + shift > INT32_MAX)
            return diag_report(d, DIAG_IMAGE_SIZE, "the image would be more than 2 GiB in memory");
        n->rva = (uint32_t)(s->rva + shift);
        size_t used = 0;
        if ((status = plan_section(&p, i, replacements + done, replacement_count - done, &used, d)))
            return status;
        done += used;
        add_tail(layout, i);
        uint64_t end = align_up(n->rva + (uint64_t)(n->virtual_size > n->raw_size ? n->virtual_size : n->raw_size),
                                image->section_alignment);
        if (end > INT32_MAX)
            return diag_report(d, DIAG_IMAGE_SIZE, "the image would be more than 2 GiB in memory");
        if (n->changed && i + 1 < image->section_count)
            shift = next_shift(image, i + 1, shift, end);
        layout->size_of_image = (uint32_t)end;
    }
    if (done != replacement_count)
        return diag_report(d, DIAG_LAYOUT, "RVA 0x%x, which has to change, is in no section's file part",
                           replacements[done]->rva);
    if ((status = place_in_file(layout, d)) || (status = check_flat(layout, d)))
        return status;
    for (size_t i = 0; i < replacement_count; i++)
        if (!replacements[i]->data)
            pe_layout_file_offset(layout, replacements[i]->new_rva, &replacements[i]->file_offset);
    return ECMA_OK;
}

const pe_piece *pe_last_piece_at(const pe_layout *layout, size_t low, size_t high, uint32_t rva) {
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (layout->pieces[middle].old_rva <= rva)
            low = middle;
        else
            high = middle;
    }
    return &layout->pieces[low];
}

static bool is_dropped(const pe_piece *piece) {
    return !piece->replacement && piece->new_size == 0;
}

static bool map_in(const pe_piece *piece, uint32_t rva, uint32_t *new_rva) {
    uint32_t within = rva - piece->old_rva;
    if (within >= piece->old_size || (piece->replacement && within != 0))
        return false;
    *new_rva = piece->new_rva + (is_dropped(piece) ? 0 : within);
    return true;
}

static bool map_appended(const pe_layout *layout, uint32_t rva, uint32_t *new_rva) {
    const pe_piece *piece = pe_last_piece_at(layout, 0, layout->piece_count, rva);
    if (!pe_section_at(layout->image, rva) && rva >= layout->image->size_of_headers)
        return false;
    *new_rva = layout->piece_count && rva == piece->old_rva ? piece->new_rva : rva;
    return true;
}

bool pe_layout_map(const pe_layout *layout, uint32_t rva, uint32_t *new_rva) {
    return layout->appended ? map_appended(layout, rva, new_rva)
                            : map_in(pe_last_piece_at(layout, 0, layout->piece_count, rva), rva, new_rva);
}

bool pe_layout_map_near(const pe_layout *layout, uint32_t rva, size_t *near, uint32_t *new_rva) {
    size_t last = *near + 2 < layout->piece_count ? *near + 2 : layout->piece_count;
    for (size_t i = *near; i < last; i++)
        if (map_in(&layout->pieces[i], rva, new_rva)) {
            *near = i;
            return true;
        }
    const pe_piece *piece = pe_last_piece_at(layout, 0, layout->piece_count, rva);
    if (!map_in(piece, rva, new_rva))
        return false;
    *near = (size_t)(piece - layout->pieces);
    return true;
}

bool pe_layout_file_offset(const pe_layout *layout, uint32_t new_rva, uint32_t *file_offset) {
    for (uint32_t i = layout->section_count; i-- > 0;) {
        const pe_new_section *n = &layout->sections[i];
        if (new_rva < n->rva)
            continue;
        if (new_rva - n->rva > n->raw_size)
            return false;
        *file_offset = n->file_offset + (new_rva - n->rva);
        return true;
    }
    return false;
}
