// By System.Net.Http.HttpClient: .NET 5 and later, also in a browser, where it is the only way.
using System;
using System.Reflection;

namespace Instrumenter
{
    internal sealed class ClientDelivery : Delivery
    {
        private readonly Type type;
        private object client;

        internal ClientDelivery(Type type, string url, byte[] body) : base(url, body)
        {
            this.type = type;
        }

        protected override void Send()
        {
            Type contentType = ReflectedTypes.OfCore("System.Net.Http.HttpContent", "System.Net.Http");
            byte[] compressed = Gzip.Of(Body);
            object content = Activator.CreateInstance(ReflectedTypes.OfCore("System.Net.Http.ByteArrayContent", "System.Net.Http"), new object[] { compressed ?? Body });
            object headers = ReflectedTypes.Get(content, contentType, "Headers");
            AddHeader(headers, "Content-Type", ContentType);
            if (compressed != null)
                AddHeader(headers, "Content-Encoding", Gzip.Coding);
            client = Post.KeepsValues ? Activator.CreateInstance(type, new object[] { Direct() }) : Activator.CreateInstance(type);
            object task = ReflectedTypes.Call(client, type, "PostAsync", new Type[] { typeof(string), contentType }, Url, content);
            Type taskType = ReflectedTypes.OfCoreLibrary("System.Threading.Tasks.Task"), handler = typeof(Action<>).MakeGenericType(taskType);
            MethodInfo done = new Action<object>(Answered).Method;
            ReflectedTypes.Call(task, taskType, "ContinueWith", new Type[] { handler }, Delegate.CreateDelegate(handler, this, done));
        }

        /// <summary>A handler that goes to the address itself, and nowhere from there. Nothing is sent where there is no such one.</summary>
        private object Direct()
        {
            Type handlerType = ReflectedTypes.OfCore("System.Net.Http.HttpClientHandler", "System.Net.Http");
            object handler = Activator.CreateInstance(handlerType);
            ReflectedTypes.Set(handler, handlerType, "AllowAutoRedirect", false);
            // A browser has proxies of its own.
            if (PostAddress.IsPlainAndLocal(Url) && (bool)ReflectedTypes.Get(handler, handlerType, "SupportsProxy"))
                ReflectedTypes.Set(handler, handlerType, "UseProxy", false);
            return handler;
        }

        private static void AddHeader(object headers, string name, string value)
        {
            ReflectedTypes.Call(headers, headers.GetType(), "TryAddWithoutValidation", new Type[] { typeof(string), typeof(string) }, name, value);
        }

        private void Answered(object task)
        {
            Step(delegate
            {
                Exception problem = (Exception)ReflectedTypes.Get(task, ReflectedTypes.OfCoreLibrary("System.Threading.Tasks.Task"), "Exception");
                string status = null;
                if (problem == null)
                    using (IDisposable answer = (IDisposable)ReflectedTypes.Get(task, task.GetType(), "Result"))
                        status = Host.Number((int)ReflectedTypes.Get(answer, answer.GetType(), "StatusCode"));
                Abandon();
                if (status == null)
                    End(ReflectedTypes.Reason(problem), false);
                else
                    EndBy(status);
            });
        }

        internal override void Abandon()
        {
            try
            {
                IDisposable going = (IDisposable)client;
                if (going != null)
                    going.Dispose();
            }
            catch (Exception)
            {
            }
        }
    }
}
