EXTRA_DIST += scripts/check-layers scripts/check-headers

.PHONY: check-headers check-layers
check-headers:
	@CC='$(CC)' CPPFLAGS='$(AM_CPPFLAGS)' $(srcdir)/scripts/check-headers $(srcdir)
check-layers:
	@$(srcdir)/scripts/check-layers $(srcdir)
