/* The files of a page, carried inside the program, in the order in which they are loaded. */
#include "platform/carried.h"

        carry page_style
        .incbin "src/report/page/page.css"
        carried page_style

        carry page_body
        .incbin "src/report/page/page.html"
        carried page_body

        carry page_licences
        .ascii "D3 7.9.0\n\n"
        .incbin "src/report/page/vendor/d3-7.9.0.LICENSE"
        .ascii "\n\nd3-flame-graph 5.0.0\n\n"
        .incbin "src/report/page/vendor/d3-flamegraph-5.0.0.LICENSE"
        carried page_licences

        carry page_timeline
        .incbin "src/report/page/timeline.html"
        carried page_timeline

        carry page_timeline_scripts
        .incbin "src/report/page/lanes.js"
        .incbin "src/report/page/range.js"
        .incbin "src/report/page/timeline.js"
        carried page_timeline_scripts

        carry page_compare_scripts
        .incbin "src/report/page/compare.js"
        carried page_compare_scripts

        carry page_trend
        .incbin "src/report/page/trend.html"
        carried page_trend

        carry page_trend_scripts
        .incbin "src/report/page/trend.js"
        carried page_trend_scripts

        carry page_listing
        .incbin "src/report/page/listing.html"
        carried page_listing

        carry page_listing_scripts
        .incbin "src/report/page/listing.js"
        carried page_listing_scripts

        carry page_scripts
        .incbin "src/report/page/vendor/d3-7.9.0.min.js"
        .ascii "\n"
        .incbin "src/report/page/vendor/d3-flamegraph-5.0.0.umd.min.js"
        .ascii "\n"
        .incbin "src/report/page/model.js"
        .incbin "src/report/page/source.js"
        .incbin "src/report/page/graph.js"
        .incbin "src/report/page/table.js"
        .incbin "src/report/page/calls.js"
        .incbin "src/report/page/exceptions.js"
        .incbin "src/report/page/about.js"
        .incbin "src/report/page/tests.js"
        .incbin "src/report/page/find.js"
        .incbin "src/report/page/page.js"
        carried page_scripts
