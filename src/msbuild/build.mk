# The NuGet package: a zip of what lies here, the program and the tracker. No .NET SDK is needed to make it. The same files give the
# same bytes: names in one order, and of each file the time that its checksum gives (2000 to 2025): MSBuild takes files of one size and one
# time for the same, so another tracker must have another. Another system's program goes to tools/RID/ilinject beside this one's: the targets
# take the one of the machine that builds.
NUPKG      := $(BUILD)/ILInject.MSBuild.$(VERSION).nupkg
NUPKG_RID  := $(if $(filter aarch64-%,$(shell $(CC) -dumpmachine)),linux-arm64,linux-x64)
DEPS_NUPKG := zip libssl-dev zlib1g-dev liblzma-dev
NUPKG_BUILD := ILInject.MSBuild.props ILInject.MSBuild.targets ILInject.MSBuild.Weave.targets ILInject.MSBuild.References.targets \
    ILInject.MSBuild.Sdk.targets ILInject.MSBuild.XBuild.targets ILInject.MSBuild.LinkAttributes.xml ILInject.MSBuild.Post.xml

# The program of the package is static: it runs on any Linux, be its C library old (Debian 11's), another one (Alpine's musl) or missing.
ALONE      := $(BUILD)/nupkg-tools/$(NUPKG_RID)/ilinject
ALONE_WRAPS := $(foreach f,dlopen dlsym dlclose dlerror iconv_open iconv iconv_close getaddrinfo freeaddrinfo gethostbyname,-Wl,--wrap=$(f))
ALONE_LIBS := -l:libxml2.a -l:libcrypto.a -l:libz.a -l:liblzma.a -lm

ifdef SAN # which go into no static program
$(ALONE): $(BUILD)/ilinject
	@mkdir -p $(@D)
	$(call step,STRIP)strip -o $@ $<
else
$(ALONE): src/msbuild/alone.c src/platform/xml.def src/platform/crypto.def $(CLI_O) $(LIB)
	@mkdir -p $(@D)
	$(COMPILE) -fPIE -Isrc $(XML_HEADERS) -c -o $(ALONE).o $<
	$(call step,LINK)$(CC) $(LDFLAGS) -static-pie -s $(ALONE_WRAPS) -Wl,--gc-sections -o $@ $(ALONE).o $(CLI_O) $(LIB) $(STATIC_LIBS) $(ALONE_LIBS)
-include $(ALONE).d
endif

# With OTHERS=1, as `make packages` says, also the programs for other systems (docs/install.md); $(call COPY_OTHERS,FOLDER).
COPY_OTHERS = mkdir -p $(1)/linux-arm64 $(1)/win-x64 && aarch64-linux-gnu-strip -o $(1)/linux-arm64/ilinject build/linux-arm64/ilinject && \
    x86_64-w64-mingw32-strip -o $(1)/win-x64/ilinject.exe build/windows/ilinject.exe && 

# The WASI build with what runs it, for macOS: ilinject.dll is the .NET tool's (src/tool/build.mk). $(call COPY_WASI,FOLDER).
ENGINES     := build/sources/wasmtime
ENGINE_RIDS := osx-x64 osx-arm64
TOOL_DLL    := $(BUILD)/tool-dll/ilinject.dll
COPY_WASI    = mkdir -p $(ENGINE_RIDS:%=$(1)/wasi/%) && cp $(TOOL_DLL) src/tool/ilinject.runtimeconfig.json $(1) && \
    cp build/wasi/ilinject.wasm src/tool/wasmtime.LICENSE $(1)/wasi && chmod 644 $(1)/wasi/ilinject.wasm && \
    $(foreach rid,$(ENGINE_RIDS),cp $(ENGINES)/$(rid)/libwasmtime.dylib $(1)/wasi/$(rid) && )

$(NUPKG): $(if $(OTHERS),linux-arm64 windows wasi engines $(TOOL_DLL)) $(wildcard src/msbuild/*) docs/msbuild.md LICENSE $(ALONE) $(TRACKER) $(BROWSER_PAGE) $(CLOCK_LIBS)
	$(call step,NUPKG)rm -rf $(BUILD)/nupkg $(BUILD)/ILInject.MSBuild.*.nupkg
	@mkdir -p $(BUILD)/nupkg/_rels $(BUILD)/nupkg/build $(BUILD)/nupkg/buildMultiTargeting $(BUILD)/nupkg/tracker $(BUILD)/nupkg/tools/$(NUPKG_RID) $(CLOCK_CPUS:%=$(BUILD)/nupkg/clock/%)
	$(Q)sed 's/@VERSION@/$(VERSION)/' src/msbuild/ILInject.MSBuild.nuspec >$(BUILD)/nupkg/ILInject.MSBuild.nuspec
	$(Q)sed '/@RID@/{$(foreach rid,$(NUPKG_RID) $(if $(OTHERS),linux-arm64),h;s/@RID@/$(rid)/;p;g;)d}' src/msbuild/content_types.xml >'$(BUILD)/nupkg/[Content_Types].xml'
	$(Q)cp src/msbuild/relationships.xml $(BUILD)/nupkg/_rels/.rels
	$(Q)cp $(NUPKG_BUILD:%=src/msbuild/%) $(BUILD)/nupkg/build
	$(Q)cp src/msbuild/ILInject.MSBuild.outer.targets $(BUILD)/nupkg/buildMultiTargeting/ILInject.MSBuild.targets
	$(Q)cp src/msbuild/xbuild.sh $(BUILD)/nupkg/tools
	$(Q)cp $(TRACKER) $(BROWSER_PAGE) $(BUILD)/nupkg/tracker
	$(Q)$(foreach cpu,$(CLOCK_CPUS),cp $(BUILD)/runtime-tracker/clock/$(cpu)/libilinject_clock.so $(BUILD)/nupkg/clock/$(cpu) &&) true
	$(Q)cp docs/msbuild.md LICENSE $(BUILD)/nupkg
	$(Q)cp $(ALONE) $(BUILD)/nupkg/tools/$(NUPKG_RID)
	$(Q)$(if $(OTHERS),$(call COPY_OTHERS,$(BUILD)/nupkg/tools)$(call COPY_WASI,$(BUILD)/nupkg/tools/any))true
	$(Q)cd $(BUILD)/nupkg && chmod -R u=rwX,go=rX . && \
	    find . -type f -exec cksum {} + | while read -r sum size name; do touch -d "@$$((946684800 + sum % 400000000 * 2))" "$$name" || exit; done && \
	    find . -type f | sed 's,^\./,,' | LC_ALL=C sort | TZ=UTC zip -9 -q -X -D -nw -@ $(abspath $@)

.PHONY: nupkg deps-nupkg packages
packages:
	+$(Q)$(MAKE) --no-print-directory OTHERS=1 nupkg tool
nupkg: $(NUPKG)
deps-nupkg:
	$(call INSTALL_MISSING,$(DEPS_NUPKG))
ifneq ($(filter nupkg tool packages,$(MAKECMDGOALS)),)
$(ALONE) $(NUPKG): | deps-nupkg
endif
