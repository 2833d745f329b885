libptcore_a_SOURCES += \
	src/report/account_json.c \
	src/report/calltext.c src/report/calltext.h \
	src/report/calls_json.c \
	src/report/calls_report.c src/report/calls_report.h \
	src/report/calls_head.c src/report/calls_priv.h \
	src/report/calls_shapes.c \
	src/report/columns.c src/report/columns.h \
	src/report/eventtext.c src/report/eventtext.h \
	src/report/fields.c src/report/fields.h \
	src/report/filter.c src/report/filter.h \
	src/report/json.c src/report/json.h \
	src/report/json_calls.c \
	src/report/json_event.c src/report/json_priv.h \
	src/report/jsonw.c src/report/jsonw.h \
	src/report/next.c \
	src/report/pyevents_text.c src/report/pyevents_text.h \
	src/report/quote.c src/report/quote.h \
	src/report/pick.c src/report/pick.h \
	src/report/rows_json.c src/report/rows_json.h \
	src/report/rows_json_priv.h src/report/tree_json.c \
	src/report/schema.c src/report/schema.h src/report/schema_rows.h \
	src/report/screen.c src/report/screen.h \
	src/report/screen_head.c src/report/screen_rows.c \
	src/report/screen_priv.h src/report/storms.c \
	src/report/shed.c src/report/shed.h \
	src/report/sockaddr.c \
	src/report/stacktext.c src/report/stacktext.h \
	src/report/sysargs.c src/report/sysargs.h \
	src/report/sysconst.c src/report/sysconst.h \
	src/report/sysresult.c \
	src/report/table.c src/report/table.h src/report/table_priv.h \
	src/report/table_columns.c src/report/table_rows.c \
	src/report/faults_text.c src/report/hist_text.c \
	src/report/tree_text.c \
	src/report/trace.c src/report/trace.h \
	src/report/syswait.c \
	src/report/words.c src/report/words.h
