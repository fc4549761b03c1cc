/* The tracker assembly, that for spans, the first compiled ahead where there was a compiler for it, and the native clock for each processor that there was a compiler for, carried inside the program. */
#include "platform/carried.h"

        carry tracker_image
        .incbin TRACKER_FILE
        carried tracker_image

        carry spans_image
        .incbin SPANS_FILE
        carried spans_image

        carry tracker_compiled
#ifdef TRACKER_COMPILED_FILE
        .incbin TRACKER_COMPILED_FILE
#endif
        carried tracker_compiled

        carry clock_x64
#ifdef CLOCK_X64_FILE
        .incbin CLOCK_X64_FILE
#endif
        carried clock_x64

        carry clock_arm64
#ifdef CLOCK_ARM64_FILE
        .incbin CLOCK_ARM64_FILE
#endif
        carried clock_arm64
