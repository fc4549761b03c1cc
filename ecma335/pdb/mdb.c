#include "pdb/mdb.h"

#include "pdb/places.h"

#define MDB_MAGIC UINT64_C(0x45e82623fd7fa614)

enum {
    MAJOR_VERSION = 50,
    MVID_OFFSET = 16,
    TOTAL_SIZE_OFFSET = 32,
    SOURCE_COUNT_OFFSET = 56, /* then where the table is */
    METHOD_COUNT_OFFSET = 68,
    METHOD_TABLE_OFFSET = 72,
    LINE_BASE_OFFSET = 96, /* then LineRange, OpcodeBase */
    HEADER_BYTES = 112,
    SOURCE_ENTRY_BYTES = 8,  /* number, offset of its data */
    METHOD_ENTRY_BYTES = 12, /* token, offset of its data, offset of its line number program */
    LEB128_MAX_BYTES = 10,
    TOKEN_OF_METHODDEF = 0x06,
    NO_END = 0xffffff, /* where a row has no end line and column */
};

/* Opcodes of the line number program, which is DWARF's in part. */
enum {
    EXTENDED = 0,
    COPY = 1,
    ADVANCE_PC = 2,
    ADVANCE_LINE = 3,
    SET_FILE = 4,
    CONST_ADD_PC = 8,
    END_SEQUENCE = 1, /* extended */
    TOGGLE_HIDDEN = 0x40,
};

/* A method's data beside its line numbers; the fourth is where its code blocks lie. */
enum { DATA_FIELDS = 7, CODE_BLOCKS_FIELD = 3, FLAGS_FIELD = 6, HAS_COLUMNS = 2, HAS_ENDS = 4, BLOCK_HAS_MORE = 0x40 };

typedef struct rewriter {
    bytes file;
    buffer *out;
    size_t start; /* of the new file in out */
    const pdb_moves *moves;
    uint32_t line_range, opcode_base;
    size_t budget; /* bytes that may yet be read: methods do not share what is theirs */
} rewriter;

static uint32_t read_leb128(reader *r) {
    uint32_t value = 0;
    for (unsigned i = 0; i < LEB128_MAX_BYTES; i++) {
        uint8_t b = reader_u8(r);
        if (i < 5)
            value |= (uint32_t)(b & 0x7F) << 7 * i;
        if (!(b & 0x80))
            return value;
    }
    r->failed = true;
    return 0;
}

/* A reader of the file from an offset on; failed when it is not in the file. */
static reader read_at(const rewriter *w, uint32_t offset) {
    bytes b = {0};
    bool inside = offset <= w->file.size && bytes_try_sub(w->file, offset, w->file.size - offset, &b);
    reader r = reader_of(b);
    r.failed = !inside;
    return r;
}

static bool spend(rewriter *w, const reader *r) {
    size_t size = reader_offset(r);
    if (r->failed || size > w->budget)
        return false;
    w->budget -= size;
    return true;
}

/* ---- Line numbers --------------------------------------------------------------------------------------------------
 */

typedef struct machine {
    uint32_t old, now; /* the offset as read, and as written */
    uint32_t rows;
} machine;

static void put_extended(buffer *out, uint8_t opcode) {
    buffer_u8(out, EXTENDED);
    buffer_u8(out, 1);
    buffer_u8(out, opcode);
}

/* How far the next row's new offset is from the last one's; false when it is not ahead of it. Rows at 0 stay
 * there, as a first sequence point does (points.h). */
static bool advance(machine *m, const rewriter *w, const pdb_method *method, uint32_t *by) {
    uint64_t now = m->old == 0 ? 0 : pdb_move_start(w->moves, method, m->old);
    if (now > INT32_MAX || now < m->now)
        return false;
    *by = (uint32_t)now - m->now;
    m->now = (uint32_t)now;
    return true;
}

static void put_advance(buffer *out, uint32_t by) {
    if (by) {
        buffer_u8(out, ADVANCE_PC);
        buffer_varuint(out, by);
    }
}

