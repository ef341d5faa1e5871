// What is answered over HTTP without any server: an error of JSON-RPC that belongs to no request.

export const errorBody = (message: string): string => JSON.stringify({ jsonrpc: "2.0", error: { code: -32_000, message }, id: null });

export const errorResponse = (status: number, message: string): Response =>
  new Response(errorBody(message), { status, headers: { "content-type": "application/json" } });
