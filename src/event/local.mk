libptcore_a_SOURCES += \
	src/event/syscalls.c src/event/syscalls.h \
	src/event/syscalls.def src/event/sysnr.h
EXTRA_DIST += scripts/gen-syscalls
