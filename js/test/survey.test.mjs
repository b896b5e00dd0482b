// Surveys: the vectors, and what is refused before any coin is tossed.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { fromHex, toHex } from "../src/bytes.js";
import { Refused, Response, SurveyClient, SurveyForm } from "../src/index.js";

const wire = JSON.parse(readFileSync(new URL("../../tests/data/wire.json", import.meta.url), "utf8"));
const fileOf = ({ forms, digest }) => ({ discreet: 2, survey: digest, forms: forms.map((i) => wire.forms[i].form) });
const refused = (promise, words) => assert.rejects(promise, (error) => error instanceof Refused && words.test(error.message));
const [, entry] = wire.surveys;
const answers = { member: true, smokes: "daily", 'städte, "ö"\n': 7 };

for (const [i, vector] of wire.surveys.entries()) {
  test(`survey ${i}: digest, loss, responses and permanent answers`, async () => {
    const form = await SurveyForm.of(fileOf(vector), vector.digest);
    assert.equal(toHex(form.digest), vector.digest);
    assert.equal(form.epsilon, vector.epsilon);
    for (const { payloads, bytes, json, code } of vector.responses) {
      const response = new Response(form.digest.slice(0, 16), payloads.map(fromHex));
      assert.equal(toHex(response.toBytes()), bytes);
      assert.equal(JSON.stringify(response), json);
      assert.equal(await response.toCode(), code);
    }
    const { secret, answers, code } = vector.permanent;
    const client = new SurveyClient(form, { secret: fromHex(secret), most: Infinity });
    assert.equal(await (await client.report(answers)).toCode(), code);
  });
}

test("a survey that is not the expected one, or that was changed on the way", async () => {
  const file = fileOf(entry);
  await refused(SurveyForm.of(file, "00".repeat(32)), /not the one that was expected/);
  await refused(SurveyForm.of({ ...file, survey: "00".repeat(32) }), /not the one that was expected/);
  await refused(SurveyForm.of({ ...file, forms: [...file.forms].reverse() }), /not the one that was expected/);
  await refused(SurveyForm.of({ ...file, forms: file.forms.slice(1) }), /not the one that was expected/);
  const changed = structuredClone(file);
  changed.forms[0].mechanism.prob = "99999/100000";
  await refused(SurveyForm.of(changed), /not the one that was expected/);
  await refused(SurveyForm.of(fileOf(wire.surveys[2]), entry.digest), /not the one that was expected/);
  for (const bad of [null, [], { ...file, more: 1 }, { ...file, discreet: 3 }, { ...file, forms: [] }, { ...file, forms: {} }]) {
    await refused(SurveyForm.of(bad), /need/);
  }
  await refused(SurveyForm.of({ ...file, forms: [file.forms[0], file.forms[0]] }), /distinct/);
});

test("a survey that costs too much as a whole", async () => {
  const form = await SurveyForm.of(fileOf(entry));
  assert.ok(form.forms.every(({ epsilon }) => epsilon < form.epsilon));
  assert.throws(() => new SurveyClient(form, { most: form.forms[0].epsilon }), /this survey: epsilon=.* is more than most/);
  assert.ok(new SurveyClient(form, { most: form.epsilon }));
  for (const most of ["10", null, NaN]) assert.throws(() => new SurveyClient(form, { most }), Refused);
});

test("answers to other questions, and none where one is required: nothing is charged", async () => {
  const form = await SurveyForm.of(fileOf(entry));
  const paid = [];
  const memory = { secret: new Uint8Array(32), pay: async (given) => void paid.push(given) };
  const client = new SurveyClient(form, { memory });
  for (const bad of [{}, { ...answers, other: 1 }, { ...answers, member: "perhaps" }, { ...answers, member: null }]) {
    await assert.rejects(client.report(bad), Refused);
  }
  await refused(client.report({ ...answers, member: "perhaps" }), /^member: need one of the choices$/);
  for (const none of [null, undefined]) await refused(client.report({ ...answers, member: none }), /^member: need an answer$/);
  const names = form.forms.map(({ question }) => question.name).join(", ");
  await refused(client.report({ ...answers, other: 1 }), new RegExp(`^need answers to ${names}$`));
  assert.deepEqual(paid, []);
  const { smokes, ...rest } = answers;
  const code = (said) => client.report(said).then((response) => response.toCode());
  assert.equal(await code(rest), await code({ ...rest, smokes: "no answer" }));
  assert.equal(await code(rest), await code({ ...rest, smokes: null }));
  assert.equal(smokes, "daily");
  assert.deepEqual(paid[0].map(([mark, epsilon]) => [mark.length, epsilon]), form.forms.map(({ epsilon }) => [96, epsilon]));
  assert.deepEqual(paid[0], paid[1]);
});

test("nothing is drawn where it cannot be paid", async () => {
  const form = await SurveyForm.of(fileOf(entry));
  const memory = { secret: new Uint8Array(32), pay: () => Promise.reject(new Refused("no more")) };
  await refused(new SurveyClient(form, { memory }).report(answers), /no more/);
});
