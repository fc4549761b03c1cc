/* The reader of names resources: C# names and raw ones, owners and reasons; damaged lists are reported. */
#include "names_unit.h"
#include "profile/names_lambdas.h"

static void names_are_csharp_or_raw(void **state) {
    (void)state;
    buffer resource = BUFFER_INIT;
    arena a = {.one_by_one = true};
    names n;
    const char *fault;
    sample_names(&resource);
    assert_int_equal(names_read(&n, &fault, &a, buffer_bytes(&resource), &(names_room){0}), ECMA_OK);
    assert_true(names_number_lambdas(&n, &a));
    assert_int_equal(n.method_count, 8);
    assert_int_equal(n.methods[7].row, 10);
    assert_int_equal(n.mvid[15], 0x1F);
    name_is(&n, 0, false, "Shop.Program.Main(string[])");
    name_is(&n, 1, false, "Shop.Program.static Program()");
    name_is(&n, 2, false, "Shop.Data.Store<T>.Store(int)");
    name_is(&n, 3, false,
            "Shop.Data.Store<T>.Find<K>(K, System.Collections.Generic.Dictionary<T, System.Func<T, K, bool>>)");
    name_is(&n, 4, false, "Shop.Data.Store<T>.Cursor.MoveNext()");
    name_is(&n, 5, false, "Shop.Program.Main.lambda#1(int)");
    name_is(&n, 1, true, "Shop.Program::.cctor()");
    name_is(&n, 2, true, "Shop.Data.Store`1::.ctor(int)");
    name_is(&n, 4, true, "Shop.Data.Store`1/Cursor::MoveNext()");
    arena_clear(&a);
    buffer_clear(&resource);
}

static void damaged_names_are_told(void **state) {
    (void)state;
    buffer good = BUFFER_INIT;
    sample_names(&good);
    for (size_t size = 1; size < good.size; size++) {
        buffer cut = {.data = good.data, .size = size, .capacity = size};
        names_fault(&cut, size < 36 ? "magic bytes ILJN" : "truncated");
    }
    uint32_t inflated = load_u32(good.data + 12);
    store_u32(good.data + 12, inflated + 1);
    names_fault(&good, "not of the stated size");
    store_u32(good.data + 12, inflated - 1);
    names_fault(&good, "not of the stated size");
    store_u32(good.data + 12, 0x10000001);
    names_fault(&good, "impossible");
    store_u32(good.data + 12, 0x0FFFFFFF);
    names_fault(&good, "impossible");
    store_u32(good.data + 12, inflated);
    store_u32(good.data + 8, 9);
    names_fault(&good, "number of methods");
    store_u32(good.data + 8, 8);
    good.data[4] = 3;
    names_fault(&good, "version");
    good.data[4] = 0;
    names_fault(&good, "version");
    buffer_clear(&good);
}

