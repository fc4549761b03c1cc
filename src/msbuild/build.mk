# The NuGet package: a zip of what lies here, the program and the tracker. No .NET SDK is needed to make it. Another system's program goes
# to tools/RID/ilinject beside this one's: the targets take the one of the machine that builds.
# Tests put another program into it, and the package into another folder.
NUPKG_FOLDER  := $(BUILD)
NUPKG_RID     := $(if $(filter aarch64-%,$(MACHINE)),linux-arm64,linux-x64)
NUPKG_PROGRAM := build/$(NUPKG_RID)/ilinject
NUPKG      := $(NUPKG_FOLDER)/ILInject.MSBuild.$(VERSION).nupkg
NUPKG_TREE := $(NUPKG_FOLDER)/nupkg
DEPS_NUPKG := zip curl perl $(TARGET_PACKAGE_$(NUPKG_RID))
NUPKG_BUILD := ILInject.MSBuild.props ILInject.MSBuild.targets ILInject.MSBuild.Weave.targets ILInject.MSBuild.References.targets \
    ILInject.MSBuild.Sdk.targets ILInject.MSBuild.XBuild.targets ILInject.MSBuild.LinkAttributes.xml ILInject.MSBuild.Post.xml

# The programs of the packages are the static ones (src/platform/build.mk): they run on any Linux, be its C library old (Debian 11's),
# another one (Alpine's musl) or missing.
ifndef TARGET
build/$(NUPKG_RID)/ilinject: $(NUPKG_RID) ;
endif

# With OTHERS=1, as `make packages` says, also the programs for other systems (docs/install.md); $(call COPY_OTHERS,FOLDER).
COPY_OTHERS = mkdir -p $(1)/linux-arm64 $(1)/win-x64 && $(TARGET_STRIP_linux-arm64) -o $(1)/linux-arm64/ilinject build/linux-arm64/ilinject && \
    $(TARGET_STRIP_windows) -o $(1)/win-x64/ilinject.exe build/windows/ilinject.exe && 
# $(call COPY_PROGRAM,FOLDER): this system's.
COPY_PROGRAM = mkdir -p $(1)/$(NUPKG_RID) && $(TARGET_STRIP_$(NUPKG_RID)) -o $(1)/$(NUPKG_RID)/ilinject $(NUPKG_PROGRAM)
# The programs that the licences are of, as src/packaging/libraries.tsv names them.
ALL_PROGRAMS := $(sort $(NUPKG_RID) linux-arm64) win-x64 wasi wasmtime

# The WASI build with what runs it, for macOS: ilinject.dll is the .NET tool's (src/tool/build.mk). $(call COPY_WASI,FOLDER).
ENGINES     := build/sources/wasmtime
ENGINE_RIDS := osx-x64 osx-arm64
TOOL_DLL    := $(BUILD)/tool-dll/ilinject.dll
COPY_WASI    = mkdir -p $(ENGINE_RIDS:%=$(1)/wasi/%) && cp $(TOOL_DLL) src/tool/ilinject.runtimeconfig.json $(1) && \
    cp build/wasi/ilinject.wasm src/tool/wasmtime.LICENSE $(1)/wasi && chmod 644 $(1)/wasi/ilinject.wasm && \
    $(foreach rid,$(ENGINE_RIDS),cp $(ENGINES)/$(rid)/libwasmtime.dylib $(1)/wasi/$(rid) && )

$(NUPKG): $(if $(OTHERS),linux-arm64 windows wasi engines $(TOOL_DLL)) $(wildcard src/msbuild/*) docs/msbuild.md LICENSE src/packaging/notices src/packaging/nupkg src/packaging/libraries.tsv $(NUPKG_PROGRAM) $(TRACKER) $(SPANS) $(BROWSER_PAGE) $(CLOCK_LIBS)
	$(call step,NUPKG)rm -rf $(NUPKG_TREE) $(NUPKG_FOLDER)/ILInject.MSBuild.*.nupkg
	@mkdir -p $(NUPKG_TREE)/_rels $(NUPKG_TREE)/build $(NUPKG_TREE)/buildMultiTargeting $(NUPKG_TREE)/tracker $(NUPKG_TREE)/tools $(CLOCK_CPUS:%=$(NUPKG_TREE)/clock/%)
	$(Q)sed 's/@VERSION@/$(VERSION)/' src/msbuild/ILInject.MSBuild.nuspec >$(NUPKG_TREE)/ILInject.MSBuild.nuspec
	$(Q)sed '/@RID@/{$(foreach rid,$(NUPKG_RID) $(if $(OTHERS),linux-arm64),h;s/@RID@/$(rid)/;p;g;)d}' src/msbuild/content_types.xml >'$(NUPKG_TREE)/[Content_Types].xml'
	$(Q)cp src/msbuild/relationships.xml $(NUPKG_TREE)/_rels/.rels
	$(Q)cp $(NUPKG_BUILD:%=src/msbuild/%) $(NUPKG_TREE)/build
	$(Q)cp src/msbuild/ILInject.MSBuild.outer.targets $(NUPKG_TREE)/buildMultiTargeting/ILInject.MSBuild.targets
	$(Q)cp src/msbuild/xbuild.sh $(NUPKG_TREE)/tools
	$(Q)cp $(TRACKER) $(SPANS) $(BROWSER_PAGE) $(NUPKG_TREE)/tracker
	$(Q)$(foreach cpu,$(CLOCK_CPUS),cp $(BUILD)/runtime-tracker/clock/$(cpu)/libilinject_clock.so $(NUPKG_TREE)/clock/$(cpu) &&) true
	$(Q)cp docs/msbuild.md LICENSE $(NUPKG_TREE)
	$(Q)$(call COPY_PROGRAM,$(NUPKG_TREE)/tools)
	$(Q)src/packaging/notices $(if $(OTHERS),$(ALL_PROGRAMS),$(if $(filter $(PROGRAM),$(NUPKG_PROGRAM)),deb,$(NUPKG_RID))) >$(NUPKG_TREE)/NOTICES
	$(Q)$(if $(OTHERS),$(call COPY_OTHERS,$(NUPKG_TREE)/tools)$(call COPY_WASI,$(NUPKG_TREE)/tools/any))true
	$(Q)src/packaging/nupkg $(NUPKG_TREE) $@

.PHONY: nupkg deps-nupkg packages
packages:
	+$(Q)$(MAKE) --no-print-directory OTHERS=1 nupkg tool benchmark-nupkg
nupkg: $(NUPKG)
deps-nupkg:
	$(call INSTALL_MISSING,$(DEPS_NUPKG))
ifneq ($(filter nupkg tool packages benchmark-nupkg,$(MAKECMDGOALS)),)
build/$(NUPKG_RID)/ilinject $(NUPKG_RID) $(NUPKG): | deps-nupkg
endif
