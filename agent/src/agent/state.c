#include "agent/state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file_io.h"

static void log_holder(int lock, const char *state_dir)
{
	char pid[32] = "";
	ssize_t n = pread(lock, pid, sizeof(pid) - 1, 0);

	pid[n > 0 ? n : 0] = '\0';
	pid[strcspn(pid, "\n")] = '\0';
	log_error("state_dir: another nwagent (pid %s) uses %s; stop it, or give this one another "
		  "--state-dir",
		  pid, state_dir);
}

int agent_state_open(const struct config *config, int *ret_dir, int *ret_lock)
{
	cleanup(close_fdp) int dir = -1;
	cleanup(close_fdp) int lock = -1;
	int r;

	r = directory_open(AT_FDCWD, config->state_dir, 0700, &dir);
	if (r < 0) {
		log_error("state_dir: cannot use %s: %s; run as root, or set --state-dir to a "
			  "directory that this user may write",
			  config->state_dir, strerror(-r));
		return r;
	}
	lock = openat(dir, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (lock < 0) {
		r = -errno;
		log_error("state_dir: cannot write to %s: %s; set --state-dir to a directory that "
			  "this user may write",
			  config->state_dir, strerror(-r));
		return r;
	}
	if (flock(lock, LOCK_EX | LOCK_NB) < 0) {
		log_holder(lock, config->state_dir);
		return -EBUSY;
	}
	/* For the message above only: the lock is what counts. */
	if (ftruncate(lock, 0) == 0)
		dprintf(lock, "%d\n", (int)getpid());
	*ret_dir = take_fd(&dir);
	*ret_lock = take_fd(&lock);
	return 0;
}
