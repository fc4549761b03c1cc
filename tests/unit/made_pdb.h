/* made_pdb.h - symbols made by hand for the assembly of made_assembly.h, and the moves of two of its methods. */
#ifndef TESTS_MADE_PDB_H
#define TESTS_MADE_PDB_H

#include "made_assembly.h"
#include "metadata/edit.h"
#include "pdb/mdb.h"
#include "pdb/portable.h"

/* Methods 1 and 2 have 20 bytes of code; what is put in: 5 bytes at the head, 7 before the instruction at 19. */
enum { MADE_OLD_SIZE = 20, MADE_NEW_SIZE = 32, MADE_HEAD = 5, MADE_EXIT = 19, MADE_LEAVE = 7 };

static inline void made_moves(pdb_moves *moves, arena *a) {
    if (!pdb_moves_init(moves, MADE_METHODS, a))
        abort();
    for (uint32_t row = 1; row <= 2; row++) {
        pdb_moves_begin(moves, row,
                        &(pdb_method){.old_size = MADE_OLD_SIZE, .new_size = MADE_NEW_SIZE, .local_signature = 2});
        pdb_moves_add(moves, row, (pdb_move){0, 0, MADE_HEAD, MADE_HEAD, MADE_HEAD});
        pdb_moves_add(moves, row,
                      (pdb_move){MADE_EXIT, MADE_HEAD, MADE_HEAD, MADE_HEAD + MADE_LEAVE, MADE_HEAD + MADE_LEAVE});
    }
}

/* The assembly's rows, and what an instrumenter adds: two methods, a signature. */
typedef struct made_pair {
    arena arena;
    made assembly;
    md_view view;
    md_edit edit;
    pdb_moves moves;
} made_pair;

static inline void made_pair_init(made_pair *p) {
    *p = (made_pair){.arena = ARENA_INIT};
    made_init(&p->assembly);
    made_assembly_rows(&p->assembly);
    diag d = {0};
    if (md_view_open(&p->view, made_finish(&p->assembly), &p->arena, &d))
        abort();
    md_edit_init(&p->edit, &p->view);
    md_edit_row(&p->edit, MD_TABLE_MethodDef, (uint32_t[]){0, 0, 0x96, 1, 1, 1});
    md_edit_row(&p->edit, MD_TABLE_MethodDef, (uint32_t[]){0, 0, 0x96, 1, 1, 1});
    md_edit_row(&p->edit, MD_TABLE_StandAloneSig, (uint32_t[]){1});
    md_edit_row(&p->edit, MD_TABLE_ManifestResource, (uint32_t[]){0, 0, 1, 0});
    made_moves(&p->moves, &p->arena);
}

static inline void made_pair_clear(made_pair *p) {
    pdb_moves_clear(&p->moves);
    md_edit_clear(&p->edit);
    made_clear(&p->assembly);
    arena_clear(&p->arena);
}

/* The kinds that hold offsets, and one that does not, in the #GUID heap from 1. */
enum { MADE_HOISTED = 1, MADE_STEPPING = 2, MADE_OTHER_KIND = 3 };

