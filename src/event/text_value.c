/* SPDX-License-Identifier: MIT */
/* text_value: numbers of 1, 2, 4 or 8 bytes wherever they lie. */
#include "event/text_value.h"

#include <string.h>

uint64_t value_get(const void *at, size_t size)
{
	uint64_t v8;
	uint32_t v4;
	uint16_t v2;

	switch (size) {
	case 1:
		return *(const uint8_t *)at;
	case 2:
		memcpy(&v2, at, 2);
		return v2;
	case 4:
		memcpy(&v4, at, 4);
		return v4;
	default:
		memcpy(&v8, at, 8);
		return v8;
	}
}

int64_t value_signed(const void *at, size_t size)
{
	uint64_t v = value_get(at, size);
	unsigned int shift = 64 - 8 * (unsigned int)size;

	return (int64_t)(v << shift) >> shift;
}

bool value_put(void *at, size_t size, uint64_t v)
{
	uint32_t v4 = (uint32_t)v;
	uint16_t v2 = (uint16_t)v;

	if (size < 8 && v >> (8 * size))
		return false;
	switch (size) {
	case 1:
		*(uint8_t *)at = (uint8_t)v;
		break;
	case 2:
		memcpy(at, &v2, 2);
		break;
	case 4:
		memcpy(at, &v4, 4);
		break;
	default:
		memcpy(at, &v, 8);
		break;
	}
	return true;
}

bool value_put_signed(void *at, size_t size, int64_t v)
{
	int64_t max = size < 8 ? (INT64_C(1) << (8 * size - 1)) - 1 : INT64_MAX;

	if (v > max || v < -max - 1)
		return false;
	if (size < 8)
		v &= (INT64_C(1) << (8 * size)) - 1;
	return value_put(at, size, (uint64_t)v);
}
