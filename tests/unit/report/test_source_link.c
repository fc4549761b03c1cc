/* Which page of a forge a source file has, by the JSON that SourceLink writes for it. Expected are the forges' own
 * addresses for a line of a file. */
#include "report/view/source_link.h"
#include "unit.h"

#define SHA "0123456789abcdef0123456789abcdef01234567"

static void page_is(const char *json, const char *path, const char *expected) {
    source_link l = {0};
    buffer url = BUFFER_INIT;
    source_link_read(&l, bytes_of(json, strlen(json)));
    source_link_page(&url, &l, bytes_of(path, strlen(path)));
    buffer_u8(&url, 0);
    assert_string_equal((const char *)url.data, expected);
    buffer_clear(&url);
    source_link_clear(&l);
}

static void each_forge_has_its_page(void **state) {
    (void)state;
    page_is("{\"documents\":{\"/_/*\":\"https://raw.githubusercontent.com/u/r/" SHA "/*\"}}", "/_/src/a b.cs",
            "https://github.com/u/r/blob/" SHA "/src/a%20b.cs#L{line}");
    page_is("{\"documents\":{\"C:\\\\w\\\\*\":\"https://gitlab.com/g/s/r/-/raw/" SHA "/*\"}}", "c:/w/src\\A.cs",
            "https://gitlab.com/g/s/r/-/blob/" SHA "/src/A.cs#L{line}");
    page_is("{\"documents\":{\"/_/*\":\"https://dev.azure.com/o/p/_apis/git/repositories/r/"
            "items?api-version=1.0&versionType=commit&version=" SHA "&path=/*\"}}",
            "/_/a.cs", "https://dev.azure.com/o/p/_git/r?path=/a.cs&version=GC" SHA "&line={line}");
    page_is("{\"documents\":{\"/_/*\":\"https://api.bitbucket.org/2.0/repositories/u/r/src/" SHA "/*\"}}", "/_/a.cs",
            "https://bitbucket.org/u/r/src/" SHA "/a.cs#lines-{line}");
    page_is("{\"documents\":{\"/_/*\":\"https://codeberg.org/u/r/raw/commit/" SHA "/*\"}}", "/_/a.cs",
            "https://codeberg.org/u/r/src/commit/" SHA "/a.cs#L{line}");
    page_is("{\"documents\":{\"/_/*\":\"https://example.com/x/*?at=1\"}}", "/_/a.cs",
            "https://example.com/x/a.cs?at=1");
}

static void the_own_name_comes_first_then_the_longest_family(void **state) {
    (void)state;
    static const char json[] = "{\"documents\":{\"/_/*\":\"https://a.org/*\",\"/_/lib/*\":\"https://b.org/*\","
                               "\"/_/lib/one.cs\":\"https://c.org/whole.cs\"}}";
    page_is(json, "/_/x.cs", "https://a.org/x.cs");
    page_is(json, "/_/lib/two.cs", "https://b.org/two.cs");
    page_is(json, "/_/LIB/ONE.CS", "https://c.org/whole.cs");
    page_is(json, "/elsewhere/x.cs", "");
}

static void what_is_no_address_of_the_web_is_none(void **state) {
    (void)state;
    page_is("{\"documents\":{\"/_/*\":\"javascript:alert(1)//*\"}}", "/_/a.cs", "");
    page_is("{\"documents\":{\"/_/*\":\"file:///etc/*\"}}", "/_/a.cs", "");
    page_is("{\"documents\":{\"/_/*\":7}}", "/_/a.cs", "");
    page_is("{\"documents\":[]}", "/_/a.cs", "");
    page_is("{", "/_/a.cs", "");
    page_is("", "/_/a.cs", "");
    page_is("{\"documents\":{\"\":\"https://a.org/\",\"*\":\"https://b.org/*\"}}", "", "https://a.org/");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_forge_has_its_page),
        cmocka_unit_test(the_own_name_comes_first_then_the_longest_family),
        cmocka_unit_test(what_is_no_address_of_the_web_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