/* Version 2, by hand: numbers by runs, texts once. */
static void columns_of_version_2_are_read(void **state) {
    (void)state;
#define COLUMN_HEAD  "M\0A\0\2\3\0\0"
#define COLUMN_KINDS "T\0U\0\0\0"
#define COLUMN_FACTS "\1\2\3\10\0\0"
#define COLUMN_END   "\0\0\1int\0\0\0\3"
    static const struct {
        const char *data;
        size_t size;
        const char *fault;
    } cases[] = {
#define COLUMNS(text, fault) {text, sizeof text - 1, fault}
        COLUMNS(COLUMN_HEAD "\0\1N\0" COLUMN_KINDS "\0\2\2\1\1\3" COLUMN_FACTS "\0\0\1a\0b\0\0\3" COLUMN_END, NULL),
        COLUMNS(COLUMN_HEAD "\0\2N\0" COLUMN_KINDS "\0\2\2\1\1\3" COLUMN_FACTS "\0\0\1a\0b\0\0\3" COLUMN_END,
                "types run past"),
        COLUMNS(COLUMN_HEAD "\0\1N\0" COLUMN_KINDS "\0\2\2\2\1\3" COLUMN_FACTS "\0\0\1a\0b\0\0\3" COLUMN_END,
                "methods run past"),
        COLUMNS(COLUMN_HEAD "\0\1N\0" COLUMN_KINDS "\0\2\2\1\1\0" COLUMN_FACTS "\0\0\1a\0b\0\0\3" COLUMN_END,
                "methods run past"),
        COLUMNS(COLUMN_HEAD "\0\1N\0" COLUMN_KINDS "\0\2\2\1\1\3" COLUMN_FACTS "\0\0\3a\0b\0\0\3" COLUMN_END,
                "methods run past"),
        COLUMNS(COLUMN_HEAD "\0\1N\0" COLUMN_KINDS "\0\2\2\1\1\3" COLUMN_FACTS "\0\0\1a\0b\0\0\3\0\0\1int\0\0\0\4",
                "owners run past"),
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        buffer b = BUFFER_INIT, resource = BUFFER_INIT;
        buffer_append(&b, cases[i].data, cases[i].size);
        maker_names(&resource, &b, 3, 1);
        resource.data[4] = 2;
        if (cases[i].fault) {
            names_fault(&resource, cases[i].fault);
        } else {
            arena a = {.one_by_one = true};
            names n;
            const char *fault;
            assert_int_equal(names_read(&n, &fault, &a, buffer_bytes(&resource), &(names_room){0}), ECMA_OK);
            name_is(&n, 0, false, "N.T.a(int)");
            name_is(&n, 1, false, "N.T.b()");
            name_is(&n, 2, false, "N.U.a(int)");
            assert_int_equal(n.methods[2].row, 3);
            assert_int_equal(n.methods[2].il_size, 3);
            assert_int_equal(n.methods[0].flags, 8);
            arena_clear(&a);
        }
        buffer_clear(&b);
        buffer_clear(&resource);
    }
}

