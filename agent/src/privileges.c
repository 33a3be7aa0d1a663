#include "privileges.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/cleanup.h"

const struct privilege privileges[] = {
	{CAP_BPF, "CAP_BPF", "loads the programs that measure", "only cpu.stat is read",
	 PRIVILEGE_NEEDED},
	{CAP_PERFMON, "CAP_PERFMON", "lets them read the kernel's scheduler records",
	 "only cpu.stat is read", PRIVILEGE_NEEDED},
	{CAP_DAC_READ_SEARCH, "CAP_DAC_READ_SEARCH",
	 "reads the container runtimes' private files, and a token file of root's",
	 "containers go by their short ids", PRIVILEGE_USEFUL},
	{CAP_SYS_ADMIN, "CAP_SYS_ADMIN",
	 "switches the kernel's BPF statistics on: at start to calibrate, then it is given up; "
	 "kept for --self-cost slices only",
	 "the programs' cost is estimated from a timing at start", PRIVILEGE_OPTIONAL},
};

const size_t n_privileges = sizeof(privileges) / sizeof(privileges[0]);

static void cap_freep(cap_t *caps)
{
	if (*caps)
		cap_free(*caps);
}

static bool is_set(cap_t caps, cap_value_t capability, cap_flag_t which)
{
	cap_flag_value_t value = CAP_CLEAR;

	return cap_get_flag(caps, capability, which, &value) == 0 && value == CAP_SET;
}

bool privilege_is_held(cap_value_t capability)
{
	cleanup(cap_freep) cap_t caps = cap_get_proc();

	if (!caps)
		return false;
	if (is_set(caps, capability, CAP_EFFECTIVE))
		return true;
	return (capability == CAP_BPF || capability == CAP_PERFMON) &&
	       is_set(caps, CAP_SYS_ADMIN, CAP_EFFECTIVE);
}

/* The file itself: a name service would stay loaded for good, for one question. */
int account_find(const char *name, struct account *ret_account)
{
	FILE *file = fopen("/etc/passwd", "re");
	const struct passwd *entry;
	int r = -ENOENT;

	if (!file)
		return -errno;
	while (r < 0 && (entry = fgetpwent(file))) {
		if (strcmp(entry->pw_name, name) != 0)
			continue;
		*ret_account = (struct account){.uid = entry->pw_uid, .gid = entry->pw_gid};
		(void)snprintf(ret_account->name, sizeof(ret_account->name), "%s", name);
		r = 0;
	}
	fclose(file);
	return r;
}

static int change_account(const struct account *account)
{
	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) < 0)
		return -errno;
	if (setgroups(0, NULL) < 0 || setresgid(account->gid, account->gid, account->gid) < 0 ||
	    setresuid(account->uid, account->uid, account->uid) < 0)
		return -errno;
	return prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0) < 0 ? -errno : 0;
}

/* Without CAP_SETPCAP the set stays as whoever started the agent left it. */
static int drop_bounding_set(void)
{
	if (!privilege_is_held(CAP_SETPCAP))
		return 0;
	for (cap_value_t value = 0; value < cap_max_bits(); value++) {
		if (prctl(PR_CAPBSET_READ, value, 0, 0, 0) == 1 &&
		    prctl(PR_CAPBSET_DROP, value, 0, 0, 0) < 0)
			return -errno;
	}
	return 0;
}

/* Permitted and effective become what is permitted now and kept; nothing is inherited. */
static int keep(bool admin_may_go)
{
	cleanup(cap_freep) cap_t now = cap_get_proc();
	cleanup(cap_freep) cap_t kept = cap_init();

	if (!now || !kept)
		return -errno;
	for (size_t i = 0; i < n_privileges; i++) {
		const cap_value_t value = privileges[i].capability;

		if (!is_set(now, value, CAP_PERMITTED))
			continue;
		if (value == CAP_SYS_ADMIN && admin_may_go && is_set(now, CAP_BPF, CAP_PERMITTED) &&
		    is_set(now, CAP_PERFMON, CAP_PERMITTED))
			continue;
		if (cap_set_flag(kept, CAP_PERMITTED, 1, &value, CAP_SET) < 0 ||
		    cap_set_flag(kept, CAP_EFFECTIVE, 1, &value, CAP_SET) < 0)
			return -errno;
	}
	return cap_set_proc(kept) < 0 ? -errno : 0;
}

int privileges_become(const struct account *account)
{
	int r;

	r = drop_bounding_set();
	if (r == 0 && account && account->uid != geteuid())
		r = change_account(account);
	if (r == 0)
		r = keep(false);
	if (r < 0)
		return r;
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
		return -errno;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? -errno : 0;
}

int privileges_drop_admin(void)
{
	return keep(true);
}
