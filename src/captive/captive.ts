// The captive network, for every boundary whose sandboxes may reach something: the program that makes it, its channel, what it says when it
// cannot, and which process inside connects. Knows of no boundary.
export { captiveArguments } from "./captive-arguments.ts";
export { captiveError, requireCaptive } from "./captive-failure.ts";
export { captiveLayer } from "./captive-layer.ts";
export { type CaptiveForm, CaptiveNetwork } from "./captive-network.ts";
export { probeCaptive } from "./captive-probe.ts";
