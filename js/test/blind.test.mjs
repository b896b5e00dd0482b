// Blind signatures: RFC 9474's own vector, and what is no answer of a key.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { fingerprint, fromHex, request, ticket } from "../page/blind.js";

const vector = JSON.parse(readFileSync(new URL("../../tests/data/rfc9474.json", import.meta.url), "utf8"));
const number = (name) => BigInt(`0x${vector[name]}`);
const bytes = (value, width = 512) => fromHex(value.toString(16).padStart(2 * width, "0"));
const modulus = number("p") * number("q");
const key = bytes(modulus);
const about = fromHex(vector.msg);

/** base ** exponent, by squaring. */
function power(base, exponent, n) {
  let found = 1n;
  for (let rest = exponent, square = base; rest; rest >>= 1n, square = (square * square) % n) if (rest & 1n) found = (found * square) % n;
  return found;
}

/** a / b modulo n, by Euler. */
const phi = (number("p") - 1n) * (number("q") - 1n);
const inverted = (value) => power(value, phi - 1n, modulus);
const listed = (...values) => () => values.shift();
const mask = bytes(inverted(number("inv")));
const drawn = [fromHex(vector.msg_prefix), fromHex(vector.salt)];

test("a request is blinded as the RFC says", async () => {
  const made = await request(key, about, listed(...drawn, mask));
  assert.deepEqual(made.blinded, fromHex(vector.blinded_msg));
  assert.equal(made.inverse, number("inv"));
});

test("a factor that cannot be divided by is drawn again", async () => {
  const bad = [bytes(0n), bytes(number("p")), key, bytes(modulus + 1n), bytes(2n * number("q"))];
  const made = await request(key, about, listed(...drawn, ...bad, mask));
  assert.deepEqual(made.blinded, fromHex(vector.blinded_msg));
});

test("an encoding that shares a factor with the modulus is drawn again", async () => {
  const odd = (3n * ((1n << 2047n) / 3n)) | 1n;
  const weak = bytes([odd, odd + 2n, odd + 4n].find((n) => n % 3n === 0n), 256);
  for (let i = 0; i < 30; i++) {
    const { blinded } = await request(weak, about);
    assert.notEqual(BigInt(`0x${Buffer.from(blinded).toString("hex")}`) % 3n, 0n);
  }
});

test("the answer becomes the signature of the RFC", async () => {
  const made = await request(key, about, listed(...drawn, mask));
  const found = await ticket(key, about, made, fromHex(vector.blind_sig));
  assert.deepEqual(found, fromHex(vector.msg_prefix + vector.sig));
});

test("an answer of another key, about something else, or of another length is none", async () => {
  const made = await request(key, about, listed(...drawn, mask));
  const good = fromHex(vector.blind_sig);
  const changed = good.slice();
  changed[200] ^= 1;
  for (const bad of [changed, good.slice(1), fromHex(vector.blind_sig + "00"), new Uint8Array(512), new Uint8Array(0)]) {
    assert.equal(await ticket(key, about, made, bad), null);
  }
  assert.equal(await ticket(key, about.slice(1), made, good), null);
});

test("requests are new each time, and below the modulus", async () => {
  const found = new Set();
  for (let i = 0; i < 5; i++) {
    const { blinded } = await request(key, about);
    assert.ok(BigInt(`0x${Buffer.from(blinded).toString("hex")}`) < modulus);
    found.add(`${blinded}`);
  }
  assert.equal(found.size, 5);
});

test("what is no key is refused", async () => {
  for (const bad of [new Uint8Array(0), key.slice(300), new Uint8Array(512), bytes(modulus - 1n), fromHex(`00${"ff".repeat(255)}`)]) {
    await assert.rejects(() => request(bad, about));
  }
});

test("a key is compared by 32 digits", async () => {
  assert.match(await fingerprint(key), /^([0-9a-f]{4}-){7}[0-9a-f]{4}$/);
});
