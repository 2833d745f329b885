/* SPDX-License-Identifier: MIT */
/* verdicts: is the function wanted that has this code object? */
#include "stack/verdicts.h"

#include <errno.h>
#include <stdlib.h>

#include "stack/table.h"

struct verdict_on {
	uint64_t code;
	enum verdict is;
	UT_hash_handle hh;
};

static struct verdict_on *find(const struct verdicts *v, uint64_t code)
{
	struct verdict_on *on;

	HASH_FIND(hh, v->on, &code, sizeof(code), on);
	return on;
}

void verdicts_free(struct verdicts *v)
{
	struct verdict_on *on, *next;

	HASH_ITER(hh, v->on, on, next) {
		HASH_DEL(v->on, on);
		free(on);
	}
}

int verdicts_put(struct verdicts *v, uint64_t code, bool wanted)
{
	struct verdict_on *on = find(v, code);

	if (!on) {
		if (HASH_COUNT(v->on) >= VERDICTS_MAX)
			verdicts_free(v);
		on = calloc(1, sizeof(*on));
		if (!on)
			return -ENOMEM;
		on->code = code;
		HASH_ADD(hh, v->on, code, sizeof(on->code), on);
		if (!on->hh.tbl) {
			free(on);
			return -ENOMEM;
		}
	}
	on->is = wanted ? VERDICT_WANTED : VERDICT_REFUSED;
	return 0;
}

enum verdict verdicts_find(const struct verdicts *v, uint64_t code)
{
	const struct verdict_on *on = find(v, code);

	return on ? on->is : VERDICT_UNKNOWN;
}
