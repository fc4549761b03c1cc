/* The files of a page, carried inside the program: each a start and an end, in the order in which they are loaded. */
#ifdef _WIN32
        .section .rdata,"dr"
#else
        .section .rodata
#endif

        .global page_style_start
        .global page_style_end
page_style_start:
        .incbin "src/report/page/page.css"
page_style_end:

        .global page_body_start
        .global page_body_end
page_body_start:
        .incbin "src/report/page/page.html"
page_body_end:

        .global page_licences_start
        .global page_licences_end
page_licences_start:
        .ascii "D3 7.9.0\n\n"
        .incbin "src/report/page/vendor/d3-7.9.0.LICENSE"
        .ascii "\n\nd3-flame-graph 5.0.0\n\n"
        .incbin "src/report/page/vendor/d3-flamegraph-5.0.0.LICENSE"
page_licences_end:

        .global page_scripts_start
        .global page_scripts_end
page_scripts_start:
        .incbin "src/report/page/vendor/d3-7.9.0.min.js"
        .ascii "\n"
        .incbin "src/report/page/vendor/d3-flamegraph-5.0.0.umd.min.js"
        .ascii "\n"
        .incbin "src/report/page/model.js"
        .incbin "src/report/page/calls.js"
        .incbin "src/report/page/page.js"
page_scripts_end:
#ifndef _WIN32
        .section .note.GNU-stack,"",@progbits
#endif
