// Who runs this process, by the user database: $HOME and $USER say nothing.
import { userInfo } from "node:os";
import { canonicalPath } from "./canonical-path.ts";

/** `home` is absolute and without links. @throws what os.userInfo() throws for a uid without an entry */
export function hostUser(): { readonly uid: number; readonly gid: number; readonly name: string; readonly home: string } {
  const { uid, gid, username, homedir } = userInfo();
  return { uid, gid, name: username, home: canonicalPath(homedir) };
}
