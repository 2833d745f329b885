/* SPDX-License-Identifier: MIT */
/* main: choose the subcommand. */
#include "base/err.h"

int main(void)
{
	fprintf(stderr, "pytrace: usage: no view is built yet\n");
	return ERR_USAGE;
}
