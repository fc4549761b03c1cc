#include "report/formats.h"

#include "report/export/export.h"
#include "report/export/json.h"
#include "report/mibc/mibc.h"
#include "report/page/page.h"
#include "report/text/overhead.h"
#include "report/text/text.h"

const report_format report_formats[ILJ_REPORT_FORMAT_COUNT] = {
    [ILJ_REPORT_TEXT] = {.write = text_write},
    [ILJ_REPORT_CALLTREE] = {.write = calltree_write},
    [ILJ_REPORT_TREE] = {.write = tree_write, .as_called = true, .cut = true},
    [ILJ_REPORT_CALLLOG] = {.write = calllog_write, .profiles = true, .as_called = true, .cut = true},
    [ILJ_REPORT_JSON] = {.write = json_write, .profiles = true},
    [ILJ_REPORT_CSV] = {.write = csv_write},
    [ILJ_REPORT_SPEEDSCOPE] = {.write = speedscope_write, .threads = true, .as_called = true, .cut = true},
    [ILJ_REPORT_CHROME] = {.write = chrome_write, .profiles = true, .timeline = true},
    [ILJ_REPORT_COLLAPSED] = {.write = collapsed_write, .cut = true},
    [ILJ_REPORT_CALLGRIND] = {.write = callgrind_write, .threads = true},
    [ILJ_REPORT_SUGGESTIONS] = {.write = suggestions_write},
    [ILJ_REPORT_PPROF] = {.write = pprof_write, .threads = true, .cut = true},
    [ILJ_REPORT_OTLP] = {.write = otlp_write, .threads = true, .cut = true},
    [ILJ_REPORT_CPUPROFILE] = {.write = cpuprofile_write, .threads = true, .cut = true},
    [ILJ_REPORT_MIBC] = {.make = mibc_write, .raw_names = true, .as_called = true},
    [ILJ_REPORT_COBERTURA] = {.write = cobertura_write, .lines = true},
    [ILJ_REPORT_LCOV] = {.write = lcov_write, .lines = true},
    [ILJ_REPORT_HTML] = {.write = page_write, .calls = true, .threads = true, .trend = true, .cut = true},
    [ILJ_REPORT_PROMETHEUS] = {.write = prometheus_write},
    [ILJ_REPORT_ROWS] = {.alone = true},
    [ILJ_REPORT_ROWS_CSV] = {.alone = true},
};