static bool move_program(rewriter *w, reader *r, const pdb_method *method, uint32_t *rows) {
    buffer *out = w->out;
    machine m = {0};
    uint32_t by;
    while (!r->failed && m.old <= INT32_MAX) {
        uint8_t opcode = reader_u8(r);
        if (opcode == EXTENDED) {
            uint8_t size = reader_u8(r);
            bytes extended = reader_bytes(r, size);
            if (r->failed || size == 0)
                return false;
            if (extended.data[0] == END_SEQUENCE) {
                if (!advance(&m, w, method, &by))
                    return false;
                put_advance(out, by);
                put_extended(out, END_SEQUENCE);
                *rows = m.rows;
                return true;
            }
            buffer_u8(out, EXTENDED);
            buffer_u8(out, size);
            buffer_append(out, extended.data, size);
        } else if (opcode >= w->opcode_base) {
            uint32_t adjusted = opcode - w->opcode_base, line = adjusted % w->line_range;
            m.old += adjusted / w->line_range;
            if (!advance(&m, w, method, &by))
                return false;
            if (by > (255 - w->opcode_base - line) / w->line_range) {
                put_advance(out, by);
                by = 0;
            }
            buffer_u8(out, (uint8_t)(w->opcode_base + line + by * w->line_range));
            m.rows++;
        } else if (opcode == COPY) {
            if (!advance(&m, w, method, &by))
                return false;
            put_advance(out, by);
            buffer_u8(out, COPY);
            m.rows++;
        } else if (opcode == ADVANCE_PC) {
            uint32_t more = read_leb128(r);
            if (more > INT32_MAX)
                return false;
            m.old += more;
        } else if (opcode == CONST_ADD_PC) {
            m.old += (255 - w->opcode_base) / w->line_range;
        } else if (opcode == ADVANCE_LINE || opcode == SET_FILE) {
            buffer_u8(out, opcode);
            buffer_varuint(out, read_leb128(r));
        } else {
            return false;
        }
    }
    return false;
}

/* After the program: each row's column, each row's end. */
static bool copy_columns(rewriter *w, reader *r, uint32_t flags, uint32_t rows) {
    if (flags & HAS_COLUMNS)
        for (uint32_t i = 0; i < rows && !r->failed; i++)
            buffer_varuint(w->out, read_leb128(r));
    if (flags & HAS_ENDS) {
        for (uint32_t i = 0; i < rows && !r->failed; i++) {
            uint32_t line = read_leb128(r);
            buffer_varuint(w->out, line);
            if (line != NO_END)
                buffer_varuint(w->out, read_leb128(r));
        }
    }
    return spend(w, r);
}

/* ---- Code blocks ---------------------------------------------------------------------------------------------------
 */

static bool move_blocks(rewriter *w, reader *r, const pdb_method *method) {
    uint32_t count = read_leb128(r);
    buffer_varuint(w->out, count);
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        uint32_t type = read_leb128(r), parent = read_leb128(r), from = read_leb128(r), to = read_leb128(r);
        buffer_varuint(w->out, type);
        buffer_varuint(w->out, parent);
        buffer_varuint(w->out, pdb_move_start(w->moves, method, from));
        buffer_varuint(w->out, pdb_move_end(w->moves, method, to));
        if (type & BLOCK_HAS_MORE) {
            uint16_t size = reader_u16(r);
            bytes more = reader_bytes(r, size);
            buffer_u16(w->out, size);
            buffer_append(w->out, more.data, more.size);
        }
    }
    return spend(w, r);
}

/* ---- All of it -----------------------------------------------------------------------------------------------------
 */

static uint32_t here(const rewriter *w) {
    return (uint32_t)(w->out->size - w->start);
}

/* Appends what belongs to a method again and lets its entry, at an offset of the file, point there. */
static bool move_method(rewriter *w, size_t entry_offset, const pdb_method *method) {
    const uint8_t *entry = w->file.data + entry_offset;
    uint32_t data[DATA_FIELDS], rows;
    reader r = read_at(w, load_u32(entry + 4));
    for (unsigned i = 0; i < DATA_FIELDS; i++)
        data[i] = read_leb128(&r);
    if (!spend(w, &r))
        return false;
    uint32_t lines = here(w);
    r = read_at(w, load_u32(entry + 8));
    if (!move_program(w, &r, method, &rows) || !copy_columns(w, &r, data[FLAGS_FIELD], rows))
        return false;
    if (data[CODE_BLOCKS_FIELD]) {
        r = read_at(w, data[CODE_BLOCKS_FIELD]);
        data[CODE_BLOCKS_FIELD] = here(w);
        if (!move_blocks(w, &r, method))
            return false;
    }
    uint32_t where = here(w);
    for (unsigned i = 0; i < DATA_FIELDS; i++)
        buffer_varuint(w->out, data[i]);
    if (w->out->failed || w->out->size - w->start > INT32_MAX)
        return false;
    store_u32(w->out->data + w->start + entry_offset + 4, where);
    store_u32(w->out->data + w->start + entry_offset + 8, lines);
    return true;
}

