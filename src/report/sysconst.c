/* SPDX-License-Identifier: MIT */
/*
 * sysconst: the names that values and flags of system calls have.
 *
 * The values are those of the system's headers; where these are older than
 * the kernel, the number stands here with its origin.
 */
#include "report/sysconst.h"

#include <asm/prctl.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <linux/netlink.h>
#include <linux/random.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

/* clang-format off */

#define C(name)		{ (uint64_t)(name), #name, 0 }
#define U32(name)	{ (uint32_t)(name), #name, 0 }
#define A(name, args)	{ (uint32_t)(name), #name, args }
#define N(nr, name)	{ (uint64_t)(nr), name, 0 }

/* ---- files ---- */

static const struct sysconst access_flags[] = { C(R_OK), C(W_OK), C(X_OK) };

static const struct sysconst open_modes[] = {
	C(O_RDONLY), C(O_WRONLY), C(O_RDWR), C(O_ACCMODE),
};
static const struct sysconst open_flags[] = {
	C(O_CREAT), C(O_EXCL), C(O_NOCTTY), C(O_TRUNC), C(O_APPEND),
	C(O_NONBLOCK), C(O_SYNC), C(O_DSYNC), C(O_ASYNC), C(O_DIRECT),
	N(0100000, "O_LARGEFILE"),	/* glibc has it as 0 on x86-64 */
	C(O_NOFOLLOW), C(O_NOATIME), C(O_CLOEXEC), C(O_PATH), C(O_TMPFILE),
	C(O_DIRECTORY),
};

static const struct sysconst at_flags[] = {
	C(AT_SYMLINK_NOFOLLOW), C(AT_SYMLINK_FOLLOW), C(AT_NO_AUTOMOUNT),
	C(AT_EMPTY_PATH), C(AT_STATX_FORCE_SYNC), C(AT_STATX_DONT_SYNC),
	C(AT_RECURSIVE),
};
static const struct sysconst at_eaccess_flags[] = {
	C(AT_SYMLINK_NOFOLLOW), C(AT_EACCESS), C(AT_EMPTY_PATH),
};
static const struct sysconst at_remove_flags[] = { C(AT_REMOVEDIR) };

static const struct sysconst close_range_flags[] = {
	N(1 << 1, "CLOSE_RANGE_UNSHARE"), N(1 << 2, "CLOSE_RANGE_CLOEXEC"),
};

static const struct sysconst fadvice_values[] = {
	C(POSIX_FADV_NORMAL), C(POSIX_FADV_RANDOM), C(POSIX_FADV_SEQUENTIAL),
	C(POSIX_FADV_WILLNEED), C(POSIX_FADV_DONTNEED), C(POSIX_FADV_NOREUSE),
};

static const struct sysconst falloc_flags[] = {
	C(FALLOC_FL_KEEP_SIZE), C(FALLOC_FL_PUNCH_HOLE),
	C(FALLOC_FL_COLLAPSE_RANGE), C(FALLOC_FL_ZERO_RANGE),
	C(FALLOC_FL_INSERT_RANGE), C(FALLOC_FL_UNSHARE_RANGE),
};

static const struct sysconst fcntl_values[] = {
	A(F_DUPFD, 7), A(F_DUPFD_CLOEXEC, 7), A(F_GETFD, 3), A(F_SETFD, 7),
	A(F_GETFL, 3), A(F_SETFL, 7), A(F_GETLK, 7), A(F_SETLK, 7),
	A(F_SETLKW, 7), A(F_SETOWN, 7), A(F_GETOWN, 3), A(F_SETSIG, 7),
	A(F_GETSIG, 3), A(F_SETOWN_EX, 7), A(F_GETOWN_EX, 7),
	A(F_OFD_GETLK, 7), A(F_OFD_SETLK, 7), A(F_OFD_SETLKW, 7),
	A(F_SETLEASE, 7), A(F_GETLEASE, 3), A(F_NOTIFY, 7),
	A(F_SETPIPE_SZ, 7), A(F_GETPIPE_SZ, 3), A(F_ADD_SEALS, 7),
	A(F_GET_SEALS, 3), A(F_GET_RW_HINT, 7), A(F_SET_RW_HINT, 7),
};
static const struct sysconst fdflags_flags[] = { C(FD_CLOEXEC) };

static const struct sysconst flock_values[] = {
	C(LOCK_SH), C(LOCK_EX), C(LOCK_UN),
};
static const struct sysconst flock_flags[] = { C(LOCK_NB) };

