// A gate that lets nothing through: with it in place, whatever reaches the host has gone around the captive network.
import type { CapturedListeners, EgressEndpoint } from "../../../src/contracts/egress.ts";

export function refusingGate(): EgressEndpoint {
  const taken: CapturedListeners[] = [];
  return {
    attach: async (listeners) => {
      listeners.tcp.on("connection", (socket) => {
        socket.on("error", () => {});
        socket.destroy();
      });
      taken.push(listeners);
    },
    refused: () => {},
    close: async () => {
      for (const { tcp, dns } of taken) {
        tcp.close();
        dns.close();
      }
    },
  };
}
