/* The configuration file: what it sets, and that what is wrong is reported with its line. */
#include "unit.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/buffer.h"
#include "select/config.h"

static char told[4096];

static void note(void *user, const ilj_diagnostic *d) {
    (void)user;
    size_t used = strlen(told);
    snprintf(told + used, sizeof told - used, "%s %s %s\n", d->file, d->code, d->text);
}

/* Reads a text; *s is for the caller to free. */
static ecma_status read_text(ilj_selection **s, bytes text) {
    static ilj_context *context;
    if (!context)
        assert_int_equal(ilj_context_new(&context, note, NULL), ILJ_OK);
    told[0] = 0;
    assert_int_equal(ilj_selection_new(s, context, &(ilj_selection_options){.size = sizeof(ilj_selection_options)}),
                     ILJ_OK);
    return config_read_bytes(*s, context, "r.xml", text);
}

static bytes text_of(const char *text) {
    return bytes_of(text, strlen(text));
}

static void rules_come_in_the_order_of_the_file(void **state) {
    (void)state;
    ilj_selection *s;
    assert_int_equal(read_text(&s, text_of("<?xml version='1.0' encoding='UTF-8'?>\n"
                                           "<ilinject>\n"
                                           " <!-- a comment -->\n"
                                           " <selection min-il-size='20' skip-trivial-accessors='yes'\n"
                                           "            compiler-generated='no'>\n"
                                           "  <exclude pattern='A.B'/>\n"
                                           "  <include pattern='**.&lt;Main&gt;b__0&amp;&#65;(**)'></include>\n"
                                           "  <exclude pattern='@C'/>\n"
                                           " </selection>\n"
                                           "</ilinject>\n")),
                     ECMA_OK);
    assert_string_equal(told, "");
    assert_int_equal(s->rule_count, 3);
    assert_false(s->rules[0].include);
    assert_string_equal(s->rules[0].pattern.text, "A.B");
    assert_string_equal(s->rules[0].file, "r.xml");
    assert_int_equal(s->rules[0].line, 6);
    assert_true(s->rules[1].include);
    assert_string_equal(s->rules[1].pattern.text, "**.<Main>b__0&A(**)");
    assert_int_equal(s->rules[2].line, 8);
    assert_int_equal(s->min_il_size, 20);
    assert_true(s->skip_trivial_accessors);
    assert_true(s->leave_out_compiler_generated);
    ilj_selection_free(s);
}

static void all_of_it_may_be_missing(void **state) {
    (void)state;
    static const char *const texts[] = {
        "<ilinject/>", "<ilinject><selection/></ilinject>",
        ("<ilinject xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' "
         "xsi:noNamespaceSchemaLocation='http://example.invalid/none.xsd'/>"),
        "\xEF\xBB\xBF<ilinject><selection skip-trivial-accessors='no' compiler-generated='yes'/></ilinject>"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        ilj_selection *s;
        if (read_text(&s, text_of(texts[i])) != ECMA_OK)
            fail_msg("%s: %s", texts[i], told);
        assert_int_equal(s->rule_count, 0);
        assert_false(s->skip_trivial_accessors || s->leave_out_compiler_generated);
        ilj_selection_free(s);
    }
}

static void what_is_wrong_is_told_with_its_line(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const char *told; /* begins so */
    } rows[] = {
        {"", "r.xml ILJ0433 it is empty"},
        {"no XML", "r.xml(1) ILJ0433 "},
        {"<ilinject>\n<selection>\n</ilinject>", "r.xml(3) ILJ0433 Opening and ending tag mismatch: selection"},
        {"<ilinject>\n\n<selection", "r.xml(3) ILJ0433 "},
        {"\n<other/>", "r.xml(2) ILJ0433 Element 'other': "},
        {"<ilinject>\n<rules/></ilinject>", "r.xml(2) ILJ0433 Element 'rules': This element is not expected."},
        {"<ilinject><selection/>\n<selection/></ilinject>", "r.xml(2) ILJ0433 Element 'selection': "},
        {"<ilinject><selection>\n\n<inclde pattern='a'/></selection></ilinject>",
         "r.xml(3) ILJ0433 Element 'inclde': This element is not expected."},
        {"<ilinject><selection>\n<include/></selection></ilinject>",
         "r.xml(2) ILJ0433 Element 'include': The attribute 'pattern' is required"},
        {"<ilinject><selection>\n<include pattern=''/></selection></ilinject>",
         "r.xml(2) ILJ0433 Element 'include', attribute 'pattern': "},
        {"<ilinject><selection>\n<include pattern='a' name='b'/></selection></ilinject>",
         "r.xml(2) ILJ0433 Element 'include', attribute 'name': "},
        {"<ilinject><selection>\n<include pattern='a'>text</include></selection></ilinject>",
         "r.xml(2) ILJ0433 Element 'include': "},
        {"<ilinject>\n<selection min-il-size='many'/></ilinject>",
         "r.xml(2) ILJ0433 Element 'selection', attribute 'min-il-size': 'many' is not a valid value"},
        {"<ilinject>\n<selection min-il-size='4294967296'/></ilinject>", "r.xml(2) ILJ0433 "},
        {"<ilinject>\n<selection compiler-generated='true'/></ilinject>",
         "r.xml(2) ILJ0433 Element 'selection', attribute 'compiler-generated': "},
        {"<ilinject><selection>\n\n\n<exclude pattern='A..'/></selection></ilinject>",
         "r.xml(4) ILJ0430 exclude 'A..': a name is empty"},
        {"<i:ilinject xmlns:i='urn:x'/>", "r.xml(1) ILJ0433 "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ilj_selection *s;
        assert_int_equal(read_text(&s, text_of(rows[i].text)), ECMA_CONFIG);
        if (strncmp(told, rows[i].told, strlen(rows[i].told)) != 0)
            fail_msg("'%s' is told as '%s'", rows[i].text, told);
        ilj_selection_free(s);
    }
}

