libptcore_a_SOURCES += \
	src/stack/appframe.c src/stack/appframe.h \
	src/stack/cause.c src/stack/cause.h \
	src/stack/codes.c src/stack/codes.h \
	src/stack/engine.c src/stack/engine.h \
	src/stack/named.c src/stack/named.h \
	src/stack/origin.c src/stack/origin.h \
	src/stack/pattern.c src/stack/pattern.h \
	src/stack/stacks.c src/stack/stacks.h \
	src/stack/table.h \
	src/stack/tasks.c src/stack/tasks.h
