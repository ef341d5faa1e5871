// Our own version; `scripts/check-docs.ts` compares it with package.json.

export const version = "0.1.0";