/* ---- Places --------------------------------------------------------------------------------------------------------
 */

/* A table of the file: its count stands there, and then where it is. */
static bool try_table(bytes file, size_t count_offset, size_t entry_bytes, bytes *table) {
    size_t size;
    return !__builtin_mul_overflow((size_t)load_u32(file.data + count_offset), entry_bytes, &size) &&
           bytes_try_sub(file, load_u32(file.data + count_offset + 4), size, table);
}

static bool read_header(rewriter *w) {
    const uint8_t *mvid;
    if (!mdb_try_mvid(w->file, &mvid) || w->file.size > INT32_MAX)
        return false;
    w->line_range = load_u32(w->file.data + LINE_BASE_OFFSET + 4);
    w->opcode_base = load_u32(w->file.data + LINE_BASE_OFFSET + 8);
    return w->line_range != 0 && w->opcode_base > CONST_ADD_PC && w->opcode_base + (uint64_t)w->line_range <= 256;
}

/* A line number program while it is read. */
typedef struct line_program {
    reader r;
    uint32_t offset;
    pdb_place place;
    bool hidden, changed; /* since the last row */
    bool ended;
} line_program;

static line_program program_at(const rewriter *w, uint32_t offset) {
    return (line_program){.r = read_at(w, offset), .place = {1, 1}};
}

/* Goes to the next row. A program ends in one when something changed after the last. False: none is left, or damage. */
static bool next_row(const rewriter *w, line_program *p) {
    const uint32_t line_base = load_u32(w->file.data + LINE_BASE_OFFSET); /* added modulo 2^32, as all of it is */
    reader *r = &p->r;
    bool row = false;
    while (!r->failed && !row && !p->ended) {
        uint8_t opcode = reader_u8(r);
        if (opcode == EXTENDED) {
            bytes extended = reader_bytes(r, reader_u8(r));
            if (r->failed || extended.size == 0)
                return false;
            p->hidden ^= extended.data[0] == TOGGLE_HIDDEN;
            p->ended = extended.data[0] == END_SEQUENCE;
            row = p->ended && p->changed;
        } else if (opcode >= w->opcode_base) {
            p->offset += (opcode - w->opcode_base) / w->line_range;
            p->place.line += line_base + (opcode - w->opcode_base) % w->line_range;
            row = true;
        } else if (opcode == COPY) {
            row = true;
        } else if (opcode == ADVANCE_PC) {
            const uint32_t by = read_leb128(r);
            p->offset += by;
            p->changed |= by != 0;
        } else if (opcode == ADVANCE_LINE) {
            p->changed = true;
            p->place.line += read_leb128(r);
        } else if (opcode == SET_FILE) {
            p->place.document = read_leb128(r);
        } else if (opcode == CONST_ADD_PC) {
            p->offset += (255 - w->opcode_base) / w->line_range;
        } else {
            return false;
        }
    }
    p->changed = p->changed && !row;
    return !r->failed && row;
}

static bool is_place(const pdb_place *place, uint32_t sources) {
    return place->line > 0 && place->line <= INT32_MAX && place->document && place->document <= sources;
}

/* The table of methods and the number of sources; false: damage. */
static bool open_methods(rewriter *w, bytes *table, uint32_t *source_count) {
    bytes sources;
    if (!read_header(w) || !try_table(w->file, METHOD_COUNT_OFFSET, METHOD_ENTRY_BYTES, table) ||
        !try_table(w->file, SOURCE_COUNT_OFFSET, SOURCE_ENTRY_BYTES, &sources))
        return false;
    *source_count = (uint32_t)(sources.size / SOURCE_ENTRY_BYTES);
    return true;
}

