// Surveys: a person's answers to all questions, randomized together before they leave the person.

import { ascii, joined, sha256, toBase64, toHex } from "./bytes.js";
import { Client, MOST } from "./client.js";
import { need } from "./errors.js";
import { lossUp, within } from "./exact.js";
import { expect, Form, record, TAG, VERSION } from "./form.js";

/** @typedef {import("./form.js").Choice} Choice */
/** @typedef {[mark: string, epsilon: number]} Given */
/** @typedef {{ secret: Uint8Array, pay(given: Given[]): Promise<void> }} Memory */

/** The forms of a survey, in their order, and the digest of all of them. */
export class SurveyForm {
  /** @param {Form[]} forms @param {Uint8Array<ArrayBuffer>} digest */
  constructor(forms, digest) {
    this.forms = Object.freeze(forms);
    this.digest = digest;
    /** The loss of a response, as the least double that is not below the sum. */
    this.epsilon = lossUp(...forms.map(({ mechanism }) => mechanism));
    Object.freeze(this);
  }

  /**
   * The survey that a file says. A *digest*, in hexadecimal, is that of the survey that is expected.
   * @param {unknown} data
   * @param {string} [digest]
   */
  static async of(data, digest) {
    const { discreet, forms, survey } = record(data, "discreet, forms, survey", "survey");
    need(discreet === VERSION && Array.isArray(forms) && forms.length > 0, `survey: need version ${VERSION}, and forms`);
    const all = await Promise.all(forms.map((form) => Form.of(form)));
    need(new Set(all.map(({ question }) => question.name)).size === all.length, "need distinct names");
    const found = await sha256(joined(ascii("discreet survey 2"), all.map((form) => form.digest)));
    const hex = toHex(found);
    expect(hex === survey && hex === (digest ?? hex), "survey");
    return new SurveyForm(all, found);
  }
}

/** One person's randomized answers to all questions, as they leave the person. */
export class Response {
  /** @param {Uint8Array<ArrayBuffer>} tag @param {Uint8Array<ArrayBuffer>[]} payloads */
  constructor(tag, payloads) {
    this.tag = tag;
    this.payloads = payloads;
  }

  toBytes() {
    return joined(Uint8Array.of(0xd6, VERSION), this.tag, this.payloads);
  }

  toJSON() {
    return { discreet: VERSION, survey: toHex(this.tag), payloads: this.payloads.map(toBase64) };
  }

  /** A text to hand in: the bytes and four of their SHA-256, in base 64 for addresses. */
  async toCode() {
    const data = this.toBytes();
    const text = toBase64(joined(data, (await sha256(data)).slice(0, 4)));
    return text.replace(/=/g, "").replace(/\+/g, "-").replace(/\//g, "_");
  }
}

/**
 * What turns a person's answers to a survey into one response. *secret* and *most* are those of a `Client`, *most* for
 * the whole survey; a *memory* has the secret of this device, and what was given.
 */
export class SurveyClient {
  #clients;
  #memory;

  /**
   * @param {SurveyForm} form
   * @param {{ secret?: Uint8Array, most?: number, memory?: Memory }} [options]
   */
  constructor(form, { secret, most = MOST, memory } = {}) {
    within(form.epsilon, most, "this survey");
    this.form = form;
    this.#memory = memory;
    this.#clients = form.forms.map((each) => new Client(each, { secret: memory?.secret ?? secret, most: Infinity }));
  }

  /**
   * A response from answers by name; a question without one gets its missing choice, or is refused.
   * All answers are checked, then all is charged, and then the first coin is tossed.
   * @param {Readonly<Record<string, Choice | null>>} answers
   */
  async report(answers) {
    const { digest, forms } = this.form;
    const names = forms.map(({ question }) => question.name);
    need(Object.keys(answers).every((name) => names.includes(name)), `need answers to ${names.join(", ")}`);
    const said = (/** @type {string} */ name) => (Object.hasOwn(answers, name) ? answers[name] : null);
    const heard = [];
    for (const client of this.#clients) heard.push(await client.heard(said(client.form.question.name)));
    /** @type {(each: import("./client.js").Heard, i: number) => Promise<Given>} */
    const marked = async ({ mark }, i) => [toHex(forms[i].digest) + (await mark()), forms[i].epsilon];
    await this.#memory?.pay(await Promise.all(heard.map(marked)));
    const payloads = [];
    for (const { draw } of heard) payloads.push(await draw());
    return new Response(digest.slice(0, TAG), payloads);
  }
}