static const struct sysconst ioctl_values[] = {
	A(TCGETS, 7), A(TCSETS, 7), A(TCSETSW, 7), A(TCSETSF, 7),
	A(TIOCGWINSZ, 7), A(TIOCSWINSZ, 7), A(TIOCGPGRP, 7),
	A(TIOCSPGRP, 7), A(TIOCSCTTY, 7), A(TIOCNOTTY, 3), A(TIOCGPTN, 7),
	A(FIONREAD, 7), A(FIONBIO, 7), A(FIOASYNC, 7), A(FIOCLEX, 3),
	A(FIONCLEX, 3), A(FS_IOC_GETFLAGS, 7), A(FS_IOC_SETFLAGS, 7),
	A(FICLONE, 7), A(FICLONERANGE, 7), A(BLKGETSIZE64, 7),
};

static const struct sysconst inotify_flags[] = {
	C(IN_NONBLOCK), C(IN_CLOEXEC),
};
static const struct sysconst inotify_mask_flags[] = {
	C(IN_ACCESS), C(IN_MODIFY), C(IN_ATTRIB), C(IN_CLOSE_WRITE),
	C(IN_CLOSE_NOWRITE), C(IN_OPEN), C(IN_MOVED_FROM), C(IN_MOVED_TO),
	C(IN_CREATE), C(IN_DELETE), C(IN_DELETE_SELF), C(IN_MOVE_SELF),
	C(IN_ONLYDIR), C(IN_DONT_FOLLOW), C(IN_EXCL_UNLINK),
	C(IN_MASK_CREATE), C(IN_MASK_ADD), C(IN_ISDIR), U32(IN_ONESHOT),
};

/* linux/mount.h, which does not go with other headers */
static const struct sysconst mount_flags[] = {
	N(1 << 0, "MS_RDONLY"), N(1 << 1, "MS_NOSUID"), N(1 << 2, "MS_NODEV"),
	N(1 << 3, "MS_NOEXEC"), N(1 << 4, "MS_SYNCHRONOUS"),
	N(1 << 5, "MS_REMOUNT"), N(1 << 6, "MS_MANDLOCK"),
	N(1 << 7, "MS_DIRSYNC"), N(1 << 8, "MS_NOSYMFOLLOW"),
	N(1 << 10, "MS_NOATIME"), N(1 << 11, "MS_NODIRATIME"),
	N(1 << 12, "MS_BIND"), N(1 << 13, "MS_MOVE"), N(1 << 14, "MS_REC"),
	N(1 << 15, "MS_SILENT"), N(1 << 17, "MS_UNBINDABLE"),
	N(1 << 18, "MS_PRIVATE"), N(1 << 19, "MS_SLAVE"),
	N(1 << 20, "MS_SHARED"), N(1 << 21, "MS_RELATIME"),
	N(1 << 24, "MS_STRICTATIME"), N(1 << 25, "MS_LAZYTIME"),
};
static const struct sysconst umount_flags[] = {
	N(1, "MNT_FORCE"), N(2, "MNT_DETACH"), N(4, "MNT_EXPIRE"),
	N(8, "UMOUNT_NOFOLLOW"),
};

static const struct sysconst rename_flags[] = {
	C(RENAME_NOREPLACE), C(RENAME_EXCHANGE), C(RENAME_WHITEOUT),
};
static const struct sysconst rwf_flags[] = {
	C(RWF_HIPRI), C(RWF_DSYNC), C(RWF_SYNC), C(RWF_NOWAIT), C(RWF_APPEND),
};
static const struct sysconst splice_flags[] = {
	C(SPLICE_F_MOVE), C(SPLICE_F_NONBLOCK), C(SPLICE_F_MORE),
	C(SPLICE_F_GIFT),
};
static const struct sysconst statx_values[] = {
	C(STATX_BASIC_STATS), C(STATX_ALL),
};
static const struct sysconst statx_flags[] = {
	C(STATX_TYPE), C(STATX_MODE), C(STATX_NLINK), C(STATX_UID),
	C(STATX_GID), C(STATX_ATIME), C(STATX_MTIME), C(STATX_CTIME),
	C(STATX_INO), C(STATX_SIZE), C(STATX_BLOCKS), C(STATX_BTIME),
	N(0x1000, "STATX_MNT_ID"), N(0x2000, "STATX_DIOALIGN"),
};
static const struct sysconst sync_range_flags[] = {
	C(SYNC_FILE_RANGE_WAIT_BEFORE), C(SYNC_FILE_RANGE_WRITE),
	C(SYNC_FILE_RANGE_WAIT_AFTER),
};
static const struct sysconst whence_values[] = {
	C(SEEK_SET), C(SEEK_CUR), C(SEEK_END), C(SEEK_DATA), C(SEEK_HOLE),
};
static const struct sysconst xattr_flags[] = {
	C(XATTR_CREATE), C(XATTR_REPLACE),
};

/* ---- descriptors ---- */

