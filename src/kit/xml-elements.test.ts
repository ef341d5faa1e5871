// The XML of configuration files, and everything that is none.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assert as holds, property, string } from "fast-check";
import { readXml, xmlAt, xmlEscaped, xmlText } from "./xml-elements.ts";

test("readXml() reads elements, text, comments, CDATA and references", () => {
  const root = readXml(
    '<?xml version="1.0"?><!-- a < b --><s:settings xmlns="x"><m a=">"><url>a&amp;b<![CDATA[<c>]]>&#x41;</url></m><m/></s:settings>',
  );
  assert.equal(root?.name, "settings");
  assert.ok(root !== undefined);
  assert.deepEqual(
    xmlAt(root, ["m"]).map((item) => xmlText(item, "url")),
    ["a&b<c>A", ""],
  );
});

test("readXml() refuses what is not one well-formed tree", () => {
  const deep = "<a>".repeat(70) + "</a>".repeat(70);
  const rows = [
    "",
    "text",
    "<a>",
    "<a></b>",
    "</a>",
    "<a/><b/>",
    "<a></a>x",
    "<a><b></a></b>",
    "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
    deep,
  ];
  for (const text of rows) assert.equal(readXml(text), undefined, text.slice(0, 40));
});

test("readXml() reads back what xmlEscaped() wrote, and throws for no text", () => {
  holds(
    property(string(), (text) => {
      const whole = readXml(`<a>${xmlEscaped(text)}</a>`);
      assert.equal(whole?.text, text.trim());
      readXml(text);
    }),
  );
});
