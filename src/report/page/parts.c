#include "report/page/parts.h"

bool page_has_leaves(const aggregate *a) {
    for (uint32_t i = 0; i < a->function_count; i++)
        if (a->functions[i].leaf)
            return true;
    return false;
}

void page_parts_write(printer *out, bool has_leaves) {
    if (!has_leaves)
        return;
    for (leaf_part i = 0; i < LEAF_PARTS; i++)
        print_format(out, "%s\"%s\"", i == 0 ? ",\n\"parts\":[" : ",", leaf_part_name(i));
    print_string(out, "]");
}
