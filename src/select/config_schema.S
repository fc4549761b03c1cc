/* docs/ilinject-config.xsd, carried inside the program. */
        .section .rodata
        .global config_schema_start
        .global config_schema_end
config_schema_start:
        .incbin SCHEMA_FILE
config_schema_end:
        .section .note.GNU-stack,"",@progbits
