/* SPDX-License-Identifier: MIT */
/* idle: stacks of threads that wait for work, and of such that do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analysis/idle.h"

#define LIB "/usr/lib/python3.11/"
#define SITE "/srv/venv/lib/python3.11/site-packages/"
#define APP "/srv/app/"

#define FRAMES_MAX 12

/* "FILE:func", innermost first. */
struct made {
	struct frame frame[FRAMES_MAX];
	char text[FRAMES_MAX][200];
	struct pystack stack;
};

static void make(struct made *m, const char *const *frames)
{
	*m = (struct made){ 0 };
	m->stack.known = true;
	m->stack.frames = m->frame;
	for (uint32_t i = 0; frames[i]; i++) {
		char *colon;

		assert_true(i < FRAMES_MAX);
		snprintf(m->text[i], sizeof(m->text[i]), "%s", frames[i]);
		colon = strrchr(m->text[i], ':');
		assert_non_null(colon);
		*colon = '\0';
		m->frame[i] = (struct frame){
			.file = m->text[i], .func = colon + 1,
			.file_len = strlen(m->text[i]),
			.func_len = strlen(colon + 1),
			.origin = origin_of(m->text[i]),
		};
		m->stack.nr = m->stack.nr_inner = i + 1;
	}
}

#define BOOT LIB "threading.py:Thread._bootstrap_inner", \
	     LIB "threading.py:Thread._bootstrap"
#define RUN LIB "threading.py:Thread.run", BOOT
#define QUEUE LIB "threading.py:Condition.wait", LIB "queue.py:Queue.get"

static const char *const waiting[][FRAMES_MAX] = {
	{ NULL },				/* a native thread */
	{ LIB "selectors.py:EpollSelector.select",
	  LIB "asyncio/base_events.py:BaseEventLoop._run_once",
	  LIB "asyncio/base_events.py:BaseEventLoop.run_forever",
	  APP "main.py:<module>" },
	{ LIB "selectors.py:select", LIB "asyncio/base_events.py:_run_once" },
	{ LIB "selectors.py:_PollLikeSelector.select",
	  LIB "socketserver.py:BaseServer.serve_forever", APP "x.py:f" },
	{ LIB "asyncio/runners.py:Runner.run", APP "api.py:<module>" },
	{ SITE "uvicorn/server.py:Server.run", APP "api.py:<module>" },
	{ LIB "socket.py:SocketIO.readinto",
	  LIB "http/server.py:BaseHTTPRequestHandler.handle_one_request",
	  LIB "http/server.py:BaseHTTPRequestHandler.handle" },
	{ SITE "gunicorn/arbiter.py:Arbiter.sleep",
	  SITE "gunicorn/arbiter.py:Arbiter.run", "/usr/bin/gunicorn:<module>" },
	{ "/usr/lib/python3/dist-packages/gunicorn/workers/sync.py:SyncWorker.wait" },
	{ LIB "selectors.py:EpollSelector.select",
	  SITE "gunicorn/workers/gthread.py:ThreadWorker.run" },
	{ LIB "threading.py:Condition.wait",
	  SITE "waitress/task.py:ThreadedTaskDispatcher.handler_thread", RUN },
	{ QUEUE, SITE "cheroot/workers/threadpool.py:WorkerThread.run", BOOT },
	{ LIB "concurrent/futures/thread.py:_worker", RUN },
	{ QUEUE, LIB "concurrent/futures/thread.py:_worker", RUN },
	{ LIB "multiprocessing/connection.py:Connection._recv",
	  LIB "multiprocessing/connection.py:Connection._recv_bytes",
	  LIB "multiprocessing/connection.py:_ConnectionBase.recv_bytes",
	  LIB "multiprocessing/queues.py:SimpleQueue.get",
	  LIB "multiprocessing/pool.py:worker" },
	{ LIB "multiprocessing/synchronize.py:Lock.__enter__",
	  LIB "multiprocessing/queues.py:SimpleQueue.get",
	  LIB "multiprocessing/pool.py:worker" },
	{ LIB "multiprocessing/pool.py:Pool._handle_tasks", RUN },
	{ LIB "selectors.py:_PollLikeSelector.select",
	  LIB "multiprocessing/connection.py:wait",
	  LIB "multiprocessing/pool.py:Pool._wait_for_updates",
	  LIB "multiprocessing/pool.py:Pool._handle_workers", RUN },
	{ SITE "kombu/utils/eventio.py:_epoll.poll",
	  SITE "kombu/asynchronous/hub.py:Hub.create_loop" },
	{ SITE "redis/connection.py:Connection.read",
	  SITE "kombu/transport/redis.py:drain",
	  SITE "celery/worker/loops.py:synloop" },
	{ QUEUE, APP "jobs.py:Worker.run", BOOT },
	{ QUEUE, APP "jobs.py:loop", RUN },
	{ LIB "threading.py:Condition.wait", LIB "threading.py:Event.wait",
	  LIB "threading.py:Timer.run", BOOT },
	{ LIB "threading.py:_shutdown" },
	{ LIB "threading.py:Thread._wait_for_tstate_lock",
	  LIB "threading.py:Thread.join", APP "main.py:<module>" },
	{ LIB "threading.py:Thread.join", APP "main.py:<module>" },
};

