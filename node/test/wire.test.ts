import { expect, it } from "vitest";
import { encode } from "../src/wire.js";

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) {
    value = { in: value };
  }
  return value;
}

it("a payload that a node cannot read is found before it ends the trunk of all clients", () => {
  expect(encode(nested(60))).not.toBeNull();
  expect(encode(nested(61))).toBeNull();
  expect(encode(nested(20_000))).toBeNull();
  expect(encode({ ["k".repeat(1_001)]: 1 })).toBeNull();
  expect(encode({ text: "k".repeat(5_000), list: ["a".repeat(2_000), "b"] })).not.toBeNull();
  expect(encode({ text: '"[{'.repeat(500) })).not.toBeNull();
});

it("half an emoji becomes a replacement character, and text that only looks like one stays", () => {
  expect(encode("Adi\ud83d")).toBe('"Adi\\ufffd"');
  expect(encode("\udc00x")).toBe('"\\ufffdx"');
  expect(encode("Adi 😀")).toBe('"Adi 😀"');
  expect(JSON.parse(encode("\\ud800")!)).toBe("\\ud800");
});

it("nothing is null", () => {
  expect(encode(undefined)).toBe("null");
  expect(encode(null)).toBe("null");
});
