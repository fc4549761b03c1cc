// By System.Net.WebRequest: .NET Framework, Mono, Silverlight, Windows Phone. All of it is asynchronous: Silverlight has nothing else.
using System;
using System.IO;
using System.Reflection;
using System.Threading;

namespace Instrumenter
{
    internal sealed class RequestDelivery : Delivery
    {
        internal const string TypeName = "System.Net.WebRequest";

        private readonly Type type;
        private volatile object request;

        internal RequestDelivery(Type type, string url, byte[] body) : base(url, body)
        {
            this.type = type;
        }

        protected override void Send()
        {
            object made = Create();
            ReflectedTypes.Set(made, type, "Method", "POST");
            ReflectedTypes.Set(made, type, "ContentType", ContentType);
            if (!Host.IsSilverlight)
            {
                // Else the first body waits a while for the server to ask for it, and the connection is kept.
                object point = ReflectedTypes.Get(made, made.GetType(), "ServicePoint");
                if (point != null)
                    ReflectedTypes.TrySet(point, "Expect100Continue", false);
                ReflectedTypes.TrySet(made, "KeepAlive", false);
            }
            if (GoesDirectly)
                GoDirectly(made);
            request = made;
            Begin("BeginGetRequestStream", Written);
        }

        /// <summary>On Silverlight it is the browser that decides.</summary>
        private static bool GoesDirectly
        {
            get { return Post.KeepsValues && !Host.IsSilverlight; }
        }

        /// <summary>To the address itself, and nowhere from there.</summary>
        private void GoDirectly(object made)
        {
            ReflectedTypes.Set(made, made.GetType(), "AllowAutoRedirect", false);
            if (PostAddress.IsPlainAndLocal(Url))
                ReflectedTypes.Set(made, type, "Proxy", null);
        }

        /// <summary>WebRequest.Create(Uri).</summary>
        private object Create()
        {
            foreach (MethodInfo method in type.GetMethods())
            {
                ParameterInfo[] parameters = method.GetParameters();
                if (method.Name == "Create" && parameters.Length == 1 && parameters[0].ParameterType.FullName == "System.Uri")
                    return method.Invoke(null, new object[] { Activator.CreateInstance(parameters[0].ParameterType, new object[] { Url }) });
            }
            throw new MissingMethodException("there is no WebRequest.Create(Uri)");
        }

        private void Begin(string method, ThreadStart next)
        {
            AsyncCallback callback = delegate(IAsyncResult result)
            {
                Step(delegate
                {
                    last = result;
                    next();
                });
            };
            ReflectedTypes.Call(request, type, method, new Type[] { typeof(AsyncCallback), typeof(object) }, callback, null);
        }

        private IAsyncResult last;

        private object EndOf(string method)
        {
            return ReflectedTypes.Call(request, type, method, new Type[] { typeof(IAsyncResult) }, last);
        }

        private void Written()
        {
            using (Stream stream = (Stream)EndOf("EndGetRequestStream"))
                stream.Write(Body, 0, Body.Length);
            Begin("BeginGetResponse", Answered);
        }

        /// <summary>An answer that says no comes as an exception, but for a redirect that is not followed.</summary>
        private void Answered()
        {
            string status = "200";
            try
            {
                using (IDisposable answer = (IDisposable)EndOf("EndGetResponse"))
                    if (GoesDirectly)
                        status = StatusOf(answer);
            }
            catch (Exception e)
            {
                object answer = AnswerIn(e);
                if (answer == null)
                    throw;
                status = StatusOf(answer);
            }
            EndBy(status);
        }

        private static string StatusOf(object answer)
        {
            return Host.Number((int)ReflectedTypes.Get(answer, answer.GetType(), "StatusCode"));
        }

        /// <summary>A WebException has the answer; null: there is none.</summary>
        private static object AnswerIn(Exception e)
        {
            while (e.InnerException != null && e.GetType().Name != "WebException")
                e = e.InnerException;
            return e.GetType().Name == "WebException" ? ReflectedTypes.Get(e, e.GetType(), "Response") : null;
        }

        protected override bool IsAnswer(Exception e)
        {
            return AnswerIn(e) != null;
        }

        internal override void Abandon()
        {
            try
            {
                object going = request;
                if (going != null)
                    ReflectedTypes.Call(going, type, "Abort", new Type[0]);
            }
            catch (Exception)
            {
            }
        }
    }
}
