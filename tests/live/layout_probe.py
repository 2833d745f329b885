# SPDX-License-Identifier: MIT
"""Hold what pytrace knows of a file against the interpreter that runs this.

usage: layout_probe.py IMAGE      (a line of tests/unit/show_pyimage)

Reads this process's own objects at the image's addresses and offsets and
compares them with what Python and its C API say.  Prints a line a difference;
exit 1 if any.
"""
import ctypes
import gc
import json
import sys
import threading
import types
import warnings

try:
    import _interpreters as interpreters
except ImportError:
    try:
        import _xxsubinterpreters as interpreters
    except ImportError:
        interpreters = None     # before 3.8

api = ctypes.pythonapi
image = json.loads(sys.argv[1])
row = image["layout"]
libc = ctypes.CDLL(None)
libc.pthread_getspecific.restype = ctypes.c_void_p
NONE = -1
KEY, KEY_SYMBOL, STATIC, DTV = range(4)
wrong = []


def u64(at):
    return ctypes.c_uint64.from_address(at).value


def u32(at):
    return ctypes.c_uint32.from_address(at).value


def u8(at):
    return ctypes.c_uint8.from_address(at).value


def function(name, *args):
    f = getattr(api, name)
    f.restype = ctypes.c_void_p
    f.argtypes = [ctypes.c_void_p] * len(args)
    return f(*args) or 0


def same(what, got, expected):
    if got != expected:
        wrong.append("%s: %r, not %r" % (what, got, expected))


def check_addresses(bias):
    code_type = id(types.CodeType)
    same("dealloc", u64(code_type + 48), image["dealloc"] + bias)
    init = api.Py_InitializeFromConfig if sys.version_info >= (3, 8) \
        else api.PyInterpreterState_New
    same("init", ctypes.cast(init, ctypes.c_void_p).value,
         image["init"] + bias)
    same("sizes of code", types.CodeType.__basicsize__,
         row["co_code"] if row["co_code"] != NONE else u64(code_type + 32))


def thread_variable(bias):
    """The variable of this thread, as the kernel half goes to it."""
    fs = ctypes.c_uint64()
    libc.syscall(158, 0x1003, ctypes.byref(fs))     # arch_prctl, ARCH_GET_FS
    if image["tls_kind"] == STATIC:
        return u64(fs.value + image["tls"])
    index = image["tls"] + bias
    block = u64(u64(fs.value + 8) + 16 * u64(index))
    return u64(block + u64(index + 8) + image["tls_add"])


def check_thread_slot(bias, tstate):
    if image["tls_kind"] in (STATIC, DTV):
        same("thread variable", thread_variable(bias), tstate)
        other = []
        t = threading.Thread(target=lambda: other.append((
            thread_variable(bias), function("PyThreadState_Get"))))
        t.start()
        t.join()
        same("another thread's", *other[0])
    if image["tls_kind"] == KEY_SYMBOL:
        same("key", libc.pthread_getspecific(u32(image["runtime"] + bias)),
             tstate)


def check_runtime(runtime, tstate):
    if row["rt_current"] != NONE:
        same("rt_current", u64(runtime + row["rt_current"]), tstate)
    if row["rt_key"] != NONE:
        key = u32(runtime + row["rt_key"])
        same("rt_key, initialised", u32(runtime + row["rt_key"] - 4), 1)
        same("rt_key", libc.pthread_getspecific(key), tstate)


def check_threads(runtime, tstate):
    """With a second thread and a second interpreter, so that links exist."""
    stop = threading.Event()
    other = threading.Thread(target=stop.wait)
    other.start()
    sub = interpreters and interpreters.create()
    interp = u64(tstate + row["ts_interp"])
    known = []
    at = function("PyInterpreterState_Head")
    if row["rt_interpreters"] != NONE:
        same("rt_interpreters", u64(runtime + row["rt_interpreters"]), at)
    while at:
        known.append(at)
        after = function("PyInterpreterState_Next", at)
        same("is_next", u64(at + row["is_next"]), after)
        head = function("PyInterpreterState_ThreadHead", at)
        same("is_threads", u64(at + row["is_threads"]), head)
        at = after
    same("interpreters", len(known), 2 if interpreters else 1)
    same("ts_interp", interp in known, True)
    at = function("PyInterpreterState_ThreadHead", interp)
    nr = 0
    while at:
        after = function("PyThreadState_Next", at)
        same("ts_next", u64(at + row["ts_next"]), after)
        at = after
        nr += 1
    same("threads", nr, 2)
    same("ts_thread_id", u64(tstate + row["ts_thread_id"]),
         threading.get_ident())
    if row["ts_status"] != NONE:    # initialised, bound, bound to gilstate
        same("ts_status", u32(tstate + row["ts_status"]) & 15, 0b1011)
    if interpreters:
        interpreters.destroy(sub)
    stop.set()
    other.join()


def check_collector(runtime, tstate):
    """The flag is up while the collector calls back, and down again."""
    at = runtime + row["rt_collecting"]
    if row["is_collecting"] != NONE:
        at = u64(tstate + row["ts_interp"]) + row["is_collecting"]
    elif row["rt_collecting"] == NONE:
        return          # 3.6
    seen = [u32(at)]
    gc.callbacks.append(lambda *a: seen.append(u32(at)))
    gc.collect()
    gc.callbacks.pop()
    same("collecting", seen + [u32(at)], [0, 1, 1, 0])


def check_gil(runtime, tstate):
    """It begins with the switch interval, in microseconds."""
    if row["rt_gil"] != NONE:
        gil = runtime + row["rt_gil"]
    elif row["is_gil"] != NONE:
        gil = u64(u64(tstate + row["ts_interp"]) + row["is_gil"])
    else:
        return          # 3.6
    was = sys.getswitchinterval()
    sys.setswitchinterval(0.012345)
    same("switch interval", u64(gil), 12345)
    sys.setswitchinterval(was)


