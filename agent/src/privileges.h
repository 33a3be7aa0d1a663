#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/capability.h>
#include <sys/types.h>

/*
 * The agent's rights. It needs few, and gives up the rest for good: before it opens
 * anything, it becomes its user and keeps the rights below; once it is open, those that
 * were only needed for that.
 */

enum privilege_need {
	PRIVILEGE_NEEDED,   /* without it nothing is measured in the kernel */
	PRIVILEGE_USEFUL,   /* without it something is missing */
	PRIVILEGE_OPTIONAL, /* good to have at start, or for a setting; never missed */
};

/* What one right is for, and what is lost without it; `nwagent check` prints them. */
struct privilege {
	cap_value_t capability;
	const char *name;
	const char *purpose;
	const char *without;
	enum privilege_need need;
};

extern const struct privilege privileges[];
extern const size_t n_privileges;

/* CAP_SYS_ADMIN contains CAP_BPF and CAP_PERFMON, which were split off it. */
bool privilege_is_held(cap_value_t capability);

/* An account of /etc/passwd, by name. -ENOENT: there is none. */
struct account {
	uid_t uid;
	gid_t gid;
	char name[64];
};
int account_find(const char *name, struct account *ret_account);

/*
 * Becomes that account and keeps what is held of `privileges`; nothing else can be had
 * again, not even by a program that the agent would start. Must come before threads.
 * `account` may be NULL: stays who it is.
 */
int privileges_become(const struct account *account);

/* Opening is over: CAP_SYS_ADMIN goes too, unless it stands for one that is needed. */
int privileges_drop_admin(void);
