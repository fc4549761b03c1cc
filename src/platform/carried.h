/* carried.h - for assembler sources: files that the program carries inside. `carry NAME` … `carried NAME` surround what
 * is carried, between NAME_start and NAME_end. */
#if defined __wasm__
/* Each symbol is a part of the section's data, with a size. */
        .macro carry name
        .section .rodata.\name\(),"",@
        .p2align 4
        .global \name\()_start
        .type \name\()_start,@object
\name\()_start:
        .endm
        .macro carried name
        .size \name\()_start, .-\name\()_start
        .global \name\()_end
        .type \name\()_end,@object
\name\()_end:
        .byte 0
        .size \name\()_end, 1
        .endm
#else
#if defined _WIN32
        .section .rdata,"dr"
#else
        .section .note.GNU-stack,"",@progbits
        .section .rodata
#endif
        .macro carry name
        .balign 16
        .global \name\()_start
\name\()_start:
        .endm
        .macro carried name
        .global \name\()_end
\name\()_end:
        .endm
#endif
