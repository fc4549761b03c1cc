#include "tracker/tracker.h"

extern const uint8_t tracker_image_start[], tracker_image_end[], tracker_compiled_start[], tracker_compiled_end[],
    spans_image_start[], spans_image_end[];
/* Made by the build, by tracker_read (runtime-tracker/constants.c). */
extern const tracker tracker_constants, spans_constants;

bytes tracker_built_in(void) {
    return bytes_of(tracker_image_start, (size_t)(tracker_image_end - tracker_image_start));
}

bytes tracker_compiled(void) {
    return bytes_of(tracker_compiled_start, (size_t)(tracker_compiled_end - tracker_compiled_start));
}

uint16_t tracker_compiled_machine(void) {
    bytes image = tracker_compiled();
    if (image.size == 0)
        return 0;
    const uint8_t *header = image.data + load_u32(image.data + 0x3C); /* made by the build: no byte is in doubt */
    return load_u16(header + 4);
}

const char *tracker_compiled_rid(void) {
    enum { LINUX_MASK = 0x7B79, X64 = 0x8664, ARM64 = 0xAA64 };
    switch (tracker_compiled_machine() ^ LINUX_MASK) {
    case X64:
        return "linux-x64";
    case ARM64:
        return "linux-arm64";
    default:
        return NULL;
    }
}

void tracker_take_built_in(tracker *t) {
    *t = tracker_constants;
    t->file = tracker_built_in();
}

void tracker_take_spans(tracker *t) {
    *t = spans_constants;
    t->file = bytes_of(spans_image_start, (size_t)(spans_image_end - spans_image_start));
}
