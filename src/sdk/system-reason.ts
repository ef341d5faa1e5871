// Why a program could not do something with a file: the errno name of the sentence that it ended with.

/** strerror(3) in the C locale. */
const names: Readonly<Record<string, string>> = {
  "No such file or directory": "ENOENT",
  "Permission denied": "EACCES",
  "Operation not permitted": "EPERM",
  "Is a directory": "EISDIR",
  "Not a directory": "ENOTDIR",
  "File exists": "EEXIST",
  "Read-only file system": "EROFS",
  "No space left on device": "ENOSPC",
  "Disk quota exceeded": "EDQUOT",
  "File too large": "EFBIG",
  "File name too long": "ENAMETOOLONG",
  "Too many levels of symbolic links": "ELOOP",
  "No such device or address": "ENXIO",
  "Device or resource busy": "EBUSY",
  "Text file busy": "ETXTBSY",
  "Input/output error": "EIO",
};

/** @param said untrusted: only known sentences count @returns `EIO` for any other */
export function systemReason(said: string): string {
  const [first = ""] = said.split("\n", 1);
  return names[first.slice(first.lastIndexOf(": ") + 2)] ?? "EIO";
}
