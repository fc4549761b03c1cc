/* The files that an output needs stand beside it: the tracker, the configuration, a deps.json that lists the tracker.
 */
#define _GNU_SOURCE
#include "unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input/context.h"
#include "input/launcher.h"
#include "made_assembly.h"
#include "output/companions.h"
#include "platform/os.h"

/* ---- A folder of the test's own with bin/ and out/, and what was reported ------------------------------------------
 */

static char told[1200];
static unsigned told_count;
static diag d;

static void keep(void *user, const char *file, diag_severity severity, diag_code code, const char *text) {
    (void)user;
    (void)severity;
    snprintf(told, sizeof told, "%s: ILJ%04u: %s", file, (unsigned)code, text);
    told_count++;
}

static int enter_folder(void **state) {
    const char *root = getenv("TMPDIR");
    char *folder = NULL;
    told[0] = 0;
    told_count = 0;
    d = (diag){.sink = keep, .file = "bin/app.dll"};
    if (asprintf(&folder, "%s/ilinject-beside.XXXXXX", root ? root : "/tmp") < 0 || !mkdtemp(folder))
        return -1;
    *state = folder;
    return chdir(folder) || mkdir("bin", 0755) || mkdir("out", 0755);
}

static void empty_folder(const char *path) {
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (entry->d_name[0] != '.' || strlen(entry->d_name) > 2)
            if (unlinkat(dirfd(folder), entry->d_name, 0) != 0)
                unlinkat(dirfd(folder), entry->d_name, AT_REMOVEDIR);
    if (folder)
        closedir(folder);
}

static int leave_folder(void **state) {
    empty_folder("out/runtimes/linux-x64/lib");
    empty_folder("out/runtimes/linux-x64");
    empty_folder("out/runtimes");
    empty_folder("bin");
    empty_folder("out");
    empty_folder(".");
    int status = chdir("/") || rmdir(*state);
    free(*state);
    return status;
}

static unsigned entries(const char *path) {
    unsigned count = 0;
    DIR *folder = opendir(path);
    assert_non_null(folder);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count - 2;
}

