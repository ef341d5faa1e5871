// How large a file may be that is judged: apart from the judging, which is loaded only when something is judged.

/** An object of Kubernetes has at most 1.5 MiB, and few come near it; more than this is a whole cluster, which is judged in parts. */
export const maximumSpecBytes = 1024 * 1024;
