# The .NET tool, `make tool`: a NuGet package with the program for Windows (x64) and for any Linux (x64, arm64). The same files
# give the same bytes, as those of the package for MSBuild do.
TOOL_NUPKG := $(BUILD)/ilinject.$(VERSION).nupkg
TOOL       := $(BUILD)/tool
TOOL_ANY   := $(TOOL)/tools/net6.0/any

.PHONY: tool
tool: $(TOOL_NUPKG)

$(TOOL_NUPKG): $(wildcard src/tool/*) LICENSE README.md $(ALONE) $(TRACKER_TOOL) linux-arm64 windows
	$(call step,NUPKG)rm -rf $(TOOL) $(BUILD)/ilinject.*.nupkg
	@mkdir -p $(TOOL)/_rels $(TOOL_ANY)/native/$(NUPKG_RID)
	$(Q)mcs -nologo -optimize+ -target:exe -out:$(TOOL)/ilinject.exe src/tool/Program.cs
	$(Q)mv $(TOOL)/ilinject.exe $(TOOL_ANY)/ilinject.dll && $(TRACKER_TOOL) $(TOOL_ANY)/ilinject.dll
	$(Q)cp src/tool/ilinject.runtimeconfig.json src/tool/DotnetToolSettings.xml $(TOOL_ANY)
	$(Q)cp $(ALONE) $(TOOL_ANY)/native/$(NUPKG_RID)
	$(Q)$(call COPY_OTHERS,$(TOOL_ANY)/native)true
	$(Q)sed 's/@VERSION@/$(VERSION)/' src/tool/ilinject.nuspec >$(TOOL)/ilinject.nuspec
	$(Q)sed 's/ILInject.MSBuild.nuspec/ilinject.nuspec/' src/msbuild/relationships.xml >$(TOOL)/_rels/.rels
	$(Q)sed -e '/@RID@/d; s,Extension="md",Extension="json" ContentType="application/octet" />\n  <Default &,' \
	    -e 's,</Types>,$(foreach rid,$(NUPKG_RID) linux-arm64,  <Override PartName="/tools/net6.0/any/native/$(rid)/ilinject" ContentType="application/octet" />\n)&,' \
	    src/msbuild/content_types.xml >'$(TOOL)/[Content_Types].xml'
	$(Q)cp LICENSE README.md $(TOOL)
	$(Q)cd $(TOOL) && chmod -R u=rwX,go=rX . && \
	    find . -type f -exec cksum {} + | while read -r sum size name; do touch -d "@$$((946684800 + sum % 400000000 * 2))" "$$name" || exit; done && \
	    find . -type f | sed 's,^\./,,' | LC_ALL=C sort | TZ=UTC zip -9 -q -X -D -nw -@ $(abspath $@)
