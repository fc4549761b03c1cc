#!/usr/bin/env python3
"""A server of the loopback that sends its clients elsewhere: redirects.py LOG LOCATION [CERTIFICATE KEY]

Prints its port. Each request is a line of LOG: the method, and what it asked for. It is answered 307 with LOCATION; one that
names a whole address, as clients of a proxy do, is answered 200. With a certificate it speaks TLS.
"""
import http.server
import ssl
import sys

log, location, secrets = sys.argv[1], sys.argv[2], sys.argv[3:]


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with open(log, "a") as file:
            print(self.command, self.path, file=file)
        proxied = self.path.startswith("http://")
        self.send_response(200 if proxied else 307)
        if not proxied:
            self.send_header("Location", location)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
if secrets:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*secrets)
    server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_port, flush=True)
server.serve_forever()
