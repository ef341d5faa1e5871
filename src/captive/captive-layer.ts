// The captive network on the answer sheet.
import type { WallReport } from "../contracts/boundary.ts";
import type { CaptiveForm } from "./captive-network.ts";

const details: Readonly<Record<CaptiveForm["networks"], string>> = {
  two: "TCP and questions for names are captured in a network beside the application's, all else is refused",
  one: "TCP and questions for names are captured in the application's network (no veth on this kernel), all else is refused",
};

export function captiveLayer(form: CaptiveForm | undefined): WallReport["layers"] {
  return form === undefined ? [] : [{ name: "captive-network", detail: details[form.networks] }];
}
