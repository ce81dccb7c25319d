#include "CLinux.h"
#include <linux/sockios.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <unistd.h>

int tl_accept4(int fd) { return accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC); }

int tl_is_unknown_name(int code) { return code == EAI_NONAME || code == EAI_NODATA; }

int tl_memfd(const char *name) { return memfd_create(name, MFD_CLOEXEC); }

int tl_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int tl_signalfd(const sigset_t *mask) { return signalfd(-1, mask, SFD_CLOEXEC | SFD_NONBLOCK); }

/// For a function that fails: -1, with the errno of before.
static int close_failed(int fd) {
    int code = errno;
    close(fd);
    errno = code;
    return -1;
}

int tl_watch_links(int fd, const char *path) {
    // An unlink changes the number of links, an attribute.
    return inotify_add_watch(fd, path, IN_ATTRIB | IN_MOVE_SELF);
}

int tl_inotify(void) { return inotify_init1(IN_CLOEXEC | IN_NONBLOCK); }

int tl_watch_directory(int fd, const char *directory) {
    return inotify_add_watch(fd, directory, IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_TO | IN_ONLYDIR);
}

int tl_network_changes(void) {
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (fd < 0) return -1;
    struct sockaddr_nl address = {
        .nl_family = AF_NETLINK,
        .nl_groups = RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE,
    };
    if (bind(fd, (struct sockaddr *)&address, sizeof address) == 0) return fd;
    return close_failed(fd);
}

void tl_hear_routes(int fd, int hears) {
    const int groups[] = {RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV6_ROUTE};
    for (int i = 0; i < 2; i++)
        setsockopt(fd, SOL_NETLINK, hears ? NETLINK_ADD_MEMBERSHIP : NETLINK_DROP_MEMBERSHIP, &groups[i], sizeof groups[i]);
}

int tl_clock_changes(void) {
    int fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    if (fd < 0) return -1;
    // The kernel cuts it to the latest time that it can tell, some centuries from now.
    struct itimerspec never = {.it_value = {.tv_sec = INT64_MAX}};
    if (timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL) == 0) return fd;
    return close_failed(fd);
}

int64_t tl_silence(int fd) {
    struct tcp_info info;
    socklen_t size = sizeof info;
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) < 0) return -1;
    uint32_t data = info.tcpi_last_data_recv, acknowledged = info.tcpi_last_ack_recv;
    return data < acknowledged ? data : acknowledged;
}

void *tl_map_twice(int fd, size_t size) {
    char *base = mmap(NULL, size * 2, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) return NULL;
    for (int i = 0; i < 2; i++) {
        void *half = mmap(base + i * size, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
        if (half == MAP_FAILED) {
            munmap(base, size * 2);
            return NULL;
        }
    }
    return base;
}

int tl_peer_credentials(int fd, pid_t *pid, uid_t *uid, gid_t *gid) {
    struct ucred credentials;
    socklen_t size = sizeof credentials;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) < 0) return -1;
    *pid = credentials.pid;
    *uid = credentials.uid;
    *gid = credentials.gid;
    return 0;
}

int tl_unsent(int fd) {
    int count;
    return ioctl(fd, SIOCOUTQ, &count) < 0 ? -1 : count;
}

int tl_window_size(int fd, int *rows, int *columns) {
    struct winsize size;
    if (ioctl(fd, TIOCGWINSZ, &size) < 0) return -1;
    *rows = size.ws_row;
    *columns = size.ws_col;
    return 0;
}

char *tl_optarg(void) { return optarg; }
int tl_optind(void) { return optind; }
int tl_optopt(void) { return optopt; }
void tl_getopt_quiet(void) { opterr = 0; }
