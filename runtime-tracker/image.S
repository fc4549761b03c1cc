/* The tracker assembly, and the native clock for each processor that there was a compiler for, carried inside the program. */
#ifdef _WIN32
        .section .rdata,"dr"
#else
        .section .rodata
#endif
        .global tracker_image_start
        .global tracker_image_end
        .global clock_x64_start
        .global clock_x64_end
        .global clock_arm64_start
        .global clock_arm64_end
        .balign 16
tracker_image_start:
        .incbin TRACKER_FILE
tracker_image_end:
        .balign 16
clock_x64_start:
#ifdef CLOCK_X64_FILE
        .incbin CLOCK_X64_FILE
#endif
clock_x64_end:
        .balign 16
clock_arm64_start:
#ifdef CLOCK_ARM64_FILE
        .incbin CLOCK_ARM64_FILE
#endif
clock_arm64_end:
#ifndef _WIN32
        .section .note.GNU-stack,"",@progbits
#endif
