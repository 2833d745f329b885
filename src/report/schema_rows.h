/* SPDX-License-Identifier: MIT */
/*
 * schema_rows: every object that --json writes.  X("type", "what it is", fields)
 *
 * A field is name:kind.  Kinds: u number from 0, i number, s string, b boolean,
 * o object, m object of numbers, l list, S a Python stack, P a place in Python
 * code; ? may be null, ~ may be missing.
 */
#ifndef PT_SCHEMA_ROWS_H
#define PT_SCHEMA_ROWS_H

#define TASK " pid:u? tid:u? thread:s?"
#define AT_STACK " ip:u? stack:S?~ why:s~ truncated:u~ kernel:l~"
#define FAULT_SUMS " kinds:m~ major:u~ in_gc:u~ private_bytes:u~ "		\
		   "resident_bytes:u~ no_size:u~"
#define COUNTER " event:s~ period:u~ hz:u~"
#define SUMS " count:u ns:u? events:u~ kernel_events:u~ max_ns:u? p50_ns:u?~ p99_ns:u?~ hist:l~ "		\
	     "kernel_ns:u~ bytes:u~ errors:u~ by_errno:m~" FAULT_SUMS		\
	     " estimate:l"

#define CALL_SUMS " count:u seeded:u resumes:u generators:u raised:u total_ns:u "	\
	"self_ns:u? cpu_ns:u? syscalls:u~ syscall_ns:u~ faults:u~ major:u~ "	\
	"suspended_ns:u max_ns:u p50_ns:u?~ p99_ns:u?~ cut:u gaps:u "		\
	"estimate:l at_least:l"

#define SCHEMA_OBJECTS(X)							\
X("meta", "The first line of a stream.",					\
  "t:u version:u clock:s realtime_offset_ns:i tool:s? kernel:s? host:s? "		\
  "boot_id:s? argv:l")								\
X("process", "A process as it was understood.",				\
  "t:u pid:u? nspid:u? exe:s? python:s? library:s? cgroup:s? walk:b? calls:s? " \
  "no_calls:s?~ why:s?~")									\
X("thread", "A thread at first sight and at each new name.", "t:u" TASK)	\
X("fork", "A new thread or process.",						\
  "t:u" TASK " child_pid:u? child_tid:u?")					\
X("exec", "A process executes another program.", "t:u" TASK " file:s?")	\
X("exit", "A thread or process ended.",					\
  "t:u" TASK " code:i? signal:i? last:b core:b~")				\
X("begin", "From here on all events of these kinds are in the stream.",	\
  "t:u events:l sample_hz:u?")							\
X("gil", "Where the GIL of a process is.", "t:u pid:u? from:u to:u")		\
X("cpustat", "CPU control of a control group, when it was read.",		\
  "t:u pid:u? cgroup:s? quota_us:u? period_us:u? nr_periods:u "		\
  "nr_throttled:u throttled_us:u memory_high:u")				\
X("syscall", "A system call, when it has returned.",				\
  "t:u dur:u?" TASK " nr:u name:s? args:l? decoded:o~ cut:l~ ret:i? "	\
  "error:s?~ state:s~ abi:s~" AT_STACK)						\
X("fault", "A page fault.",							\
  "t:u dur:u?" TASK " addr:u kind:s bytes:u? write:b kernel:b major:b? "	\
  "in_gc:b?" AT_STACK)								\
X("offcpu", "A time off the CPU, when the thread is back.",			\
  "t:u dur:u?" TASK " blocked:u runq:u preempted:u reason:s? nr:u~ name:s?~ "	\
  "args:l~ decoded:o~ iowait:b waker:o? state:s~ abi:s~ in_gc:b?" AT_STACK)	\
X("sample", "What was on a CPU when a clock or a counter said so.",		\
  "t:u dur:u?" TASK " name:s?~ count:u~ mode:s in_gc:b?" AT_STACK)		\
X("named", "An event that was asked for by name.",				\
  "t:u name:s? kind:s fields:l period:u~ hz:u~")				\
X("tracepoint", "A tracepoint of the kernel, with its fields.",		\
  "t:u dur:u?" TASK " name:s? fields:o? interrupt:b" AT_STACK)			\
X("enter", "A function begins to run, or runs already when it is first seen.",	\
  "t:u" TASK " depth:u func:s? file:s? line:i? begin:s late:b suspended:u~"	\
  " stack:S~ why:s~ truncated:u~")						\
X("call", "A function has ended or yielded; each has had its enter.",		\
  "t:u dur:u" TASK " depth:u func:s? file:s? line:i? begin:s end:s late:b "	\
  "gap:b self:u off_cpu:u~ syscalls:u~ syscall_ns:u~ faults:u~ suspended:u~ "	\
  "stack:S~ why:s~ truncated:u~")						\
X("generator", "A generator or coroutine was made; it does not run yet.",	\
  "t:u" TASK " depth:u func:s? file:s? line:i?")				\
X("gc", "A collection; without its begin neither length nor generation.",	\
  "t:u dur:u?" TASK " generation:i? collected:i?" AT_STACK)			\
X("import", "A module was loaded, or not found.",				\
  "t:u dur:u?" TASK " module:s? found:i?" AT_STACK)				\
X("audit", "An audit event of Python, without its arguments.",			\
  "t:u dur:u?" TASK " event:s?" AT_STACK)					\
X("line", "A line of a function begins.",					\
  "t:u dur:u?" TASK " file:s? func:s? line:i?" AT_STACK)			\
