EXTRA_DIST += probes/pytrace_abi.h
