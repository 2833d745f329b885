libptcore_a_SOURCES += \
	src/base/clock.h \
	src/base/compiler.h \
	src/base/err.c src/base/err.h \
	src/base/mem.h \
	src/base/num.c src/base/num.h \
	src/base/printable.c src/base/printable.h \
	src/base/rd.h
