#include "base/file_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

static int read_up_to(int fd, char *buffer, size_t capacity, size_t *ret_length)
{
	size_t length = 0;

	while (length < capacity) {
		ssize_t n = read(fd, buffer + length, capacity - length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0) {
			*ret_length = length;
			return 0;
		}
		length += (size_t)n;
	}
	return -EFBIG;
}

int file_read_into(int dir, const char *path, char *buffer, size_t capacity, size_t *ret_length)
{
	cleanup(close_fdp) int fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	size_t length;
	int r;

	if (fd < 0)
		return -errno;

	/* Full means there may be more: the last byte is kept for NUL. */
	r = read_up_to(fd, buffer, capacity, &length);
	if (r < 0)
		return r;

	buffer[length] = '\0';
	if (ret_length)
		*ret_length = length;
	return 0;
}

int file_read(int dir, const char *path, size_t max, char **ret_text, size_t *ret_length)
{
	/* O_NONBLOCK: a FIFO put in place of a file must not hang the agent. */
	cleanup(close_fdp) int fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	cleanup(freep) char *text = NULL;
	struct stat status;
	size_t length = 0;
	int r;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode))
		return -EINVAL;
	if (status.st_size > (off_t)max)
		return -EFBIG;

	/* Files of /proc and /sys say size 0. */
	if (status.st_size > 0)
		max = (size_t)status.st_size;
	text = malloc(max + 1);
	if (!text)
		return -ENOMEM;
	r = read_up_to(fd, text, max + 1, &length);
	if (r < 0)
		return r;

	text[length] = '\0';
	if (ret_length)
		*ret_length = length;
	*ret_text = take_ptr(text);
	return 0;
}

static int write_all(int fd, const char *bytes, size_t length)
{
	while (length > 0) {
		ssize_t n = write(fd, bytes, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		bytes += n;
		length -= (size_t)n;
	}
	return 0;
}

int file_write_atomic(int dir, const char *name, const void *bytes, size_t length, mode_t mode,
		      bool is_durable)
{
	cleanup(close_fdp) int fd = -1;
	char temporary[256];
	int r;

	if ((size_t)snprintf(temporary, sizeof(temporary), ".%s.new", name) >= sizeof(temporary))
		return -ENAMETOOLONG;
	/* A left-over of a killed writer may have another mode. */
	unlinkat(dir, temporary, 0);
	fd = openat(dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
	if (fd < 0)
		return -errno;

	r = write_all(fd, bytes, length);
	if (r == 0 && is_durable && fsync(fd) < 0)
		r = -errno;
	if (r == 0 && renameat(dir, temporary, dir, name) < 0)
		r = -errno;
	if (r < 0) {
		unlinkat(dir, temporary, 0);
		return r;
	}
	if (is_durable && fsync(dir) < 0)
		return -errno;
	return 0;
}

int directory_open(int dir, const char *path, mode_t mode, int *ret_fd)
{
	int fd;

	if (mkdirat(dir, path, mode) < 0 && errno != EEXIST)
		return -errno;
	fd = openat(dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	*ret_fd = fd;
	return 0;
}