static void lists_of_names_are_checked(void **state) {
    (void)state;
    const struct {
        unsigned types, enclosing, type, row, methods;
        const char *part;
    } cases[] = {
        {1, 1, 0, 1, 1, "nested in one that does not come before it"},
        {1, 0, 1, 1, 1, "type does not exist"},
        {1, 0, 0, 0, 1, "MethodDef order"},
        {1, 0, 0, 0x1000000, 1, "MethodDef order"},
        {100, 0, 0, 1, 1, "number of types"},
        {1, 0, 0, 1, 1000, "number of methods"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        buffer b = BUFFER_INIT, resource = BUFFER_INIT;
        maker_lists l = {0};
        maker_type(&l, cases[i].enclosing, "N", "T", NULL);
        maker_method(&l, cases[i].type, cases[i].row, 0, "m", NULL, "");
        maker_join(&b, &l, "M", "A", cases[i].types, cases[i].methods);
        maker_names(&resource, &b, cases[i].methods, 1);
        names_fault(&resource, cases[i].part);
        buffer_clear(&b);
        buffer_clear(&resource);
    }
}

static void owners_are_followed_to_what_the_user_wrote(void **state) {
    (void)state;
    static const struct {
        unsigned owners[3];
        bool column;
        const char *fault;
        unsigned expected[3];
    } cases[] = {
        {{0, 1, 2}, true, NULL, {0, 1, 1}},
        {{0, 1, 2}, false, NULL, {0, 0, 0}}, /* as an earlier version wrote it */
        {{4, 0, 0}, true, "owner does not exist", {0, 0, 0}},
        {{1, 0, 0}, true, "in a circle", {0, 0, 0}},
        {{2, 3, 1}, true, "in a circle", {0, 0, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        buffer b = BUFFER_INIT, resource = BUFFER_INIT;
        maker_lists l = {0};
        maker_type(&l, 0, "N", "T", NULL);
        for (unsigned k = 0; k < 3; k++)
            maker_machine(&l, 0, k + 1, 16 * k + 8, "m", NULL, "", cases[i].owners[k]);
        if (!cases[i].column)
            buffer_clear(&l.columns[COLUMN_USER]);
        maker_join(&b, &l, "M", "A", 1, 3);
        maker_names(&resource, &b, 3, 1);
        if (cases[i].fault) {
            names_fault(&resource, cases[i].fault);
        } else {
            arena a = {.one_by_one = true};
            names n;
            const char *fault;
            assert_int_equal(names_read(&n, &fault, &a, buffer_bytes(&resource), &(names_room){0}), ECMA_OK);
            for (unsigned k = 0; k < 3; k++) {
                assert_int_equal(n.methods[k].owner, cases[i].expected[k]);
                assert_int_equal(n.methods[k].flags & 0xFFFF, 16 * k + 8);
            }
            arena_clear(&a);
        }
        buffer_clear(&b);
        buffer_clear(&resource);
    }
}

/* Documents and lines end the data; the second method starts the machine of the third. Lines by hand: 10, then 7. */
static void lines_are_read_and_lent_to_the_owner(void **state) {
    (void)state;
    enum { NOTES_AND_LINES = 2 | 4 | 8, FLAGS_OFFSET = 6 };
    static const struct {
        const char *more; /* no reasons, no types, no places, no notes; SourceLink, files, columns */
        size_t size;
        const char *fault;
    } cases[] = {
#define NOTHING "\0\0\0\0"
        {NOTHING "{}\0\1a.cs\0\1\0\1\x14\5", 4 + 3 + 1 + 5 + 3 + 2, NULL},
        {NOTHING "\0\1a.cs\0\2\0\1\x14\5", 4 + 1 + 1 + 5 + 3 + 2, "a file that does not exist"},
        {NOTHING "\0\1a.cs\0\1\0\1\0\5", 4 + 1 + 1 + 5 + 3 + 2, "line is out of range"},
        {NOTHING "\0\1a.cs\0\1\0\1\x14\x15", 4 + 1 + 1 + 5 + 3 + 2, "line is out of range"},
        {NOTHING "\0\1a.cs\0\1\0\1\x14", 4 + 1 + 1 + 5 + 3 + 1, "lines of methods run past"},
        {NOTHING "\0\x7F", 4 + 1 + 1, "number of source files"},
#undef NOTHING
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        buffer b = BUFFER_INIT, resource = BUFFER_INIT;
        maker_lists l = {0};
        maker_type(&l, 0, "N", "T", NULL);
        maker_machine(&l, 0, 1, 0, "a", NULL, "", 0);
        maker_machine(&l, 0, 2, 0, "b", NULL, "", 0);
        maker_machine(&l, 0, 3, 16, "MoveNext", NULL, "", 2);
        maker_join(&b, &l, "M", "A", 1, 3);
        buffer_append(&b, cases[i].more, cases[i].size);
        maker_names(&resource, &b, 3, 1);
        store_u16(resource.data + FLAGS_OFFSET, NOTES_AND_LINES);
        if (cases[i].fault) {
            names_fault(&resource, cases[i].fault);
        } else {
            arena a = {.one_by_one = true};
            names n;
            const char *fault;
            assert_int_equal(names_read(&n, &fault, &a, buffer_bytes(&resource), &(names_room){0}), ECMA_OK);
            const unsigned expected[] = {10, 7, 7};
            for (unsigned k = 0; k < 3; k++) {
                assert_int_equal(n.methods[k].line, expected[k]);
                assert_true(bytes_equal(names_text(&n, n.methods[k].file), bytes_of("a.cs", 4)));
            }
            assert_true(bytes_equal(names_text(&n, n.source_link), bytes_of("{}", 2)));
            arena_clear(&a);
        }
        buffer_clear(&b);
        buffer_clear(&resource);
    }
}

/* Two files, and 8 bytes of each at the end; those of the second are not known. */
static void checksums_are_those_of_the_files(void **state) {
    (void)state;
    enum { WITH_CHECKSUMS = 2 | 4 | 8 | 64, FLAGS_OFFSET = 6, SHORT = 2 };
    static const char more[] = "\0\0\0\0\0\2a.cs\0b.cs\0\1\2\x14\5"
                               "12345678\0\0\0\0\0\0\0";
    for (size_t size = sizeof more - SHORT; size <= sizeof more; size++) {
        buffer b = BUFFER_INIT, resource = BUFFER_INIT;
        maker_lists l = {0};
        maker_type(&l, 0, "N", "T", NULL);
        maker_machine(&l, 0, 1, 0, "a", NULL, "", 0);
        maker_machine(&l, 0, 2, 0, "b", NULL, "", 0);
        maker_join(&b, &l, "M", "A", 1, 2);
        buffer_append(&b, more, size);
        maker_names(&resource, &b, 2, 1);
        store_u16(resource.data + FLAGS_OFFSET, WITH_CHECKSUMS);
        if (size < sizeof more) {
            names_fault(&resource, "checksums of source files run past");
        } else {
            arena a = {.one_by_one = true};
            names n;
            const char *fault;
            assert_int_equal(names_read(&n, &fault, &a, buffer_bytes(&resource), &(names_room){0}), ECMA_OK);
            assert_memory_equal(names_checksum(&n, n.methods[0].file), "12345678", NAMES_CHECKSUM_BYTES);
            assert_null(names_checksum(&n, n.methods[1].file));
            assert_null(names_checksum(&n, n.methods[0].file + 1));
            arena_clear(&a);
        }
        buffer_clear(&b);
        buffer_clear(&resource);
    }
}

/* Of two methods the first has native code, which the second and itself have inlined; the second has none. */
static void native_code_says_who_inlined_whom(void **state) {
    (void)state;
    enum { WITH_NATIVE = 128, FLAGS_OFFSET = 6 };
    static const struct {
        const char *more; /* no reasons, callees and calls, then the methods */
        size_t size;
        const char *fault;
    } cases[] = {
        {"\0\0\0\0\5\2\1\0", 8, NULL},
        {"\0\0\0\0\5\2\1", 7, "runs past the end"},
        {"\0\0\0\0\5\2", 6, "runs past the end"},
        {"\0\0\0\0\5\4\0\0", 8, "one that does not exist"},
        {"\0\0\0\0\5\1\0\0", 8, "one that does not exist"},
        {"\0\0\0\0\x51\1\0\0", 8, "runs past the end"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        buffer b = BUFFER_INIT, resource = BUFFER_INIT;
        maker_lists l = {0};
        maker_type(&l, 0, "N", "T", NULL);
        maker_machine(&l, 0, 1, 0, "a", NULL, "", 0);
        maker_machine(&l, 0, 2, 0, "b", NULL, "", 0);
        maker_join(&b, &l, "M", "A", 1, 2);
        buffer_append(&b, cases[i].more, cases[i].size);
        maker_names(&resource, &b, 2, 1);
        store_u16(resource.data + FLAGS_OFFSET, WITH_NATIVE);
        if (cases[i].fault) {
            names_fault(&resource, cases[i].fault);
        } else {
            arena a = {.one_by_one = true};
            names n;
            const char *fault;
            assert_int_equal(names_read(&n, &fault, &a, buffer_bytes(&resource), &(names_room){0}), ECMA_OK);
            assert_true(n.native[0] && !n.native[1]);
            assert_int_equal(n.inliner_ends[0], 2);
            assert_int_equal(n.inliner_ends[1], 2);
            assert_true(n.inliners[0] == 1 && n.inliners[1] == 0);
            arena_clear(&a);
        }
        buffer_clear(&b);
        buffer_clear(&resource);
    }
}

static void results_and_reasons_follow_the_owners(void **state) {
    (void)state;
    static const struct {
        const char *more; /* after the owners */
        size_t size;
        const char *fault;
        const char *shown;
        unsigned reasons;
    } cases[] = {
        {"", 0, NULL, "N.T.explicit operator(T)", 0},
        {"int\0", 4, NULL, "N.T.explicit operator int(T)", 0},
        {"int\0\2by rule\0\5no body\0\1", 4 + 1 + 9 + 9, NULL, "N.T.explicit operator int(T)", 2},
        {"int", 3, "results of conversions", NULL, 0},
        {"int\0\2by rule\0\5no body\0", 4 + 1 + 9 + 8, "reasons for leaving methods out run past", NULL, 0},
        {"int\0\x7F", 5, "number of reasons", NULL, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        buffer b = BUFFER_INIT, resource = BUFFER_INIT;
        maker_lists l = {0};
        maker_type(&l, 0, "N", "T", NULL);
        maker_method(&l, 0, 1, 1, "op_Explicit", NULL, "T");
        maker_method(&l, 0, 2, 128, "get_Name", NULL, "");
        maker_method(&l, 0, 3, 256, "get_Name", NULL, "int");
        maker_join(&b, &l, "M", "A", 1, 3);
        buffer_append(&b, cases[i].more, cases[i].size);
        maker_names(&resource, &b, 3, 1);
        if (cases[i].fault) {
            names_fault(&resource, cases[i].fault);
        } else {
            arena a = {.one_by_one = true};
            names n;
            const char *fault;
            assert_int_equal(names_read(&n, &fault, &a, buffer_bytes(&resource), &(names_room){0}), ECMA_OK);
            name_is(&n, 0, false, cases[i].shown);
            name_is(&n, 2, false, "N.T.get_Name(int) [async]");
            assert_int_equal(n.left_out_count, cases[i].reasons);
            if (cases[i].reasons > 0)
                assert_int_equal(n.left_out[0].count, 5);
            buffer shown = BUFFER_INIT;
            names_parts parts;
            names_of_method(&shown, &parts, &n, 1, false);
            assert_true(bytes_equal(buffer_bytes(&shown), bytes_of("N.T.Name.get", 12)));
            assert_int_equal(parts.space_bytes, 1);
            assert_int_equal(parts.parameters, 12);
            buffer_clear(&shown);
            arena_clear(&a);
        }
        buffer_clear(&b);
        buffer_clear(&resource);
    }
}

static void deep_nesting_and_long_names_end(void **state) {
    (void)state;
    enum { TYPES = 100000 };
    buffer b = BUFFER_INIT, resource = BUFFER_INIT;
    maker_lists l = {0};
    for (unsigned i = 0; i < TYPES; i++)
        maker_type(&l, i, "", "Long`2", "x");
    maker_method(&l, TYPES - 1, 1, 0, "m", NULL, "");
    maker_join(&b, &l, "M", "A", TYPES, 1);
    maker_names(&resource, &b, 1, 1);
    arena a = {.one_by_one = true};
    names n;
    const char *fault;
    assert_int_equal(names_read(&n, &fault, &a, buffer_bytes(&resource), &(names_room){0}), ECMA_OK);
    names_parts parts;
    b.size = 0;
    names_of_method(&b, &parts, &n, 0, false);
    assert_int_equal(b.size, 4 + 64 * 8 - 1 + 4); /* ellipsis and dot, 64 types with dots between, ".m()" */
    arena_clear(&a);

    b.size = resource.size = 0;
    char *name = malloc(1000001);
    memset(name, 'n', 1000000);
    name[1000000] = '\0';
    maker_type(&l, 0, "", name, name);
    maker_method(&l, 0, 1, 0, name, name, name);
    maker_join(&b, &l, "M", "A", 1, 1);
    maker_names(&resource, &b, 1, 1);
    assert_int_equal(names_read(&n, &fault, &a, buffer_bytes(&resource), &(names_room){0}), ECMA_OK);
    names_of_method(&b, &parts, &n, 0, false);
    assert_int_equal(b.size, NAMES_MAX_NAME);
    assert_true(parts.parameters <= b.size);
    free(name);
    arena_clear(&a);
    buffer_clear(&b);
    buffer_clear(&resource);
}

static void with_places(buffer *resource, const buffer *data) {
    resource->size = 0;
    maker_flags = OBJECTS_FLAG;
    maker_names(resource, data, 3, 1);
    maker_flags = 0;
}

static void leaves_and_places_follow_the_methods(void **state) {
    (void)state;
    buffer b = BUFFER_INIT, resource = BUFFER_INIT;
    arena a = {.one_by_one = true};
    names n;
    const char *fault;
    objects_names(&b);
    with_places(&resource, &b);
    assert_int_equal(names_read(&n, &fault, &a, buffer_bytes(&resource), &(names_room){0}), ECMA_OK);
    assert_int_equal(n.leaf_count, 1);
    assert_int_equal(n.methods[1].flags & NAMES_LEAF, 0);
    assert_int_equal(n.methods[2].flags & NAMES_LEAF, NAMES_LEAF);
    name_is(&n, 2, false, "System.Threading.Thread.Sleep(int) [leaf]");
    static const names_site sites[] = {{.kind = NAMES_SITE_NEW},
                                       {.offset = 5, .kind = NAMES_SITE_ARRAY},
                                       {.method = 1, .offset = 300, .kind = NAMES_SITE_BOX},
                                       {.method = 1, .offset = 7, .kind = NAMES_SITE_NEW}};
    static const char *const types[] = {"N.Plain", "N.Plain[]", "int", "N.Plain"};
    assert_int_equal(n.site_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(n.sites[i].method, sites[i].method);
        assert_int_equal(n.sites[i].offset, sites[i].offset);
        assert_int_equal(n.sites[i].kind, sites[i].kind);
        assert_true(bytes_equal(names_text(&n, n.sites[i].type), bytes_of(types[i], strlen(types[i]))));
    }
    assert_int_equal(n.callee_count, 0);
    arena_clear(&a);
    buffer_clear(&b);
    buffer_clear(&resource);
}

#define BIGGEST    "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01" /* 2^64 - 1 */
#define CASE(more) more, sizeof(more) - 1

static void places_are_checked(void **state) {
    (void)state;
    static const struct {
        const char *more; /* after the methods that were left out */
        size_t size;
        const char *fault; /* NULL: it is read */
        uint32_t sites;
    } cases[] = {
        {CASE(""), NULL, 0},
        {CASE("\0\0"), NULL, 0},
        {CASE("\1A\0\1\2\0\11\0"), NULL, 1}, /* a kind of a later version */
        {CASE("\1"), "number of types that are allocated", 0},
        {CASE(BIGGEST "A\0"), "number of types that are allocated", 0},
        {CASE("\x80"), "number of types that are allocated", 0},
        {CASE("\1AB"), "number of places", 0},
        {CASE("\1A\0"), "number of places", 0},
        {CASE("\1A\0\2\0\0\0\0\0\0\0"), "number of places", 0},
        {CASE("\1A\0" BIGGEST "\0\0\0\0"), "number of places", 0},
        {CASE("\1A\0\1\3\0\0\0"), "in a method that does not exist", 0},
        {CASE("\1A\0\2\2\1\0\0\0\0\0\0"), "in a method that does not exist", 0},
        {CASE("\1A\0\2\1" BIGGEST "\0\0\0\0\0\0"), "in a method that does not exist", 0},
        {CASE("\1A\0\1\0\0\0\1"), "of a type that does not exist", 0},
        {CASE("\1A\0\1\0\0\0" BIGGEST), "of a type that does not exist", 0},
        {CASE("\0\1\0\0\0\0"), "of a type that does not exist", 0},
        {CASE("\1A\0\1\x80\x80\x80\x80"), "places that allocate run past the end", 0},
        {CASE("\1A\0\1\0\x80\1\0"), "places that allocate run past the end", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        buffer b = BUFFER_INIT, resource = BUFFER_INIT;
        objects_methods(&b, 3);
        buffer_append(&b, cases[i].more, cases[i].size);
        with_places(&resource, &b);
        if (cases[i].fault) {
            names_fault(&resource, cases[i].fault);
        } else {
            arena a = {.one_by_one = true};
            names n;
            const char *fault;
            assert_int_equal(names_read(&n, &fault, &a, buffer_bytes(&resource), &(names_room){0}), ECMA_OK);
            assert_int_equal(n.site_count, cases[i].sites);
            if (n.site_count)
                assert_int_equal(n.sites[0].kind, NAMES_SITE_NEW);
            arena_clear(&a);
        }
        buffer_clear(&b);
        buffer_clear(&resource);
    }
}

/* Wherever the columns are cut, that is reported. */
static void cut_places_are_told(void **state) {
    (void)state;
    buffer whole = BUFFER_INIT, start = BUFFER_INIT, resource = BUFFER_INIT;
    objects_names(&whole);
    objects_methods(&start, 3);
    for (size_t size = start.size + 1; size < whole.size; size++) {
        buffer cut = {.data = whole.data, .size = size, .capacity = size};
        with_places(&resource, &cut);
        names_fault(&resource, "");
    }
    buffer_clear(&whole);
    buffer_clear(&start);
    buffer_clear(&resource);
}

static void read_names(names *n, arena *a, buffer *resource, maker_lists *l) {
    buffer b = BUFFER_INIT;
    const char *fault;
    unsigned methods = l->methods;
    maker_join(&b, l, "M.dll", "M", l->types, l->methods);
    maker_names(resource, &b, methods, 1);
    assert_int_equal(names_read(n, &fault, a, buffer_bytes(resource), &(names_room){0}), ECMA_OK);
    assert_true(names_number_lambdas(n, a));
    buffer_clear(&b);
}

/* Compilers put the interface into the name of what implements it; people write it without namespaces. */
static void interfaces_in_names_are_shown_as_written(void **state) {
    (void)state;
    static const char *const methods[][2] = {
        {"System.IDisposable.Dispose", "N.T.IDisposable.Dispose()"},
        {"System.Collections.Generic.IEnumerable<System.Int32>.GetEnumerator", "N.T.IEnumerable<int>.GetEnumerator()"},
        {"A.IMap<System.String,System.Collections.Generic.List<System.Int32[]>>.Add",
         "N.T.IMap<string, List<int[]>>.Add()"},
    };
    enum { COUNT = sizeof methods / sizeof methods[0] };
    maker_lists l = {0};
    buffer resource = BUFFER_INIT;
    arena a = {.one_by_one = true};
    names n;
    maker_type(&l, 0, "N", "T", NULL);
    for (unsigned i = 0; i < COUNT; i++)
        maker_method(&l, 0, i + 1, 0, methods[i][0], NULL, "");
    read_names(&n, &a, &resource, &l);
    for (unsigned i = 0; i < COUNT; i++)
        name_is(&n, i, false, methods[i][1]);
    arena_clear(&a);
    buffer_clear(&resource);
}

/* A lambda's name has its number within the method, its closure's name has the method's: the first lambda of a method
 * that is not there (it was left out) is counted all the same. */
static void lambdas_in_closures_are_numbered_as_in_the_source(void **state) {
    (void)state;
    maker_lists l = {0};
    buffer resource = BUFFER_INIT;
    arena a = {.one_by_one = true};
    names n;
    maker_type(&l, 0, "N", "T", NULL);
    maker_type(&l, 1, "", "<>c__DisplayClass3_0", NULL);
    maker_method(&l, 0, 1, 0, "M", NULL, "");
    maker_method(&l, 1, 2, 0, "<M>b__1", NULL, "");
    maker_method(&l, 1, 3, 0, "<M>b__3", NULL, "");
    read_names(&n, &a, &resource, &l);
    name_is(&n, 1, false, "N.T.M.lambda#2()");
    name_is(&n, 2, false, "N.T.M.lambda#4()");
    arena_clear(&a);
    buffer_clear(&resource);
}

/* Where nothing but a machine's name says what it is of. */
static void machines_say_what_they_are_of(void **state) {
    (void)state;
    maker_lists l = {0};
    buffer resource = BUFFER_INIT;
    arena a = {.one_by_one = true};
    names n;
    maker_type(&l, 0, "N", "T", NULL);
    maker_type(&l, 1, "", "<Run>c__async0", NULL);
    maker_type(&l, 1, "", "<Walk>c__Iterator1", NULL);
    maker_type(&l, 1, "", "<Some>d__2", NULL);
    for (unsigned i = 1; i <= 3; i++)
        maker_method(&l, i, i, 0, "MoveNext", NULL, "");
    read_names(&n, &a, &resource, &l);
    name_is(&n, 0, false, "N.T.Run() [async]");
    name_is(&n, 1, false, "N.T.Walk() [iterator]");
    name_is(&n, 2, false, "N.T.Some() [state machine]");
    arena_clear(&a);
    buffer_clear(&resource);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_csharp_or_raw),
        cmocka_unit_test(damaged_names_are_told),
        cmocka_unit_test(lists_of_names_are_checked),
        cmocka_unit_test(owners_are_followed_to_what_the_user_wrote),
        cmocka_unit_test(lines_are_read_and_lent_to_the_owner),
        cmocka_unit_test(checksums_are_those_of_the_files),
        cmocka_unit_test(native_code_says_who_inlined_whom),
        cmocka_unit_test(results_and_reasons_follow_the_owners),
        cmocka_unit_test(leaves_and_places_follow_the_methods),
        cmocka_unit_test(places_are_checked),
        cmocka_unit_test(cut_places_are_told),
        cmocka_unit_test(interfaces_in_names_are_shown_as_written),
        cmocka_unit_test(lambdas_in_closures_are_numbered_as_in_the_source),
        cmocka_unit_test(columns_of_version_2_are_read),
        cmocka_unit_test(machines_say_what_they_are_of),
        cmocka_unit_test(deep_nesting_and_long_names_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
