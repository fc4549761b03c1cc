#!/usr/bin/env -S python3 -B
# level: full
"""Cobertura's methods beside coverlet's, of a library with tests by xunit 2; ReportGenerator reads it."""
import fcntl
import glob
import re
import sys
import xml.etree.ElementTree as ElementTree
sys.path[0] += "/../.."
sys.path.append(sys.path[0] + "/e2e/lib/py")
import covered
from kit import BUILD, check, command, equal, finish, has, ilinject, scratch, skip, true, write

LIBRARY = """<Project Sdk="Microsoft.NET.Sdk">
<PropertyGroup><TargetFramework>net10.0</TargetFramework>
<RestorePackagesPath>{packages}</RestorePackagesPath><Nullable>disable</Nullable></PropertyGroup>
</Project>
"""
PROJECT = """<Project Sdk="Microsoft.NET.Sdk">
<PropertyGroup><TargetFramework>net10.0</TargetFramework><IsTestProject>true</IsTestProject>
<RestorePackagesPath>{packages}</RestorePackagesPath></PropertyGroup>
<ItemGroup><ProjectReference Include="../Shop/Shop.csproj" />
<PackageReference Include="xunit.core" Version="2.9.3" />
<PackageReference Include="xunit.runner.visualstudio" Version="3.1.5" />
<PackageReference Include="Microsoft.NET.Test.Sdk" Version="17.14.1" />
<PackageReference Include="coverlet.collector" Version="6.0.4" /></ItemGroup>
</Project>
"""
SOURCE = """using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Threading.Tasks;
namespace Shop;
public interface ISaved {
    void Save();
    int Total { get; }
}
public class Cart : ISaved {
    readonly List<int> items;
    public Cart() {
        items = new() { 1 };
    }
    public Cart(int first) {
        items = new() { first };
    }
    public void Save() {
        items.Clear();
    }
    public int Total {
        get { return items.Count; }
        set { items.Add(value); }
    }
    public int Never() => 3;
    public int Add(int a) => a + 1;
    public int Add(int a, int b) => a + b;
    public string Add(string a) => a;
    public T Same<T>(T it) {
        return it;
    }
    public async Task<int> LaterAsync(int n) {
        await Task.Yield();
        return n;
    }
    public async Task<int> NeverAsync() {
        await Task.Yield();
        return 1;
    }
    public IEnumerable<int> Walked() {
        yield return 1;
    }
    public IEnumerable<int> NotWalked() {
        yield return 1;
    }
    public override string ToString() {
        return "cart";
    }
    public static implicit operator int(Cart it) {
        return 3;
    }
    [ExcludeFromCodeCoverage]
    public void Excluded() {
        items.Clear();
    }
    public class Line<T> {
        public T Put(T it) {
            return it;
        }
        public T Take() {
            return default;
        }
    }
}
[ExcludeFromCodeCoverage]
public class Out {
    public int A() => 1;
}
public abstract class Base {
    public abstract int Must();
    public virtual int May() {
        return 1;
    }
}
public class Derived : Base {
    public override int Must() {
        return 2;
    }
    public override int May() {
        return 3;
    }
}
public static class Old {
    public static int First() {
        return 1;
    }
    public static int Throws() {
        throw new InvalidOperationException();
    }
}
"""
TESTS = """using System;
using System.Threading.Tasks;
using Shop;
using Xunit;
public class Checks {
    [Fact] public void Adds() { new Cart().Add(1); new Cart().Add("a"); new Cart().Save(); }
    [Fact] public void Totals() { ISaved of = new Cart(); if (of.Total != 1) throw new Exception(); }
    [Fact] public async Task Later() { await new Cart().LaterAsync(3); new Cart().Same(3); }
    [Fact] public void Walks() {
        foreach (int i in new Cart().Walked()) new Cart.Line<int>().Put(i);
        new Cart().NotWalked();
    }
    [Fact] public void Derives() { Base of = new Derived(); of.Must(); new Out().A(); new Cart().Excluded(); }
    [Fact] public void Fails() { try { Old.Throws(); } catch (InvalidOperationException) { } }
}
"""


def built():
    packages = f"{BUILD}/tests/published"
    write("Shop/Shop.csproj", LIBRARY.format(packages=packages))
    write("Shop/Shop.cs", SOURCE)
    write("Suite/Suite.csproj", PROJECT.format(packages=packages))
    write("Suite/Checks.cs", TESTS)
    with open(BUILD / "tests/published.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        said = command("dotnet build -c Debug -v q --disable-build-servers", cwd="Suite", status=None, seconds=1500)
    if re.search(r"NU1301|NU110\d|Unable to load the service index", said.out):
        return "its packages cannot be had"
    true(said.status == 0, said.out[-3000:])
    return None


def same(theirs, ours):
    agreed, wrong, absent, left = covered.compared(theirs, ours)
    print(f"   {agreed} methods agree, {len(wrong)} differ, {len(absent)} and {len(left)} stand in one alone",
          flush=True)
    equal((wrong[:3], absent[:3], left[:3]), ([], [], []))
    true(agreed > 20, f"{agreed} methods")


def read_by_generator():
    """It counts the tests' own methods as well."""
    ours = [int(m.find("lines/line").get("hits")) for m in ElementTree.parse("ours.xml").getroot().iter("method")]
    command("dotnet tool install --tool-path", scratch() / "tool", "dotnet-reportgenerator-globaltool",
            "--version", "5.6.0", seconds=600)
    command(scratch() / "tool/reportgenerator", "-reports:ours.xml", "-targetdir:html", "-reporttypes:TextSummary",
            seconds=600)
    summary = (scratch() / "html/Summary.txt").read_text()
    hit, = re.findall(r"Covered methods: (\d+)", summary)
    equal(int(hit), sum(hits > 0 for hits in ours))


if not has("dotnet"):
    skip("methods that coverlet has hit", "no dotnet")
    finish()
reason = built()
if reason:
    skip("methods that coverlet has hit", reason)
    finish()
command("dotnet test --no-build -c Debug", "--collect:XPlat Code Coverage", "--results-directory", scratch() / "theirs",
        cwd="Suite", seconds=1500)
ilinject("test -q -o run.ilprof Suite/bin/Debug/net10.0 -- --nologo", seconds=1500)
ilinject("report --format=cobertura -o ours.xml run.ilprof")
THEIRS, OURS = (covered.methods(path, "Shop") for path in (
    glob.glob(f"{scratch()}/theirs/*/coverage.cobertura.xml")[0], "ours.xml"))
check("the methods that were hit are those that coverlet says", same, THEIRS, OURS)
check("ReportGenerator reads it, and counts as many methods", read_by_generator)
finish()
