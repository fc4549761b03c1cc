/* made_tracker.h - tracker assemblies of any shape, made by hand, as files that need no folder. */
#ifndef TESTS_MADE_TRACKER_H
#define TESTS_MADE_TRACKER_H

#include "made_image.h"

#include <stdio.h>
#include <stdlib.h>
#ifndef _WIN32
#include <sys/mman.h>
#include <unistd.h>
#endif

/* Signatures of the two methods, as blobs without their size. */
typedef struct tracker_shape {
    const char *name;
    uint8_t enter[8], leave[8];
    uint8_t enter_size, leave_size;
} tracker_shape;

/* TypeRef row 1 is System.RuntimeMethodHandle. */
static const tracker_shape tracker_shapes[] = {
    {"()", {0, 0, 1}, {0, 0, 1}, 3, 3},
    {"(int32)", {0, 1, 1, 8}, {0, 1, 1, 8}, 4, 4},
    {"(string) -> int64", {0, 1, 0x0A, 0x0E}, {0, 1, 1, 0x0A}, 4, 4},
    {"(RuntimeMethodHandle) -> object", {0, 1, 0x1C, 0x11, 5}, {0, 1, 1, 0x1C}, 5, 4},
    {"(RuntimeMethodHandle), (string)", {0, 1, 1, 0x11, 5}, {0, 1, 1, 0x0E}, 5, 4},
    {"(string, object[]), (string, object)", {0, 2, 1, 0x0E, 0x1D, 0x1C}, {0, 2, 1, 0x0E, 0x1C}, 6, 5},
    {"(object[]) -> object, <T>(object, T)", {0, 1, 0x1C, 0x1D, 0x1C}, {0x10, 1, 2, 1, 0x1C, 0x1E, 0}, 5, 7},
};
enum { TRACKER_SHAPES = sizeof tracker_shapes / sizeof tracker_shapes[0] };

static inline void made_tracker(buffer *out, const tracker_shape *shape) {
    static const uint8_t bodies[] = {0x06, 0x2A, 0, 0};
    made m;
    made_init(&m);
    buffer_append_zeros(&m.guids, 16);
    MADE_ROW(&m, Module, 0, made_string(&m, "T.dll"), 1, 0, 0);
    MADE_ROW(&m, TypeRef, 6, made_string(&m, "RuntimeMethodHandle"), made_string(&m, "System"));
    MADE_ROW(&m, TypeDef, 0, made_string(&m, "<Module>"), 0, 0, 1, 1);
    MADE_ROW(&m, TypeDef, 0x81, made_string(&m, "ProfileInfoTracker"), made_string(&m, "Instrumenter"), 0, 1, 1);
    MADE_ROW(&m, MethodDef, MADE_BODIES, 0, 0x96, made_string(&m, "WhenEnteringMethod"),
             made_blob(&m, shape->enter, shape->enter_size), 1);
    MADE_ROW(&m, MethodDef, MADE_BODIES, 0, 0x96, made_string(&m, "WhenLeavingMethod"),
             made_blob(&m, shape->leave, shape->leave_size), 1);
    if (shape->leave[0] == 0x10) /* generic */
        MADE_ROW(&m, GenericParam, 0, 0, 2 << 1 | 1, made_string(&m, "T"));
    MADE_ROW(&m, Assembly, 0x8004, 1, 0, 0, 0, 0, 0, made_string(&m, "T"), 0);
    MADE_ROW(&m, AssemblyRef, 4, 0, 0, 0, 0, 0, made_string(&m, "mscorlib"), 0, 0);
    made_image(out, made_finish(&m), bytes_of(bodies, sizeof bodies));
    made_clear(&m);
}

enum { TRACKER_PATH_BYTES = 300 };

/* Windows has no files without a folder: there they stay where temporary ones are. */
static inline bool made_tracker_file(char path[TRACKER_PATH_BYTES], bytes content) {
#ifdef _WIN32
    char *name = _tempnam(NULL, "tracker");
    FILE *file = name ? fopen(name, "wb") : NULL;
    snprintf(path, TRACKER_PATH_BYTES, "%s", name ? name : "");
    free(name);
    bool written = file && fwrite(content.data, 1, content.size, file) == content.size;
    return file && fclose(file) == 0 && written;
#else
    int file = memfd_create("tracker", 0);
    snprintf(path, TRACKER_PATH_BYTES, "/proc/self/fd/%d", file);
    return file >= 0 && write(file, content.data, content.size) == (ssize_t)content.size;
#endif
}

/* The path of such a file, which lives as long as the process. */
static inline const char *made_tracker_path(unsigned shape) {
    static char paths[TRACKER_SHAPES][TRACKER_PATH_BYTES];
    if (!paths[shape][0]) {
        buffer b = BUFFER_INIT;
        made_tracker(&b, &tracker_shapes[shape]);
        if (b.failed || !made_tracker_file(paths[shape], buffer_bytes(&b)))
            abort();
        buffer_clear(&b);
    }
    return paths[shape];
}

#endif