void mdb_places(pdb_place *places, uint32_t rows, bytes file) {
    rewriter w = {.file = file, .budget = file.size};
    bytes table;
    uint32_t sources;
    if (!open_methods(&w, &table, &sources))
        return;
    for (size_t at = 0; at < table.size; at += METHOD_ENTRY_BYTES) {
        uint32_t token = load_u32(table.data + at), row = token & 0xFFFFFF;
        line_program p = program_at(&w, load_u32(table.data + at + 8));
        bool known = false;
        if (token >> 24 == TOKEN_OF_METHODDEF && row <= rows)
            while ((known = next_row(&w, &p)) && p.hidden)
                ;
        if (!spend(&w, &p.r))
            return;
        if (known && is_place(&p.place, sources))
            places[row] = p.place;
    }
}

/* The first spot of a row, or where it would be. */
static uint32_t first_spot(const pdb_spot *spots, uint32_t count, uint32_t row) {
    uint32_t from = 0;
    for (uint32_t to = count; from < to;) {
        const uint32_t middle = from + (to - from) / 2;
        if (spots[middle].row < row)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

void mdb_find_spots(pdb_spot *spots, uint32_t count, bytes file) {
    rewriter w = {.file = file, .budget = file.size};
    bytes table;
    uint32_t sources;
    if (!open_methods(&w, &table, &sources))
        return;
    for (size_t at = 0; at < table.size; at += METHOD_ENTRY_BYTES) {
        uint32_t token = load_u32(table.data + at), row = token & 0xFFFFFF;
        uint32_t next = token >> 24 == TOKEN_OF_METHODDEF ? first_spot(spots, count, row) : count;
        line_program p = program_at(&w, load_u32(table.data + at + 8));
        pdb_place here = {0};
        if (next == count || spots[next].row != row)
            continue;
        while (next_row(&w, &p)) {
            for (; next < count && spots[next].row == row && spots[next].offset < p.offset; next++)
                spots[next].place = here;
            if (!p.hidden && is_place(&p.place, sources))
                here = p.place;
        }
        if (!spend(&w, &p.r))
            return;
        for (; next < count && spots[next].row == row; next++)
            spots[next].place = here;
    }
}

void mdb_append_document(buffer *out, bytes file, uint32_t document) {
    rewriter w = {.file = file};
    bytes sources;
    if (!read_header(&w) || !try_table(file, SOURCE_COUNT_OFFSET, SOURCE_ENTRY_BYTES, &sources))
        return;
    for (size_t at = 0; at < sources.size; at += SOURCE_ENTRY_BYTES) {
        if (load_u32(sources.data + at) != document)
            continue;
        reader r = read_at(&w, load_u32(sources.data + at + 4));
        uint32_t size = read_leb128(&r);
        bytes path = reader_bytes(&r, size);
        if (!r.failed && size > 0 && size <= PDB_MAX_PATH && !memchr(path.data, 0, size))
            buffer_append(out, path.data, size);
        return;
    }
}

bool mdb_try_mvid(bytes file, const uint8_t **mvid) {
    if (file.size < HEADER_BYTES || load_u64(file.data) != MDB_MAGIC || load_u32(file.data + 8) != MAJOR_VERSION)
        return false;
    *mvid = file.data + MVID_OFFSET;
    return true;
}

ecma_status mdb_rewrite(buffer *out, bytes file, const uint8_t mvid[16], const pdb_moves *moves, diag *d) {
    bytes table;
    rewriter w = {.file = file, .out = out, .start = out->size, .moves = moves, .budget = file.size};
    if (!read_header(&w) || !try_table(file, METHOD_COUNT_OFFSET, METHOD_ENTRY_BYTES, &table))
        goto damaged;
    buffer_append(out, file.data, file.size);
    for (size_t at = 0; at < table.size && !out->failed; at += METHOD_ENTRY_BYTES) {
        uint32_t token = load_u32(table.data + at);
        const pdb_method *method = token >> 24 == TOKEN_OF_METHODDEF ? pdb_moves_of(moves, token & 0xFFFFFF) : NULL;
        if (method && !move_method(&w, (size_t)(table.data - file.data) + at, method) && !out->failed)
            goto damaged;
    }
    if (out->failed)
        return diag_no_memory(d);
    memcpy(out->data + w.start + MVID_OFFSET, mvid, 16);
    store_u32(out->data + w.start + TOTAL_SIZE_OFFSET, here(&w));
    return ECMA_OK;
damaged:
    diag_report(d, DIAG_PDB_DAMAGED, "a damaged Mono symbol file");
    return ECMA_BAD_FILE;
}
