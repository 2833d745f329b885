libptcore_a_SOURCES +=
