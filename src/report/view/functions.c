#include "report/view/functions.h"

view_function view_function_of(const report *r, const report_function *f) {
    enum { METHODS = 0x06000000 }; /* the table of a MethodDef's token */
    const report_module none = {.named = false}, *m = f->module == NO_MODULE ? &none : &r->sum->list.modules[f->module];
    bool is_method = f->row && !f->scope && !f->leaf && !f->outermost;
    uint32_t route = f->names ? f->names->methods[f->method].route : 0;
    return (view_function){.name = function_plain_name(f),
                           .type = (bytes){f->name.data, f->parts.type_bytes},
                           .method = (bytes){f->name.data + f->parts.method, f->parts.suffix - f->parts.method},
                           .module = f->module,
                           .has_module = f->module != NO_MODULE,
                           .assembly = m->assembly,
                           .module_name = m->module,
                           .token = is_method ? METHODS + f->row : 0,
                           .machine = report_machine_name(f->machine),
                           .part = f->leaf || f->command ? leaf_part_name(f->part) : NULL,
                           .command = f->command && !f->leaf,
                           .outermost = f->outermost,
                           .route = route ? names_text(f->names, route) : (bytes){0}};
}