static const struct sysconst epoll_flags[] = { C(EPOLL_CLOEXEC) };
static const struct sysconst epoll_op_values[] = {
	C(EPOLL_CTL_ADD), C(EPOLL_CTL_DEL), C(EPOLL_CTL_MOD),
};
static const struct sysconst eventfd_flags[] = {
	C(EFD_SEMAPHORE), C(EFD_NONBLOCK), C(EFD_CLOEXEC),
};
static const struct sysconst signalfd_flags[] = {
	C(SFD_NONBLOCK), C(SFD_CLOEXEC),
};
static const struct sysconst timerfd_flags[] = {
	C(TFD_NONBLOCK), C(TFD_CLOEXEC),
};
static const struct sysconst timerfd_set_flags[] = {
	C(TFD_TIMER_ABSTIME), C(TFD_TIMER_CANCEL_ON_SET),
};
static const struct sysconst pidfd_flags[] = {
	N(O_NONBLOCK, "PIDFD_NONBLOCK"), N(O_EXCL, "PIDFD_THREAD"),
};
static const struct sysconst memfd_flags[] = {
	C(MFD_CLOEXEC), C(MFD_ALLOW_SEALING), C(MFD_HUGETLB),
	N(8, "MFD_NOEXEC_SEAL"), N(16, "MFD_EXEC"),
};

/* ---- network ---- */

static const struct sysconst family_values[] = {
	C(AF_UNSPEC), C(AF_UNIX), C(AF_INET), C(AF_AX25), C(AF_INET6),
	C(AF_NETLINK), C(AF_PACKET), C(AF_KEY), C(AF_BLUETOOTH), C(AF_CAN),
	C(AF_TIPC), C(AF_ALG), C(AF_VSOCK), C(AF_KCM), C(AF_QIPCRTR),
	C(AF_SMC), C(AF_XDP),
};
static const struct sysconst socktype_values[] = {
	C(SOCK_STREAM), C(SOCK_DGRAM), C(SOCK_RAW), C(SOCK_RDM),
	C(SOCK_SEQPACKET), C(SOCK_DCCP), C(SOCK_PACKET),
};
static const struct sysconst sock_flags[] = {
	C(SOCK_CLOEXEC), C(SOCK_NONBLOCK),
};
static const struct sysconst inet_protocols[] = {
	C(IPPROTO_IP), C(IPPROTO_ICMP), C(IPPROTO_TCP), C(IPPROTO_UDP),
	C(IPPROTO_IPV6), C(IPPROTO_ICMPV6), C(IPPROTO_SCTP),
	C(IPPROTO_UDPLITE), C(IPPROTO_RAW), C(IPPROTO_MPTCP),
};
static const struct sysconst netlink_protocols[] = {
	C(NETLINK_ROUTE), C(NETLINK_SOCK_DIAG), C(NETLINK_NFLOG),
	C(NETLINK_AUDIT), C(NETLINK_CONNECTOR), C(NETLINK_NETFILTER),
	C(NETLINK_KOBJECT_UEVENT), C(NETLINK_GENERIC), C(NETLINK_CRYPTO),
};
static const struct sysconst msg_flags[] = {
	C(MSG_OOB), C(MSG_PEEK), C(MSG_DONTROUTE), C(MSG_CTRUNC), C(MSG_TRUNC),
	C(MSG_DONTWAIT), C(MSG_EOR), C(MSG_WAITALL), C(MSG_FIN), C(MSG_SYN),
	C(MSG_CONFIRM), C(MSG_RST), C(MSG_ERRQUEUE), C(MSG_NOSIGNAL),
	C(MSG_MORE), C(MSG_WAITFORONE), C(MSG_BATCH), C(MSG_ZEROCOPY),
	C(MSG_FASTOPEN), C(MSG_CMSG_CLOEXEC),
};
static const struct sysconst shut_values[] = {
	C(SHUT_RD), C(SHUT_WR), C(SHUT_RDWR),
};
static const struct sysconst sock_level_values[] = {
	C(SOL_SOCKET), N(0, "SOL_IP"), N(6, "SOL_TCP"), N(17, "SOL_UDP"),
	N(41, "SOL_IPV6"), N(58, "SOL_ICMPV6"), N(132, "SOL_SCTP"),
	C(SOL_PACKET), C(SOL_NETLINK), C(SOL_ALG), C(SOL_TLS),
};
static const struct sysconst so_values[] = {
	C(SO_DEBUG), C(SO_REUSEADDR), C(SO_TYPE), C(SO_ERROR),
	C(SO_DONTROUTE), C(SO_BROADCAST), C(SO_SNDBUF), C(SO_RCVBUF),
	C(SO_KEEPALIVE), C(SO_OOBINLINE), C(SO_PRIORITY), C(SO_LINGER),
	C(SO_REUSEPORT), C(SO_PASSCRED), C(SO_PEERCRED), C(SO_RCVLOWAT),
	C(SO_SNDLOWAT), N(20, "SO_RCVTIMEO_OLD"), N(21, "SO_SNDTIMEO_OLD"),
	C(SO_BINDTODEVICE), C(SO_ATTACH_FILTER), C(SO_DETACH_FILTER),
	C(SO_PEERNAME), N(29, "SO_TIMESTAMP_OLD"), C(SO_ACCEPTCONN),
	C(SO_PEERSEC), C(SO_SNDBUFFORCE), C(SO_RCVBUFFORCE), C(SO_PASSSEC),
	C(SO_MARK), C(SO_PROTOCOL), C(SO_DOMAIN), C(SO_BUSY_POLL),
	C(SO_INCOMING_CPU), C(SO_ZEROCOPY), C(SO_COOKIE),
};
static const struct sysconst tcp_values[] = {
	C(TCP_NODELAY), C(TCP_MAXSEG), C(TCP_CORK), C(TCP_KEEPIDLE),
	C(TCP_KEEPINTVL), C(TCP_KEEPCNT), C(TCP_SYNCNT), C(TCP_LINGER2),
	C(TCP_DEFER_ACCEPT), C(TCP_WINDOW_CLAMP), C(TCP_INFO),
	C(TCP_QUICKACK), C(TCP_CONGESTION), C(TCP_MD5SIG),
	C(TCP_USER_TIMEOUT), C(TCP_FASTOPEN), C(TCP_ULP),
};
static const struct sysconst ip_values[] = {
	C(IP_TOS), C(IP_TTL), C(IP_HDRINCL), C(IP_OPTIONS), C(IP_PKTINFO),
	C(IP_MTU_DISCOVER), C(IP_RECVERR), C(IP_RECVTTL), C(IP_RECVTOS),
	C(IP_MTU), C(IP_FREEBIND), C(IP_TRANSPARENT), C(IP_MULTICAST_IF),
	C(IP_MULTICAST_TTL), C(IP_MULTICAST_LOOP), C(IP_ADD_MEMBERSHIP),
	C(IP_DROP_MEMBERSHIP), C(IP_BIND_ADDRESS_NO_PORT),
};
static const struct sysconst ipv6_values[] = {
	C(IPV6_UNICAST_HOPS), C(IPV6_MULTICAST_IF), C(IPV6_MULTICAST_HOPS),
	C(IPV6_MULTICAST_LOOP), C(IPV6_JOIN_GROUP), C(IPV6_LEAVE_GROUP),
	C(IPV6_MTU_DISCOVER), C(IPV6_MTU), C(IPV6_RECVERR), C(IPV6_V6ONLY),
	C(IPV6_RECVPKTINFO), C(IPV6_PKTINFO), C(IPV6_TCLASS),
};

