// What the client refuses, before any coin is tossed.

import assert from "node:assert/strict";
import { test } from "node:test";

import { lnEnclosed, lossUp } from "../src/exact.js";
import { Client, Form, Refused } from "../src/index.js";

const asked = (mechanism, question = {}) => ({
  question: { name: "smokes", choices: ["never", "daily"], missing: null, ...question },
  mechanism: { name: "RandomizedResponse", prob: "3/4", ...mechanism },
});

const refused = (promise, words) => assert.rejects(promise, (error) => error instanceof Refused && words.test(error.message));

test("a form that costs too much, unless that is said", async () => {
  const form = await Form.of(asked({ prob: "99999999/100000000" }));
  assert.ok(form.epsilon > 18);
  assert.throws(() => new Client(form), /epsilon=18\.\d+ is more than most=10/);
  assert.ok(new Client(form, { most: 19 }));
  const naked = await Form.of(asked({ prob: "1" }));
  assert.equal(naked.epsilon, Infinity);
  assert.throws(() => new Client(naked, { most: 1e300 }), Refused);
  assert.throws(() => new Client(form, { most: NaN }), Refused);
});

test("a form that is not the expected one", async () => {
  const { digest } = await Form.of(asked({}));
  const hex = Buffer.from(digest).toString("hex");
  assert.ok(await Form.of(asked({}), hex));
  await refused(Form.of(asked({ prob: "7/8" }), hex), /not the one that was expected/);
  await refused(Form.of(asked({}), hex.slice(0, 32)), /not the one that was expected/);
});

test("forms that are written in another way", async () => {
  for (const prob of ["0.75", "6/8", "+3/4", " 3/4", "03/4", 0.75, null, "3/0", "", "-3/4"]) {
    await refused(Form.of(asked({ prob })), /prob/);
  }
  for (const data of [null, 3, "form", [], {}, { question: null, mechanism: null }, { ...asked({}), more: 1 }]) {
    await refused(Form.of(data), /need/);
  }
  await refused(Form.of(asked({ constant_time: true })), /constant_time/);
  await refused(Form.of(asked({ name: "toString" })), /need one of/);
  await refused(Form.of(asked({}, { choices: "ab" })), /list/);
  await refused(Form.of(asked({}, { choices: [1.5, 2] })), /whole numbers/);
  await refused(Form.of(asked({ name: "RandomizedResponseBool" })), /false and true/);
});

test("secrets that are too short, or missing where the permanent answer needs one", async () => {
  const form = await Form.of(asked({}));
  for (const secret of [new Uint8Array(15), "only on this device", null, [...Array(32).keys()], new Uint16Array(32)]) {
    assert.throws(() => new Client(form, { secret }), /16 bytes/);
  }
  for (const most of ["10", [100], null]) assert.throws(() => new Client(form, { most }), Refused);
  const lasting = await Form.of({ ...asked({}), mechanism: { name: "LongitudinalRappor", f: "1/2", p: "1/4", q: "3/4" } });
  assert.throws(() => new Client(lasting), /secret/);
  const client = new Client(lasting, { secret: new Uint8Array(16) });
  const seen = new Set();
  for (let i = 0; i < 64; i++) seen.add((await client.report("daily")).payload[0]);
  assert.ok(seen.size > 1, "each report is new");
});

test("what the caller changes afterwards changes nothing", async () => {
  const data = asked({ prob: "3/4" }, { choices: ["a", "b", "c"] });
  const form = await Form.of(data);
  const secret = Buffer.from("only on this device, and in no other place");
  const client = new Client(form, { secret });
  const before = await Promise.all(["a", "b", "c"].map((answer) => client.report(answer)));
  secret.fill(0);
  data.question.choices.reverse();
  assert.throws(() => form.question.choices.reverse(), TypeError);
  assert.deepEqual(await Promise.all(["a", "b", "c"].map((answer) => client.report(answer))), before);
});

test("a text of any length", async () => {
  const question = { name: "page", length: 64, hashes: 2, cohorts: 4, key: "" };
  const data = { question, mechanism: { name: "Rappor", f: "1/2", max_weight: "2" } };
  const client = new Client(await Form.of(data));
  assert.equal((await client.report("\ud800x".repeat(300_000))).payload.length, 10);
  for (const more of [{ hashes: 65 }, { key: "00".repeat(65) }, { length: 2 ** 20 }, { cohorts: 0 }]) {
    await refused(Form.of({ ...data, question: { ...question, length: 128, ...more } }), /need/);
  }
});

test("an answer that is none of the choices, and not shown", async () => {
  const client = new Client(await Form.of(asked({})));
  for (const answer of ["seldom", 1, undefined, null, {}, ["never"]]) {
    const words = answer === undefined || answer === null ? /^smokes: need an answer$/ : /^smokes: need one of the choices$/;
    await refused(client.report(answer), words);
  }
});

test("logarithms lie between their ends, which are close", () => {
  for (const [a, b] of [[2n, 1n], [3n, 2n], [10n ** 300n, 3n], [(1n << 60n) + 1n, 1n << 60n]]) {
    const [low, high] = lnEnclosed([a, b], 200);
    const ratio = Number((a * 10n ** 30n) / b) / 1e30;
    const want = a - b === 1n && b > 1n << 50n ? 2 ** -60 : Math.log(ratio);
    assert.ok(Math.abs(Number(low) / 2 ** 200 - want) <= 1e-12 * want);
    assert.ok(low < high && high - low < 1n << 20n);
  }
  const of = (odds, times = 1n) => ({ odds, times });
  assert.equal(lossUp(of([3n, 1n])), 1.0986122886681098);
  assert.equal(lossUp(of([1n, 1n])), 0);
  assert.equal(lossUp(of(null)), Infinity);
  assert.equal(lossUp(of(null, 0n)), 0);
  assert.equal(lossUp(), 0);
  assert.equal(lossUp(of([3n, 1n]), of([3n, 1n])), lossUp(of([9n, 1n])));
  assert.equal(lossUp(of([3n, 1n]), of(null)), Infinity);
});
