# The NuGet package: a zip of what lies here, the program and the tracker. No .NET SDK is needed to make it. The same files give the
# same bytes: names in one order, times of 2000. Another system's program goes to tools/RID/ilinject beside linux-x64's: the targets
# take the one of the machine that builds.
VERSION    := $(shell sed -n 's/^\#define ILJ_VERSION "\(.*\)"/\1/p' include/ilinject.h)
NUPKG      := $(BUILD)/ILInject.MSBuild.$(VERSION).nupkg
NUPKG_RID  := linux-x64
DEPS_NUPKG := zip

$(NUPKG): $(wildcard src/msbuild/*) docs/msbuild.md LICENSE $(BUILD)/ilinject $(TRACKER)
	@rm -rf $(BUILD)/nupkg $(BUILD)/ILInject.MSBuild.*.nupkg
	@mkdir -p $(BUILD)/nupkg/_rels $(BUILD)/nupkg/build $(BUILD)/nupkg/buildMultiTargeting $(BUILD)/nupkg/tracker $(BUILD)/nupkg/tools/$(NUPKG_RID)
	sed 's/@VERSION@/$(VERSION)/' src/msbuild/ILInject.MSBuild.nuspec >$(BUILD)/nupkg/ILInject.MSBuild.nuspec
	cp src/msbuild/content_types.xml '$(BUILD)/nupkg/[Content_Types].xml'
	cp src/msbuild/relationships.xml $(BUILD)/nupkg/_rels/.rels
	cp src/msbuild/ILInject.MSBuild.props src/msbuild/ILInject.MSBuild.targets src/msbuild/ILInject.MSBuild.Sdk.targets $(BUILD)/nupkg/build
	cp src/msbuild/ILInject.MSBuild.outer.targets $(BUILD)/nupkg/buildMultiTargeting/ILInject.MSBuild.targets
	cp $(TRACKER) $(BUILD)/nupkg/tracker
	cp docs/msbuild.md LICENSE $(BUILD)/nupkg
	strip -o $(BUILD)/nupkg/tools/$(NUPKG_RID)/ilinject $(BUILD)/ilinject
	cd $(BUILD)/nupkg && chmod -R u=rwX,go=rX . && find . -type f -exec touch -d '2000-01-01 00:00 UTC' {} + && \
	    find . -type f | sed 's,^\./,,' | LC_ALL=C sort | TZ=UTC zip -9 -q -X -D -nw -@ $(abspath $@)

.PHONY: nupkg deps-nupkg
nupkg: $(NUPKG)
deps-nupkg:
	$(call INSTALL_MISSING,$(DEPS_NUPKG))
ifneq ($(filter nupkg,$(MAKECMDGOALS)),)
$(NUPKG): | deps-nupkg
endif
