# The tracker: one C# assembly for every runtime. Compiled by mcs against the oldest core library that Debian has (mono-devel),
# its references made retargetable, signed with the project's own key. The same sources give the same bytes.
# Built for another system, the program carries the one of the usual build.
TRACKER_BUILD := $(or $(HOST_BUILD),$(BUILD))
TRACKER      := $(TRACKER_BUILD)/ProfileInfoTracker.dll
HOST_CPU     := $(firstword $(subst -, ,$(MACHINE)))
TRACKER_IN   := $(wildcard runtime-tracker/*/*.cs.in)
TRACKER_FACTS := $(patsubst %.cs.in,$(TRACKER_BUILD)/runtime-tracker/facts/%.cs,$(notdir $(TRACKER_IN)))
TRACKER_CS   := $(sort $(wildcard runtime-tracker/*/*.cs)) $(TRACKER_FACTS)
TRACKER_KEY  := runtime-tracker/ilinject.snk
TRACKER_API  := /usr/lib/mono/2.0-api
TRACKER_TOOL := $(TRACKER_BUILD)/runtime-tracker/retarget

$(TRACKER_TOOL): runtime-tracker/retarget.c
	@mkdir -p $(@D)
	$(COMPILE) -o $@ $<

# A template holds declarations alone: the C preprocessor puts the rows of src/facts into it.
$(foreach f,$(TRACKER_IN),$(eval $(TRACKER_BUILD)/runtime-tracker/facts/$(notdir $(f:.in=)): $f))
$(TRACKER_FACTS): $(wildcard src/facts/*.def)
	@mkdir -p $(@D)
	$(call step,FACTS)$(CC) -E -P -undef -nostdinc -x c -Isrc/facts -o $@ $(filter %.in,$^)

# Made under its own name in a folder of its own: the compiler takes the assembly's name from the file's.
$(TRACKER): $(TRACKER_CS) runtime-tracker/Substitutions.xml $(TRACKER_KEY) $(TRACKER_TOOL)
	@mkdir -p $(TRACKER_BUILD)/runtime-tracker/signed
	$(call step,MCS)mcs -nologo -target:library -optimize+ -warnaserror -noconfig -nostdlib -runtimemetadataversion:v2.0.50727 \
	    -r:$(TRACKER_API)/mscorlib.dll -r:$(TRACKER_API)/System.dll -keyfile:$(TRACKER_KEY) \
	    -resource:runtime-tracker/Substitutions.xml,ILLink.Substitutions.xml \
	    -out:$(TRACKER_BUILD)/runtime-tracker/signed/$(@F) $(TRACKER_CS)
	$(Q)$(TRACKER_TOOL) $(TRACKER_BUILD)/runtime-tracker/signed/$(@F)
	$(Q)sn -q -R $(TRACKER_BUILD)/runtime-tracker/signed/$(@F) $(TRACKER_KEY)
	$(Q)mv $(TRACKER_BUILD)/runtime-tracker/signed/$(@F) $@

# ---- The spans' tracker: the same road, with what it names of System.Diagnostics.DiagnosticSource declared for the compiler ----------

SPANS     := $(TRACKER_BUILD)/ILInject.Spans.dll
SPANS_REF := $(TRACKER_BUILD)/runtime-tracker/reference/System.Diagnostics.DiagnosticSource.dll
SPANS_FACTS := $(TRACKER_BUILD)/runtime-tracker/facts/FileFlag.cs
SPANS_CS  := src/spans/SpanTracker.cs src/spans/SpanMethods.cs src/spans/SpanLines.cs $(SPANS_FACTS) runtime-tracker/Modules/NamesResource.cs runtime-tracker/Modules/Inflate.cs \
	runtime-tracker/Contract/TrimmerAttributes.cs runtime-tracker/Host/AssemblyFacts.cs $(TRACKER_BUILD)/runtime-tracker/facts/NameFlag.cs
SPANS_API := /usr/lib/mono/4.6-api
SPANS_MCS  = mcs -nologo -target:library -optimize+ -warnaserror -noconfig -nostdlib -r:$(SPANS_API)/mscorlib.dll -keyfile:$(TRACKER_KEY)

$(SPANS_REF): src/spans/DiagnosticSource.cs $(TRACKER_KEY)
	@mkdir -p $(@D)
	$(call step,MCS)$(SPANS_MCS) -out:$@ $<
$(SPANS): $(SPANS_CS) $(SPANS_REF) $(TRACKER_KEY) $(TRACKER_TOOL)
	@mkdir -p $(TRACKER_BUILD)/runtime-tracker/signed
	$(call step,MCS)$(SPANS_MCS) -r:$(SPANS_REF) -out:$(TRACKER_BUILD)/runtime-tracker/signed/$(@F) $(SPANS_CS)
	$(Q)$(TRACKER_TOOL) $(TRACKER_BUILD)/runtime-tracker/signed/$(@F)
	$(Q)sn -q -R $(TRACKER_BUILD)/runtime-tracker/signed/$(@F) $(TRACKER_KEY)
	$(Q)mv $(TRACKER_BUILD)/runtime-tracker/signed/$(@F) $@

# What a module has to name of them, as C: no start of the program reads a tracker.
TRACKER_CONSTANTS := $(TRACKER_BUILD)/runtime-tracker/constants.c
ifndef TARGET
CONSTANTS_TOOL := $(TRACKER_BUILD)/runtime-tracker/constants
$(CONSTANTS_TOOL): runtime-tracker/constants.c $(BUILD)/src/tracker/tracker.o $(BUILD)/src/tracker/methods.o $(BUILD)/src/platform/pages.o $(ECMA_O)
	@mkdir -p $(@D)
	$(COMPILE) -Iinclude -Iecma335 -Isrc -o $@ $(filter %.c %.o,$^)
$(TRACKER_CONSTANTS): $(TRACKER) $(SPANS) $(CONSTANTS_TOOL)
	$(call step,FACTS)$(CONSTANTS_TOOL) $(TRACKER) Instrumenter.ProfileInfoTracker tracker $(SPANS) Instrumenter.SpanTracker spans >$@.new
	$(Q)mv $@.new $@
endif

# ---- Compiled ahead -----------------------------------------------------------------------------------------------------------------

# The same assembly with native code for .NET on Linux (ReadyToRun), by crossgen2: `make native CROSSGEN2=FILE`. Other systems, processors
# and runtimes than the one that it is for refuse such a file, so the program carries both.
ifdef CROSSGEN2
COMPILED_TRACKER := $(TRACKER_BUILD)/native/ProfileInfoTracker.dll
COMPILED_FOR     := $(if $(filter aarch64,$(HOST_CPU)),arm64,x64)
FRAMEWORK        := $(lastword $(shell dotnet --list-runtimes | sed -n 's/^Microsoft.NETCore.App \([^ ]*\) \[\(.*\)\]$$/\2\/\1/p'))
$(COMPILED_TRACKER): $(TRACKER) $(CROSSGEN2)
	@mkdir -p $(@D)
	$(call step,R2R)$(CROSSGEN2) $(TRACKER) -o $@.new -O --targetos linux --targetarch $(COMPILED_FOR) -r '$(FRAMEWORK)/*.dll' >$@.log || { cat $@.log >&2; exit 1; }
	$(Q)mv $@.new $@
endif

# ---- What a browser is asked ------------------------------------------------------------------------------------------------------

# An assembly of its own, for .NET in a browser alone: the package for MSBuild hands it on.
BROWSER_PAGE := $(TRACKER_BUILD)/ILInject.Browser.dll
$(BROWSER_PAGE): runtime-tracker/browser/Page.il $(TRACKER_TOOL)
	@mkdir -p $(TRACKER_BUILD)/runtime-tracker/browser
	$(call step,ILASM)ilasm /dll /quiet /output:$(TRACKER_BUILD)/runtime-tracker/browser/$(@F) $< >$(TRACKER_BUILD)/runtime-tracker/browser/log || { cat $(TRACKER_BUILD)/runtime-tracker/browser/log >&2; exit 1; }
	$(Q)$(TRACKER_TOOL) --stamp $(TRACKER_BUILD)/runtime-tracker/browser/$(@F)
	$(Q)mv $(TRACKER_BUILD)/runtime-tracker/browser/$(@F) $@

# ---- The native clock: small libraries without the C library, one for each processor that there is a compiler for -----------------

CLOCK_CC_x64   := $(if $(filter x86_64,$(HOST_CPU)),$(CC),x86_64-linux-gnu-gcc)
CLOCK_CC_arm64 := $(if $(filter aarch64,$(HOST_CPU)),$(CC),aarch64-linux-gnu-gcc)
CLOCK_CPUS     := $(foreach cpu,x64 arm64,$(if $(shell command -v $(CLOCK_CC_$(cpu))),$(cpu)))
CLOCK_FLAGS    := -std=gnu11 -O2 $(WARNINGS) -fPIC -shared -nostdlib -ffreestanding -fvisibility=hidden -s -Wl,-soname,libilinject_clock.so \
	-Wl,-z,noexecstack,-z,noseparate-code,-z,norelro,--build-id=none,--hash-style=gnu
CLOCK_LIBS     := $(CLOCK_CPUS:%=$(TRACKER_BUILD)/runtime-tracker/clock/%/libilinject_clock.so)
CLOCK_DEFINES  := $(foreach cpu,$(CLOCK_CPUS),-DCLOCK_$(if $(filter x64,$(cpu)),X64,ARM64)_FILE='"$(TRACKER_BUILD)/runtime-tracker/clock/$(cpu)/libilinject_clock.so"')

$(TRACKER_BUILD)/runtime-tracker/clock/%/libilinject_clock.so: runtime-tracker/clock/clock.c runtime-tracker/clock/clock.h
	@mkdir -p $(@D)
	$(call step,CC)$(CLOCK_CC_$*) $(CLOCK_FLAGS) -o $@ $<
