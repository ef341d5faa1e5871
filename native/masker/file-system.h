// What a directory's file system does with names, and whether it tells of changes.
#ifndef GLOVEBOX_MASKER_FILE_SYSTEM_H
#define GLOVEBOX_MASKER_FILE_SYSTEM_H

enum file_system {
  FILE_SYSTEM_PLAIN,
  FILE_SYSTEM_FOLDS,  // takes names for one that differ in case
  FILE_SYSTEM_UNTOLD, // others change it, and no notice of that comes here
};

// `fd` is an open directory, not O_PATH.
enum file_system file_system_of(int fd);

#endif