/* Appends a portable PDB; `blob_padding` bytes fill its heap up first. */
static inline void made_pdb(buffer *out, size_t blob_padding) {
    static const uint8_t kinds[48] = {0x1e, 0xa6, 0xa9, 0x6d, 0xc7, 0xf8, 0x74, 0x48, 0xbe, 0x62, 0x68,
                                      0xbc, 0x56, 0x30, 0xdf, 0x71, 0xc5, 0x2a, 0xfd, 0x54, 0x25, 0xe9,
                                      0x1a, 0x40, 0x9c, 0x2a, 0xf9, 0x4f, 0x17, 0x10, 0x72, 0xf8, 1};
    made m, of;
    made_init(&m);
    made_init(&of);
    made_assembly_rows(&of);
    uint32_t rows[MD_TABLE_SPACE] = {0};
    uint64_t mask = 0;
    for (unsigned t = 0; t < MD_PDB_FIRST_TABLE; t++)
        if (of.cells[t].size) {
            rows[t] = made_rows(&of, (md_table_id)t);
            mask |= (uint64_t)1 << t;
        }
    m.type_system_rows = rows;
    for (uint8_t i = 0; i < PDB_ID_BYTES; i++)
        buffer_u8(&m.pdb, i);
    buffer_u32(&m.pdb, 0x06000001);
    buffer_u32(&m.pdb, (uint32_t)mask);
    buffer_u32(&m.pdb, (uint32_t)(mask >> 32));
    for (unsigned t = 0; t < MD_PDB_FIRST_TABLE; t++)
        if (rows[t])
            buffer_u32(&m.pdb, rows[t]);
    buffer_append(&m.guids, kinds, sizeof kinds);
    buffer_append_zeros(&m.blobs, blob_padding);

    MADE_ROW(&m, Document, MADE_BLOB(&m, '/', 0), 0, 0, 0);
    MADE_ROW(&m, Document, MADE_BLOB(&m, '/', 1), 0, 0, 0);
    /* 0: line 10; 10: hidden; 19: line 9, columns down by 3 */
    MADE_ROW(&m, MethodDebugInformation, 1, MADE_BLOB(&m, 1, 0, 0, 4, 10, 5, 10, 0, 0, 9, 1, 0x7B, 0x7F, 2));
    /* document 1; 2: line 7; then document 2; 12: two lines on */
    MADE_ROW(&m, MethodDebugInformation, 0, MADE_BLOB(&m, 0, 1, 2, 0, 4, 7, 1, 0, 2, 10, 0, 3, 4, 0));
    MADE_ROW(&m, MethodDebugInformation, 0, 0);
    MADE_ROW(&m, MethodDebugInformation, 1, MADE_BLOB(&m, 0, 0, 0, 4, 20, 5));
    MADE_ROW(&m, LocalScope, 1, 1, 1, 1, 0, MADE_OLD_SIZE);
    MADE_ROW(&m, LocalScope, 1, 1, 2, 1, 0, MADE_EXIT);
    MADE_ROW(&m, LocalScope, 2, 1, 2, 1, 4, 6);
    MADE_ROW(&m, LocalScope, 4, 1, 2, 1, 0, 2);
    MADE_ROW(&m, LocalVariable, 0, 0, made_string(&m, "number"));
    MADE_ROW(&m, ImportScope, 0, 0);
    MADE_ROW(&m, StateMachineMethod, 2, 1);
    MADE_ROW(&m, CustomDebugInformation, 1 << 5, MADE_OTHER_KIND, MADE_BLOB(&m, 1, 2, 3));
    MADE_ROW(&m, CustomDebugInformation, 2 << 5, MADE_HOISTED,
             MADE_BLOB(&m, 4, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    MADE_ROW(&m, CustomDebugInformation, 2 << 5, MADE_STEPPING,
             MADE_BLOB(&m, 19, 0, 0, 0, 6, 0, 0, 0, 8, 0, 0, 0, 2, 10, 0, 0, 0, 12, 0, 0, 0, 3));
    bytes whole = made_finish(&m);
    buffer_append(out, whole.data, whole.size);
    made_clear(&of);
    made_clear(&m);
}

/* Appends an .mdb of two methods; the first was moved, has columns, ends and a code block, the second (MethodDef 4) was
 * not. */
static inline void made_mdb(buffer *out) {
    enum { HEADER = 112, LINE_BASE = -1, LINE_RANGE = 8, OPCODE_BASE = 9 };
    /* +0 line 10; +10: line 11; hidden, +9: line 11; end. Then columns; ends, the second row without. */
    static const uint8_t program[] = {
        3, 9, 1, OPCODE_BASE + 10 * LINE_RANGE + 2, 0, 1, 0x40, 2, 9, 1, 0, 1, 1, 4, 5, 6, 0, 7, 0xff, 0xff, 0xff,
        7, 1, 8};
    static const uint8_t blocks[] = {1, 1, 0, 10, 19};
    static const uint8_t plain[] = {3, 19, 1, 0, 1, 1};
    size_t start = out->size;
    buffer_append_zeros(out, HEADER);
    uint32_t at_program = (uint32_t)(out->size - start);
    buffer_append(out, program, sizeof program);
    uint32_t at_blocks = (uint32_t)(out->size - start);
    buffer_append(out, blocks, sizeof blocks);
    uint32_t at_plain = (uint32_t)(out->size - start);
    buffer_append(out, plain, sizeof plain);
    uint32_t data_of_first = (uint32_t)(out->size - start);
    const uint32_t first[7] = {1, 0, 0, at_blocks, 0, 0, 2 | 4};
    for (unsigned i = 0; i < 7; i++)
        buffer_varuint(out, first[i]);
    uint32_t data_of_second = (uint32_t)(out->size - start);
    buffer_append_zeros(out, 7);
    uint32_t table = (uint32_t)(out->size - start);
    const uint32_t entries[6] = {0x06000001, data_of_first, at_program, 0x06000004, data_of_second, at_plain};
    for (unsigned i = 0; i < 6; i++)
        buffer_u32(out, entries[i]);
    if (out->failed)
        return;
    uint8_t *p = out->data + start;
    store_u64(p, UINT64_C(0x45e82623fd7fa614));
    store_u32(p + 8, 50);
    memset(p + 16, 0xAA, 16);
    store_u32(p + 32, (uint32_t)(out->size - start));
    store_u32(p + 68, 2);
    store_u32(p + 72, table);
    store_u32(p + 76, sizeof entries);
    store_u32(p + 96, (uint32_t)LINE_BASE);
    store_u32(p + 100, LINE_RANGE);
    store_u32(p + 104, OPCODE_BASE);
}

#endif