static void every_wrong_pattern_is_told(void **state) {
    (void)state;
    ilj_selection *s;
    assert_int_equal(read_text(&s, text_of("<ilinject><selection>\n<exclude pattern='A..'/>\n<include pattern='B'/>\n"
                                           "<include pattern='(x'/></selection></ilinject>")),
                     ECMA_CONFIG);
    assert_string_equal(told, "r.xml(2) ILJ0430 exclude 'A..': a name is empty\n"
                              "r.xml(4) ILJ0430 include '(x': ( is not closed\n");
    ilj_selection_free(s);
}

static void many_errors_are_counted(void **state) {
    (void)state;
    char text[2048] = "<ilinject><selection>";
    for (int i = 0; i < 30; i++)
        strcat(text, "\n<include pattern=''/>");
    strcat(text, "</selection></ilinject>");
    ilj_selection *s;
    assert_int_equal(read_text(&s, text_of(text)), ECMA_CONFIG);
    unsigned lines = 0;
    for (const char *c = told; *c; c++)
        lines += *c == '\n';
    assert_int_equal(lines, CONFIG_ERRORS + 1);
    assert_non_null(strstr(told, " more errors\n"));
    ilj_selection_free(s);
}

/* Entities need a document type; it is refused before the first of them is read. */
static void entities_are_refused(void **state) {
    (void)state;
    static const char *const texts[] = {
        "<!DOCTYPE ilinject [\n<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">"
        "<!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;\"><!ENTITY d \"&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;\">"
        "<!ENTITY e \"&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;\"><!ENTITY f \"&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;\">"
        "<!ENTITY g \"&f;&f;&f;&f;&f;&f;&f;&f;&f;&f;\"><!ENTITY h \"&g;&g;&g;&g;&g;&g;&g;&g;&g;&g;\">]>\n"
        "<ilinject><selection><include pattern='&h;'/></selection></ilinject>",
        "<!DOCTYPE ilinject SYSTEM 'file:///etc/passwd'><ilinject/>",
        "<!DOCTYPE ilinject [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><ilinject>&x;</ilinject>",
        "<!DOCTYPE ilinject [<!ENTITY % x SYSTEM 'http://example.invalid/x'>%x;]><ilinject/>",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        ilj_selection *s;
        assert_int_equal(read_text(&s, text_of(texts[i])), ECMA_CONFIG);
        assert_string_equal(told, "r.xml(1) ILJ0433 a document type (<!DOCTYPE ...>) is not taken\n");
        ilj_selection_free(s);
    }
}

