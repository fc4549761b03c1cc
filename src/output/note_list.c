#include "output/note_list.h"

#include "output/names_resource.h"

static bool is_named(const method_note *note, const ids *ids) {
    return ids_of(ids, note->method) != NO_ID && (note->route || ids_of(ids, note->home) != NO_ID);
}

static uint32_t count_of(const method_notes *notes, const ids *ids) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < notes->count; i++)
        count += is_named(&notes->list[i], ids);
    return count;
}

uint16_t note_list_append(buffer *data, const method_notes *notes, const ids *ids, bool ends) {
    uint32_t count = count_of(notes, ids), before = 0;
    if (count == 0)
        return 0;
    if (!ends) { /* no types and no places: a reader that does not know of notes ends there */
        buffer_varuint(data, 0);
        buffer_varuint(data, 0);
    }
    buffer_varuint(data, count);
    for (uint32_t i = 0; i < notes->count; i++) {
        const method_note *note = &notes->list[i];
        if (!is_named(note, ids))
            continue;
        uint32_t id = ids_of(ids, note->method), home = ids_of(ids, note->home);
        buffer_varuint(data, id - before);
        buffer_varuint(data, home == NO_ID ? 0 : home + 1u);
        buffer_string(data, note->route ? note->route : "");
        buffer_u8(data, 0);
        before = id;
    }
    return (uint16_t)(NAMES_FILE_NOTES | (ends ? 0 : NAMES_FILE_ALLOCATIONS));
}
