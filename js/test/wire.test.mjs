// The wire format: the vectors that every client in every language is held to.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { ascii, fromHex, joined, littleEndian, packed, sha256, toHex, utf8 } from "../src/bytes.js";
import { filterOf } from "../src/bloom.js";
import { KeyedCoins } from "../src/coins.js";
import { canonical } from "../src/form.js";
import { Client, Form, Report } from "../src/index.js";

const wire = JSON.parse(readFileSync(new URL("../../tests/data/wire.json", import.meta.url), "utf8"));
const kinds = new Set(wire.forms.map(({ form }) => `${form.mechanism.name} ${"length" in form.question}`));

test("the vectors have every mechanism, for choices and for text", () => {
  assert.equal(kinds.size, 8);
});

/** What remembers bits: RAPPOR, which the one for many reports extends. */
const permanent = ({ mechanism }, ...given) => Object.getPrototypeOf(mechanism.constructor.prototype).reply.call(mechanism, ...given);

/** The permanent bits of an answer, from the description of the format. */
async function remembered(form, secret, answer, cohort) {
  if (cohort === undefined) {
    const place = form.question.place(answer);
    const coins = new KeyedCoins(secret, joined(form.digest, littleEndian(place, 4)));
    return packed(await permanent(form, form.question.choices.map((_, i) => i === place), coins));
  }
  const context = joined(ascii("text"), form.digest, littleEndian(cohort, 2), await sha256(utf8(answer)));
  return packed(await permanent(form, await filterOf(form.question, cohort, answer), new KeyedCoins(secret, context)));
}

for (const [i, vector] of wire.forms.entries()) {
  const { name } = vector.form.mechanism;
  test(`form ${i}, ${name}: digest, reports and permanent answers`, async () => {
    const form = await Form.of(vector.form, vector.digest);
    assert.equal(canonical({ discreet: 2, ...vector.form }), vector.canonical);
    assert.equal(toHex(form.digest), vector.digest);
    for (const { bytes, json } of vector.reports) {
      const report = new Report(form.tag, fromHex(bytes).slice(18));
      assert.equal(toHex(report.toBytes()), bytes);
      assert.equal(JSON.stringify(report), json);
    }
    for (const { secret, answer, payload, cohort, memo } of vector.permanent) {
      const client = new Client(form, { secret: fromHex(secret), most: Infinity });
      const report = await client.report(answer);
      if (payload !== undefined) assert.equal(toHex(report.payload), payload);
      if (cohort !== undefined) assert.equal(report.payload[0] + 256 * report.payload[1], cohort);
      if (memo !== undefined) assert.equal(toHex(await remembered(form, fromHex(secret), answer, cohort)), memo);
    }
    for (const { cohort, text, bits } of vector.filters ?? []) {
      const filter = await filterOf(form.question, cohort, text);
      assert.deepEqual(filter.flatMap((bit, at) => (bit ? [at] : [])), bits);
    }
  });
}

test("the coins of a secret", async () => {
  for (const { secret, context, bytes } of wire.coins) {
    const coins = new KeyedCoins(fromHex(secret), fromHex(context));
    const parts = [];
    for (let n = 1, left = bytes.length / 2; left > 0; n = Math.min(2 * n, left)) {
      parts.push(toHex(await coins.take(Math.min(n, left))));
      left -= Math.min(n, left);
    }
    assert.equal(parts.join(""), bytes);
  }
});
