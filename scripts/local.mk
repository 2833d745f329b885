EXTRA_DIST += scripts/check-layers scripts/check-headers \
	scripts/interpreters
EXTRA_DIST += scripts/gen-layouts

.PHONY: check-headers check-layers
check-headers:
	@CC='$(CC)' CPPFLAGS='$(AM_CPPFLAGS)' $(srcdir)/scripts/check-headers $(srcdir)
check-layers:
	@$(srcdir)/scripts/check-layers $(srcdir)

# The CPythons of other Debian releases, for the live tests.
.PHONY: interpreters
interpreters:
	@$(srcdir)/scripts/interpreters
