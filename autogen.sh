#!/bin/sh
# Make ./configure from configure.ac.
set -e
cd "$(dirname "$0")"
mkdir -p build-aux
exec autoreconf --force --install --warnings=all "$@"
