#include "report/page/parts.h"

void page_parts_write(printer *out, bool has_leaves) {
    if (!has_leaves)
        return;
    for (leaf_part i = 0; i < LEAF_PARTS; i++)
        print_format(out, "%s\"%s\"", i == 0 ? ",\n\"parts\":[" : ",", leaf_part_name(i));
    print_string(out, "]");
}
