#!/usr/bin/env python3
"""Clients of `ilinject serve`, hostile ones among them: crowd.py URL PROFILE SECONDS

200 at a time, each a task of one thread: 120 post the profile, 20 the same compressed, and 60 do harm: they say nothing,
come letter by letter, have a wrong token, send damage or what inflates without end, end too early, or open connections by
the dozen. Prints a line for each kind: how many rounds, and what each was answered. Exits with 1 when one of the requests
of the 140 was not answered 200. As the tracker does, they send once more what had no answer: of those that say nothing yet the
server ends the oldest when there are too many, and on a busy machine some of the 140 are among them.
"""
import asyncio
import collections
import contextlib
import gzip
import os
import random
import socket
import struct
import sys
import time
import urllib.parse

url, path, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
parts = urllib.parse.urlsplit(url)
address, target = (parts.hostname, parts.port), parts.path
with open(path, "rb") as file:
    profile = file.read()
packed = gzip.compress(profile)
bomb = gzip.compress(bytes(200 << 20))
end = time.monotonic() + seconds
told = collections.defaultdict(collections.Counter)
sent_again = 0
LONGEST = 120


class Connection:
    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer

    async def send(self, data):
        self.writer.write(data)
        await self.writer.drain()

    async def status(self):
        """The answer's number, its head and body read to their end; None: the connection ended."""
        try:
            head = await self.reader.readuntil(b"\r\n\r\n")
            length = 0
            for line in head.split(b"\r\n"):
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            await self.reader.readexactly(length)
        except asyncio.IncompleteReadError:
            return None
        return int(head.split(b" ")[1])

    async def post(self, body, where=target, extra=""):
        head = f"POST {where} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n{extra}\r\n"
        await self.send(head.encode() + body)
        return await self.status()

    def end_by_reset(self):
        linger = struct.pack("ii", 1, 0)
        self.writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)


@contextlib.asynccontextmanager
async def new():
    connection = Connection(*await asyncio.open_connection(*address))
    try:
        yield connection
    finally:
        connection.writer.close()
        with contextlib.suppress(OSError):
            await connection.writer.wait_closed()


async def first_post(connection, body, extra):
    with contextlib.suppress(ConnectionError):
        return await asyncio.wait_for(connection.post(body, extra=extra), LONGEST)
    return None


def honest(body, extra):
    """A connection that has been idle may be ended, and the request is then made anew (RFC 9112, section 9.3.1)."""
    async def rounds(tell):
        global sent_again
        async with contextlib.AsyncExitStack() as held:
            connection = await held.enter_async_context(new())
            answer = await first_post(connection, body, extra)
            if answer is None:
                sent_again += 1
                connection = await held.enter_async_context(new())
                answer = await first_post(connection, body, extra)
            tell(answer)
            for _ in range(random.choice((0, 0, 9))):
                await asyncio.sleep(random.random() / 4)
                try:
                    answer = await asyncio.wait_for(connection.post(body, extra=extra), LONGEST)
                except ConnectionError:
                    answer = None
                if answer is None:
                    break
                tell(answer)
    return rounds


async def silent(tell):
    async with new() as connection:
        tell(await connection.reader.read(1) or "ended")


async def letters(tell):
    async with new() as connection:
        for letter in f"POST {target} HTTP/1.1\r\nX: " + "x" * 1000:
            await connection.send(letter.encode())
            await asyncio.sleep(0.1)
    tell("all was taken")


async def slow_body(tell):
    async with new() as connection:
        await connection.send(f"POST {target} HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n".encode())
        for _ in range(2000):
            await connection.send(b"I")
            await asyncio.sleep(0.1)
    tell("all was taken")


async def wrong(tell):
    async with new() as connection:
        tell(await connection.post(profile, where="/" + "0" * 32))


async def damaged(tell):
    body = bytearray(profile)
    for _ in range(5):
        body[random.randrange(len(body))] ^= 1 << random.randrange(8)
    async with new() as connection:
        tell(await connection.post(bytes(body)))


async def swells(tell):
    async with new() as connection:
        tell(await connection.post(bomb, extra="Content-Encoding: gzip\r\n"))


async def short(tell):
    """The other end finds an end, or an error."""
    by_reset = random.random() < 0.5
    async with new() as connection:
        await connection.send(f"POST {target} HTTP/1.1\r\nContent-Length: 5000\r\n\r\n".encode() + profile[:300])
        if by_reset:
            connection.end_by_reset()
    tell("reset" if by_reset else "left")


async def noise(tell):
    async with new() as connection:
        await connection.send(os.urandom(20000))
        tell(await connection.status())


async def smuggled(tell):
    async with new() as connection:
        await connection.send(f"POST {target} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
                              f"0\r\n\r\nGET {target} HTTP/1.1\r\n\r\n".encode())
        tell(await connection.status())


async def dozens(tell):
    async with contextlib.AsyncExitStack() as held:
        for _ in range(60):
            await held.enter_async_context(new())
        await asyncio.sleep(2)
    tell("held")


async def client(name, rounds):
    while time.monotonic() < end:
        try:
            await rounds(lambda answer: told[name].update([answer]))
        except (OSError, asyncio.TimeoutError) as error:
            told[name][type(error).__name__] += 1
        await asyncio.sleep(random.random() / 10)


kinds = [("posts", 120, honest(profile, "")), ("posts, compressed", 20, honest(packed, "Content-Encoding: gzip\r\n")),
         ("says nothing", 10, silent), ("a head by letters", 5, letters), ("a body by letters", 5, slow_body),
         ("a wrong token", 5, wrong), ("damaged", 10, damaged), ("swells", 2, swells), ("ends early", 8, short),
         ("noise", 5, noise), ("two lengths", 5, smuggled), ("sixty connections", 5, dozens)]


async def crowd():
    await asyncio.gather(*(client(name, rounds) for name, count, rounds in kinds for _ in range(count)))


asyncio.run(crowd())
for name, _, _ in kinds:
    print(f"{name}: " + ", ".join(f"{count} x {answer}" for answer, count in told[name].most_common()))
print(f"sent again: {sent_again}")
sys.exit(any(set(told[name]) != {200} for name in ("posts", "posts, compressed")))
