// Asks UNIX_DIAG, which shows the sockets of the asker's network namespace only, each with the device and inode that it is bound to.
#define _GNU_SOURCE
#include "listening.h"

#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "../cleanup.h"
#include "bound-sockets.h"

#define TCP_LISTEN 10u // unix sockets borrow the states of TCP
#define TRIES 3        // a socket that closes while the list is read may move another out of sight
#define LIST_BYTES 32768
#define FOUND_MAX 8

struct inode {
  uint32_t device, number;
};

static bool names(const struct nlmsghdr *header, struct inode wanted) {
  const struct unix_diag_msg *message = NLMSG_DATA(header);
  const char *at = (const char *)(message + 1);
  const char *const end = (const char *)header + header->nlmsg_len;
  while (end - at >= (ptrdiff_t)sizeof(struct nlattr)) {
    const struct nlattr *attribute = (const void *)at;
    if (attribute->nla_len < sizeof *attribute || attribute->nla_len > end - at) return false;
    if (attribute->nla_type == UNIX_DIAG_VFS && attribute->nla_len >= sizeof *attribute + sizeof(struct unix_diag_vfs)) {
      const struct unix_diag_vfs *vfs = (const void *)(at + sizeof *attribute);
      return vfs->udiag_vfs_dev == wanted.device && vfs->udiag_vfs_ino == wanted.number;
    }
    const ptrdiff_t step = NLMSG_ALIGN(attribute->nla_len);
    if (step > end - at) return false;
    at += step;
  }
  return false;
}

enum part { PART_MORE, PART_FOUND, PART_END };

static enum part search(const char *list, size_t length, struct inode wanted) {
  for (const struct nlmsghdr *header = (const void *)list; NLMSG_OK(header, length); header = NLMSG_NEXT(header, length)) {
    if (header->nlmsg_type == NLMSG_DONE || header->nlmsg_type == NLMSG_ERROR) return PART_END;
    if (header->nlmsg_len >= NLMSG_LENGTH(sizeof(struct unix_diag_msg)) && names(header, wanted)) return PART_FOUND;
  }
  return PART_MORE;
}

static bool is_listed(struct inode wanted) {
  const struct {
    struct nlmsghdr header;
    struct unix_diag_req request;
  } question = {
      {.nlmsg_len = sizeof question, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
      {.sdiag_family = AF_UNIX, .udiag_states = 1u << TCP_LISTEN, .udiag_show = UDIAG_SHOW_VFS},
  };
  _Alignas(struct nlmsghdr) char list[LIST_BYTES];
  AUTO_CLOSE const int diag = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (diag < 0 || send(diag, &question, sizeof question, 0) != (ssize_t)sizeof question) return false;
  for (;;) {
    const ssize_t got = recv(diag, list, sizeof list, 0);
    if (got <= 0) return false;
    const enum part part = search(list, (size_t)got, wanted);
    if (part != PART_MORE) return part == PART_FOUND;
  }
}

// Files of sockets that were found in the list. Binding makes a file, and no other socket is ever bound to it; while a descriptor holds it no other
// file can have its number: what was said of it once stays true.
struct found {
  dev_t device;
  ino_t number;
  int holds; // 0: none
};

static struct found found[FOUND_MAX];
static size_t found_next;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static bool was_found(const struct stat *status) {
  bool was = false;
  pthread_mutex_lock(&mutex);
  for (size_t index = 0; index < FOUND_MAX && !was; index++) {
    was = found[index].holds > 0 && found[index].device == status->st_dev && found[index].number == status->st_ino;
  }
  pthread_mutex_unlock(&mutex);
  return was;
}

static void remember(int file, const struct stat *status) {
  const int holds = fcntl(file, F_DUPFD_CLOEXEC, 1);
  if (holds < 0) return;
  pthread_mutex_lock(&mutex);
  struct found *oldest = &found[found_next++ % FOUND_MAX];
  if (oldest->holds > 0) close(oldest->holds);
  *oldest = (struct found){status->st_dev, status->st_ino, holds};
  pthread_mutex_unlock(&mutex);
}

// The list has 32 bits of an inode's number: a longer one could be taken for another file's.
static bool may_be_listed(const struct stat *status) {
  return status->st_ino <= UINT32_MAX;
}

bool listens_here(int file, const struct stat *status) {
  const struct inode wanted = {major(status->st_dev) << 20 | minor(status->st_dev), (uint32_t)status->st_ino};
  if (was_found(status)) return true;
  for (int attempt = 0; attempt < TRIES && may_be_listed(status); attempt++) {
    if (!is_listed(wanted)) continue;
    remember(file, status);
    return true;
  }
  return bound_sockets_hold(file);
}
