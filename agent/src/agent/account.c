#include "agent/account.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "privileges.h"

#define DEFAULT_USER "nwagent"

static const struct account root = {.uid = 0, .gid = 0, .name = "root"};

/* Only one who starts as root can become another. */
static int choose(const struct config *config, struct account *ret_account)
{
	struct stat state;
	int r;

	*ret_account = root;
	r = account_find(config->user ? config->user : DEFAULT_USER, ret_account);
	if (config->user && r < 0) {
		log_error("user: %s is not in /etc/passwd; useradd --system --no-create-home %s "
			  "makes it",
			  config->user, config->user);
		return r;
	}
	if (config->user || r < 0)
		return 0;
	/* By default nobody's data is taken away from whom it belongs to. */
	if (!config->to_stdout && stat(config->state_dir, &state) == 0 &&
	    state.st_uid != ret_account->uid) {
		log_info("stays root: %s is not of user " DEFAULT_USER "; chown -R " DEFAULT_USER
			 " it to run as that user",
			 config->state_dir);
		*ret_account = root;
	}
	return 0;
}

/* A fresh directory becomes the account's; one of somebody else is not taken. */
static int prepare_state_dir(const struct config *config, const struct account *account)
{
	struct stat state;

	if (config->to_stdout)
		return 0;
	if (mkdir(config->state_dir, 0700) == 0) {
		if (lchown(config->state_dir, account->uid, account->gid) == 0)
			return 0;
		log_error("state_dir: cannot give %s to user %s: %s", config->state_dir,
			  account->name, strerror(errno));
		return -EPERM;
	}
	/* What else may be wrong with it is said when it is opened. */
	if (errno != EEXIST || stat(config->state_dir, &state) < 0 || state.st_uid == account->uid)
		return 0;
	log_error("state_dir: %s belongs to user id %u, the agent runs as %s: chown -R %s %s, or "
		  "set --user or --state-dir",
		  config->state_dir, (unsigned int)state.st_uid, account->name, account->name,
		  config->state_dir);
	return -EACCES;
}

static int find_self(const struct config *config)
{
	struct account account;

	if (!config->user ||
	    (account_find(config->user, &account) == 0 && account.uid == geteuid()))
		return 0;
	log_error("user: only root can become %s; start the agent as it, or leave --user out",
		  config->user);
	return -EPERM;
}

int agent_account_enter(const struct config *config)
{
	const bool is_root = geteuid() == 0;
	struct account account = root;
	int r;

	r = is_root ? choose(config, &account) : find_self(config);
	if (r == 0 && is_root)
		r = prepare_state_dir(config, &account);
	if (r < 0)
		return r;
	r = privileges_become(is_root ? &account : NULL);
	if (r < 0)
		log_error("cannot give up rights: %s%s%s", strerror(-r),
			  account.uid ? "; --user root stays root instead of becoming " : "",
			  account.uid ? account.name : "");
	return r;
}

int agent_account_settle(const struct config *config)
{
	char held[128] = "";
	size_t length = 0;
	int r;

	if (config->self_cost != SELF_COST_SLICES) {
		r = privileges_drop_admin();
		if (r < 0) {
			log_error("cannot give up CAP_SYS_ADMIN: %s", strerror(-r));
			return r;
		}
	} else if (privilege_is_held(CAP_SYS_ADMIN)) {
		log_warning("keeps CAP_SYS_ADMIN: --self-cost slices switches the kernel's BPF "
			    "statistics on and off, which needs it");
	}
	for (size_t i = 0; i < n_privileges; i++) {
		if (privilege_is_held(privileges[i].capability))
			length += (size_t)snprintf(held + length, sizeof(held) - length, " %s",
						   privileges[i].name);
	}
	log_info("user id %u, capabilities:%s", (unsigned int)geteuid(), length ? held : " none");
	return 0;
}
