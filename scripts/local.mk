# Targets for those who work on pytrace; each is one line to remember.
EXTRA_DIST += \
	scripts/check scripts/check-dist scripts/check-docs \
	scripts/check-headers scripts/check-layers scripts/ci-summary \
	scripts/gen-layouts scripts/gen-opcodes \
	scripts/interpreters scripts/lint scripts/packages \
	scripts/quickstart scripts/timed \
	examples/shop.py \
	tests/cli/test_scripts.py

dist_bin_SCRIPTS = scripts/pytrace-perf-probe
dist_man_MANS = man/pytrace.1 man/pytrace-perf-probe.1 man/pytrace.data.5
bashcompdir = $(datadir)/bash-completion/completions
dist_bashcomp_DATA = completions/pytrace.bash \
	completions/pytrace-perf-probe.bash

.PHONY: check-headers check-layers check-docs check-cli check-live \
	check-asan interpreters lint compdb soak

# Each unit program's log ends with its time.
LOG_COMPILER = $(srcdir)/scripts/timed

check-headers:
	@CC='$(CC)' CPPFLAGS='$(AM_CPPFLAGS)' $(srcdir)/scripts/check-headers $(srcdir)
check-layers:
	@$(srcdir)/scripts/check-layers $(srcdir)
# The man page and the completion have what --help has.
check-docs: pytrace
	@$(srcdir)/scripts/check-docs $(srcdir) '$(abs_top_builddir)/pytrace'

# The pytest suites: what a user types (cli), and real tracing (live, root).
# The source may be read-only, as it is in distcheck.
run_pytest = $(AM_TESTS_ENVIRONMENT) PYTHONDONTWRITEBYTECODE=1 \
	/usr/bin/python3 -m pytest -ra -p no:cacheprovider \
	--rootdir '$(abs_top_srcdir)'
# A live test that failed is run once more (tests/live/conftest.py says which).
once_more = $$(/usr/bin/python3 -c 'import pytest_rerunfailures' 2>/dev/null && \
	echo --reruns=1)
define pytest_suite
	$(AM_V_at)if ! ls $(srcdir)/$(1)/test_*.py >/dev/null 2>&1; then \
	  echo '$@: no tests in $(1)'; \
	elif ! /usr/bin/python3 -m pytest --version >/dev/null 2>&1; then \
	  echo '$@: skipped, needs python3-pytest'; \
	else \
	  $(run_pytest) --junitxml=pytest-$(2).xml $(3) $(PYTESTFLAGS) \
	    '$(abs_top_srcdir)/$(1)'; \
	fi
endef

# (not when one unit program is asked for: make check TESTS=...)
check-local: $(if $(filter-out command line,$(origin TESTS)),check-cli)
check-cli: all
	$(call pytest_suite,tests/cli,cli)
check-live: all
	$(AM_V_at)rm -f pytest-again.txt
	$(call pytest_suite,tests/live,live,$(once_more))
# The long forms of the same tests.
soak: all
	$(AM_V_at)PYTRACE_SOAK=1; export PYTRACE_SOAK; \
	$(MAKE) $(AM_MAKEFLAGS) check-live
# The interpreters of other Debian releases, for the live tests.
interpreters:
	@$(srcdir)/scripts/interpreters

# From a scratch copy of the tarball: the source tree may be configured, and a
# file that EXTRA_DIST forgot shows.
check-asan:
	$(AM_V_at)$(MAKE) $(AM_MAKEFLAGS) distdir
	$(AM_V_at)mkdir $(distdir)/_san
	cd $(distdir)/_san && ../configure --quiet CC='$(CC)' CFLAGS='-O1 -g' \
	  --enable-sanitizers=address,undefined && \
	  $(MAKE) $(AM_MAKEFLAGS) check VERBOSE=1
	$(AM_V_at)rm -rf $(distdir)

AM_DISTCHECK_CONFIGURE_FLAGS = --enable-werror

lint:
	$(srcdir)/scripts/lint $(srcdir) $(abs_top_builddir)
compdb:
	$(AM_V_at)$(MAKE) $(AM_MAKEFLAGS) clean
	bear --output '$(abs_top_srcdir)/compile_commands.json' -- \
	  $(MAKE) $(AM_MAKEFLAGS) all $(check_PROGRAMS)


CLEANFILES += pytest-cli.xml pytest-live.xml pytest-again.txt