static const char *const working[][FRAMES_MAX] = {
	{ APP "views.py:page", LIB "concurrent/futures/thread.py:_worker" },
	/* the application polls, as a library of its own does */
	{ LIB "selectors.py:EpollSelector.select", APP "poll.py:run" },
	{ APP "selectors.py:select", APP "base_events.py:_run_once" },
	{ LIB "socket.py:SocketIO.readinto", LIB "http/client.py:_read_status",
	  APP "rates.py:fetch" },
	/* a request handler that waits for a result */
	{ QUEUE, APP "views.py:page",
	  LIB "concurrent/futures/thread.py:_WorkItem.run",
	  LIB "concurrent/futures/thread.py:_worker", RUN },
	{ QUEUE, APP "views.py:helper", APP "jobs.py:loop", RUN },
	/* the lock of a queue is contention, not waiting for work */
	{ LIB "threading.py:Condition.__enter__", LIB "queue.py:Queue.get",
	  APP "jobs.py:loop", RUN },
	{ LIB "threading.py:Thread.join", APP "views.py:page", RUN },
	/* a task of a pool reads a pipe of its own */
	{ LIB "multiprocessing/connection.py:Connection._recv",
	  LIB "multiprocessing/connection.py:_ConnectionBase.recv_bytes",
	  APP "job.py:task", LIB "multiprocessing/pool.py:mapstar",
	  LIB "multiprocessing/pool.py:worker" },
	{ SITE "redis/connection.py:Connection.read", APP "tasks.py:add",
	  SITE "celery/app/trace.py:trace_task",
	  SITE "celery/worker/loops.py:synloop" },
	{ APP "main.py:<module>" },
};

static void shipped_places(void **state)
{
	struct idle *list = NULL;
	struct err err = { 0 };
	struct made m;

	(void)state;
	assert_int_equal(idle_new(&list, &err), 0);
	for (size_t i = 0; i < ARRAY_LEN(waiting); i++) {
		make(&m, waiting[i]);
		if (!idle_matches(list, &m.stack))
			fail_msg("not idle: %s", waiting[i][0]);
	}
	for (size_t i = 0; i < ARRAY_LEN(working); i++) {
		make(&m, working[i]);
		if (idle_matches(list, &m.stack))
			fail_msg("idle (%s): %s", idle_why(list, &m.stack),
				 working[i][0]);
	}
	idle_free(list);
}

static void unknown_is_not_idle(void **state)
{
	struct idle *list = NULL;
	struct err err = { 0 };
	struct made m;

	(void)state;
	assert_int_equal(idle_new(&list, &err), 0);
	make(&m, waiting[0]);
	m.stack.why = "a page was not resident";
	assert_false(idle_matches(list, &m.stack));
	m.stack = (struct pystack){ .known = false, .why = "" };
	assert_false(idle_matches(list, &m.stack));
	/* what was left out of a deep stack is between the two */
	make(&m, waiting[2]);
	m.stack.omitted = 5;
	m.stack.nr_inner = 1;
	assert_false(idle_matches(list, &m.stack));
	idle_free(list);
}

static void more_places(void **state)
{
	static const char *const none[] = {
		"", " ", "a < ", "< a", "a <  < b",
		"a < b < c < d < e < f < g < h < i",
	};
	const char *const own[] = { APP "own.py:wait", APP "own.py:<module>",
				    NULL };
	struct idle *list = NULL;
	struct err err = { 0 };
	struct made m;

	(void)state;
	assert_int_equal(idle_new(&list, &err), 0);
	make(&m, own);
	assert_false(idle_matches(list, &m.stack));
	for (size_t i = 0; i < ARRAY_LEN(none); i++) {
		assert_true(idle_add(list, none[i], &err) < 0);
		assert_int_equal(err.kind, ERR_USAGE);
	}
	assert_false(idle_matches(list, &m.stack));
	assert_int_equal(idle_add(list, "own.py:wait < other", &err), 0);
	assert_false(idle_matches(list, &m.stack));
	assert_int_equal(idle_add(list, "own.py:wait < <module>", &err), 0);
	assert_true(idle_matches(list, &m.stack));
	assert_string_equal(idle_why(list, &m.stack), "--idle-at");
	idle_free(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shipped_places),
		cmocka_unit_test(unknown_is_not_idle),
		cmocka_unit_test(more_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
