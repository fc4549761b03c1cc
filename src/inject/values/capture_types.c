#include "inject/values/capture_types.h"

#include "metadata/flags.h"
#include "metadata/signature.h"

ecma_status capture_find_by_ref_like(attribute_marks *marks, ilj_image *image) {
    pattern p;
    const char *fault;
    if (pattern_compile(&p, "@System.Runtime.CompilerServices.IsByRefLikeAttribute", &image->arena, &fault))
        return diag_no_memory(&image->diag);
    return attributes_find(marks, image, &p);
}

/* Can it be a type argument? From the best to the worst. */
typedef enum verdict { YES, AT_RUN_TIME, NO } verdict;

/* For value types of other assemblies; for those that are not here the running program is asked. */
static verdict of_foreign(const md_view *v, uint32_t type_ref) {
    static const struct known {
        const char *namespace, *name;
        verdict verdict;
    } all[] = {
        {"System", "Span`1", NO},
        {"System", "ReadOnlySpan`1", NO},
        {"System", "ArgIterator", NO},
        {"System", "RuntimeArgumentHandle", NO},
        {"System.Text.Json", "Utf8JsonReader", NO},
        {"System.Runtime.CompilerServices", "DefaultInterpolatedStringHandler", NO},
        {"System", "Decimal", YES},
        {"System", "DateTime", YES},
        {"System", "DateTimeOffset", YES},
        {"System", "TimeSpan", YES},
        {"System", "Guid", YES},
        {"System", "Nullable`1", YES},
        {"System", "DateOnly", YES},
        {"System", "TimeOnly", YES},
        {"System", "Half", YES},
        {"System", "Int128", YES},
        {"System", "UInt128", YES},
        {"System", "Index", YES},
        {"System", "Range", YES},
        {"System", "Memory`1", YES},
        {"System", "ReadOnlyMemory`1", YES},
        {"System", "ArraySegment`1", YES},
        {"System", "ValueTuple", YES},
        {"System", "ValueTuple`1", YES},
        {"System", "ValueTuple`2", YES},
        {"System", "ValueTuple`3", YES},
        {"System", "ValueTuple`4", YES},
        {"System", "ValueTuple`5", YES},
        {"System", "ValueTuple`6", YES},
        {"System", "ValueTuple`7", YES},
        {"System", "ValueTuple`8", YES},
        {"System", "DayOfWeek", YES},
        {"System", "StringComparison", YES},
        {"System.Collections.Generic", "KeyValuePair`2", YES},
        {"System.Threading", "CancellationToken", YES},
        {"System.Threading.Tasks", "ValueTask", YES},
        {"System.Threading.Tasks", "ValueTask`1", YES},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (md_name_is(v, MD_TypeRef_TypeName, type_ref, all[i].name) &&
            md_name_is(v, MD_TypeRef_TypeNamespace, type_ref, all[i].namespace))
            return all[i].verdict;
    return AT_RUN_TIME;
}

typedef struct judge {
    const ilj_image *image;
    const attribute_marks *by_ref_like;
    uint32_t method_row;
    bool has_variable; /* of the method or its type: the type has a meaning in the method alone */
} judge;

static verdict worse(verdict a, verdict b) {
    return a > b ? a : b;
}

static verdict of_token(const judge *j, md_token type) {
    const md_view *v = &j->image->metadata;
    uint32_t row = md_token_row(type);
    if (md_token_table(type) == MD_TABLE_TypeDef && md_row_exists(v, MD_TABLE_TypeDef, row))
        return j->by_ref_like->any && j->by_ref_like->types[row] ? NO : YES;
    if (md_token_table(type) == MD_TABLE_TypeRef && md_row_exists(v, MD_TABLE_TypeRef, row))
        return of_foreign(v, row);
    return NO;
}

/* May the type parameter stand for a ref struct? */
static verdict of_variable(judge *j, bool of_method, uint32_t number) {
    const ilj_image *image = j->image;
    md_token owner = of_method ? md_token_of(MD_TABLE_MethodDef, j->method_row)
                               : md_token_of(MD_TABLE_TypeDef, md_method_type(&image->index, j->method_row));
    md_generics parameters = md_all_generic_params(&image->index, owner);
    j->has_variable = true;
    if (number >= parameters.count || parameters.rows[number] == 0)
        return NO;
    return md_cell(&image->metadata, MD_GenericParam_Flags, parameters.rows[number]) &
                   MD_GENERIC_PARAM_ALLOW_BY_REF_LIKE
               ? NO
               : YES;
}

static verdict of_type(judge *j, reader *r, unsigned depth) {
    reader start = *r;
    if (depth > MD_SIG_MAX_DEPTH)
        return NO;
    unsigned element = reader_u8(r);
    switch (element) {
    case MD_ELEMENT_VALUETYPE:
        return of_token(j, md_read_type_token(r));
    case MD_ELEMENT_VAR:
    case MD_ELEMENT_MVAR:
        return of_variable(j, element == MD_ELEMENT_MVAR, reader_compressed(r));
    case MD_ELEMENT_GENERICINST: {
        bool value = reader_u8(r) == MD_ELEMENT_VALUETYPE;
        md_token type = md_read_type_token(r);
        verdict all = value ? of_token(j, type) : YES;
        uint32_t count = reader_compressed(r);
        for (uint32_t i = 0; i < count && !r->failed; i++)
            all = worse(all, of_type(j, r, depth + 1));
        return r->failed ? NO : all;
    }
    case MD_ELEMENT_SZARRAY:
        return of_type(j, r, depth + 1) == NO ? NO : YES;
    case MD_ELEMENT_PTR:
    case MD_ELEMENT_FNPTR:
    case MD_ELEMENT_BYREF:
    case MD_ELEMENT_TYPEDBYREF:
    case MD_ELEMENT_ARRAY:
        *r = start;
        return md_skip_type(r) && element == MD_ELEMENT_ARRAY ? AT_RUN_TIME : NO;
    default:
        *r = start;
        return md_skip_type(r) ? YES : NO;
    }
}

/* As a type argument. Questions that only the running program can answer are asked in a method of its own, which knows
 * no type parameters of this one. */
static capture_kind as_argument(judge *j, bytes type) {
    reader r = reader_of(type);
    verdict v = of_type(j, &r, 0);
    return v == YES ? CAPTURE_VALUE : v == AT_RUN_TIME && !j->has_variable ? CAPTURE_FOREIGN : CAPTURE_BY_TYPE;
}

static capture_kind as_value(judge *j, bytes type) {
    uint8_t element = type.data[0], inst = type.size > 1 ? type.data[1] : 0;
    switch (element) {
    case MD_ELEMENT_BOOLEAN:
    case MD_ELEMENT_CHAR:
    case MD_ELEMENT_I1:
    case MD_ELEMENT_U1:
    case MD_ELEMENT_I2:
    case MD_ELEMENT_U2:
    case MD_ELEMENT_I4:
    case MD_ELEMENT_U4:
    case MD_ELEMENT_I8:
    case MD_ELEMENT_U8:
    case MD_ELEMENT_I:
    case MD_ELEMENT_U:
        return CAPTURE_INTEGER;
    case MD_ELEMENT_R4:
    case MD_ELEMENT_R8:
        return CAPTURE_REAL;
    case MD_ELEMENT_STRING:
    case MD_ELEMENT_OBJECT:
    case MD_ELEMENT_CLASS:
    case MD_ELEMENT_SZARRAY:
    case MD_ELEMENT_ARRAY:
        return CAPTURE_OBJECT;
    case MD_ELEMENT_GENERICINST:
        return inst == MD_ELEMENT_CLASS ? CAPTURE_OBJECT : as_argument(j, type);
    case MD_ELEMENT_VALUETYPE:
    case MD_ELEMENT_VAR:
    case MD_ELEMENT_MVAR:
        return as_argument(j, type);
    default:
        return CAPTURE_BY_TYPE;
    }
}

capture_type capture_type_read(const ilj_image *image, const attribute_marks *by_ref_like, uint32_t method_row,
                               reader *r) {
    capture_type read = {.kind = CAPTURE_BY_TYPE};
    judge j = {image, by_ref_like, method_row, false};
    md_skip_modifiers(r);
    if (!r->failed && reader_left(r) && *r->at == MD_ELEMENT_BYREF) {
        reader_skip(r, 1);
        md_skip_modifiers(r);
        read.by_ref = true;
    }
    const uint8_t *start = r->at;
    if (!md_skip_type(r) || r->at == start)
        return read;
    read.type = bytes_of(start, (size_t)(r->at - start));
    read.element = *start;
    if (read.by_ref)
        read.kind = as_argument(&j, read.type);
    else
        read.kind = as_value(&j, read.type);
    return read;
}
