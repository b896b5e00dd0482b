// Reads questions of a test as lines of JSON, and answers each in one: what this client makes of a form, an answer and
// scripted coins, or why it refuses.

import { createInterface } from "node:readline";

import { fromHex, toHex } from "../../js/src/bytes.js";
import { Client, Form, Refused } from "../../js/src/index.js";

/** Coins that are written down; they run out with an error. */
function scripted(hex) {
  let rest = fromHex(hex);
  return {
    async take(n) {
      if (rest.length < n) throw new Error("the coins have run out");
      const taken = rest.slice(0, n);
      rest = rest.slice(n);
      return taken;
    },
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

for await (const line of createInterface({ input: process.stdin })) {
  const said = await answered(JSON.parse(line)).catch((error) => {
    if (error instanceof Refused) return { refused: error.message };
    throw error;
  });
  process.stdout.write(`${JSON.stringify(said)}\n`);
}
