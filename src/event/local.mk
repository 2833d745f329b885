libptcore_a_SOURCES += \
	src/event/counters.c src/event/counters.h \
	src/event/eventset.c src/event/eventset.h \
	src/event/evfield.c src/event/evfield.h \
	src/event/inbuf.c src/event/inbuf.h \
	src/event/open.c src/event/open.h \
	src/event/recfile.c src/event/recfile.h \
	src/event/recfile_head.h src/event/recfile_read.c \
	src/event/record.c src/event/record.h \
	src/event/source.h \
	src/event/sysset.c src/event/sysset.h \
	src/event/syscalls.c src/event/syscalls.h \
	src/event/syscalls.def src/event/sysnr.h \
	src/event/text.h src/event/text_fields.c src/event/text_fields.h \
	src/event/text_parse.c src/event/text_read.c \
	src/event/text_value.c src/event/text_value.h \
	src/event/text_write.c \
	src/event/tracefs.c src/event/tracefs.h \
	src/event/zpack.c src/event/zpack.h
EXTRA_DIST += scripts/gen-syscalls
