# libptlive.a: the only folder that may include libbpf.
PT_LIVE_SOURCES = \
	src/live/asleep.c \
	src/live/attach.c src/live/attach.h \
	src/live/complete.c src/live/complete.h \
	src/live/describe.c \
	src/live/discover.c \
	src/live/gil.c \
	src/live/groups.c src/live/groups.h \
	src/live/doctor.c src/live/doctor.h src/live/doctor_priv.h \
	src/live/doctor_try.c \
	src/live/faults.c src/live/faults.h \
	src/live/jit.c \
	src/live/kernel.c \
	src/live/kread.c src/live/kread.h \
	src/live/late.c \
	src/live/known.c src/live/known.h \
	src/live/losses.c \
	src/live/multi.c src/live/multi.h \
	src/live/named.c \
	src/live/places.c \
	src/live/plan.c src/live/plan.h \
	src/live/price.c \
	src/live/queue.c src/live/queue.h \
	src/live/ring.c src/live/ring.h \
	src/live/samples.c \
	src/live/switches.c \
	src/live/usdt.c src/live/usdt_files.c \
	src/live/session.c src/live/session.h src/live/session_priv.h \
	src/live/tracer.c src/live/tracer.h src/live/tracer_priv.h \
	src/live/upkeep.c \
	src/live/verdicts.c
if LIVE
noinst_LIBRARIES += libptlive.a
libptlive_a_CPPFLAGS = $(AM_CPPFLAGS) $(LIBBPF_CFLAGS)
libptlive_a_CFLAGS = $(AM_CFLAGS) $(LIVE_CFLAGS)
libptlive_a_SOURCES = $(PT_LIVE_SOURCES)
$(libptlive_a_OBJECTS): $(BPF_SKEL) $(BPF_READER)
else
EXTRA_DIST += $(PT_LIVE_SOURCES)
endif
