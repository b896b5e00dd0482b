// Clients: where an answer is randomized, before it leaves the person.

import { ascii, joined, littleEndian, packed, sha256, toBase64, toHex, utf8 } from "./bytes.js";
import { filterOf } from "./bloom.js";
import { KeyedCoins, SYSTEM } from "./coins.js";
import { need, whole } from "./errors.js";
import { within } from "./exact.js";
import { Form, Question, TextQuestion } from "./form.js";
import { below } from "./samplers.js";

/** @typedef {import("./form.js").Choice} Choice */

/**
 * An answer that was checked: what draws its payload, once it is paid for, and what marks it in a memory.
 * @typedef {{ draw(): Promise<Uint8Array<ArrayBuffer>>, mark(): Promise<string> }} Heard
 */

/** The greatest epsilon of a form that a client answers unless told otherwise: odds of 22,000 to 1. */
export const MOST = 10;

/** One randomized answer, as it leaves a person. */
export class Report {
  /** @param {Uint8Array<ArrayBuffer>} tag @param {Uint8Array<ArrayBuffer>} payload */
  constructor(tag, payload) {
    this.tag = tag;
    this.payload = payload;
  }

  toBytes() {
    return joined(Uint8Array.of(0xd5, 2), this.tag, this.payload);
  }

  toJSON() {
    return { discreet: 2, form: toHex(this.tag), payload: toBase64(this.payload) };
  }
}

/**
 * What turns a person's answers to one form into reports.
 *
 * Without a *secret* each report is drawn anew, and each one costs its loss again. With a secret, known to this device
 * alone, the same answer gets the same report for ever. A form that costs more than *most* is refused.
 */
export class Client {
  #secret;
  /** @type {Promise<number> | number | undefined} */
  #cohort;

  /**
   * @param {Form} form
   * @param {{ secret?: Uint8Array, most?: number, cohort?: number }} [options]
   */
  constructor(form, { secret, most = MOST, cohort } = {}) {
    const { question } = form;
    const { name } = question;
    const none = secret === undefined && !form.mechanism.lasting; // A permanent answer is kept by a secret.
    const long = secret instanceof Uint8Array && secret.length >= 16;
    need(none || long, `${name}: need a secret that is a Uint8Array of at least 16 bytes`);
    within(form.epsilon, most, name);
    this.form = form;
    this.#secret = secret && new Uint8Array(secret); // A copy, also of a Buffer.
    const cohorts = question instanceof TextQuestion ? question.cohorts : 0;
    if (cohort !== undefined) this.#cohort = whole(cohort, 0, cohorts - 1, "cohort");
  }

  /**
   * A report of an answer: a choice, null for no answer, or a text where the question is open.
   * @param {Choice | null} answer
   */
  async report(answer) {
    return new Report(this.form.tag, await (await this.heard(answer)).draw());
  }

  /**
   * An answer, checked; nothing is drawn yet.
   * @param {Choice | null} answer
   * @returns {Promise<Heard>}
   */
  async heard(answer) {
    const { question } = this.form;
    return question instanceof Question ? this.#choice(question, answer) : this.#text(question, answer);
  }

  /** @param {Question} question @param {Choice | null} answer */
  async #choice(question, answer) {
    const place = question.place(answer);
    const context = joined(this.form.digest, littleEndian(place, 4));
    return this.#told(context, () => this.form.mechanism.draw(place, this.#coins(context)));
  }

  /** @param {TextQuestion} question @param {Choice | null} text */
  async #text(question, text) {
    need(typeof text === "string", `${question.name}: need a text`);
    this.#cohort ??= below(question.cohorts, this.#coins(joined(ascii("cohort"), this.form.digest))); // Once, and kept.
    const cohort = await this.#cohort;
    const mechanism = /** @type {import("./mechanisms.js").BitMechanism} */ (this.form.mechanism);
    const context = joined(ascii("text"), this.form.digest, littleEndian(cohort, 2), await sha256(utf8(text)));
    return this.#told(context, async () => {
      const bits = await mechanism.reply(await filterOf(question, cohort, text), this.#coins(context));
      return joined(littleEndian(cohort, 2), packed(bits));
    });
  }

  /** @param {Uint8Array<ArrayBuffer>} context @param {() => Promise<Uint8Array<ArrayBuffer>>} draw */
  #told(context, draw) {
    return { draw, mark: async () => toHex(await this.#coins(joined(ascii("mark"), context)).take(16)) };
  }

  /** @param {Uint8Array<ArrayBuffer>} context */
  #coins(context) {
    return this.#secret === undefined ? SYSTEM : new KeyedCoins(this.#secret, context);
  }
}