static void put(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void assert_holds(const char *path, const char *text) {
    os_map map = OS_MAP_INIT;
    assert_int_equal(os_map_file(&map, &d, path), ECMA_OK);
    if (map.content.size != strlen(text) || memcmp(map.content.data, text, strlen(text)) != 0)
        fail_msg("%s holds %.*s", path, (int)map.content.size, (const char *)map.content.data);
    os_unmap(&map);
}

static ino_t inode(const char *path) {
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_ino;
}

static ecma_status write_beside(const char *input, const char *output) {
    const companion_tracker tracker = {.file_name = "Tracker.dll", .image = bytes_of("TRACKER", 7)};
    return companions_write(&d, NULL, input, output, &tracker, NULL);
}

#define DEPS(members) "{\"runtimeTarget\":{\"name\":\"T\"},\"targets\":{\"T\":{" members "}}}"
#define APP           DEPS("\"app/1\":{\"runtime\":{\"app.dll\":{}}}")
#define APP_DONE      DEPS("\"app/1\":{\"runtime\":{\"app.dll\":{},\"Tracker.dll\":{}}}")
#define APP_LIB       DEPS("\"app/1\":{\"runtime\":{\"app.dll\":{}}},\"Lib/1\":{\"runtime\":{\"Lib.dll\":{}}}")
#define APP_LIB_DONE                                                                                                   \
    DEPS("\"app/1\":{\"runtime\":{\"app.dll\":{},\"Tracker.dll\":{}}},\"Lib/1\":{\"runtime\":{\"Lib.dll\":{}}}")

/* ---- The tracker ----------------------------------------------------------------------------------------------- */

static void tracker_goes_into_the_outputs_folder(void **state) {
    (void)state;
    put("bin/app.dll", "");
    assert_int_equal(write_beside("bin/app.dll", "out/app.dll"), ECMA_OK);
    assert_holds("out/Tracker.dll", "TRACKER");
    assert_int_equal(entries("out"), 1);
    assert_int_equal(entries("bin"), 1);

    assert_int_equal(write_beside("bin/app.dll", "app.dll"), ECMA_OK);
    assert_holds("Tracker.dll", "TRACKER");
    assert_int_equal(told_count, 0);
}

static void identical_tracker_is_not_touched_and_another_replaced(void **state) {
    (void)state;
    put("out/Tracker.dll", "TRACKER");
    ino_t before = inode("out/Tracker.dll");
    assert_int_equal(write_beside("bin/app.dll", "out/app.dll"), ECMA_OK);
    assert_int_equal(inode("out/Tracker.dll"), before);
    put("out/Tracker.dll", "TRACKED");
    assert_int_equal(write_beside("bin/app.dll", "out/app.dll"), ECMA_OK);
    assert_holds("out/Tracker.dll", "TRACKER");
}

static ecma_status write_next(ilj_outputs *known, const char *input, const char *output) {
    const companion_tracker tracker = {.file_name = "Tracker.dll", .image = bytes_of("TRACKER", 7)};
    return companions_write(&d, known, input, output, &tracker, NULL);
}

static void next_output_in_a_folder_takes_the_tracker_for_known(void **state) {
    (void)state;
    ilj_outputs *known;
    assert_int_equal(ilj_outputs_new(&known), ILJ_OK);
    assert_int_equal(write_next(known, "bin/app.dll", "out/app.dll"), ECMA_OK);
    assert_holds("out/Tracker.dll", "TRACKER");
    put("out/Tracker.dll", "CHANGED");
    assert_int_equal(write_next(known, "bin/Lib.dll", "out/Lib.dll"), ECMA_OK);
    assert_holds("out/Tracker.dll", "CHANGED");
    assert_int_equal(write_next(known, "bin/app.dll", "out/Tracker.dll"), ECMA_IO);
    assert_int_equal(write_next(known, "bin/app.dll", "out/app.dll"), ECMA_OK);
    assert_holds("out/Tracker.dll", "TRACKER");

    put("out/Tracker.dll", "CHANGED");
    assert_int_equal(write_next(known, "bin/app.dll", "app.dll"), ECMA_OK);
    assert_int_equal(write_next(known, "bin/Lib.dll", "out/Lib.dll"), ECMA_OK);
    assert_holds("out/Tracker.dll", "TRACKER");

    put("out/Tracker.dll", "CHANGED");
    companions_forget(known);
    assert_int_equal(write_next(known, "bin/Lib.dll", "out/Lib.dll"), ECMA_OK);
    assert_holds("out/Tracker.dll", "TRACKER");
    ilj_outputs_free(known);
}

#define NATIVE_FILE "out/runtimes/linux-x64/lib/Tracker.dll"
#define APP_NATIVE                                                                                                     \
    "{\"runtimeTarget\":{\"name\":\"T\"},\"targets\":{\"T\":{\"app/1\":{\"runtime\":{\"app.dll\":{}}},\"Tracker/"      \
    "1.0.0\": "                                                                                                        \
    "{\"runtime\": {\"Tracker.dll\": {}}, \"runtimeTargets\": {\"runtimes/linux-x64/lib/Tracker.dll\": {\"rid\": "     \
    "\"linux-x64\", \"assetType\": \"runtime\"}}}}},\"libraries\": {\"Tracker/1.0.0\": {\"type\": \"reference\", "     \
    "\"serviceable\": false, \"sha512\": \"\"}}}"

static ecma_status write_both_forms(const char *input, const char *output) {
    const companion_tracker tracker = {.file_name = "Tracker.dll",
                                       .image = bytes_of("TRACKER", 7),
                                       .rid = "linux-x64",
                                       .native = bytes_of("NATIVE", 6)};
    return companions_write(&d, NULL, input, output, &tracker, NULL);
}

static void native_form_goes_beside_what_a_host_starts(void **state) {
    (void)state;
    put("bin/app.deps.json", APP);
    assert_int_equal(write_both_forms("bin/app.dll", "out/app.dll"), ECMA_OK);
    assert_holds("out/app.deps.json", APP_DONE);
    assert_int_equal(access("out/runtimes", F_OK), -1);

    put("bin/app.runtimeconfig.json", "{}");
    assert_int_equal(unlink("out/app.deps.json"), 0);
    assert_int_equal(write_both_forms("bin/app.dll", "out/app.dll"), ECMA_OK);
    assert_holds("out/app.deps.json", APP_NATIVE);
    assert_holds("out/Tracker.dll", "TRACKER");
    assert_holds(NATIVE_FILE, "NATIVE");

    /* A copy of that file alone finds what it names. */
    put("bin/app.deps.json", APP_NATIVE);
    assert_int_equal(unlink(NATIVE_FILE), 0);
    assert_int_equal(unlink("out/app.deps.json"), 0);
    assert_int_equal(write_both_forms("bin/app.dll", "out/app.dll"), ECMA_OK);
    assert_holds("out/app.deps.json", APP_NATIVE);
    assert_holds(NATIVE_FILE, "NATIVE");
    assert_int_equal(told_count, 0);
}

static void no_other_trackers_native_form_is_left(void **state) {
    (void)state;
    put("bin/app.runtimeconfig.json", "{}");
    put("bin/app.deps.json", APP);
    assert_int_equal(write_both_forms("bin/app.dll", "out/app.dll"), ECMA_OK);
    assert_holds(NATIVE_FILE, "NATIVE");
    assert_int_equal(write_beside("bin/Lib.dll", "out/Lib.dll"), ECMA_OK);
    assert_holds(NATIVE_FILE, "TRACKER");
    assert_holds("out/app.deps.json", APP_NATIVE);
}

static void tracker_replaces_neither_input_nor_output(void **state) {
    (void)state;
    assert_int_equal(write_beside("bin/app.dll", "out/Tracker.dll"), ECMA_IO);
    assert_string_equal(told, "bin/app.dll: ILJ0501: the tracker belongs beside the output as out/Tracker.dll, which "
                              "is the output itself");
    put("bin/Tracker.dll", "input");
    assert_int_equal(write_beside("bin/Tracker.dll", "bin/app.dll"), ECMA_IO);
    assert_non_null(strstr(told, "the input itself"));
    assert_holds("bin/Tracker.dll", "input");
    assert_int_equal(entries("out"), 0);
}

static void what_cannot_be_written_is_one_error(void **state) {
    (void)state;
    assert_int_equal(write_beside("bin/app.dll", "nowhere/app.dll"), ECMA_IO);
    assert_string_equal(told, "bin/app.dll: ILJ0501: nowhere/Tracker.dll cannot be written: No such file or directory");
    assert_int_equal(told_count, 1);
    assert_int_equal(d.errors, 1);
    assert_int_equal(mkdir("out/Tracker.dll", 0755), 0);
    assert_int_equal(write_beside("bin/app.dll", "out/app.dll"), ECMA_IO);
    assert_string_equal(told, "bin/app.dll: ILJ0501: out/Tracker.dll cannot be written: it is a directory");
}

static void folder_without_permission_is_an_error_that_leaves_nothing(void **state) {
    (void)state;
    bool superuser = geteuid() == 0; /* may write anywhere, so becomes another user meanwhile */
    put("bin/app.deps.json", APP);
    assert_int_equal(chmod(".", 0755), 0);
    assert_int_equal(chmod("out", 0555), 0);
    if (superuser)
        assert_int_equal(seteuid(65534), 0);
    ecma_status status = write_beside("bin/app.dll", "out/app.dll");
    if (superuser)
        assert_int_equal(seteuid(0), 0);
    chmod("out", 0755);
    assert_int_equal(status, ECMA_IO);
    assert_non_null(strstr(told, "Permission denied"));
    assert_int_equal(entries("out"), 0);
}

/* ---- Configuration --------------------------------------------------------------------------------------------- */

static void configuration_is_copied_under_the_outputs_name(void **state) {
    (void)state;
    put("bin/my.app.runtimeconfig.json", "runtime");
    put("bin/my.app.dll.config", "config");
    assert_int_equal(write_beside("bin/my.app.dll", "out/my.app.dll"), ECMA_OK);
    assert_holds("out/my.app.runtimeconfig.json", "runtime");
    assert_holds("out/my.app.dll.config", "config");
    assert_int_equal(write_beside("bin/my.app.dll", "out/other.exe"), ECMA_OK);
    assert_holds("out/other.runtimeconfig.json", "runtime");
    assert_holds("out/other.exe.config", "config");
    assert_int_equal(entries("out"), 5);
    ino_t before = inode("out/other.exe.config");
    assert_int_equal(write_beside("bin/my.app.dll", "out/other.exe"), ECMA_OK);
    assert_int_equal(inode("out/other.exe.config"), before);
    put("out/other.exe.config", "older");
    assert_int_equal(write_beside("bin/my.app.dll", "out/other.exe"), ECMA_OK);
    assert_holds("out/other.exe.config", "config");
}

static void in_place_copies_nothing(void **state) {
    (void)state;
    put("bin/app.dll", "app");
    put("bin/app.runtimeconfig.json", "runtime");
    put("bin/app.deps.json", APP);
    assert_int_equal(write_beside("bin/app.dll", "bin/app.dll"), ECMA_OK);
    assert_int_equal(entries("bin"), 4);
    assert_holds("bin/Tracker.dll", "TRACKER");
    assert_holds("bin/app.dll", "app");
    assert_holds("bin/app.runtimeconfig.json", "runtime");
    assert_holds("bin/app.deps.json", APP_DONE);
}

/* ---- deps.json ------------------------------------------------------------------------------------------------- */

static void deps_json_gets_the_entry_once(void **state) {
    (void)state;
    put("bin/app.deps.json", APP);
    assert_int_equal(chmod("bin/app.deps.json", 0640), 0);
    assert_int_equal(write_beside("bin/app.dll", "out/app.dll"), ECMA_OK);
    assert_holds("out/app.deps.json", APP_DONE);
    assert_holds("bin/app.deps.json", APP);
    struct stat info;
    assert_int_equal(stat("out/app.deps.json", &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    ino_t before = inode("out/app.deps.json");
    assert_int_equal(write_beside("bin/app.dll", "out/app.dll"), ECMA_OK);
    assert_int_equal(inode("out/app.deps.json"), before);
    assert_int_equal(told_count, 0);
}

static void renamed_output_has_its_own_deps_json(void **state) {
    (void)state;
    put("bin/app.deps.json", "{\"runtimeTarget\":\"T\",\"targets\":{\"T\":{\"app/1\":{\"runtime\":{\"app.dll\":{}}}}},"
                             "\"libraries\":{\"app/1\":{\"type\":\"project\"}}}");
    assert_int_equal(write_beside("bin/app.dll", "out/new.dll"), ECMA_OK);
    assert_holds("out/new.deps.json",
                 "{\"runtimeTarget\":\"T\",\"targets\":{\"T\":{\"app/1\":{\"runtime\":{\"app.dll\":{},\"Tracker.dll\":"
                 "{}}}}},\"libraries\":{\"app/1\":{\"type\":\"project\"}}}");
    assert_false(os_exists("out/app.deps.json"));
}

/* A program's own file is worth a word although it does not speak of the output: .NET reads it. */
static void broken_deps_json_of_the_output_is_told(void **state) {
    (void)state;
    put("out/app.deps.json", "{");
    assert_int_equal(write_beside("bin/app.dll", "out/app.dll"), ECMA_UNSUPPORTED);
    assert_non_null(strstr(told, "ILJ0503: out/app.deps.json: not JSON"));
    assert_int_equal(told_count, 1);
    assert_holds("out/app.deps.json", "{");
}

static void library_changes_the_deps_json_of_the_app_that_lists_it(void **state) {
    (void)state;
    put("out/app.deps.json", APP_LIB);
    put("out/else.deps.json", DEPS("\"else/1\":{\"runtime\":{\"else.dll\":{}}}"));
    put("out/broken.deps.json", "{");
    assert_int_equal(mkdir("out/folder.deps.json", 0755), 0);
    assert_int_equal(write_beside("bin/Lib.dll", "out/Lib.dll"), ECMA_OK);
    assert_holds("out/app.deps.json", APP_LIB_DONE);
    assert_holds("out/else.deps.json", DEPS("\"else/1\":{\"runtime\":{\"else.dll\":{}}}"));
    assert_holds("out/broken.deps.json", "{");
    assert_int_equal(told_count, 0);
    assert_int_equal(write_beside("bin/Lib.dll", "out/Lib.dll"), ECMA_OK);
    assert_holds("out/app.deps.json", APP_LIB_DONE);

    put("out/broken.deps.json", "{\"Lib.dll\"");
    assert_int_equal(write_beside("bin/Lib.dll", "out/Lib.dll"), ECMA_OK);
    assert_non_null(strstr(told, "ILJ0500: out/broken.deps.json: not JSON"));
}

static void library_brings_the_deps_json_of_the_program_that_lists_it(void **state) {
    (void)state;
    put("bin/app.deps.json", APP_LIB);
    put("bin/else.deps.json", DEPS("\"else/1\":{\"runtime\":{\"else.dll\":{}}}"));
    put("bin/broken.deps.json", "{");
    put("bin/Lib.deps.json", DEPS("\"Lib/1\":{\"runtime\":{\"Lib.dll\":{}}}"));
    assert_int_equal(mkdir("bin/folder.deps.json", 0755), 0);
    assert_int_equal(write_beside("bin/Lib.dll", "out/Lib.dll"), ECMA_OK);
    assert_holds("out/app.deps.json", APP_LIB_DONE);
    assert_holds("bin/app.deps.json", APP_LIB);
    assert_int_equal(entries("out"), 3); /* with the tracker and Lib.deps.json */
    assert_int_equal(told_count, 1);
    assert_string_equal(told, "bin/app.dll: ILJ0502: out/app.deps.json was written, too, with Tracker.dll in it: keep "
                              "it when the rest of bin/ is copied there");
    assert_int_equal(write_beside("bin/Lib.dll", "out/Lib.dll"), ECMA_OK);
    assert_int_equal(told_count, 1);

    /* One that stands there is the program's, whatever it has. */
    put("out/app.deps.json", APP);
    assert_int_equal(write_beside("bin/Lib.dll", "out/Lib.dll"), ECMA_OK);
    assert_holds("out/app.deps.json", APP);
    assert_int_equal(unlink("out/app.deps.json"), 0);
    put("out/app.dll", "");
    assert_int_equal(write_beside("bin/Lib.dll", "out/Lib.dll"), ECMA_OK);
    assert_holds("out/app.deps.json", APP_LIB_DONE);
    assert_int_equal(told_count, 1);
}

/* app.dll comes after the library, as in one command: the outcome is that of each order. */
static void brought_deps_json_is_as_the_programs_own(void **state) {
    (void)state;
    ilj_outputs *known;
    assert_int_equal(ilj_outputs_new(&known), ILJ_OK);
    put("bin/app.deps.json", APP_LIB);
    assert_int_equal(write_next(known, "bin/Lib.dll", "out/Lib.dll"), ECMA_OK);
    assert_int_equal(write_next(known, "bin/app.dll", "out/app.dll"), ECMA_OK);
    assert_holds("out/app.deps.json", APP_LIB_DONE);
    assert_int_equal(told_count, 1);
    ilj_outputs_free(known);
}

static void deps_jsons_that_came_with_outputs_before_are_known(void **state) {
    (void)state;
    ilj_outputs *known;
    assert_int_equal(ilj_outputs_new(&known), ILJ_OK);
    put("out/there.deps.json",
        DEPS("\"there/1\":{\"runtime\":{\"there.dll\":{}}},\"Lib/1\":{\"runtime\":{\"Lib.dll\":{}}}"));
    assert_int_equal(write_next(known, "bin/first.dll", "out/first.dll"), ECMA_OK);
    put("bin/app.deps.json", APP_LIB);
    assert_int_equal(write_next(known, "bin/app.dll", "out/app.dll"), ECMA_OK);
    assert_holds("out/app.deps.json", APP_LIB_DONE);
    put("out/app.deps.json", APP_LIB);
    put("out/new.deps.json", APP_LIB); /* made by another program: not looked for */
    assert_int_equal(write_next(known, "bin/Lib.dll", "out/Lib.dll"), ECMA_OK);
    assert_holds("out/app.deps.json", APP_LIB_DONE);
    assert_holds("out/there.deps.json", DEPS("\"there/1\":{\"runtime\":{\"there.dll\":{},\"Tracker.dll\":{}}},"
                                             "\"Lib/1\":{\"runtime\":{\"Lib.dll\":{}}}"));
    assert_holds("out/new.deps.json", APP_LIB);
    assert_int_equal(told_count, 0);
    ilj_outputs_free(known);
}

static void second_trackers_entry_does_not_cost_the_first_one(void **state) {
    (void)state;
    const companion_tracker other = {.file_name = "Other.dll", .image = bytes_of("OTHER", 5)};
    put("bin/app.deps.json", APP);
    put("out/app.deps.json", APP);
    assert_int_equal(companions_write(&d, NULL, "bin/app.dll", "out/app.dll", &other, NULL), ECMA_OK);
    assert_int_equal(write_beside("bin/app.dll", "out/app.dll"), ECMA_OK);
    assert_holds("out/app.deps.json",
                 DEPS("\"app/1\":{\"runtime\":{\"app.dll\":{},\"Other.dll\":{},\"Tracker.dll\":{}}}"));
}

static void rebuilt_inputs_deps_json_replaces_an_older_one(void **state) {
    (void)state;
    put("bin/app.deps.json", APP_LIB);
    put("out/app.deps.json", APP_DONE);
    assert_int_equal(write_beside("bin/app.dll", "out/app.dll"), ECMA_OK);
    assert_holds("out/app.deps.json", APP_LIB_DONE);
}

/* The program would not start. */
static void unusable_deps_json_is_an_error(void **state) {
    (void)state;
    put("bin/app.deps.json", "{}");
    assert_int_equal(write_beside("bin/app.dll", "out/app.dll"), ECMA_UNSUPPORTED);
    assert_string_equal(told,
                        "bin/app.dll: ILJ0503: bin/app.deps.json: runtimeTarget has no name; the program would not "
                        "start: Tracker.dll cannot be listed there");
    assert_int_equal(d.warnings, 0);
    assert_int_equal(d.errors, 1);
    assert_false(os_exists("out/app.deps.json"));
}

/* ---- Launchers ------------------------------------------------------------------------------------------------- */

static void managed_assembly_beside_a_launcher_is_found(void **state) {
    (void)state;
    char *name = NULL;
    put("bin/My.App.dll", "");
    assert_true(launcher_try_managed_name("bin/My.App", &name));
    assert_string_equal(name, "bin/My.App.dll");
    free(name);
    assert_true(launcher_try_managed_name("bin/My.App.EXE", &name));
    assert_string_equal(name, "bin/My.App.dll");
    free(name);
    assert_false(launcher_try_managed_name("bin/Other.exe", &name));
    assert_false(launcher_try_managed_name("bin/My", &name));
    assert_false(launcher_try_managed_name("", &name));
}

/* `dotnet tool install` links to a launcher, or makes one that names an assembly elsewhere. */
static void managed_assembly_of_an_installed_tool_is_found(void **state) {
    (void)state;
    static const char text[] = "\177ELF\0libhost.dll\0../out/My.App.dll\0\0";
    bytes content = {(const uint8_t *)text, sizeof text - 1};
    char *name = NULL, *expected = NULL;
    char *here = getcwd(NULL, 0);
    diag silent = {0};
    assert_non_null(here);
    assert_int_equal(os_write_file(&silent, "bin/tool", &content, 1, NULL), ECMA_OK);
    put("bin/libhost.dll", "");
    assert_false(launcher_try_managed_name("bin/tool", &name));
    put("out/My.App.dll", "");
    assert_true(asprintf(&expected, "%s/bin/../out/My.App.dll", here) >= 0);
    assert_true(launcher_try_managed_name("bin/tool", &name));
    assert_string_equal(name, expected);
    free(name);
    free(expected);
    put("out/My.App", "\177ELF and so on");
    assert_int_equal(symlink("../out/My.App", "bin/linked"), 0);
    assert_true(asprintf(&expected, "%s/out/My.App.dll", here) >= 0);
    assert_true(launcher_try_managed_name("bin/linked", &name));
    assert_string_equal(name, expected);
    free(name);
    free(expected);
    free(here);
}

static void opened(void *user, const ilj_diagnostic *diagnostic) {
    (void)user;
    snprintf(told, sizeof told, "%s: %s: %s", diagnostic->file, diagnostic->code, diagnostic->text);
    told_count++;
}

static void opening_a_launcher_names_the_assembly_to_give(void **state) {
    (void)state;
    ilj_context *context;
    ilj_image *image;
    put("bin/app", "\177ELF and so on");
    assert_int_equal(ilj_context_new(&context, opened, NULL), ILJ_OK);
    assert_int_equal(ilj_image_open(&image, context, "bin/app"), ILJ_BAD_FILE);
    assert_null(strstr(told, "bin/app.dll"));
    put("bin/app.dll", "");
    assert_int_equal(ilj_image_open(&image, context, "bin/app"), ILJ_BAD_FILE);
    assert_string_equal(told, "bin/app: ILJ0106: a native launcher: give bin/app.dll instead");
    put("bin/app", "MZ, but nothing else");
    assert_int_equal(ilj_image_open(&image, context, "bin/app"), ILJ_BAD_FILE);
    assert_non_null(strstr(told, "bin/app: ILJ0100: "));
    assert_int_equal(told_count, 3);
    ilj_context_free(context);
}

/* A file that is no assembly is a program where a managed one with an entry point stands beside it. */
static void a_launcher_is_a_program_when_its_assembly_starts_one(void **state) {
    (void)state;
    static const struct {
        bool is_there, starts, is_program;
    } rows[] = {{true, true, true}, {true, false, false}, {false, false, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ilj_context *context;
        ilj_application *app;
        buffer file = BUFFER_INIT;
        made_assembly(&file);
        store_u32(file.data + MADE_HEADERS + 20, rows[i].starts ? 0x06000001 : 0); /* EntryPointToken (II.25.3.3) */
        bytes content = buffer_bytes(&file);
        diag silent = {0};
        put("bin/app", "\177ELF and so on");
        put("bin/app.runtimeconfig.json", "{}");
        unlink("bin/app.dll");
        if (rows[i].is_there)
            assert_int_equal(os_write_file(&silent, "bin/app.dll", &content, 1, NULL), ECMA_OK);
        assert_int_equal(ilj_context_new(&context, opened, NULL), ILJ_OK);
        assert_int_equal(ilj_application_find(&app, context, "bin/app", NULL, 0, false), ILJ_OK);
        assert_int_equal(app != NULL, rows[i].is_program);
        if (app) {
            assert_string_equal(app->folder, "bin");
            assert_string_equal(app->assembly, "app.dll");
            assert_string_equal(app->entry, "app");
            assert_int_equal(app->host, ILJ_HOST_LAUNCHER);
            assert_false(app->instrumented);
        }
        ilj_application_free(app);
        ilj_context_free(context);
        buffer_clear(&file);
    }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)
    const struct CMUnitTest tests[] = {
        TEST(tracker_goes_into_the_outputs_folder),
        TEST(identical_tracker_is_not_touched_and_another_replaced),
        TEST(next_output_in_a_folder_takes_the_tracker_for_known),
        TEST(native_form_goes_beside_what_a_host_starts),
        TEST(no_other_trackers_native_form_is_left),
        TEST(tracker_replaces_neither_input_nor_output),
        TEST(what_cannot_be_written_is_one_error),
        TEST(folder_without_permission_is_an_error_that_leaves_nothing),
        TEST(configuration_is_copied_under_the_outputs_name),
        TEST(in_place_copies_nothing),
        TEST(deps_json_gets_the_entry_once),
        TEST(renamed_output_has_its_own_deps_json),
        TEST(broken_deps_json_of_the_output_is_told),
        TEST(library_changes_the_deps_json_of_the_app_that_lists_it),
        TEST(library_brings_the_deps_json_of_the_program_that_lists_it),
        TEST(brought_deps_json_is_as_the_programs_own),
        TEST(deps_jsons_that_came_with_outputs_before_are_known),
        TEST(second_trackers_entry_does_not_cost_the_first_one),
        TEST(rebuilt_inputs_deps_json_replaces_an_older_one),
        TEST(unusable_deps_json_is_an_error),
        TEST(managed_assembly_beside_a_launcher_is_found),
        TEST(managed_assembly_of_an_installed_tool_is_found),
        TEST(opening_a_launcher_names_the_assembly_to_give),
        TEST(a_launcher_is_a_program_when_its_assembly_starts_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
