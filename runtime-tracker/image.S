/* The tracker assembly, carried inside the program. */
        .section .rodata
        .global tracker_image_start
        .global tracker_image_end
        .balign 16
tracker_image_start:
        .incbin TRACKER_FILE
tracker_image_end:
        .section .note.GNU-stack,"",@progbits