static void sizes_and_depths_have_limits(void **state) {
    (void)state;
    buffer b = BUFFER_INIT;
    ilj_selection *s;
    buffer_string(&b, "<ilinject><!--");
    while (b.size <= CONFIG_BYTES)
        buffer_string(&b, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
    buffer_string(&b, "--></ilinject>");
    assert_int_equal(read_text(&s, buffer_bytes(&b)), ECMA_CONFIG);
    assert_string_equal(told, "r.xml ILJ0433 it is larger than 8 MiB\n");
    ilj_selection_free(s);
    b.size = 0;
    for (int i = 0; i < 10000; i++)
        buffer_string(&b, "<ilinject>");
    assert_int_equal(read_text(&s, buffer_bytes(&b)), ECMA_CONFIG);
    assert_non_null(strstr(told, "ILJ0433"));
    ilj_selection_free(s);
    buffer_clear(&b);
}

static void calls_and_masks_are_taken_in_order(void **state) {
    (void)state;
    ilj_selection *s;
    assert_int_equal(
        read_text(&s, text_of("<ilinject><calls><capture pattern='A' values='args; first=3'/><mask pattern='*x*'/>\n"
                              "<capture pattern='B'/><mask pattern='!y'/></calls></ilinject>")),
        ECMA_OK);
    assert_int_equal(s->rule_count, 0);
    assert_int_equal(s->captured->rule_count, 2);
    assert_string_equal(s->captured->rules[1].pattern.text, "B");
    assert_int_equal(s->captured->rules[1].line, 2);
    assert_int_equal(s->capture[0].first, 3);
    assert_false(s->capture[0].result);
    assert_true(s->capture[1].result);
    assert_int_equal(s->mask_count, 2);
    assert_string_equal(s->masks[1], "!y");
    ilj_selection *copy;
    assert_int_equal(ilj_selection_copy(&copy, s), ILJ_OK);
    copy->captured->rules[1].hit = true;
    ilj_selection_merge(s, copy);
    assert_true(s->captured->rules[1].hit && !s->captured->rules[0].hit);
    ilj_selection_free(copy);
    ilj_selection_free(s);
    assert_int_equal(
        read_text(&s, text_of("<ilinject><calls>\n<capture pattern='A' values='ages'/></calls></ilinject>")),
        ECMA_CONFIG);
    assert_non_null(strstr(told, "r.xml(2) ILJ0430 capture 'A': 'ages' is not known"));
    ilj_selection_free(s);
}

static void options_count_for_more_than_the_file(void **state) {
    (void)state;
    ilj_context *context;
    ilj_selection *s;
    char path[] = "/dev/shm/ilinject-config-XXXXXX";
    int file = mkstemp(path);
    static const char text[] = "<ilinject><selection min-il-size='9' skip-trivial-accessors='yes' "
                               "compiler-generated='no'><exclude pattern='F'/></selection></ilinject>";
    assert_true(file >= 0 && write(file, text, sizeof text - 1) == sizeof text - 1);
    close(file);
    assert_int_equal(ilj_context_new(&context, NULL, NULL), ILJ_OK);
    const ilj_rule rules[] = {{ILJ_RULE_INCLUDE, "A"}, {ILJ_RULE_EXCLUDE, "B"}};
    const ilj_selection_options options = {.size = sizeof options,
                                           .configs = (const char *const[]){path},
                                           .config_count = 1,
                                           .rules = rules,
                                           .rule_count = 2,
                                           .min_il_size = 1,
                                           .compiler_generated = ILJ_YES};
    assert_int_equal(ilj_selection_new(&s, context, &options), ILJ_OK);
    assert_int_equal(s->rule_count, 3);
    assert_string_equal(s->rules[0].pattern.text, "F");
    assert_string_equal(s->rules[1].pattern.text, "A");
    assert_null(s->rules[1].file);
    assert_int_equal(s->min_il_size, 1);
    assert_true(s->skip_trivial_accessors);
    assert_false(s->leave_out_compiler_generated);
    ilj_selection_free(s);
    unlink(path);
    assert_int_equal(ilj_selection_new(&s, context, &options), ILJ_IO);
    ilj_context_free(context);
}

/* Rules stand in the order of the files; another value of a later file counts. */
static void several_files_are_read_in_order(void **state) {
    (void)state;
    static const char *const texts[] = {
        "<ilinject exits='ret'><selection min-il-size='9'><exclude pattern='A'/></selection></ilinject>",
        "<ilinject><selection min-il-size='5'><include pattern='A.B'/></selection></ilinject>"};
    char paths[2][40];
    ilj_context *context;
    ilj_selection *s;
    for (size_t i = 0; i < 2; i++) {
        strcpy(paths[i], "/dev/shm/ilinject-config-XXXXXX");
        int file = mkstemp(paths[i]);
        assert_true(file >= 0 && write(file, texts[i], strlen(texts[i])) == (ssize_t)strlen(texts[i]));
        close(file);
    }
    assert_int_equal(ilj_context_new(&context, NULL, NULL), ILJ_OK);
    ilj_selection_options options = {
        .size = sizeof options, .configs = (const char *const[]){paths[0], paths[1]}, .config_count = 2};
    assert_int_equal(ilj_selection_new(&s, context, &options), ILJ_OK);
    assert_int_equal(s->rule_count, 2);
    assert_string_equal(s->rules[0].pattern.text, "A");
    assert_string_equal(s->rules[0].file, paths[0]);
    assert_string_equal(s->rules[1].pattern.text, "A.B");
    assert_string_equal(s->rules[1].file, paths[1]);
    assert_int_equal(s->min_il_size, 5);
    assert_int_equal(s->exits, ILJ_EXITS_RET);
    ilj_selection_free(s);
    unlink(paths[1]);
    assert_int_equal(ilj_selection_new(&s, context, &options), ILJ_IO);
    unlink(paths[0]);
    ilj_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_come_in_the_order_of_the_file),
        cmocka_unit_test(all_of_it_may_be_missing),
        cmocka_unit_test(what_is_wrong_is_told_with_its_line),
        cmocka_unit_test(every_wrong_pattern_is_told),
        cmocka_unit_test(many_errors_are_counted),
        cmocka_unit_test(entities_are_refused),
        cmocka_unit_test(sizes_and_depths_have_limits),
        cmocka_unit_test(calls_and_masks_are_taken_in_order),
        cmocka_unit_test(options_count_for_more_than_the_file),
        cmocka_unit_test(several_files_are_read_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