X("shed", "Less is traced from here on: --max-overhead.",			\
  "t:u step:s? why:s limit_percent:u slower_ns:u? span_ns:u cost_ns:u "		\
  "target_ns:u own_ns:u")							\
X("lost", "What could not be sent, and why.",					\
  "t:u until:u reason:s count:u cpu:u? tid:u?")				\
X("account", "Thread time: idle + unseen + busy; busy: causes + unknown.",	\
  "interval:u~ t:u until:u threads:u thread_ns:u idle_ns:u unseen_ns:u "	\
  "busy_ns:u busy:m unknown_ns:u kernel_mode:s off_cpu:s cpu_quota:o? "	\
  "memory_high:u before_begin:u going_on:u complete:b")			\
X("total", "What the rows or nodes of a view sum up to.",			\
  "view:s interval:u~" COUNTER SUMS)							\
X("row", "A row of a view.",							\
  "view:s interval:u~" COUNTER " key:o?~ stack:l?~ kernel:l~ why:s~ state:s cause:s~ call:s?~ gc:b~ "\
  "object:s?~ inner:P?~ waker:o?~ holder:o~" SUMS)				\
X("node", "A node of a call tree; parents come first.",			\
  "view:s interval:u~" COUNTER " id:u parent:u? depth:u kind:s key:P?~ frames:u~ "	\
  "cause:s~ call:s?~ fault_kind:s~ name:s?~ count:u ns:u? events:u~ self_count:u self_ns:u~ self_events:u~ "	\
  "errors:u~ bytes:u~" FAULT_SUMS " estimate:l")				\
X("calls-total", "calls: all of them; what had to be repaired, and verified.",	\
  "t:u? until:u? threads:u" CALL_SUMS " repairs:m verified:o?")		\
X("calls-row", "calls: a function, a thread, a process.",			\
  "others:b key:o" CALL_SUMS " hist:l~")					\
X("calls-node", "calls --tree: a function, as it was called by its parent.",	\
  "id:u parent:u? depth:u others:b key:o" CALL_SUMS)				\
X("gc-row", "calls --gc: collections of a generation; null: begin not seen.",	\
  "generation:i? count:u ns:u? max_ns:u? p50_ns:u? p99_ns:u? collected:u")	\
X("gc-place", "calls --gc: collections at a line of the application.",		\
  "place:s count:u ns:u max_ns:u")						\
X("import-row", "calls --imports: in the order in which they ended.",		\
  "id:u parent:u? module:s? t:u tid:u? ns:u? self_ns:u? found:b")		\
X("rights", "doctor: what this process may do.",				\
  "uid:u effective:s? permitted:s? bounding:s? no_new_privs:b? seccomp:u? "	\
  "first_user_namespace:b? uid_map:s? perf_event_paranoid:i? "			\
  "unprivileged_bpf_disabled:i?")						\
X("check", "doctor: something that was tried.",				\
  "id:s what:s pid:u? state:s needed:b reason:s? cure:s? kind:s?")		\
X("leftover", "doctor --leftovers: a uprobe event in tracefs.",		\
  "own:b state:s group:s? event:s? file:s? offset:u? return:b? why:s?")	\
X("python", "ps: a Python process of this host.",				\
  "pid:u nspid:u? ppid:u? uid:u? user:s? exe:s? library:s? python:s? calls:s? "\
  "walk:b? why:s? threads:u? workers:u? embedded:b? runtime:s? container:s? "	\
  "unit:s? argv:l?")								\
X("interpreter", "probes -p: an interpreter of the process.",			\
  "pid:u exe:s? path:s? python:s? bias:u inode:u deleted:b main:b "		\
  "embedded:b runtime:s? container:s? walk:b? why:s?")				\
X("file", "probes: an ELF file.",						\
  "path:s? subject:s? machine:s? bits:u? order:s? build_id:s? foreign:b? "	\
  "debug_only:b? fixed_address:b? sections:b? cpython:b? libpython:s? "	\
  "probes:u? damaged:u? partial:b?")						\
X("probe", "probes: an SDT note.",						\
  "path:s? provider:s? name:s? location:u? offset:u? semaphore:u? "		\
  "semaphore_offset:u? base:u? args:l? args_text:s? verdict:s?")		\
X("synthetic", "probes: what synthetic probes on calls an interpreter can have.",	\
  "path:s? method:s? places:u stepped:u table:u? why:s?")			\
X("place", "probes: a place of such a probe in the interpreter's code.",	\
  "path:s? kind:s location:u offset:u opcode:u? frame:s? frame_at:u? "		\
  "emulated:b traps:u condition:u? instruction:s? bytes:s")			\
X("plan", "--dry-run: what would be traced, until when, at what price.",	\
  "command:l? follow:b later:b duration_ns:u? max_overhead_percent:u? "		\
  "output:s? may_trace:b cost_ns:m estimate:l")					\
X("planned", "--dry-run: a process that would be traced.",			\
  "pid:u exe:s? python:s? walk:b? why:s?")					\
X("attach", "--dry-run: a program and what it would be attached to.",		\
  "program:s way:s what:s? nr:u offset:u? semaphore:u? pid:u?")		\
X("error", "Why it failed; also on stderr.", "kind:s text:s hint:s?~")		\
X("end", "The last line, whatever happened.",					\
  "t:u?~ events:u~ lost:u~ by_type:m~ losses:m~ stacks:o~ overhead_ns:u?~ tracer_ns:u?~ "	\
  "processes:u~ refused:u~ hung:u~ may_trace:b~ next:s?~ exit:u")

#endif /* PT_SCHEMA_ROWS_H */
