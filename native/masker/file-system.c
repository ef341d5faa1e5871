// By the kernel's own numbers; what cannot be asked counts as what needs more care.
#define _GNU_SOURCE
#include "file-system.h"

#include <linux/fs.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>

static const unsigned long untold[] = {
    0x6969,     // NFS
    0x517b,     // SMB
    0xff534d42, // CIFS
    0xfe534d42, // SMB2
    0x65735546, // FUSE, virtiofs among it
    0x01021997, // 9P
    0x5346414f, // AFS
    0x6b414653, // kAFS
    0x00c36400, // Ceph
    0x73757245, // Coda
    0x786f4256, // VirtualBox
    0x7461636f, // OCFS2
    0x01161970, // GFS2
    0x0bd00bd0, // Lustre
    0x47504653, // GPFS
};

static const unsigned long folding[] = {
    0x4d44,     // FAT
    0x2011bab0, // exFAT
    0x5346544e, // NTFS
    0x7366746e, // NTFS3
    0x4244,     // HFS
    0x482b,     // HFS+
};

static int holds(const unsigned long *list, size_t count, unsigned long type) {
  for (size_t index = 0; index < count; index++) {
    if (list[index] == type) return 1;
  }
  return 0;
}

enum file_system file_system_of(int fd) {
  struct statfs status;
  if (fstatfs(fd, &status) != 0) return FILE_SYSTEM_UNTOLD;
  const unsigned long type = (unsigned long)status.f_type & 0xffffffff;
  if (holds(untold, sizeof untold / sizeof *untold, type)) return FILE_SYSTEM_UNTOLD;
  if (holds(folding, sizeof folding / sizeof *folding, type)) return FILE_SYSTEM_FOLDS;
  int flags = 0;
  return ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0 && (flags & FS_CASEFOLD_FL) != 0 ? FILE_SYSTEM_FOLDS : FILE_SYSTEM_PLAIN;
}
