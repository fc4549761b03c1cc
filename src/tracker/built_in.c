#include "tracker/tracker.h"

extern const uint8_t tracker_image_start[], tracker_image_end[];
/* Made by the build, by tracker_read (runtime-tracker/constants.c). */
extern const tracker tracker_constants;

bytes tracker_built_in(void) {
    return bytes_of(tracker_image_start, (size_t)(tracker_image_end - tracker_image_start));
}

void tracker_take_built_in(tracker *t) {
    *t = tracker_constants;
    t->file = tracker_built_in();
}
