// One file out of an archive, and archives that are broken.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assert as holds, property, nat } from "fast-check";
import { readZipEntry } from "./zip-entry.ts";

/** One stored and one deflated file, as Python writes them. */
const archive = Buffer.from(
  "UEsDBBQAAAAAAAAAIQCsKpPYAgAAAAIAAAABAAAAYWhpUEsDBBQAAAAIAAAAIQAlilvJBgAAACgAAAABAAAAYktMJA4AAFBLAQIUAxQAAAAAAAAAIQCsKpPYAgAAAAIAAAABAAAAAAAAAAAAAACAAQAAAABhUEsBAhQDFAAAAAgAAAAhACWKW8kGAAAAKAAAAAEAAAAAAAAAAAAAAIABIQAAAGJQSwUGAAAAAAIAAgBeAAAARgAAAAAA",
  "base64",
);

test("readZipEntry() reads a stored and a deflated entry", () => {
  assert.equal(readZipEntry(archive, "a", 100)?.toString(), "hi");
  assert.equal(readZipEntry(archive, "b", 100)?.toString(), "a".repeat(40));
});

test("readZipEntry() gives nothing for a name that is not there, more than allowed, or no archive", () => {
  const rows = [
    [archive, "c", 100],
    [archive, "a", 1],
    [archive, "b", 39],
    [Buffer.from("PK"), "a", 100],
    [archive.subarray(0, 60), "a", 100],
  ] as const;
  for (const [bytes, name, maximum] of rows) assert.equal(readZipEntry(bytes, name, maximum), undefined);
});

test("readZipEntry() never throws, whatever byte is wrong", () => {
  holds(
    property(nat(archive.length - 1), nat(255), (at, value) => {
      const broken = Buffer.from(archive);
      broken[at] = value;
      readZipEntry(broken, "b", 100);
    }),
  );
});
