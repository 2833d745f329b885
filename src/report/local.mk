libptcore_a_SOURCES += \
	src/report/eventtext.c src/report/eventtext.h \
	src/report/filter.c src/report/filter.h \
	src/report/json.c src/report/json.h \
	src/report/json_event.c src/report/json_priv.h \
	src/report/jsonw.c src/report/jsonw.h \
	src/report/quote.c src/report/quote.h \
	src/report/sockaddr.c \
	src/report/stacktext.c src/report/stacktext.h \
	src/report/sysargs.c src/report/sysargs.h \
	src/report/sysconst.c src/report/sysconst.h \
	src/report/sysresult.c \
	src/report/syswait.c \
	src/report/trace.c src/report/trace.h
