"""Test suites of public packages, from folders with their sources: their projects are written here, so that they need
no more than the SDK and what this table names. Humanizer: without its tests of Verify, a package of another feed; its
ModuleInitializer.cs without the lines that name that."""
import re
from pathlib import Path

from kit import BUILD, build_options, command, write

RUNNER = {"Microsoft.NET.Test.Sdk": "18.0.1", "coverlet.collector": "10.0.1"}
XUNIT2 = {"xunit": "2.9.3", "xunit.runner.visualstudio": "3.1.5", **RUNNER}
PREVIEW = "<LangVersion>preview</LangVersion>"
NULLABLE = "<Nullable>enable</Nullable>"
TASKS = "<DefineConstants>$(DefineConstants);TASKS</DefineConstants><GenerateAssemblyInfo>false</GenerateAssemblyInfo>"
IMPLICIT = "<ImplicitUsings>enable</ImplicitUsings>"
HUMANIZER = PREVIEW + NULLABLE + IMPLICIT + "<AllowUnsafeBlocks>true</AllowUnsafeBlocks>" \
    "<PolyStringInterpolation>true</PolyStringInterpolation><PolyNullability>true</PolyNullability><PolyEnsure>true</PolyEnsure>"
GENERATOR = 'OutputItemType="Analyzer" ReferenceOutputAssembly="false" '
CHARS = '<Using Include="System.ReadOnlySpan&lt;System.Char&gt;" Alias="CharSpan" /><Using Remove="System.Net.Http" />'


def project(sources, properties="", packages=None, items="", without=(), framework="net10.0"):
    return {"sources": sources, "properties": properties, "packages": packages or {}, "items": items,
            "without": without, "framework": framework}


# Folder of the repository: its framework, and its projects by assembly; the last one has the tests.
SUITES = {
    "markdig": ("nunit", {
        "Markdig": project("src/Markdig", PREVIEW + NULLABLE + "<AllowUnsafeBlocks>true</AllowUnsafeBlocks>",
                           items='<InternalsVisibleTo Include="Markdig.Tests" />'),
        "Markdig.Tests": project("src/Markdig.Tests", PREVIEW + IMPLICIT + "<OutputType>Exe</OutputType>"
                                 "<StartupObject>Markdig.Tests.Program</StartupObject>",
                                 {"NUnit": "4.6.1", "NUnit3TestAdapter": "6.3.1", **RUNNER},
                                 '<Using Include="NUnit.Framework" />')}),
    "stateless": ("xunit2", {
        "Stateless": project("src/Stateless", TASKS),
        "Stateless.Tests": project("test/Stateless.Tests", TASKS, XUNIT2)}),
    "Mapster": ("mstest", {
        "Mapster.Core": project("src/Mapster.Core", NULLABLE),
        "Mapster": project("src/Mapster", NULLABLE),
        "ExpressionTranslator": project("src/ExpressionTranslator"),
        "ExpressionDebugger": project("src/ExpressionDebugger", "", {"Microsoft.CodeAnalysis.CSharp": "5.0.0"}),
        "Mapster.Tests": project("src/Mapster.Tests", "", {"Newtonsoft.Json": "13.0.3", "Shouldly": "4.3.0",
                                                          "MSTest": "3.11.1", "coverlet.collector": "10.0.1"},
                                 without=("Diagnostics/*.cs",))}),
    "CsvHelper": ("xunit2", {
        "CsvHelper": project("src/CsvHelper", PREVIEW + NULLABLE + IMPLICIT),
        "CsvHelper.Tests": project("tests/CsvHelper.Tests", PREVIEW + NULLABLE + IMPLICIT,
                                   {"Castle.Core": "5.2.1", **XUNIT2})}),
    "Humanizer": ("xunit3", {
        "Humanizer.SourceGenerators": project(
            "src/Humanizer.SourceGenerators", PREVIEW + NULLABLE + IMPLICIT + "<IsRoslynComponent>true</IsRoslynComponent>",
            {"Microsoft.CodeAnalysis.CSharp.Workspaces": "5.0.0", "System.Text.Json": "10.0.0"}, framework="netstandard2.0", items=
            '<Compile Include="../sources/src/Humanizer/Inflections/InflectionUnicodeData.cs" />'
            '<Compile Include="../sources/src/Humanizer/Localisation/GrammaticalNumber/CardinalPluralRuleMetadata.cs" />'),
        "Humanizer": project("src/Humanizer", HUMANIZER, {"Polyfill": "11.4.5"},
                             '<AdditionalFiles Include="../sources/src/Humanizer/Locales/*.yml" />'
                             '<InternalsVisibleTo Include="Humanizer.Tests" />' + CHARS),
        "Humanizer.Tests": project("tests/Humanizer.Tests", HUMANIZER + "<OutputType>Exe</OutputType>",
                                   {"xunit.v3": "3.2.2", "coverlet.collector": "10.0.1"}, CHARS +
                                   '<Using Include="Xunit" /><Using Include="Xunit.v3" />', without=("ApiApprover/**",))}),
}


