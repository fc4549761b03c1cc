/* docs/ilinject-config.xsd, carried inside the program. */
#ifdef _WIN32
        .section .rdata,"dr"
#else
        .section .rodata
#endif
        .global config_schema_start
        .global config_schema_end
config_schema_start:
        .incbin SCHEMA_FILE
config_schema_end:
#ifndef _WIN32
        .section .note.GNU-stack,"",@progbits
#endif
