# The .NET tool, `make tool`: NuGet packages. `ilinject` has no program; it names the others, of which .NET 10's SDK takes the one of the machine:
# `ilinject.RID` has the native program, `ilinject.any` all of them and, for macOS, the WASI build with Wasmtime's libraries. Older SDKs
# install `ilinject.any` by its own name (docs/decisions/14-programs.md).
TOOL_RIDS   := $(sort $(NUPKG_RID) linux-arm64) win-x64
TOOL_NUPKGS := $(foreach id,ilinject $(TOOL_RIDS:%=ilinject.%) ilinject.any,$(BUILD)/$(id).$(VERSION).nupkg)
TOOL        := $(BUILD)/tool
TOOL_ANY    := $(TOOL)/ilinject.any/tools/net6.0/any

.PHONY: tool engines
engines:
	$(Q)src/tool/fetch-engine $(ENGINES)

$(TOOL_DLL): src/tool/Program.cs src/tool/Wasi.cs $(TRACKER_TOOL)
	@mkdir -p $(@D)
	$(call step,MCS)mcs -nologo -optimize+ -target:exe -out:$(@D)/ilinject.exe $(filter %.cs,$^)
	$(Q)mv $(@D)/ilinject.exe $@ && $(TRACKER_TOOL) $@

# $(call TOOL_PROGRAM,RID): its program, as it is in the packages.
TOOL_PROGRAM = $(if $(filter win-%,$(1)),$(TARGET_STRIP_windows) -o $(2)/ilinject.exe build/windows/ilinject.exe,$(TARGET_STRIP_$(1)) -o $(2)/ilinject build/$(1)/ilinject)
# $(call TOOL_PACK,ID,TYPE,WORDS)
TOOL_PACK = src/tool/pack $(TOOL)/$(1) $(1) $(VERSION) $(2) $(BUILD)/$(1).$(VERSION).nupkg $(3)
define TOOL_RID_PACKAGE
	$(Q)mkdir -p $(TOOL)/ilinject.$(1)/tools/any/$(1) && $(call TOOL_PROGRAM,$(1),$(TOOL)/ilinject.$(1)/tools/any/$(1))
	$(Q)sed 's/@PROGRAM@/ilinject$(if $(filter win-%,$(1)),.exe)/' src/tool/program.xml >$(TOOL)/ilinject.$(1)/tools/any/$(1)/DotnetToolSettings.xml
	$(Q)src/packaging/notices $(1) >$(TOOL)/ilinject.$(1)/NOTICES
	$(Q)$(call TOOL_PACK,ilinject.$(1),DotnetToolRidPackage,' This is the program for $(1); the tool is ilinject.')

endef

tool: $(TOOL_DLL) $(NUPKG_PROGRAM) linux-arm64 windows wasi engines
	$(call step,NUPKG)rm -rf $(TOOL) $(BUILD)/ilinject.*.nupkg
	@mkdir -p $(TOOL)/ilinject/tools/any/any $(TOOL_ANY)/native
	$(foreach rid,$(TOOL_RIDS),$(call TOOL_RID_PACKAGE,$(rid)))
	$(Q)cp src/tool/any.xml $(TOOL_ANY)/DotnetToolSettings.xml
	$(Q)$(foreach rid,$(TOOL_RIDS),cp -r $(TOOL)/ilinject.$(rid)/tools/any/$(rid) $(TOOL_ANY)/native && rm $(TOOL_ANY)/native/$(rid)/DotnetToolSettings.xml && )true
	$(Q)$(call COPY_WASI,$(TOOL_ANY))true
	$(Q)src/packaging/notices $(ALL_PROGRAMS) >$(TOOL)/ilinject.any/NOTICES
	$(Q)$(call TOOL_PACK,ilinject.any,DotnetTool,' This package has the programs of all systems and fits each SDK since .NET 6.')
	$(Q)sed '/@RID@/{$(foreach rid,$(TOOL_RIDS) any,h;s/@RID@/$(rid)/g;p;g;)d}' src/tool/choice.xml >$(TOOL)/ilinject/tools/any/any/DotnetToolSettings.xml
	$(Q)$(call TOOL_PACK,ilinject,DotnetTool,' It needs the SDK of .NET 10; older ones install ilinject.any.')
