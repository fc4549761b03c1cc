#!/usr/bin/env -S python3 -B
# level: full
"""The texts of commands that Entity Framework and Dapper run, by the rules that the note gives: each below the call of
the package, in a program that is built with the packages."""
import fcntl
import re
import shutil
import sys
sys.path[0] += "/../.."
from kit import BUILD, check, command, equal, finish, has, ilinject, program, report, scratch, skip, true, write

SENTENCE = "texts of commands that packages run stand below the calls of the packages"
PROJECT = """\
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><OutputType>Exe</OutputType><TargetFramework>net10.0</TargetFramework></PropertyGroup>
  <ItemGroup>
    <PackageReference Include="Microsoft.EntityFrameworkCore.Sqlite" Version="9.0.0"/>
    <PackageReference Include="Dapper" Version="2.1.35"/>
  </ItemGroup>
</Project>
"""
PROGRAM = """\
using System;
using System.Linq;
using System.Threading.Tasks;
using Dapper;
using Microsoft.Data.Sqlite;
using Microsoft.EntityFrameworkCore;

class Todo { public int Id { get; set; } public string Title { get; set; } }
class Db : DbContext {
    public DbSet<Todo> Todos => Set<Todo>();
    protected override void OnConfiguring(DbContextOptionsBuilder o) => o.UseSqlite("Data Source=todos.db");
}
static class Program {
    static async Task Main() {
        using var db = new Db();
        db.Database.EnsureCreated();
        db.Todos.Add(new Todo { Title = "secret" });
        db.SaveChanges();
        for (int i = 0; i < 5; i++)
            Console.WriteLine(await One(db, 1));
        using var connection = new SqliteConnection("Data Source=todos.db");
        for (int i = 0; i < 3; i++)
            Console.WriteLine(connection.Query<Todo>("SELECT Title FROM Todos WHERE Title <> 'x'").Count());
        Console.WriteLine(await connection.ExecuteAsync("UPDATE Todos SET Title = 'y' WHERE Id = 7"));
    }
    static async Task<string> One(Db db, int id) => (await db.Todos.Where(t => t.Id == id).FirstAsync()).Title;
}
"""
# The call of the package, the text, and how often it ran: counted by hand.
EXPECTED = [("DbContext.SaveChanges(", '"INSERT INTO "Todos" ("Title") VALUES (@p0) RETURNING ?"', 1),
            ("EntityFrameworkQueryableExtensions.FirstAsync<",
             '"SELECT "t"."Id", "t"."Title" FROM "Todos" AS "t" WHERE "t"."Id" = @__id_0 LIMIT ?"', 5),
            ("SqlMapper.Query<", '"SELECT Title FROM Todos WHERE Title <> ?"', 3),
            ("SqlMapper.ExecuteAsync(", '"UPDATE Todos SET Title = ? WHERE Id = ?"', 1)]


def build():
    """Builds the program; what went wrong, or None."""
    write("App.csproj", PROJECT)
    write("Program.cs", PROGRAM)
    packages = BUILD / "tests/packages"
    packages.mkdir(parents=True, exist_ok=True)
    with open(f"{packages}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        said = command("dotnet build -c Release -o made", f"-p:RestorePackagesPath={packages}", "App.csproj",
                       status=None, env={"MSBUILDDISABLENODEREUSE": "1"}, seconds=600)
    failed = re.search(r"error (?:NU|MSB4236)\S*: .{1,100}", said.out)
    true(said.status == 0 or failed, said)
    return None if said.status == 0 else failed[0]


def texts():
    said = ilinject("made --leaves --command-texts -o plain")
    rules = re.search(r"with (--all .*?) they have", said.err)[1].replace("'", "").split()
    ilinject("-q made --leaves --command-texts -o out", *rules)
    ran = program("dotnet", "out/App.dll", status=0, cwd=scratch())
    equal(ran.out.split(), ["secret"] * 5 + ["1"] * 3 + ["0"])
    read = report(ran.profile)
    found = {}
    for thread in read["threads"]:
        path = []
        for node in thread["tree"]:
            name = read["functions"][node["function"]]["name"] if node.get("function", -1) >= 0 else ""
            path[node["depth"] - 1:] = [name]
            if name.startswith('"'):
                found[name] = found.get(name, []) + [(list(path), node["calls"])]
    for call, text, calls in EXPECTED:
        true(text in found, f"{text} is not in {sorted(found)}")
        equal((text, sum(n for _, n in found[text])), (text, calls))
        true(all(any(call in name for name in path) for path, _ in found[text]), f"{call}: {found[text]}")
    true(not any("secret" in name or "'" in name for name in found), f"{sorted(found)}")


if not has("dotnet"):
    skip(SENTENCE, "no dotnet")
    finish()
lacks = build()
if lacks:
    skip(SENTENCE, lacks)
else:
    check(SENTENCE, texts)
shutil.rmtree(scratch() / "obj", ignore_errors=True)
finish()