def frame_chain(tstate):
    # not by u64(): the frame of that call would be the innermost
    at = ctypes.c_uint64.from_address(tstate + row["ts_frame"]).value
    if row["cf_current"] != NONE:
        at = ctypes.c_uint64.from_address(at + row["cf_current"]).value
    while at:
        code = u64(at + row["fr_code"])
        if row["tagged"]:
            code &= ~3
        owner = u8(at + row["fr_owner"]) if row["fr_owner"] != NONE else 0
        if row["owner_c"] == 0xff or owner < row["owner_c"]:
            if row["co_code"] != NONE:
                lasti = u64(at + row["fr_lasti"]) - code - row["co_code"]
            else:
                lasti = u32(at + row["fr_lasti"]) * row["lasti_scale"]
            yield code, lasti
        at = u64(at + row["fr_back"])


def check_frames(tstate, depth):
    if depth:
        return check_frames(tstate, depth - 1)
    found = list(frame_chain(tstate))
    frame = sys._getframe()
    # frame_chain is a frame of its own while it runs
    same("code of the generator", found[0][0], id(frame_chain.__code__))
    # and where this function is has moved on since
    same("code of the innermost", found[1][0], id(frame.f_code))
    frame = frame.f_back
    for code, lasti in found[2:]:
        same("fr_code", code, id(frame.f_code))
        same("fr_lasti", lasti, frame.f_lasti)
        frame = frame.f_back
    same("frames behind the last", frame, None)


def check_code(code):
    at = id(code)
    same("co_filename", u64(at + row["co_filename"]), id(code.co_filename))
    same("co_name", u64(at + row["co_name"]), id(code.co_name))
    same("co_firstlineno", u32(at + row["co_firstlineno"]),
         code.co_firstlineno)
    if row["co_qualname"] != NONE:
        same("co_qualname", u64(at + row["co_qualname"]),
             id(code.co_qualname))
    table = code.co_linetable if hasattr(code, "co_linetable") \
        else code.co_lnotab
    same("co_linetable", u64(at + row["co_linetable"]), id(table))
    if row["co_code"] != NONE:
        bytecode = code._co_code_adaptive
        same("co_code",
             ctypes.string_at(at + row["co_code"], len(bytecode)), bytecode)


def check_str(text, kind, ascii_only):
    at = id(text)
    state = u32(at + row["str_state"])
    same("str_length", u64(at + row["str_length"]), len(text))
    same("str kind", state >> 2 & 7, kind)
    same("str compact", state >> 5 & 1, 1)
    same("str ascii", state >> 6 & 1, int(ascii_only))
    data = at + row["str_ascii" if ascii_only else "str_compact"]
    codec = {1: "latin-1", 2: "utf-16-le", 4: "utf-32-le"}[kind]
    same("str contents", ctypes.string_at(data, len(text) * kind),
         text.encode(codec))


def check_legacy_str():
    """To 3.11 a str made with the old API keeps its contents elsewhere."""
    if sys.version_info >= (3, 12):
        return
    api.PyUnicode_FromUnicode.restype = ctypes.py_object
    api.PyUnicode_FromUnicode.argtypes = [ctypes.c_wchar_p, ctypes.c_ssize_t]
    at = api.PyUnicode_FromUnicode(None, 4)
    state = u32(id(at) + row["str_state"])
    if state >> 5 & 1 or state >> 7 & 1:
        return
    api.PyUnicode_AsUnicode.restype = ctypes.c_void_p
    api.PyUnicode_AsUnicode.argtypes = [ctypes.py_object]
    ctypes.memmove(api.PyUnicode_AsUnicode(at),
                   "h\xe9h\xe9".encode("utf-32-le"), 16)
    same("PyUnicode_READY", api._PyUnicode_Ready(ctypes.py_object(at)), 0)
    data = u64(id(at) + row["str_data"])
    same("str_data", ctypes.string_at(data, 4), b"h\xe9h\xe9")


def check_objects():
    data = b"some bytes"
    same("ob_type", u64(id(data) + row["ob_type"]), id(bytes))
    same("ob_size", u64(id(data) + row["ob_size"]), len(data))
    same("bytes_data",
         ctypes.string_at(id(data) + row["bytes_data"], len(data)), data)
    check_str("plain", 1, True)
    check_str("caf\xe9", 1, False)
    check_str("\u03b1\u03b2", 2, False)
    check_str("\U0001f40d", 4, False)
    check_legacy_str()
    # src/python/codeobj.c knows types by their flags
    for t in (str, bytes):
        same("tp_flags", u64(id(t) + 168), t.__flags__)
    same("flag of bytes", bytes.__flags__ >> 27 & 3, 1)
    same("flag of str", str.__flags__ >> 27 & 3, 2)


class Some:
    def method(self):
        return 1


def main():
    warnings.simplefilter("ignore")
    tstate = function("PyThreadState_Get")
    same("version", row["version"], sys.hexversion >> 16)
    bias = id(types.CodeType) - image["code_type"]
    runtime = image["runtime"] + bias
    if image["tls_kind"] != KEY_SYMBOL:
        same("_PyRuntime", runtime, ctypes.addressof(
            ctypes.c_char.in_dll(api, "_PyRuntime")))
    check_addresses(bias)
    check_thread_slot(bias, tstate)
    check_runtime(runtime, tstate)
    check_collector(runtime, tstate)
    check_gil(runtime, tstate)
    check_frames(tstate, 5)
    check_code(Some.method.__code__)
    check_code(json.dumps.__code__)
    check_objects()
    check_threads(runtime, tstate)


main()
print("\n".join(wrong))
sys.exit(bool(wrong))
