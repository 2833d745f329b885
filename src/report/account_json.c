/* SPDX-License-Identifier: MIT */
/* account_json: the account that closes, as one JSON object. */
#include "report/rows_json_priv.h"

static const char *precision_word(enum precision p)
{
	switch (p) {
	case EXACT:
		return "exact";
	case FROM_SAMPLES:
		return "samples";
	case NOT_KNOWN:
		break;
	}
	return "unknown";
}

static void put_quota(struct jsonw *w, const struct model *m)
{
	jsonw_key(w, "cpu_quota");
	if (!m->quota && !m->throttled_ns) {
		jsonw_null(w);
		return;
	}
	jsonw_open(w);
	jsonw_key_uint(w, "throttled_ns", m->throttled_ns);
	jsonw_key_uint(w, "periods", m->periods);
	jsonw_key_uint(w, "throttled_periods", m->throttled_periods);
	jsonw_close(w);
}

void account_json(struct jsonw *w, const struct model *m, unsigned int interval)
{
	const struct account *sum = &m->account;
	uint32_t all;

	jsonw_key_string(w, "type", "account");
	if (interval)
		jsonw_key_uint(w, "interval", interval);
	jsonw_key_uint(w, "t", m->begin);
	jsonw_key_uint(w, "until", m->end);
	jsonw_key_uint(w, "threads", model_threads(m, &all));
	jsonw_key_uint(w, "thread_ns", sum->thread_ns);
	jsonw_key_uint(w, "idle_ns", sum->idle_ns);
	jsonw_key_uint(w, "unseen_ns", sum->unseen_ns);
	jsonw_key_uint(w, "busy_ns", sum->busy_ns);
	jsonw_key(w, "busy");
	jsonw_open(w);
	for (int c = 0; c < SPENT_NR; c++)
		if (c != SPENT_UNKNOWN && sum->busy[c])
			jsonw_key_uint(w, spent_key((enum spent)c),
				       sum->busy[c]);
	jsonw_close(w);
	jsonw_key_uint(w, "unknown_ns", sum->busy[SPENT_UNKNOWN]);
	jsonw_key_string(w, "kernel_mode", precision_word(m->kernel));
	jsonw_key_string(w, "off_cpu", precision_word(m->off));
	put_quota(w, m);
	jsonw_key_uint(w, "memory_high", m->memory_high);
	jsonw_key_uint(w, "before_begin", m->before);
	jsonw_key_uint(w, "going_on", m->going_on);
	jsonw_key(w, "complete");
	jsonw_bool(w, (m->complete || m->interval) && !m->lossy && !m->shed);
}
