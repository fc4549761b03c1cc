"""Many clients of `ilinject serve` in one thread, each of which repeats what was not acknowledged, as trackers do.

    sent = send(url, clients)     clients: for each one an iterable of bodies
    sent.acknowledged             (client, number of the body) for each that was answered with 200, in that order
    sent.put_off                  answers of 429, 503 and 507 with Retry-After
    sent.others                   other answers, which are not repeated
    sent.broken                   connections without an answer
"""
import asyncio
import collections
import urllib.parse

Sent = collections.namedtuple("Sent", "acknowledged put_off others broken")


async def _answer(host, port, path, body):
    """The status and the headers; (0, {}): the connection ended before."""
    try:
        reader, writer = await asyncio.open_connection(host, port)
    except OSError:
        return 0, {}
    try:
        writer.write(b"POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
                     % (path.encode(), len(body)) + body)
        await writer.drain()
        head, _, rest = (await reader.read()).partition(b"\r\n\r\n")
        lines = head.decode().split("\r\n")
        fields = {k.lower(): v for k, _, v in (line.partition(": ") for line in lines[1:])}
        whole = rest and len(rest) == int(fields.get("content-length", -1))
        return (int(lines[0].split(" ")[1]), fields) if whole else (0, {})
    except (OSError, IndexError):
        return 0, {}
    finally:
        writer.close()


async def _client(url, number, bodies, sent, pause):
    host, port = url.hostname, url.port
    for which, body in enumerate(bodies):
        while True:
            status, fields = await _answer(host, port, url.path, body)
            if status == 200:
                sent.acknowledged.append((number, which))
                break
            if status in (429, 503, 507):
                sent.put_off.append((status, int(fields["retry-after"])))
                await asyncio.sleep(pause or int(fields["retry-after"]))
            elif status == 0:
                sent.broken.append(number)
                await asyncio.sleep(0.2)
            else:
                sent.others.append((number, which, status))
                break


async def _all(url, clients, sent, pause, meanwhile):
    tasks = [asyncio.ensure_future(_client(urllib.parse.urlsplit(url), number, bodies, sent, pause))
             for number, bodies in enumerate(clients)]
    if meanwhile:
        await meanwhile(sent)
    await asyncio.gather(*tasks)


def send(url, clients, pause=0, meanwhile=None):
    """`pause`: seconds instead of those of Retry-After; `meanwhile`: a coroutine function of what was sent so far."""
    sent = Sent([], [], [], [])
    asyncio.run(_all(url, clients, sent, pause, meanwhile))
    return sent


async def until(holds, *arguments):
    """Waits, at most 100 seconds; raises when it does not come true."""
    for _ in range(2000):
        if holds(*arguments):
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"{holds.__name__} did not come true")
