/* Makes chosen system calls fail: loaded before the C library by tests/faults.py, which explains the variables. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static long seen;

/* Whether a word stands in the list of calls that fail. */
static int is_listed(const char *call) {
    const char *list = getenv("FAIL_CALLS");
    size_t length = strlen(call);
    for (const char *at = list; at != NULL && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, call, length) == 0 && (at[length] == ',' || at[length] == 0)) return 1;
    return 0;
}

static long number(const char *name) {
    const char *value = getenv(name);
    return value ? atol(value) : 0;
}

/* Whether this call on this path is one of those that fail; counts it. */
static int fails(const char *call, const char *path) {
    const char *below = getenv("FAIL_BELOW");
    if (path == NULL || below == NULL || !is_listed(call) || strncmp(path, below, strlen(below)) != 0) return 0;
    long turn = __atomic_fetch_add(&seen, 1, __ATOMIC_SEQ_CST) - number("FAIL_AFTER");
    long count = number("FAIL_COUNT");
    if (turn < 0 || (count > 0 && turn >= count)) return 0;
    errno = (int)number("FAIL_ERROR");
    return 1;
}

static int fails_at(const char *call, int fd) {
    char link[64], path[4096];
    if (!is_listed(call)) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return fails(call, path);
}

static int fails_in(const char *call, int directory, const char *path) {
    char link[64], whole[8192];
    if (!is_listed(call) || path == NULL) return 0;
    if (path[0] == '/') return fails(call, path);
    if (directory == AT_FDCWD) {
        if (getcwd(whole, 4096) == NULL) return 0;
    } else {
        snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
        ssize_t length = readlink(link, whole, 4095);
        if (length < 0) return 0;
        whole[length] = 0;
    }
    strcat(whole, "/");
    strncat(whole, path, 4000);
    return fails(call, whole);
}

#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

int fdatasync(int fd) { REAL(fdatasync); return fails_at("fdatasync", fd) ? -1 : real(fd); }
int fsync(int fd) { REAL(fsync); return fails_at("fsync", fd) ? -1 : real(fd); }
int ftruncate(int fd, off_t size) { REAL(ftruncate); return fails_at("ftruncate", fd) ? -1 : real(fd, size); }
int ftruncate64(int fd, off64_t size) { REAL(ftruncate64); return fails_at("ftruncate", fd) ? -1 : real(fd, size); }

ssize_t write(int fd, const void *data, size_t size) {
    REAL(write);
    return fails_at("write", fd) ? -1 : real(fd, data, size);
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
    REAL(pwrite);
    return fails_at("pwrite", fd) ? -1 : real(fd, data, size, at);
}
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
    REAL(pwrite64);
    return fails_at("pwrite", fd) ? -1 : real(fd, data, size, at);
}

#define MODE(flags) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | O_TMPFILE)) { va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); }

int open(const char *path, int flags, ...) {
    MODE(flags);
    REAL(open);
    return fails_in("open", AT_FDCWD, path) ? -1 : real(path, flags, mode);
}
int open64(const char *path, int flags, ...) {
    MODE(flags);
    REAL(open64);
    return fails_in("open", AT_FDCWD, path) ? -1 : real(path, flags, mode);
}
int openat(int directory, const char *path, int flags, ...) {
    MODE(flags);
    REAL(openat);
    return fails_in("open", directory, path) ? -1 : real(directory, path, flags, mode);
}
int openat64(int directory, const char *path, int flags, ...) {
    MODE(flags);
    REAL(openat64);
    return fails_in("open", directory, path) ? -1 : real(directory, path, flags, mode);
}

int rename(const char *from, const char *to) {
    REAL(rename);
    return fails_in("rename", AT_FDCWD, to) ? -1 : real(from, to);
}
int renameat(int one, const char *from, int other, const char *to) {
    REAL(renameat);
    return fails_in("rename", other, to) ? -1 : real(one, from, other, to);
}
int link(const char *from, const char *to) {
    REAL(link);
    return fails_in("link", AT_FDCWD, to) ? -1 : real(from, to);
}
int linkat(int one, const char *from, int other, const char *to, int flags) {
    REAL(linkat);
    return fails_in("link", other, to) ? -1 : real(one, from, other, to, flags);
}
void *mmap(void *where, size_t size, int rights, int flags, int fd, off_t at) {
    REAL(mmap);
    return fd >= 0 && fails_at("mmap", fd) ? MAP_FAILED : real(where, size, rights, flags, fd, at);
}
