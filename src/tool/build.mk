# The .NET tool, `make tool`: a NuGet package with the program for Windows (x64) and for any Linux (x64, arm64), and for macOS the
# WASI build with Wasmtime's libraries. The same files give the same bytes, as those of the package for MSBuild do.
TOOL_NUPKG := $(BUILD)/ilinject.$(VERSION).nupkg
TOOL       := $(BUILD)/tool
TOOL_ANY   := $(TOOL)/tools/net6.0/any

.PHONY: tool engines
tool: $(TOOL_NUPKG)
engines:
	$(Q)src/tool/fetch-engine $(ENGINES)

$(TOOL_DLL): src/tool/Program.cs src/tool/Wasi.cs $(TRACKER_TOOL)
	@mkdir -p $(@D)
	$(call step,MCS)mcs -nologo -optimize+ -target:exe -out:$(@D)/ilinject.exe $(filter %.cs,$^)
	$(Q)mv $(@D)/ilinject.exe $@ && $(TRACKER_TOOL) $@

$(TOOL_NUPKG): $(wildcard src/tool/*) LICENSE README.md src/packaging/notices src/packaging/libraries.tsv $(NUPKG_PROGRAM) $(TOOL_DLL) linux-arm64 windows wasi engines
	$(call step,NUPKG)rm -rf $(TOOL) $(BUILD)/ilinject.*.nupkg
	@mkdir -p $(TOOL)/_rels $(TOOL_ANY)
	$(Q)cp src/tool/DotnetToolSettings.xml $(TOOL_ANY)
	$(Q)$(call COPY_PROGRAM,$(TOOL_ANY)/native)
	$(Q)src/packaging/notices $(ALL_PROGRAMS) >$(TOOL)/NOTICES
	$(Q)$(call COPY_OTHERS,$(TOOL_ANY)/native)$(call COPY_WASI,$(TOOL_ANY))true
	$(Q)sed 's/@VERSION@/$(VERSION)/' src/tool/ilinject.nuspec >$(TOOL)/ilinject.nuspec
	$(Q)sed 's/ILInject.MSBuild.nuspec/ilinject.nuspec/' src/msbuild/relationships.xml >$(TOOL)/_rels/.rels
	$(Q)sed -e '/@RID@/d' \
	    -e 's,</Types>,$(foreach rid,$(NUPKG_RID) linux-arm64,  <Override PartName="/tools/net6.0/any/native/$(rid)/ilinject" ContentType="application/octet" />\n)&,' \
	    src/msbuild/content_types.xml >'$(TOOL)/[Content_Types].xml'
	$(Q)cp LICENSE README.md $(TOOL)
	$(Q)cd $(TOOL) && chmod -R u=rwX,go=rX . && \
	    find . -type f -exec cksum {} + | while read -r sum size name; do touch -d "@$$((946684800 + sum % 400000000 * 2))" "$$name" || exit; done && \
	    find . -type f | sed 's,^\./,,' | LC_ALL=C sort | TZ=UTC zip -9 -q -X -D -nw -@ $(abspath $@)
