// The addresses that mean something special inside a captive network. All lie in ranges that nobody routes (RFC 2544; a random prefix of RFC 4193).

/** Where clients that honour proxy variables find the gate. */
export const gateProxy = { address: "198.18.0.1", httpPort: 3128, socksPort: 1080 } as const;

/** What a sandbox's resolver configuration may name; the gate answers whatever address is asked. */
export const gateResolver = "198.18.0.2";

/** Inside, the machine's own loopback as far as `allowLocal` opens it: a packet to 127.0.0.1 never leaves the application's network. */
export const machineName = "host.glovebox.internal";

/** Addresses that stand for names: the n-th name gets `base + n`. */
export const placeholders = { base4: "198.18.1.0", base6: "fd67:6c6f:7665::", count: 4096 } as const;