/* ---- memory ---- */

static const struct sysconst prot_flags[] = {
	C(PROT_READ), C(PROT_WRITE), C(PROT_EXEC), C(PROT_GROWSDOWN),
	C(PROT_GROWSUP),
};
static const struct sysconst map_values[] = {
	C(MAP_SHARED), C(MAP_PRIVATE), C(MAP_SHARED_VALIDATE),
};
static const struct sysconst map_flags[] = {
	C(MAP_FIXED), C(MAP_ANONYMOUS), C(MAP_32BIT), C(MAP_GROWSDOWN),
	C(MAP_DENYWRITE), C(MAP_EXECUTABLE), C(MAP_LOCKED), C(MAP_NORESERVE),
	C(MAP_POPULATE), C(MAP_NONBLOCK), C(MAP_STACK), C(MAP_HUGETLB),
	C(MAP_SYNC), C(MAP_FIXED_NOREPLACE),
};
static const struct sysconst mremap_flags[] = {
	C(MREMAP_MAYMOVE), C(MREMAP_FIXED), C(MREMAP_DONTUNMAP),
};
static const struct sysconst msync_flags[] = {
	C(MS_ASYNC), C(MS_INVALIDATE), C(MS_SYNC),
};
static const struct sysconst madvice_values[] = {
	C(MADV_NORMAL), C(MADV_RANDOM), C(MADV_SEQUENTIAL), C(MADV_WILLNEED),
	C(MADV_DONTNEED), C(MADV_FREE), C(MADV_REMOVE), C(MADV_DONTFORK),
	C(MADV_DOFORK), C(MADV_MERGEABLE), C(MADV_UNMERGEABLE),
	C(MADV_HUGEPAGE), C(MADV_NOHUGEPAGE), C(MADV_DONTDUMP), C(MADV_DODUMP),
	C(MADV_WIPEONFORK), C(MADV_KEEPONFORK), C(MADV_COLD), C(MADV_PAGEOUT),
	C(MADV_POPULATE_READ), C(MADV_POPULATE_WRITE),
	C(MADV_DONTNEED_LOCKED), N(25, "MADV_COLLAPSE"), C(MADV_HWPOISON),
};
static const struct sysconst mlockall_flags[] = {
	C(MCL_CURRENT), C(MCL_FUTURE), C(MCL_ONFAULT),
};

