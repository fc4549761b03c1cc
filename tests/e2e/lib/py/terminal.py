"""terminal.py COLUMNS ROWS [WORD=KEYS]… -- COMMAND…: runs a command in a terminal of its own, presses KEYS (Python's
escapes) once it has printed WORD, and prints what stood on the terminal as plain lines. The exit value is the
command's; 124 after 100 seconds."""
import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time


def plain(text):
    """Without what steers the terminal; Wine draws a blank as a wiped cell and a step to the right."""
    text = re.sub(r"\x1b\[\?25[lh]", "", text)
    text = re.sub(r"\x1b\[(\d*)C", lambda m: " " * int(m[1] or 1), text)
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text).replace("\r", "")


end = sys.argv.index("--")
keys = [word.split("=", 1) for word in sys.argv[3:end]]
child, terminal = pty.fork()
if child == 0:
    # Its size is there before anything is printed.
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", int(sys.argv[2]), int(sys.argv[1]), 0, 0))
    os.execvp(sys.argv[end + 1], sys.argv[end + 1:])
said = codecs.getincrementaldecoder("utf-8")("replace")
text, seen, limit = "", 0, time.monotonic() + 100
while time.monotonic() < limit:
    if not select.select([terminal], [], [], 0.1)[0]:
        continue
    try:
        part = os.read(terminal, 65536)
    except OSError:
        break
    text += said.decode(part)
    shown = plain(text)
    while keys and keys[0][0] in shown[seen:]:
        seen = shown.index(keys[0][0], seen) + len(keys[0][0])
        os.write(terminal, codecs.decode(keys.pop(0)[1], "unicode_escape").encode())
else:
    os.kill(child, signal.SIGKILL)
status = os.waitpid(child, 0)[1]
sys.stdout.write(plain(text))
sys.exit(124 if time.monotonic() >= limit else os.waitstatus_to_exitcode(status) & 255)
