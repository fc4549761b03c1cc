# The NuGet package with the diagnoser for BenchmarkDotNet: an assembly, which a .NET SDK compiles, and the programs where
# NuGet has native files of a system, so that a build puts them beside the benchmark. Folders are those of src/msbuild/build.mk.
BENCHMARK_NUPKG := $(NUPKG_FOLDER)/ILInject.BenchmarkDotNet.$(VERSION).nupkg
BENCHMARK_TREE  := $(NUPKG_FOLDER)/benchmark-nupkg
BENCHMARK_DLL   := $(BUILD)/benchmark/ILInject.BenchmarkDotNet.dll
BENCHMARK_RIDS  := $(NUPKG_RID) $(if $(OTHERS),linux-arm64 win-x64)

$(BENCHMARK_DLL): src/benchmark/compile $(wildcard src/benchmark/*.cs) include/ilinject.h
	$(call step,CSC)src/benchmark/compile $(VERSION) $@

$(BENCHMARK_NUPKG): $(if $(OTHERS),linux-arm64 windows) $(BENCHMARK_DLL) $(wildcard src/benchmark/*) LICENSE src/packaging/notices src/packaging/nupkg src/packaging/libraries.tsv src/msbuild/content_types.xml src/msbuild/relationships.xml $(NUPKG_PROGRAM)
	$(call step,NUPKG)rm -rf $(BENCHMARK_TREE) $(NUPKG_FOLDER)/ILInject.BenchmarkDotNet.*.nupkg
	@mkdir -p $(BENCHMARK_TREE)/_rels $(BENCHMARK_TREE)/lib/netstandard2.0 $(foreach rid,$(sort $(BENCHMARK_RIDS)),$(BENCHMARK_TREE)/runtimes/$(rid)/native)
	$(Q)sed 's/@VERSION@/$(VERSION)/' src/benchmark/ILInject.BenchmarkDotNet.nuspec >$(BENCHMARK_TREE)/ILInject.BenchmarkDotNet.nuspec
	$(Q)sed '/@RID@/{$(foreach rid,$(sort $(filter linux-%,$(BENCHMARK_RIDS))),h;s,tools/@RID@,runtimes/$(rid)/native,;p;g;)d}' src/msbuild/content_types.xml >'$(BENCHMARK_TREE)/[Content_Types].xml'
	$(Q)sed 's/ILInject.MSBuild.nuspec/ILInject.BenchmarkDotNet.nuspec/' src/msbuild/relationships.xml >$(BENCHMARK_TREE)/_rels/.rels
	$(Q)cp $(BENCHMARK_DLL) $(BENCHMARK_TREE)/lib/netstandard2.0
	$(Q)cp src/benchmark/README.md LICENSE $(BENCHMARK_TREE)
	$(Q)$(TARGET_STRIP_$(NUPKG_RID)) -o $(BENCHMARK_TREE)/runtimes/$(NUPKG_RID)/native/ilinject $(NUPKG_PROGRAM)
	$(Q)$(if $(OTHERS),$(TARGET_STRIP_linux-arm64) -o $(BENCHMARK_TREE)/runtimes/linux-arm64/native/ilinject build/linux-arm64/ilinject && $(TARGET_STRIP_windows) -o $(BENCHMARK_TREE)/runtimes/win-x64/native/ilinject.exe build/windows/ilinject.exe)
	$(Q)src/packaging/notices $(if $(filter $(PROGRAM),$(NUPKG_PROGRAM)),deb,$(sort $(BENCHMARK_RIDS))) >$(BENCHMARK_TREE)/NOTICES
	$(Q)src/packaging/nupkg $(BENCHMARK_TREE) $@

.PHONY: benchmark-nupkg
benchmark-nupkg: $(BENCHMARK_NUPKG)
