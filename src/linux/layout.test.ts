// The fields as the launcher reads them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { layoutText, runOperation } from "./layout.ts";

test("layoutText() counts the bytes of each field, whatever is in it", () => {
  const text = layoutText([["link", "view/bin", "usr/bin"], ["text", "view/etc/né,w\n", ""], runOperation(["/usr/bin/bwrap", "3:abc,"])]);
  assert.equal(text, "4:link,8:view/bin,7:usr/bin,4:text,15:view/etc/né,w\n,0:,3:run,1:2,14:/usr/bin/bwrap,6:3:abc,,");
});
