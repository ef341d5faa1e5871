// Reading the kernel's list of sockets.
import assert from "node:assert/strict";
import { test } from "node:test";
import { socketInodes } from "./who-connects.ts";

const list = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 020000C0:9C40 22D8B85D:0050 01 00000000:00000000 00:00000000 00000000  1000        0 7001 1 0000000000000000 20 4 30 10 -1
   1: 020000C0:9C41 22D8B85D:9C40 01 00000000:00000000 00:00000000 00000000  1000        0 7002 1 0000000000000000 20 4 30 10 -1
   2: 0100007F:9C40 0100007F:0050 06 00000000:00000000 00:00000000 00000000  1000        0 0 3 0000000000000000
`;

test("socketInodes() finds sockets by their local port alone, without those that nobody has any more", () => {
  assert.deepEqual(socketInodes(list, 0x9c40), ["7001"]);
  assert.deepEqual(socketInodes(list, 0x9c41), ["7002"]);
  assert.deepEqual(socketInodes(list, 0x50), []);
});

test("socketInodes() is not confused by lines of another shape", () => {
  assert.deepEqual(socketInodes("", 80), []);
  assert.deepEqual(socketInodes("a:0050\nx y:0050 z\n", 80), []);
});
