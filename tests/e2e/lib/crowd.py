#!/usr/bin/env python3
"""Clients of `ilinject serve`, hostile ones among them: crowd.py URL PROFILE SECONDS

200 at a time, each a thread: 120 post the profile, 20 the same compressed, and 60 do harm: they say nothing, come letter
by letter, have a wrong token, send damage or what inflates without end, end too early, or open connections by the dozen.
Prints a line for each kind: how many rounds, and what each was answered. Exits with 1 when one of the 140 was not
answered 200 once.
"""
import collections
import gzip
import os
import random
import socket
import sys
import threading
import time
import urllib.parse

url, path, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
parts = urllib.parse.urlsplit(url)
address, target = (parts.hostname, parts.port), parts.path
profile = open(path, "rb").read()
packed = gzip.compress(profile)
bomb = gzip.compress(bytes(200 << 20))
end = time.monotonic() + seconds
told = collections.defaultdict(collections.Counter)
lock = threading.Lock()


def status(connection):
    """The answer's status line's number, its head and body read to their end; None: the connection ended."""
    data = b""
    while b"\r\n\r\n" not in data:
        part = connection.recv(65536)
        if not part:
            return None
        data += part
    head, body = data.split(b"\r\n\r\n", 1)
    length = 0
    for line in head.split(b"\r\n"):
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    while len(body) < length:
        part = connection.recv(65536)
        if not part:
            return None
        body += part
    return int(head.split(b" ")[1])


def post(connection, body, where=target, extra=""):
    head = f"POST {where} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n{extra}\r\n"
    connection.sendall(head.encode() + body)
    return status(connection)


def new():
    return socket.create_connection(address, timeout=120)


def honest(body, extra):
    """A connection that has been idle may be ended, and the request is then made anew (RFC 9112, section 9.3.1)."""
    def rounds():
        with new() as connection:
            yield post(connection, body, extra=extra)
            for _ in range(random.choice((0, 0, 9))):
                time.sleep(random.random() / 4)
                try:
                    answer = post(connection, body, extra=extra)
                except OSError:
                    answer = None
                if answer is None:
                    break
                yield answer
    return rounds


def silent():
    with new() as connection:
        yield connection.recv(1) or "ended"


def letters():
    with new() as connection:
        for letter in f"POST {target} HTTP/1.1\r\nX: " + "x" * 1000:
            connection.sendall(letter.encode())
            time.sleep(0.1)
    yield "all was taken"


def slow_body():
    with new() as connection:
        connection.sendall(f"POST {target} HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n".encode())
        for _ in range(2000):
            connection.sendall(b"I")
            time.sleep(0.1)
    yield "all was taken"


def wrong():
    with new() as connection:
        yield post(connection, profile, where="/" + "0" * 32)


def damaged():
    body = bytearray(profile)
    for _ in range(5):
        body[random.randrange(len(body))] ^= 1 << random.randrange(8)
    with new() as connection:
        yield post(connection, bytes(body))


def swells():
    with new() as connection:
        yield post(connection, bomb, extra="Content-Encoding: gzip\r\n")


def short():
    with new() as connection:
        connection.sendall(f"POST {target} HTTP/1.1\r\nContent-Length: 5000\r\n\r\n".encode() + profile[:300])
    yield "left"


def noise():
    with new() as connection:
        connection.sendall(os.urandom(20000))
        yield status(connection)


def smuggled():
    with new() as connection:
        connection.sendall(f"POST {target} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
                           f"0\r\n\r\nGET {target} HTTP/1.1\r\n\r\n".encode())
        yield status(connection)


def dozens():
    held = []
    try:
        for _ in range(60):
            held.append(new())
        time.sleep(2)
    finally:
        for connection in held:
            connection.close()
    yield "held"


def client(name, rounds):
    while time.monotonic() < end:
        try:
            for answer in rounds():
                with lock:
                    told[name][answer] += 1
        except OSError as error:
            with lock:
                told[name][type(error).__name__] += 1
        time.sleep(random.random() / 10)


kinds = [("posts", 120, honest(profile, "")), ("posts, compressed", 20, honest(packed, "Content-Encoding: gzip\r\n")),
         ("says nothing", 10, silent), ("a head by letters", 5, letters), ("a body by letters", 5, slow_body),
         ("a wrong token", 5, wrong), ("damaged", 10, damaged), ("swells", 2, swells), ("ends early", 8, short),
         ("noise", 5, noise), ("two lengths", 5, smuggled), ("sixty connections", 5, dozens)]
threads = [threading.Thread(target=client, args=(name, rounds)) for name, count, rounds in kinds for _ in range(count)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
for name, _, _ in kinds:
    print(f"{name}: " + ", ".join(f"{count} x {answer}" for answer, count in told[name].most_common()))
sys.exit(any(set(told[name]) != {200} for name in ("posts", "posts, compressed")))
