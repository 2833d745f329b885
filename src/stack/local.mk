libptcore_a_SOURCES += \
	src/stack/appframe.c src/stack/appframe.h \
	src/stack/cause.c src/stack/cause.h \
	src/stack/codes.c src/stack/codes.h \
	src/stack/engine.c src/stack/engine.h \
	src/stack/kstacks.c src/stack/kstacks.h \
	src/stack/named.c src/stack/named.h \
	src/stack/origin.c src/stack/origin.h \
	src/stack/pattern.c src/stack/pattern.h \
	src/stack/resolved.c src/stack/resolved.h \
	src/stack/shadow.c src/stack/shadow.h \
	src/stack/shadow_chain.c src/stack/shadow_priv.h \
	src/stack/shadow_seed.c \
	src/stack/stacks.c src/stack/stacks.h \
	src/stack/steps.c src/stack/steps.h \
	src/stack/suspended.c src/stack/suspended.h \
	src/stack/table.h \
	src/stack/tasks.c src/stack/tasks.h \
	src/stack/verdicts.c src/stack/verdicts.h \
	src/stack/verify.c src/stack/verify.h