/* ---- processes, threads, time ---- */

/* which of uaddr, op, val, timeout, uaddr2, val3 an operation looks at */
#define FUTEX_BOTH(name, args)						\
	{ name, #name, args },						\
	{ name | FUTEX_PRIVATE_FLAG, #name "_PRIVATE", args }
static const struct sysconst futex_values[] = {
	FUTEX_BOTH(FUTEX_WAIT, 0x0f),
	FUTEX_BOTH(FUTEX_WAKE, 0x07),
	A(FUTEX_FD, 0x07),
	FUTEX_BOTH(FUTEX_REQUEUE, 0x1f),
	FUTEX_BOTH(FUTEX_CMP_REQUEUE, 0x3f),
	FUTEX_BOTH(FUTEX_WAKE_OP, 0x3f),
	FUTEX_BOTH(FUTEX_LOCK_PI, 0x0b),
	FUTEX_BOTH(FUTEX_LOCK_PI2, 0x0b),
	FUTEX_BOTH(FUTEX_UNLOCK_PI, 0x03),
	FUTEX_BOTH(FUTEX_TRYLOCK_PI, 0x03),
	FUTEX_BOTH(FUTEX_WAIT_BITSET, 0x2f),
	FUTEX_BOTH(FUTEX_WAKE_BITSET, 0x27),
	FUTEX_BOTH(FUTEX_WAIT_REQUEUE_PI, 0x1f),
	FUTEX_BOTH(FUTEX_CMP_REQUEUE_PI, 0x3f),
};
static const struct sysconst futex_flags[] = { C(FUTEX_CLOCK_REALTIME) };
static const struct sysconst futex_val3_values[] = {
	N(0xffffffff, "FUTEX_BITSET_MATCH_ANY"),
};

static const struct sysconst unshare_flags[] = {
	C(CLONE_VM), C(CLONE_FS), C(CLONE_FILES), C(CLONE_SIGHAND),
	C(CLONE_PIDFD), C(CLONE_PTRACE), C(CLONE_VFORK), C(CLONE_PARENT),
	C(CLONE_THREAD), C(CLONE_NEWNS), C(CLONE_SYSVSEM), C(CLONE_SETTLS),
	C(CLONE_PARENT_SETTID), C(CLONE_CHILD_CLEARTID), C(CLONE_DETACHED),
	C(CLONE_UNTRACED), C(CLONE_CHILD_SETTID), C(CLONE_NEWCGROUP),
	C(CLONE_NEWUTS), C(CLONE_NEWIPC), C(CLONE_NEWUSER), C(CLONE_NEWPID),
	C(CLONE_NEWNET), U32(CLONE_IO),
};
static const struct sysconst wait_flags[] = {
	C(WNOHANG), C(WUNTRACED), C(WEXITED), C(WCONTINUED), C(WNOWAIT),
	C(__WNOTHREAD), C(__WALL), U32(__WCLONE),
};
static const struct sysconst id_type_values[] = {
	C(P_ALL), C(P_PID), C(P_PGID), C(P_PIDFD),
};
static const struct sysconst clock_values[] = {
	C(CLOCK_REALTIME), C(CLOCK_MONOTONIC), C(CLOCK_PROCESS_CPUTIME_ID),
	C(CLOCK_THREAD_CPUTIME_ID), C(CLOCK_MONOTONIC_RAW),
	C(CLOCK_REALTIME_COARSE), C(CLOCK_MONOTONIC_COARSE), C(CLOCK_BOOTTIME),
	C(CLOCK_REALTIME_ALARM), C(CLOCK_BOOTTIME_ALARM), C(CLOCK_TAI),
};
static const struct sysconst timer_flags[] = { C(TIMER_ABSTIME) };
static const struct sysconst itimer_values[] = {
	C(ITIMER_REAL), C(ITIMER_VIRTUAL), C(ITIMER_PROF),
};
static const struct sysconst sig_how_values[] = {
	N(0, "SIG_BLOCK"), N(1, "SIG_UNBLOCK"), N(2, "SIG_SETMASK"),
};
static const struct sysconst prio_values[] = {
	C(PRIO_PROCESS), C(PRIO_PGRP), C(PRIO_USER),
};
static const struct sysconst sched_values[] = {
	C(SCHED_OTHER), C(SCHED_FIFO), C(SCHED_RR), C(SCHED_BATCH),
	C(SCHED_IDLE), C(SCHED_DEADLINE),
};
static const struct sysconst sched_flags[] = { C(SCHED_RESET_ON_FORK) };
static const struct sysconst rlimit_values[] = {
	C(RLIMIT_CPU), C(RLIMIT_FSIZE), C(RLIMIT_DATA), C(RLIMIT_STACK),
	C(RLIMIT_CORE), C(RLIMIT_RSS), C(RLIMIT_NPROC), C(RLIMIT_NOFILE),
	C(RLIMIT_MEMLOCK), C(RLIMIT_AS), C(RLIMIT_LOCKS),
	C(RLIMIT_SIGPENDING), C(RLIMIT_MSGQUEUE), C(RLIMIT_NICE),
	C(RLIMIT_RTPRIO), C(RLIMIT_RTTIME),
};
static const struct sysconst rusage_values[] = {
	U32(RUSAGE_SELF), U32(RUSAGE_CHILDREN), U32(RUSAGE_THREAD),
};
static const struct sysconst random_flags[] = {
	C(GRND_NONBLOCK), C(GRND_RANDOM), N(4, "GRND_INSECURE"),
};
static const struct sysconst membarrier_values[] = {
	C(MEMBARRIER_CMD_QUERY), C(MEMBARRIER_CMD_GLOBAL),
	C(MEMBARRIER_CMD_GLOBAL_EXPEDITED),
	C(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED),
	C(MEMBARRIER_CMD_PRIVATE_EXPEDITED),
	C(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED),
	C(MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE),
	C(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE),
};
static const struct sysconst seccomp_values[] = {
	C(SECCOMP_SET_MODE_STRICT), C(SECCOMP_SET_MODE_FILTER),
	C(SECCOMP_GET_ACTION_AVAIL), C(SECCOMP_GET_NOTIF_SIZES),
};
static const struct sysconst arch_prctl_values[] = {
	C(ARCH_SET_GS), C(ARCH_SET_FS), C(ARCH_GET_FS), C(ARCH_GET_GS),
	C(ARCH_GET_CPUID), C(ARCH_SET_CPUID), C(ARCH_GET_XCOMP_SUPP),
	C(ARCH_GET_XCOMP_PERM), C(ARCH_REQ_XCOMP_PERM),
	/* asm/prctl.h of Linux 6.6 */
	N(0x5001, "ARCH_SHSTK_ENABLE"), N(0x5002, "ARCH_SHSTK_DISABLE"),
	N(0x5003, "ARCH_SHSTK_LOCK"), N(0x5005, "ARCH_SHSTK_STATUS"),
};
static const struct sysconst prctl_values[] = {
	A(PR_SET_PDEATHSIG, 0x03), A(PR_GET_PDEATHSIG, 0x03),
	A(PR_GET_DUMPABLE, 0x01), A(PR_SET_DUMPABLE, 0x03),
	A(PR_GET_KEEPCAPS, 0x01), A(PR_SET_KEEPCAPS, 0x03),
	A(PR_SET_NAME, 0x03), A(PR_GET_NAME, 0x03),
	A(PR_GET_SECCOMP, 0x01), A(PR_SET_SECCOMP, 0x07),
	A(PR_CAPBSET_READ, 0x03), A(PR_CAPBSET_DROP, 0x03),
	A(PR_SET_TIMERSLACK, 0x03), A(PR_GET_TIMERSLACK, 0x01),
	A(PR_SET_CHILD_SUBREAPER, 0x03), A(PR_GET_CHILD_SUBREAPER, 0x03),
	C(PR_SET_NO_NEW_PRIVS), C(PR_GET_NO_NEW_PRIVS),
	C(PR_SET_THP_DISABLE), C(PR_GET_THP_DISABLE), C(PR_CAP_AMBIENT),
	C(PR_SET_MM), A(PR_SET_PTRACER, 0x03), C(PR_SET_SPECULATION_CTRL),
	C(PR_GET_SPECULATION_CTRL), C(PR_SCHED_CORE), C(PR_SET_VMA),
};
static const struct sysconst ptrace_values[] = {
	C(PTRACE_TRACEME), C(PTRACE_PEEKTEXT), C(PTRACE_PEEKDATA),
	C(PTRACE_PEEKUSER), C(PTRACE_POKETEXT), C(PTRACE_POKEDATA),
	C(PTRACE_POKEUSER), C(PTRACE_CONT), C(PTRACE_KILL),
	C(PTRACE_SINGLESTEP), C(PTRACE_GETREGS), C(PTRACE_SETREGS),
	C(PTRACE_GETFPREGS), C(PTRACE_SETFPREGS), C(PTRACE_ATTACH),
	C(PTRACE_DETACH), C(PTRACE_SYSCALL), C(PTRACE_SETOPTIONS),
	C(PTRACE_GETEVENTMSG), C(PTRACE_GETSIGINFO), C(PTRACE_SETSIGINFO),
	C(PTRACE_GETREGSET), C(PTRACE_SETREGSET), C(PTRACE_SEIZE),
	C(PTRACE_INTERRUPT), C(PTRACE_LISTEN),
};
static const struct sysconst bpf_values[] = {
	C(BPF_MAP_CREATE), C(BPF_MAP_LOOKUP_ELEM), C(BPF_MAP_UPDATE_ELEM),
	C(BPF_MAP_DELETE_ELEM), C(BPF_MAP_GET_NEXT_KEY), C(BPF_PROG_LOAD),
	C(BPF_OBJ_PIN), C(BPF_OBJ_GET), C(BPF_PROG_ATTACH),
	C(BPF_PROG_DETACH), C(BPF_PROG_TEST_RUN), C(BPF_PROG_GET_NEXT_ID),
	C(BPF_MAP_GET_NEXT_ID), C(BPF_PROG_GET_FD_BY_ID),
	C(BPF_MAP_GET_FD_BY_ID), C(BPF_OBJ_GET_INFO_BY_FD),
	C(BPF_PROG_QUERY), C(BPF_RAW_TRACEPOINT_OPEN), C(BPF_BTF_LOAD),
	C(BPF_BTF_GET_FD_BY_ID), C(BPF_TASK_FD_QUERY),
	C(BPF_MAP_LOOKUP_AND_DELETE_ELEM), C(BPF_MAP_FREEZE),
	C(BPF_LINK_CREATE), C(BPF_LINK_UPDATE), C(BPF_ITER_CREATE),
	C(BPF_LINK_DETACH), C(BPF_PROG_BIND_MAP),
};

/* ---- which kind goes by which ---- */

#define V(values)	(values), ARRAY_LEN(values)
#define FLAGS(f, z)	{ 0, NULL, 0, V(f), z }
#define VALUES(v)	{ ~UINT64_C(0), V(v), NULL, 0, NULL }
#define BOTH(m, v, f)	{ m, V(v), V(f), NULL }

static const struct sysnames names[SYSK_NR] = {
	[SYSK_ACCESS] = FLAGS(access_flags, "F_OK"),
	[SYSK_ARCH_PRCTL] = VALUES(arch_prctl_values),
	[SYSK_AT] = FLAGS(at_flags, NULL),
	[SYSK_AT_EACCESS] = FLAGS(at_eaccess_flags, NULL),
	[SYSK_AT_REMOVE] = FLAGS(at_remove_flags, NULL),
	[SYSK_BPF] = VALUES(bpf_values),
	[SYSK_CLOCK] = VALUES(clock_values),
	[SYSK_CLOSE_RANGE] = FLAGS(close_range_flags, NULL),
	[SYSK_EPOLL] = FLAGS(epoll_flags, NULL),
	[SYSK_EPOLL_OP] = VALUES(epoll_op_values),
	[SYSK_EVENTFD] = FLAGS(eventfd_flags, NULL),
	[SYSK_FADVICE] = VALUES(fadvice_values),
	[SYSK_FALLOC] = FLAGS(falloc_flags, NULL),
	[SYSK_FAMILY] = VALUES(family_values),
	[SYSK_FCNTL] = VALUES(fcntl_values),
	[SYSK_FDFLAGS] = FLAGS(fdflags_flags, NULL),
	[SYSK_FLOCK] = BOTH(~(uint64_t)LOCK_NB, flock_values, flock_flags),
	[SYSK_FUTEX] = BOTH(0xff, futex_values, futex_flags),
	[SYSK_FUTEX_VAL3] = VALUES(futex_val3_values),
	[SYSK_ID_TYPE] = VALUES(id_type_values),
	[SYSK_INOTIFY] = FLAGS(inotify_flags, NULL),
	[SYSK_INOTIFY_MASK] = FLAGS(inotify_mask_flags, NULL),
	[SYSK_IOCTL] = VALUES(ioctl_values),
	[SYSK_ITIMER] = VALUES(itimer_values),
	[SYSK_MADVICE] = VALUES(madvice_values),
	[SYSK_MAP] = BOTH(0xf, map_values, map_flags),
	[SYSK_MEMBARRIER] = VALUES(membarrier_values),
	[SYSK_MEMFD] = FLAGS(memfd_flags, NULL),
	[SYSK_MLOCKALL] = FLAGS(mlockall_flags, NULL),
	[SYSK_MOUNT] = FLAGS(mount_flags, NULL),
	[SYSK_MREMAP] = FLAGS(mremap_flags, NULL),
	[SYSK_MSG] = FLAGS(msg_flags, NULL),
	[SYSK_MSYNC] = FLAGS(msync_flags, NULL),
	[SYSK_OFLAGS] = FLAGS(open_flags, NULL),	/* no access mode */
	[SYSK_OPEN] = BOTH(O_ACCMODE, open_modes, open_flags),
	[SYSK_PIDFD] = FLAGS(pidfd_flags, NULL),
	[SYSK_PRCTL] = VALUES(prctl_values),
	[SYSK_PRIO] = VALUES(prio_values),
	[SYSK_PROT] = FLAGS(prot_flags, "PROT_NONE"),
	[SYSK_PTRACE] = VALUES(ptrace_values),
	[SYSK_RANDOM] = FLAGS(random_flags, NULL),
	[SYSK_RENAME] = FLAGS(rename_flags, NULL),
	[SYSK_RLIMIT] = VALUES(rlimit_values),
	[SYSK_RUSAGE] = VALUES(rusage_values),
	[SYSK_RWF] = FLAGS(rwf_flags, NULL),
	[SYSK_SCHED] = BOTH(~(uint64_t)SCHED_RESET_ON_FORK, sched_values,
			    sched_flags),
	[SYSK_SECCOMP] = VALUES(seccomp_values),
	[SYSK_SHUT] = VALUES(shut_values),
	[SYSK_SIGNALFD] = FLAGS(signalfd_flags, NULL),
	[SYSK_SIG_HOW] = VALUES(sig_how_values),
	[SYSK_SOCKTYPE] = BOTH(0xf, socktype_values, sock_flags),
	[SYSK_SOCK_FLAGS] = FLAGS(sock_flags, NULL),
	[SYSK_SOCK_LEVEL] = VALUES(sock_level_values),
	[SYSK_SPLICE] = FLAGS(splice_flags, NULL),
	[SYSK_STATX] = BOTH(0, statx_values, statx_flags),
	[SYSK_SYNC_RANGE] = FLAGS(sync_range_flags, NULL),
	[SYSK_TIMER] = FLAGS(timer_flags, NULL),
	[SYSK_TIMERFD] = FLAGS(timerfd_flags, NULL),
	[SYSK_TIMERFD_SET] = FLAGS(timerfd_set_flags, NULL),
	[SYSK_UMOUNT] = FLAGS(umount_flags, NULL),
	[SYSK_UNSHARE] = FLAGS(unshare_flags, NULL),
	[SYSK_WAIT] = FLAGS(wait_flags, NULL),
	[SYSK_WHENCE] = VALUES(whence_values),
	[SYSK_XATTR] = FLAGS(xattr_flags, NULL),
};
/* clang-format on */

const struct sysnames *sysconst_of(uint8_t kind)
{
	if (kind >= SYSK_NR || (!names[kind].values && !names[kind].flags))
		return NULL;
	return &names[kind];
}

const struct sysnames *sysconst_socket_options(uint64_t level)
{
	static const struct sysnames so = VALUES(so_values);
	static const struct sysnames tcp = VALUES(tcp_values);
	static const struct sysnames ip = VALUES(ip_values);
	static const struct sysnames ipv6 = VALUES(ipv6_values);

	switch (level) {
	case SOL_SOCKET:
		return &so;
	case IPPROTO_TCP:
		return &tcp;
	case IPPROTO_IP:
		return &ip;
	case IPPROTO_IPV6:
		return &ipv6;
	default:
		return NULL;
	}
}

const struct sysnames *sysconst_protocols(uint64_t family)
{
	static const struct sysnames inet = VALUES(inet_protocols);
	static const struct sysnames netlink = VALUES(netlink_protocols);

	switch (family) {
	case AF_INET:
	case AF_INET6:
		return &inet;
	case AF_NETLINK:
		return &netlink;
	default:
		return NULL;
	}
}

uint8_t sysconst_fcntl_arg(uint64_t cmd)
{
	switch (cmd) {
	case F_SETFD:
		return SYSK_FDFLAGS;
	case F_SETFL:
		return SYSK_OPEN;
	case F_SETSIG:
		return SYSK_SIG;
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
	case F_SETOWN:
	case F_SETLEASE:
	case F_SETPIPE_SZ:
		return SYSK_INT;
	default:
		return SYSK_PTR;
	}
}

const struct sysconst *sysconst_value(const struct sysnames *n, uint64_t value)
{
	uint64_t masked = n->mask ? value & n->mask : value;

	for (size_t i = 0; i < n->nr_values; i++)
		if (n->values[i].value == masked)
			return &n->values[i];
	return NULL;
}
