libptcore_a_SOURCES += \
	src/analysis/analysis.c src/analysis/analysis.h \
	src/analysis/analysis_priv.h \
	src/analysis/spent.c src/analysis/spent.h \
	src/analysis/calls.c src/analysis/calls.h \
	src/analysis/calls_tree.c src/analysis/calls_priv.h \
	src/analysis/charge.c src/analysis/charge_off.c \
	src/analysis/chosen.h \
	src/analysis/count.c \
	src/analysis/clocks.c src/analysis/clocks.h \
	src/analysis/files.c src/analysis/files.h \
	src/analysis/hist.c src/analysis/hist.h \
	src/analysis/idle.c src/analysis/idle.h src/analysis/idle_places.h \
	src/analysis/intern.c src/analysis/intern.h \
	src/analysis/ledger.c src/analysis/ledger.h \
	src/analysis/model.h \
	src/analysis/pyevents.c src/analysis/pyevents.h \
	src/analysis/rows.c src/analysis/rows_detail.c src/analysis/rows.h \
	src/analysis/rows_priv.h \
	src/analysis/tree.c src/analysis/tree.h \
	src/analysis/settle.c \
	src/analysis/lives.c
