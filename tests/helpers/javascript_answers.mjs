// Reads questions of a test as lines of JSON, and answers each in one: what this client makes of a form, an answer and
// scripted coins, or why it refuses.

import { createInterface } from "node:readline";

import { fromHex, toHex } from "../../js/src/bytes.js";
import { Client, Form, Refused, SurveyClient, SurveyForm } from "../../js/src/index.js";

/** Coins that are written down; they run out with an error. */
function scripted(hex) {
  let rest = fromHex(hex);
  const now = (n) => {
    if (rest.length < n) throw new Error("the coins have run out");
    const taken = rest.slice(0, n);
    rest = rest.slice(n);
    return taken;
  };
  return {
    now,
    take: async (n) => now(n),
    left: () => rest.length,
  };
}

async function answered({ form: data, answer, coins: hex, fresh: freshHex, secret }) {
  const form = await Form.of(data);
  const coins = scripted(hex);
  const fresh = scripted(freshHex);
  const { mechanism, question } = form;
  const out = { digest: toHex(form.digest), epsilon: String(form.epsilon) };
  if ("choices" in question) {
    const place = question.place(answer);
    if (mechanism.lasting) {
      const bits = question.choices.map((_, i) => i === place);
      out.bits = await mechanism.reply(bits, coins, fresh);
    } else {
      out.payload = toHex(await mechanism.draw(place, coins));
    }
    out.left = coins.left();
  }
  if (!mechanism.lasting) {
    const client = new Client(form, { secret: fromHex(secret), most: Infinity });
    out.permanent = toHex((await client.report(answer)).toBytes());
  }
  return out;
}

/** The same for a whole survey, whose coins are those of the browser: they are written down instead. */
async function surveyed({ survey, answers, coins: hex, secret }) {
  const form = await SurveyForm.of(survey);
  const coins = scripted(hex);
  const real = crypto.getRandomValues;
  crypto.getRandomValues = (data) => {
    data.set(coins.now(data.length));
    return data;
  };
  const out = { digest: toHex(form.digest), epsilon: String(form.epsilon) };
  try {
    const options = { most: Infinity, secret: secret === null ? undefined : fromHex(secret) };
    const response = await new SurveyClient(form, options).report(answers);
    out.bytes = toHex(response.toBytes());
    out.json = JSON.stringify(response);
    out.code = await response.toCode();
    out.left = coins.left();
  } finally {
    crypto.getRandomValues = real;
  }
  return out;
}

for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  const said = await ("survey" in asked ? surveyed : answered)(asked).catch((error) => {
    if (error instanceof Refused) return { refused: error.message };
    throw error;
  });
  process.stdout.write(`${JSON.stringify(said)}\n`);
}
