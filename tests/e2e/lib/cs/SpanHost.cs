// Runs SpanWork.cs under OpenTelemetry's SDK, and prints what its in-memory exporter got: a line each, of the span, its parent, its
// trace, its status, its name and its tags. It is not instrumented.
//   run|more [none]     below a span "root"; none: with a provider that does not listen to Orchard
//   serve               as an endpoint of ASP.NET, asked once with the traceparent that stands in the environment; not with ALONE
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Net.Sockets;
using System.Text;
using System.Threading.Tasks;
#if !ALONE
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.Logging;
#endif
using OpenTelemetry;
using OpenTelemetry.Trace;

static class SpanHost
{
    static async Task<int> Main(string[] arguments)
    {
        List<Activity> spans = new List<Activity>();
        bool listens = arguments.Length == 1;
        string[] sources = listens ? new[] { "Orchard", "host", "Microsoft.AspNetCore" } : new[] { "host" };
        using (TracerProvider provider = Sdk.CreateTracerProviderBuilder().AddSource(sources).AddInMemoryExporter(spans).Build())
        {
#if ALONE
            int sum = await Run(arguments[0] == "more");
#else
            int sum = arguments[0] == "serve" ? await Serve() : await Run(arguments[0] == "more");
#endif
            provider.ForceFlush();
            Console.WriteLine("sum " + sum);
        }
        foreach (Activity span in spans)
            Console.WriteLine(string.Join("\t", span.SpanId, span.ParentSpanId, span.TraceId, span.Status, span.DisplayName,
                string.Join(" ", span.TagObjects.Where(tag => !tag.Key.StartsWith("http")).Select(tag => tag.Key + "=" + tag.Value))));
        return spans.Count(span => span.Duration <= TimeSpan.Zero);
    }

    static async Task<int> Run(bool more)
    {
        using (ActivitySource source = new ActivitySource("host"))
        using (Activity root = source.StartActivity("root"))
        {
            Task<int> running = Orchard.Work.RunAsync(more);
            if (Activity.Current != root)
                Console.WriteLine("after the call, " + Activity.Current.DisplayName + " is current");
            int sum = await running;
            if (Activity.Current != root)
                Console.WriteLine("after the await, " + Activity.Current.DisplayName + " is current");
            return sum;
        }
    }

#if !ALONE
    static async Task<int> Serve()
    {
        WebApplicationBuilder builder = WebApplication.CreateBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        await using (WebApplication app = builder.Build())
        {
            app.MapGet("/", async () => (await Orchard.Work.RunAsync(true)).ToString());
            await app.StartAsync();
            Uri at = new Uri(app.Urls.First());
            using (TcpClient client = new TcpClient(at.Host, at.Port))
            {
                NetworkStream stream = client.GetStream();
                string asked = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\ntraceparent: " +
                    Environment.GetEnvironmentVariable("TRACEPARENT") + "\r\n\r\n";
                await stream.WriteAsync(Encoding.ASCII.GetBytes(asked));
                string answer = await new StreamReader(stream).ReadToEndAsync();
                await app.StopAsync();
                return int.Parse(answer.Substring(answer.IndexOf("\r\n\r\n") + 4).Split("\r\n")[1]);
            }
        }
    }
#endif
}
