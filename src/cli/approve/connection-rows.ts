// What a person reads about a connection that waits: the place in the spelling that is looked up, what may be spoken there, and who asks.
import type { ConnectionQuestion } from "../../contracts/approval.ts";
import type { EgressProtocol } from "../../contracts/egress-policy.ts";
import { canonicalHost } from "../../kit/host-name.ts";
import type { Texts } from "../../texts/texts.ts";
import type { Row } from "./question-lines.ts";
import { showWord } from "./shown-text.ts";

const protocolNotes: Readonly<Record<EgressProtocol, string>> = {
  https: "approval.note.protocol-https",
  http: "approval.note.protocol-http",
  ws: "approval.note.protocol-ws",
  ssh: "approval.note.protocol-ssh",
  tcp: "approval.note.protocol-tcp",
};

/** An address has no owner that a name would tell; letters that are not ASCII can look like others, and are shown as they are looked up. */
function hostNote(host: string): string | undefined {
  if (canonicalHost(host)?.kind === "address") return "approval.note.address";
  return host.split(".").some((label) => label.startsWith("xn--")) ? "approval.note.punycode" : undefined;
}

export function connectionRows({ host, port, protocols, process, task }: ConnectionQuestion, text: Texts): readonly Row[] {
  const note = hostNote(host);
  return [
    { label: "approval.label.host", shown: showWord(host, text), ...(note === undefined ? {} : { note: text({ key: note }) }) },
    { label: "approval.label.port", shown: showWord(`${port}`, text) },
    ...protocols.map((protocol) => ({
      label: "approval.label.protocol",
      shown: showWord(protocol, text),
      note: text({ key: protocolNotes[protocol] }),
    })),
    ...(process === undefined
      ? []
      : [{ label: "approval.label.asker", shown: showWord(process, text), note: text({ key: "approval.note.asker" }) }]),
    { label: "approval.label.task", shown: showWord(task, text) },
  ];
}
