# SPDX-License-Identifier: MIT
"""Calls are spelled as strace spells them.

The same program runs under both.  pytrace reads no memory but paths and socket
addresses, so that it has an address or an ellipsis where strace shows contents;
every other argument, and the result, must be the same text.
"""
import re
import subprocess
import textwrap

PROGRAM = textwrap.dedent(r"""
    import fcntl, mmap, os, select, signal, socket, sys, time

    def files():
        fd = os.open("a", os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o640)
        os.write(fd, b"hello")
        os.lseek(fd, -2, os.SEEK_END)
        os.pread(fd, 3, 1)
        os.ftruncate(fd, 2)
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 30)
        fcntl.fcntl(fd, fcntl.F_SETFL, os.O_NONBLOCK)
        os.rename("a", 'b "c" \\d')
        os.symlink("x", "l")
        os.lstat("l")
        os.stat('b "c" \\d')
        os.chmod('b "c" \\d', 0)
        os.mkdir("d", 0o700)
        os.unlink("l")
        os.rmdir("d")
        for flags in os.O_RDONLY, os.O_WRONLY | os.O_TRUNC | os.O_APPEND:
            try:
                os.open("none/such", flags)
            except OSError:
                pass
        os.access("/", os.R_OK | os.X_OK)
        os.umask(0o27)

    def sockets():
        un = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        un.bind("\0pytrace spelling")
        try:
            un.connect("no/socket")
        except OSError:
            pass
        tcp = socket.socket()
        tcp.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        tcp.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for address in ("127.0.0.1", 1), ("127.0.0.9", 2):
            try:
                tcp.connect(address)
            except OSError:
                pass
        six = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        six.connect(("::1", 9, 0, 0))
        six.getpeername()
        six.send(b"x", socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)
        tcp.listen(5)
        socket.socketpair()[0].shutdown(socket.SHUT_WR)

    def others():
        m = mmap.mmap(-1, 8192)
        m.madvise(mmap.MADV_WILLNEED)
        m.close()
        r, w = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        os.dup2(r, 60, inheritable=False)
        try:
            os.read(r, 10)
        except OSError:
            pass
        select.epoll().register(r, select.EPOLLIN)
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)
        os.getpriority(os.PRIO_PROCESS, 0)
        os.sched_getscheduler(0)
        time.sleep(0.001)
        time.clock_getres(time.CLOCK_MONOTONIC)
        os.getrandom(4, os.GRND_NONBLOCK)

    os.access("/begin", os.F_OK)
    files()
    sockets()
    others()
    os.access("/end", os.F_OK)
    """)


def split(call):
    """name, arguments, result of "name(a, b) = c"."""
    name, rest = call.split("(", 1)
    arguments, word, depth, quoted, at = [], "", 0, False, 0
    while at < len(rest):
        c = rest[at]
        if quoted and c == "\\":
            word += rest[at:at + 2]
            at += 2
            continue
        quoted ^= c == '"'
        if not quoted:
            if c in "([{":
                depth += 1
            if c in ")]}":
                depth -= 1
            if depth < 0:
                break
        if c == "," and not depth and not quoted:
            arguments.append(word.strip())
            word = ""
        else:
            word += c
        at += 1
    if word.strip():
        arguments.append(word.strip())
    return name, arguments, rest[at + 1:].strip()


def between(lines):
    """Those calls that the program makes between its two marks."""
    lines = list(lines)
    first = next(i for i, l in enumerate(lines) if '"/begin"' in l)
    last = next(i for i, l in enumerate(lines) if '"/end"' in l)
    return [split(line) for line in lines[first:last]]


def under_strace(folder, argv):
    out = folder / "strace"
    subprocess.run(["strace", "-s", "200", "-o", out] + argv, check=True,
                   cwd=str(folder), timeout=120)
    return between(out.read_text().splitlines())


def under_pytrace(pytrace, folder, argv):
    out = folder / "pytrace"
    subprocess.run([pytrace, "trace", "-o", out, "--"] + argv, check=True,
                   cwd=str(folder), timeout=120, stderr=subprocess.PIPE)
    lines = (re.sub(r" <[0-9.]+ s>$", "", line)
             for line in out.read_text().splitlines())
    return between(m.group(1) for m in
                   (re.match(r"\d\d:\S+ \d+ .*?  (\w+\(.*)", l) for l in lines)
                   if m)


def says_nothing(word):
    """An address, an ellipsis: strace may have contents there."""
    return word == "…" or re.fullmatch(r"0x[0-9a-f]+", word)


def flat(word):
    """Without the port that the kernel chose, and without a descriptor's
    socket, which strace shows when asked (-yy)."""
    word = re.sub(r"htons\([3-6]\d{4}\)", "htons(any)", word)
    return re.sub(r"^(\d+)<.*>$", r"\1", word)


def test_spelling_is_that_of_strace(pytrace, tool, system_python, tmp_path):
    tool("strace")
    argv = system_python.argv("-S", "-E", "-c", PROGRAM)
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
    theirs = under_strace(folders[0], argv)
    ours = under_pytrace(pytrace, folders[1], argv)

    assert [c[0] for c in ours] == [c[0] for c in theirs]
    assert len(ours) > 50
    compared = 0
    for (name, mine, result), (_, other, should) in zip(ours, theirs):
        context = "%s(%s) %s and %s %s" % (name, mine, result, other, should)
        assert len(mine) == len(other), context
        for a, b in zip(mine, other):
            if not says_nothing(a):
                assert flat(a) == flat(b), context
                compared += 1
        if not re.match(r"= 0x", should):
            assert " ".join(result.split()) == " ".join(
                re.sub(r"^(= \d+) \(.*", r"\1", should).split()), context
    assert compared > 100
