/* SPDX-License-Identifier: MIT */
/* sockaddr: socket addresses and peers as text. */
#include <arpa/inet.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/rd.h"
#include "report/quote.h"
#include "report/sysargs.h"
#include "report/sysconst.h"

static void put_family(char *out, size_t size, uint64_t family)
{
	const struct sysconst *name;

	name = sysconst_value(sysconst_of(SYSK_FAMILY), family);
	if (name)
		snprintf(out, size, "%s", name->name);
	else
		snprintf(out, size, "AF_%u", (unsigned int)family);
}

static void put_inet(char *out, size_t size, const char *prefix, int family,
		     const void *addr, unsigned int port)
{
	char host[INET6_ADDRSTRLEN] = "?";

	inet_ntop(family, addr, host, sizeof(host));
	snprintf(out, size, family == AF_INET6 ? "%s[%s]:%u" : "%s%s:%u",
		 prefix, host, port);
}

/* sun_path up to its NUL; an abstract name begins with a NUL. */
static void put_unix(char *out, size_t size, struct rd *r)
{
	size_t len = rd_left(r);
	const char *path = rd_take(r, len);

	if (!len)
		snprintf(out, size, "unix");
	else if (!path[0])
		snprintf(out, size, "unix @%.*s", (int)len - 1, path + 1);
	else
		snprintf(out, size, "unix %.*s", (int)strnlen(path, len),
			 path);
}

void sysargs_sockaddr_text(char *out, size_t size, const void *addr,
			   size_t len)
{
	struct rd r = rd_over(addr, len);
	uint16_t family = rd_u16(&r);
	uint16_t port = 0;
	const void *host = NULL;

	if (r.bad) {
		snprintf(out, size, "no address");
		return;
	}
	if (family == AF_UNIX) {
		put_unix(out, size, &r);
		return;
	}
	if (family == AF_INET || family == AF_INET6) {
		port = ntohs(rd_u16(&r));
		if (family == AF_INET6)
			rd_u32(&r);		/* flow */
		host = rd_take(&r, family == AF_INET6 ? 16 : 4);
	}
	if (host)
		put_inet(out, size, "", family, host, port);
	else
		put_family(out, size, family);
}

/* ---- as strace has it ----------------------------------------------------- */

static void put_inet_fields(FILE *out, struct rd *r)
{
	char host[INET_ADDRSTRLEN] = "?";
	uint16_t port = ntohs(rd_u16(r));
	const void *addr = rd_take(r, 4);

	if (!addr)
		return;
	inet_ntop(AF_INET, addr, host, sizeof(host));
	fprintf(out, ", sin_port=htons(%u), sin_addr=inet_addr(\"%s\")", port,
		host);
}

static void put_inet6_fields(FILE *out, struct rd *r)
{
	char host[INET6_ADDRSTRLEN] = "?";
	uint16_t port = ntohs(rd_u16(r));
	uint32_t flow = ntohl(rd_u32(r));
	const void *addr = rd_take(r, 16);
	uint32_t scope = rd_u32(r);

	if (!addr)
		return;
	inet_ntop(AF_INET6, addr, host, sizeof(host));
	fprintf(out, ", sin6_port=htons(%u), sin6_flowinfo=htonl(%u), "
		"inet_pton(AF_INET6, \"%s\", &sin6_addr), sin6_scope_id=%u",
		port, flow, host, scope);
}

static void put_unix_fields(FILE *out, struct rd *r)
{
	size_t len = rd_left(r);
	const char *path = rd_take(r, len);

	if (!len)
		return;
	fputs(path[0] ? ", sun_path=" : ", sun_path=@", out);
	if (path[0])
		quote_put(out, path, strnlen(path, len), false);
	else
		quote_put(out, path + 1, len - 1, false);
}

static void put_netlink_fields(FILE *out, struct rd *r)
{
	uint32_t pid, groups;

	rd_u16(r);
	pid = rd_u32(r);
	groups = rd_u32(r);
	if (!r->bad)
		fprintf(out, ", nl_pid=%u, nl_groups=%08x", pid, groups);
}

void sysargs_sockaddr_put(FILE *out, const void *addr, size_t len)
{
	struct rd r = rd_over(addr, len);
	uint16_t family = rd_u16(&r);
	char name[32];

	if (r.bad) {
		fputs("{}", out);
		return;
	}
	put_family(name, sizeof(name), family);
	fprintf(out, "{sa_family=%s", name);
	switch (family) {
	case AF_INET:
		put_inet_fields(out, &r);
		break;
	case AF_INET6:
		put_inet6_fields(out, &r);
		break;
	case AF_UNIX:
		put_unix_fields(out, &r);
		break;
	case AF_NETLINK:
		put_netlink_fields(out, &r);
		break;
	default:
		break;
	}
	putc('}', out);
}

/* ---- of a descriptor ------------------------------------------------------ */

static const char *inet_prefix(const struct pt_socket *sock)
{
	switch (sock->type) {
	case SOCK_STREAM:
		return "tcp";
	case SOCK_DGRAM:
		return "udp";
	case SOCK_RAW:
		return "raw";
	default:
		return "inet";
	}
}

void sysargs_socket_text(char *out, size_t size, const struct pt_socket *sock)
{
	char prefix[8];

	if (sock->family == AF_UNIX) {
		snprintf(out, size, "unix");
		return;
	}
	if (sock->family != AF_INET && sock->family != AF_INET6) {
		put_family(out, size, sock->family);
		return;
	}
	if (!sock->port) {
		snprintf(out, size, "%s", inet_prefix(sock));
		return;
	}
	snprintf(prefix, sizeof(prefix), "%s ", inet_prefix(sock));
	put_inet(out, size, prefix, sock->family, sock->addr, sock->port);
}
