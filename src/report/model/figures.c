#include "report/model/figures.h"

const figure_kind figure_kinds[FIGURES] = {
    [FIGURE_BYTES] = {"bytes", "bytes", "Bytes", "Incl. bytes", "bytes allocated", "bytes"},
    [FIGURE_OBJECTS] = {"objects", "objects", "Objects", "Incl. objects", "objects allocated", "none"},
    [FIGURE_COLLECTIONS] = {"collections", "collections", "Collections", "Incl. collections",
                            "garbage collections meanwhile", "none"},
    [FIGURE_PAUSE] = {"pause", "pause_ns", "Pause", "Incl. pause", "pauses of garbage collections", "nanoseconds"},
};

figure figure_format(profile_figure kind, uint64_t value) {
    return kind != FIGURE_PAUSE ? format_count(value) : value > 0 ? format_time(value) : (figure){"", 0};
}
