/* SPDX-License-Identifier: MIT */
/*
 * idle_places: where Python servers wait for work; idle.h has the syntax.
 *
 * X("what waits", "place").  Names are those of the sources of each project;
 * CPython's are the same from 3.6 to 3.15 unless a row says so.
 */
#ifndef PT_IDLE_PLACES_H
#define PT_IDLE_PLACES_H

#define IDLE_PLACES(X)							\
	/* event loops */						\
	X("asyncio loop", "selectors.py: < asyncio/base_events.py:_run_once") \
	X("asyncio loop", "selectors.py: < selectors.py: < asyncio/base_events.py:_run_once") \
	X("uvloop", "asyncio/runners.py:run")				\
	X("uvloop", "asyncio/base_events.py:run_forever")		\
	X("uvloop", "uvloop/__init__.py:run")				\
	X("uvloop", "uvicorn/server.py:run")				\
	X("gevent hub", "gevent/hub.py:run")				\
	X("eventlet hub", "eventlet/hubs/*:do_poll < eventlet/hubs/*:wait") \
	X("eventlet hub", "eventlet/hubs/*:wait")			\
	X("tornado loop", "tornado/ioloop.py:start")			\
	X("twisted reactor", "twisted/internet/*reactor.py:do*")	\
	X("asyncore loop", "asyncore.py:poll*")				\
	/* servers of the standard library */				\
	X("server", "selectors.py: < socketserver.py:serve_forever")	\
	X("server", "selectors.py: < selectors.py: < socketserver.py:serve_forever") \
	X("server", "selectors.py: < socketserver.py:handle_request")	\
	X("server", "socket.py:accept < socketserver.py:get_request")	\
	X("HTTP connection", "socket.py:readinto < http/server.py:handle_one_request") \
	X("HTTP connection", "ssl.py:read << http/server.py:handle_one_request") \
	X("HTTP connection", "socket.py:readinto < wsgiref/simple_server.py:handle") \
	X("HTTP connection", "socket.py:readinto < */servers/basehttp.py:handle_one_request") \
	/* web servers */						\
	X("gunicorn arbiter", "gunicorn/arbiter.py:sleep")		\
	X("gunicorn arbiter", "gunicorn/arbiter.py:wait_for_signals")	\
	X("gunicorn arbiter", "queue.py:get << gunicorn/arbiter.py:*")	\
	X("gunicorn arbiter", "threading.py:wait << gunicorn/arbiter.py:wait_for_signals") \
	X("gunicorn worker", "gunicorn/workers/sync.py:wait")		\
	X("gunicorn worker", "socket.py:accept < gunicorn/sock.py:*")	\
	X("gunicorn worker", "socket.py:accept < gunicorn/workers/*:accept") \
	X("gunicorn worker", "selectors.py: < gunicorn/workers/gthread.py:run") \
	X("gunicorn worker", "selectors.py: << gunicorn/workers/gthread.py:*") \
	X("waitress worker", "threading.py:wait < waitress/task.py:handler_thread") \
	X("waitress loop", "waitress/wasyncore.py:poll*")		\
	X("cheroot worker", "threading.py:wait < queue.py:get < cheroot/workers/threadpool.py:*") \
	X("cheroot loop", "selectors.py: << cheroot/connections.py:*")	\
	X("CherryPy bus", "cherrypy/process/wspbus.py:wait")		\
	X("CherryPy bus", "cherrypy/process/plugins.py:run")		\
	X("reloader", "django/utils/autoreload.py:tick")		\
	X("reloader", "subprocess.py:_try_wait << django/utils/autoreload.py:restart_with_reloader") \
	X("reloader", "werkzeug/_reloader.py:run")			\
	X("reloader", "subprocess.py:_try_wait << werkzeug/_reloader.py:restart_with_reloader") \
	X("supervisor", "threading.py:wait << uvicorn/supervisors/*:*")	\
	/* pools */							\
	X("thread pool", "concurrent/futures/thread.py:_worker")	\
	X("thread pool", "threading.py:wait < queue.py:get < concurrent/futures/thread.py:_worker") \
	X("process pool", "multiprocessing/connection.py:_recv << multiprocessing/queues.py:get < concurrent/futures/process.py:_process_worker") \
	X("process pool", "multiprocessing/synchronize.py:__enter__ < multiprocessing/queues.py:get < concurrent/futures/process.py:_process_worker") \
	X("process pool", "selectors.py: << concurrent/futures/process.py:wait_result_broken_or_wakeup") \
	X("process pool", "selectors.py: << concurrent/futures/process.py:_queue_management_worker") \
	X("worker of a pool", "multiprocessing/connection.py:_recv << multiprocessing/queues.py:get < multiprocessing/pool.py:worker") \
	X("worker of a pool", "multiprocessing/synchronize.py:__enter__ < multiprocessing/queues.py:get < multiprocessing/pool.py:worker") \
	X("pool", "multiprocessing/pool.py:_handle_*")			\
	X("pool", "threading.py:wait < queue.py:get < multiprocessing/pool.py:_handle_tasks") \
	X("pool", "multiprocessing/connection.py:_recv << multiprocessing/pool.py:_handle_results") \
	X("pool", "selectors.py: << multiprocessing/pool.py:_wait_for_updates") \
	X("multiprocessing helper", "multiprocessing/resource_tracker.py:main") \
	X("multiprocessing helper", "multiprocessing/semaphore_tracker.py:main") \
	X("multiprocessing helper", "selectors.py: << multiprocessing/forkserver.py:main") \
	X("multiprocessing feeder", "threading.py:wait < multiprocessing/queues.py:_feed") \
	X("celery loop", "kombu/utils/eventio.py:poll < kombu/asynchronous/hub.py:create_loop") \
	X("celery loop", "kombu/utils/eventio.py:poll << celery/*:*")	\
	X("celery consumer", "*-packages/*: << celery/worker/loops.py:*loop") \
	X("celery consumer", "ssl.py: << celery/worker/loops.py:*loop")	\
	X("celery worker", "billiard/connection.py:_recv << billiard/pool.py:workloop") \
	X("celery worker", "billiard/pool.py: << billiard/pool.py:workloop") \
	X("celery pool", "billiard/pool.py:body")			\
	X("celery timer", "threading.py:wait << celery/utils/timer2.py:run") \
	X("celery timer", "celery/utils/timer2.py:run")			\
	X("celery beat", "threading.py:wait << celery/beat.py:start")			\
	/* threads that wait for a queue, a timer, the end */		\
	X("queue of a thread", "threading.py:wait < queue.py:get < *:run < threading.py:_bootstrap_inner") \
	X("queue of a thread", "threading.py:wait < queue.py:get < * < threading.py:run < threading.py:_bootstrap_inner") \
	X("log listener", "threading.py:wait < queue.py:get < logging/handlers.py:dequeue") \
	X("timer", "threading.py:wait < threading.py:wait < threading.py:run") \
	X("scheduler", "threading.py:wait << apscheduler/schedulers/*:_main_loop") \
	X("telemetry", "threading.py:wait << opentelemetry/*:worker")	\
	X("end of threads", "threading.py:_shutdown")			\
	X("end of threads", "threading.py: << threading.py:_shutdown")	\
	X("end of threads", "threading.py: << threading.py:join < *:<module>") \
	X("end of threads", "threading.py:join < *:<module>")		\
	X("end of processes", "multiprocessing/popen_fork.py:poll << multiprocessing/process.py:join < *:<module>")

#endif /* PT_IDLE_PLACES_H */
