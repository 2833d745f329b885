# Streams written by hand, and what is made of them; UPDATE=1 rewrites.
if CMOCKA
check_PROGRAMS += tests/golden/golden
TESTS += tests/golden/golden
tests_golden_golden_SOURCES = tests/golden/golden.c
endif
EXTRA_DIST += docs/EVENTS.md tests/cli/test_formats.py \
	tests/golden/args.ev tests/golden/args.trace \
	tests/golden/calls.ev tests/golden/calls.syscalls \
	tests/golden/calls-idle.syscalls tests/golden/calls.hist \
	tests/golden/calls.linear tests/golden/calls.rows \
	tests/golden/calls.faults tests/golden/calls-age.faults \
	tests/golden/calls-faults.rows tests/golden/incident.tree \
	tests/golden/incident-tree.rows \
	tests/golden/funcs.ev tests/golden/funcs.trace \
	tests/golden/funcs.json tests/golden/funcs.text \
	tests/golden/funcs.calls tests/golden/funcs-threads.calls \
	tests/golden/funcs.calltree tests/golden/funcs.callhist \
	tests/golden/funcs.callrows tests/golden/funcs.callnodes \
	tests/golden/funcs.slow tests/golden/python.ev \
	tests/golden/python.gc tests/golden/python.imports \
	tests/golden/python-tree.imports \
	tests/golden/kernel.ev tests/golden/kernel.text \
	tests/golden/kernel.json tests/golden/kernel.trace \
	tests/golden/kernel.stacks tests/golden/kernel.offcpu \
	tests/golden/kernel.tree tests/golden/kernel.rows \
	tests/golden/kernel-tree.rows \
	tests/golden/counted.ev tests/golden/counted.cpu \
	tests/golden/counted.tree tests/golden/counted.rows \
	tests/golden/hostile.ev tests/golden/hostile.json \
	tests/golden/hostile.text tests/golden/hostile.trace \
	tests/golden/budget.ev tests/golden/budget.json \
	tests/golden/budget.rows tests/golden/budget.screen \
	tests/golden/budget.syscalls tests/golden/budget.text \
	tests/golden/budget.trace \
	tests/golden/exec.ev tests/golden/exec.screen \
	tests/golden/workers.ev tests/golden/workers.screen \
	tests/golden/workers-80.screen \
	tests/golden/other.ev tests/golden/other.screen \
	tests/golden/idle.ev tests/golden/idle.screen \
	tests/golden/incident.ev tests/golden/incident.rows \
	tests/golden/incident.screen tests/golden/incident-80.screen \
	tests/golden/incident-threads.screen \
	tests/golden/incident-idle.screen \
	tests/golden/incident.cpu tests/golden/incident.faults \
	tests/golden/incident.offcpu tests/golden/incident.syscalls \
	tests/golden/incident-cpu.rows tests/golden/incident-faults.rows \
	tests/golden/odd.ev tests/golden/odd.rows tests/golden/odd.screen \
	tests/golden/shop.screen \
	tests/golden/life-events.trace tests/golden/life.ev \
	tests/golden/life.json tests/golden/life.trace \
	tests/golden/named.ev tests/golden/named.json \
	tests/golden/named.text tests/golden/named.trace \
	tests/golden/named-private.trace \
	tests/golden/shop-private.json tests/golden/shop.ev \
	tests/golden/shop.json tests/golden/shop.plain \
	tests/golden/shop.stacks tests/golden/shop.text \
	tests/golden/shop.trace \
	tests/golden/unknown.ev tests/golden/unknown.json \
	tests/golden/unknown.stacks tests/golden/unknown.trace \
	tests/golden/waits-private.json tests/golden/waits.ev \
	tests/golden/waits.json tests/golden/waits.plain \
	tests/golden/waits.stacks tests/golden/waits.text \
	tests/golden/waits.trace
