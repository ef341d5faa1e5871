// The fixed places inside a container.

export const guardInside = "/run/glovebox/guard";
/** Laid out last: what was changed after it, somebody inside has changed. */
export const laidOutInside = "/run/glovebox/laid-out";
export const homeInside = "/home/user";
/** Where the private home lies in the process boundary: what presets and files of the policy say about it holds here too, by a link. */
export const otherHomeInside = "/run/sandbox/home";
/** Holds the output directory of each command. */
export const outputInside = "/output";
/** What a task was given to read, where it was. */
export const inputInside = "/input";
export const temporaryInside = "/tmp";
export const sharedInside = "/dev/shm";
export const hostNameInside = "sandbox";
export const fallbackPath = "/usr/local/bin:/usr/bin:/bin";
