// The fixed places that only exist inside a sandbox. They are at paths that no host has, so that the Landlock rules which open them
// open nothing of the host when the mounts are gone.

export const guardInside = "/run/glovebox/guard";
/** What a task was given to read: not in the tmpfs, which may be written. */
export const inputInside = "/run/glovebox/input";
/** One tmpfs: what a sandbox may write that is not the host's. */
export const scratchInside = "/run/sandbox";
export const homeInside = `${scratchInside}/home`;
export const temporaryInside = `${scratchInside}/tmp`;
export const privateBases = ["/run/glovebox", scratchInside] as const;
export const hostNameInside = "sandbox";

/** What a search finds when the caller's PATH names nothing that exists inside. */
export const fallbackPath = "/usr/local/bin:/usr/bin:/bin";