HOSTED = {"xunit.runner.visualstudio": "3.1.5", **RUNNER}  # what tests of xunit 3 need for VSTest


def write_projects(suite, sources, folder, more):
    """Writes them; returns the folder of the tests' project, which has those packages more."""
    link = Path(folder) / "sources"
    if not link.is_symlink():
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(Path(sources).absolute() / suite)
    before = []
    for name, of in SUITES[suite][1].items():
        code = Path(sources).absolute() / suite / of["sources"]
        items = "".join(f'<ProjectReference Include="../{b}/{b}.csproj" {GENERATOR if "Generator" in b else ""}/>' for b in before
                        if "Generator" not in b or b == before[-1])
        items += "".join(f'<PackageReference Include="{n}" Version="{v}" />' for n, v in
                         {**of["packages"], **(more if of is list(SUITES[suite][1].values())[-1] else {})}.items())
        left = "".join(f";{code}/{path}" for path in ("obj/**", "bin/**") + tuple(of["without"]))
        key = next(iter([*code.glob("*.snk"), *(Path(sources).absolute() / suite).glob("asset/*.snk")]), None)
        signed = f"<SignAssembly>true</SignAssembly><PublicSign>true</PublicSign>" \
                 f"<AssemblyOriginatorKeyFile>{key}</AssemblyOriginatorKeyFile>" if key else ""
        write(f"{folder}/{name}/{name}.csproj", f"""<Project Sdk="Microsoft.NET.Sdk">
<PropertyGroup><TargetFramework>{of['framework']}</TargetFramework><EnableDefaultItems>false</EnableDefaultItems>
<TreatWarningsAsErrors>false</TreatWarningsAsErrors><NoWarn>$(NoWarn);NU1603;NU1608</NoWarn>
<RestorePackagesPath>{BUILD}/tests/published</RestorePackagesPath>{of['properties']}{signed}</PropertyGroup>
<ItemGroup><Compile Include="{code}/**/*.cs" Exclude="{left[1:]}" />
<EmbeddedResource Include="{code}/**/*.resx" />{of['items']}{items}</ItemGroup>
</Project>
""")
        before.append(name)
    return Path(folder) / before[-1]


def build(suite, sources, folder, more=None):
    """Builds it. The reason why that cannot be done, or None; the folder of what was built."""
    tests = write_projects(suite, sources, folder, more or {})
    said = command("dotnet build -c Release -v q", build_options(), cwd=tests, status=None, seconds=1800)
    if said.status == 0:
        return None, tests.absolute() / "bin/Release/net10.0"
    if re.search(r"NU1301|NU1101|NU1102|NU1100|Unable to load the service index", said.out):
        return "its packages cannot be had", None
    raise AssertionError(said.out[-3000:])
