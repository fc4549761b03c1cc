// Endpoints of ASP.NET in all the forms that e2e/routes knows. Main asks for each of them as often as Requests says, and prints what
// ASP.NET itself says of it: the handler's token, the verbs, the pattern.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Net.Http;
using System.Reflection;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Mvc;
using Microsoft.AspNetCore.Mvc.Controllers;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

static class Program {
    static async Task<int> Main(string[] args) {
        var builder = WebApplication.CreateBuilder(args);
        builder.Logging.ClearProviders();
        builder.Services.AddControllers().AddApplicationPart(typeof(Program).Assembly);
        var app = builder.Build();
        app.Urls.Add("http://127.0.0.1:0");
        int hits = 0;
        app.Use(async (context, next) => { hits++; await next(context); });
        app.MapGet("/", () => "root");
        app.MapGet("/hits", () => hits);
        app.MapGet("/local", Local);
        app.MapGet("/raw", async context => { await Task.Yield(); await context.Response.WriteAsync("raw"); });
        var todos = app.MapGroup("/todos").WithTags("t");
        todos.MapGet("/", async () => { await Task.Yield(); return "all"; });
        todos.MapGet("/{id:int}", (int id) => id).WithName("one");
        todos.MapPost("/", () => Results.Ok());
        app.MapGroup("api/").MapGroup("/v1").MapDelete("x/{id}", (int id) => Results.NoContent());
        app.MapMethods("/many", new[] { "PUT", "PATCH" }, () => "many");
        app.MapMethods("/single", ["OPTIONS"], () => "single");
        app.Map("/any", () => "any");
        Func<string> kept = () => "kept";
        app.MapGet("/kept", kept);
        app.MapGet("/twice", Shared.Twice);
        app.MapPut("/twice", Shared.Twice);
        app.MapGet(args.Length > 9 ? "/nine" : "/some", () => "some");
        app.MapGet("/sum", () => Enumerable.Range(0, 3).Sum(i => Enumerable.Range(0, i).Count(j => j > 0)));
        app.MapGet("/later", async () => { Func<int, Task<int>> after = async i => { await Task.Yield(); return i; }; return await after(2); });
        app.MapShared();
        app.MapGroup("/inner").MapInner();
        foreach (string name in new[] { "a", "b" })
            app.MapGroup("/" + name).MapGet("/computed", () => name);
        Both.Map(app.MapGroup("/left"));
        Both.Map(app.MapGroup("/right"));
        app.MapControllers();
        await app.StartAsync();
        int failed = 0;
        using (var client = new HttpClient { BaseAddress = new Uri(app.Urls.First()) })
            foreach (string request in Requests.Split('\n', StringSplitOptions.RemoveEmptyEntries)) {
                string[] words = request.Split(' ', StringSplitOptions.RemoveEmptyEntries);
                for (int i = 0; i < int.Parse(words[2]); i++) {
                    var answer = await client.SendAsync(new HttpRequestMessage(new HttpMethod(words[0]), words[1]));
                    if (!answer.IsSuccessStatusCode) {
                        Console.WriteLine("failed: " + request + ": " + answer.StatusCode);
                        failed = 1;
                    }
                }
            }
        foreach (var endpoint in ((IEndpointRouteBuilder)app).DataSources.SelectMany(s => s.Endpoints).OfType<RouteEndpoint>())
            Print(endpoint);
        await app.StopAsync();
        return failed;
    }

    const string Requests = "GET / 2\nGET /hits 3\nGET /local 4\nGET /raw 5\nGET /todos 6\nGET /todos/7 7\nPOST /todos 8\n" +
        "DELETE /api/v1/x/3 9\nPATCH /many 10\nOPTIONS /single 11\nHEAD /any 12\nGET /kept 13\nGET /twice 14\nPUT /twice 1\n" +
        "GET /some 16\nGET /shared/9 17\nGET /inner 18\nGET /inner/deep/4 19\nGET /a/computed 20\nGET /left/both 21\n" +
        "GET /right/both 1\nGET /sum 28\nGET /later 29\nGET /api/Items 23\nGET /api/Items/3 24\nGET /other/5 25\nPOST /api/Items/Add 26\nGET /based/Get 27\n";

    static string Local() => "local";

    static void Print(RouteEndpoint endpoint) {
        var method = endpoint.Metadata.GetMetadata<MethodInfo>() ??
            endpoint.Metadata.GetMetadata<ControllerActionDescriptor>()?.MethodInfo;
        var verbs = endpoint.Metadata.GetMetadata<IHttpMethodMetadata>();
        if (method != null)
            Console.WriteLine("endpoint {0:x8} {1} {2}", method.MetadataToken,
                verbs == null ? "ANY" : string.Join(",", verbs.HttpMethods), endpoint.RoutePattern.RawText);
    }
}

static class Shared {
    public static string Twice() => "twice";

    public static void MapShared(this IEndpointRouteBuilder routes) {
        routes.MapGet("/shared/{id}", (int id) => id);
    }

    public static RouteGroupBuilder MapInner(this RouteGroupBuilder group) {
        group.MapGet("/", () => "inner");
        Deeper(1, group.MapGroup("deep"));
        return group;
    }

    static void Deeper(int start, RouteGroupBuilder group) {
        group.MapGet("/{id}", (int id) => id + start);
    }
}

static class Both {
    public static void Map(RouteGroupBuilder group) {
        group.MapGet("/both", () => "both");
    }
}

[Route("api/[controller]")]
public class ItemsController : ControllerBase {
    [HttpGet] public string List() => "list";
    [HttpGet("{id:int}")] public int One(int id) => id;
    [HttpGet("/other/{id}", Name = "other")] public async Task<int> Other(int id) { await Task.Yield(); return id; }
    [HttpPost, Route("[action]")] public string AddAsync() => "added";
}

[Route("based/[action]")]
public abstract class Base : ControllerBase {
}

public class BasedController : Base {
    [HttpGet] public string Get() => "based";
}
