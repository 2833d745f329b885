# SPDX-License-Identifier: MIT
"""Write a Django site of twenty pages, one of which is slow by design."""

HEAD = '''\
import hashlib, os, socket, subprocess, threading, time
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse
from django.urls import path
settings.configure(SECRET_KEY="x", ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__)
LOCK = threading.Lock()
def render(n):
    return hashlib.sha256(b"page %d" % n).hexdigest()
'''

PAGE = '''\
def page_{n:02d}(request):
{fault}    return HttpResponse(render({n}))
'''

TAIL = '''\
urlpatterns = [path("%d" % n, globals()["page_%02d" % n]) for n in range(20)]
application = get_wsgi_application()
'''

# What is done instead of nothing; the line that is to be named is marked.
FAULTS = {
    "none": "",
    "lock": """\
    with LOCK:                                              # here
        time.sleep(0.3)
""",
    "file": """\
    with open({file!r}, "ab") as log:
        for _ in range(200):
            log.write(b"x" * 65536)
            log.flush()
            os.fsync(log.fileno())                          # here
""",
    "upstream": """\
    with socket.create_connection(("127.0.0.1", {port})) as up:
        up.recv(100)                                        # here
""",
    "forks": """\
    for _ in range(5):
        subprocess.run(["sleep", "0.1"])                   # here
""",
    "gil": """\
    try:
        os.mkdir({file!r})      # of the first worker that comes by
        threading.Thread(target=hog, daemon=True).start()
    except FileExistsError:
        pass
""",
    "cpu": """\
    end = time.thread_time() + 0.5
    while time.thread_time() < end: sum(range(2000))        # here
""",
}

HOGS = '''\
def hog():
    x = 1
    while True:
        x = (x * 31 + 7) % 1000003; x += 1; x = x * 3 % 7   # here
'''


def make_site(folder, fault, slow_page, port):
    """The site's file; answers the number of the line that is to be named."""
    text = HEAD + (HOGS if fault == "gil" else "")
    for n in range(20):
        body = FAULTS[fault].format(file=str(folder / "log"), port=port)
        text += PAGE.format(n=n, fault=body if n == slow_page else "")
    site = folder / "site_of_twenty.py"
    site.write_text(text + TAIL)
    lines = [i for i, line in enumerate(site.read_text().splitlines(), 1)
             if line.endswith("# here")]
    return lines[0] if lines else None
