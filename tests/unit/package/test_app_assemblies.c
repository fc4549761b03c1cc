/* Which files of a program's folder are its own. */
#include "package/app_assemblies.h"
#include "unit.h"

static bool own(const char *name) {
    return app_is_own(DEPS_OWNER_NONE, true, name);
}

/* The names are those of the packages' files, or what a build made of these. */
static void what_runs_tests_is_not_the_programs(void **state) {
    (void)state;
    static const char *const runners[] = {"testhost.dll",
                                          "testhost.x86.dll",
                                          "testhost.exe",
                                          "Microsoft.TestPlatform.CrossPlatEngine.dll",
                                          "Microsoft.VisualStudio.TestPlatform.Common.dll",
                                          "Microsoft.Testing.Platform.dll",
                                          "Microsoft.Testing.Extensions.VSTestBridge.dll",
                                          "MSTest.TestAdapter.dll",
                                          "MSTestAdapter.PlatformServices.dll",
                                          "NUnit3.TestAdapter.dll",
                                          "nunit.engine.dll",
                                          "nunit.engine.api.dll",
                                          "nunit.engine.core.dll",
                                          "testcentric.engine.metadata.dll",
                                          "xunit.runner.visualstudio.testadapter.dll",
                                          "xunit.runner.utility.netcoreapp10.dll",
                                          "xunit.runner.reporters.netcoreapp10.dll",
                                          "xunit.abstractions.dll",
                                          "xunit.execution.dotnet.dll",
                                          "xunit.v3.runner.inproc.console.dll",
                                          "xunit.v3.core.dll",
                                          "TUnit.Engine.dll",
                                          "BenchmarkDotNet.dll",
                                          "BenchmarkDotNet.Annotations.dll",
                                          "coverlet.collector.dll",
                                          "coverlet.core.dll",
                                          "Microsoft.VisualStudio.CodeCoverage.Shim.dll",
                                          "XUNIT.RUNNER.VISUALSTUDIO.TESTADAPTER.DLL"};
    for (size_t i = 0; i < sizeof runners / sizeof runners[0]; i++) {
        if (own(runners[i]))
            print_error("%s\n", runners[i]);
        assert_false(own(runners[i]));
        /* A project that makes one. */
        assert_true(app_is_own(DEPS_OWNER_PROJECT, true, runners[i]));
    }
}

static void libraries_and_like_names_are(void **state) {
    (void)state;
    static const char *const mine[] = {
        "Shop.Tests.dll",       "LatestAdapter.dll", "TestAdapter.dll",  "testhosting.dll",
        "FluentAssertions.dll", "Moq.dll",           "xunit.assert.dll", "xunit.dll",
        "coverlet.dll",         "nunit.dll",         "Shop.Engine.dll",  "Benchmarks.dll"};
    for (size_t i = 0; i < sizeof mine / sizeof mine[0]; i++) {
        assert_true(own(mine[i]));
        assert_false(app_is_own(DEPS_OWNER_PACKAGE, true, mine[i]));
    }
}

static void frameworks_names_count_without_a_deps_json(void **state) {
    (void)state;
    assert_true(own("System.Own.dll"));
    assert_false(app_is_own(DEPS_OWNER_NONE, false, "System.Own.dll"));
    assert_true(app_is_own(DEPS_OWNER_NONE, false, "Shop.dll"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_runs_tests_is_not_the_programs),
        cmocka_unit_test(libraries_and_like_names_are),
        cmocka_unit_test(frameworks_names_count_without_a_deps_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
