// Whether a URL may be told of questions: https anywhere, or http on this machine.

const loopbacks = new Set(["127.0.0.1", "[::1]"]);

/** No user, password or fragment: who may answer is proved by a signature alone. */
export function isWebhookPlace(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "" || url.hash !== "") return false;
  // As it is looked up: letters of another alphabet would be spelled otherwise.
  if (url.href !== text && url.href !== `${text}/`) return false;
  return url.protocol === "https:" || (url.protocol === "http:" && loopbacks.has(url.hostname));
}
