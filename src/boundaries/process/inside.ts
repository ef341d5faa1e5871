// The fixed places that only exist inside a sandbox. They are at paths that no host has, so that the Landlock rules which open them
// open nothing of the host when the mounts are gone.

export const privateBase = "/run/glovebox";
export const guardInside = `${privateBase}/guard`;
export const homeInside = `${privateBase}/home`;
export const temporaryInside = `${privateBase}/tmp`;
export const hostNameInside = "sandbox";

/** What a search finds when the caller's PATH names nothing that exists inside. */
export const fallbackPath = "/usr/local/bin:/usr/bin:/bin";
