// Forms: what a client and a collector must agree on. A question, and the mechanism that randomizes its answers.

import { ascii, fromHex, sha256, toHex } from "./bytes.js";
import { need } from "./errors.js";
import { lossUp } from "./exact.js";
import { FILTERS, MECHANISMS, wholeOf } from "./mechanisms.js";

/** @typedef {string | number | boolean} Choice */
/** @typedef {import("./mechanisms.js").Given} Given */

export const VERSION = 2;
export const TAG = 16;
const MOST = 1 << 19;
const MOST_HASHES = 64;
const CHOICES = ["choices", "missing", "name"];
const TEXT = ["cohorts", "hashes", "key", "length", "name"];

/**
 * Plain values as the JSON that digests are made of: sorted keys, no spaces, ASCII.
 * @param {unknown} data
 * @returns {string}
 */
export function canonical(data) {
  if (Array.isArray(data)) return `[${data.map(canonical).join(",")}]`;
  if (data !== null && typeof data === "object") {
    const parts = Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${parts.map(([key, value]) => `${canonical(key)}:${canonical(value)}`).join(",")}}`;
  }
  const hex = (/** @type {string} */ c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(data).replace(/[\u007f-\uffff]/g, hex);
}

/** A question and its mechanism, as they stand in a file of plain values, and the digest of both. */
export class Form {
  /**
   * @param {Question | TextQuestion} question
   * @param {import("./mechanisms.js").Mechanism} mechanism
   * @param {Uint8Array<ArrayBuffer>} digest
   */
  constructor(question, mechanism, digest) {
    this.question = question;
    this.mechanism = Object.freeze(mechanism);
    this.digest = digest;
    /** The loss of a report, as the least double that is not below it; of any number of those of a permanent answer. */
    this.epsilon = lossUp(mechanism);
    Object.freeze(this);
  }

  /**
   * The form that a file says. A *digest*, in hexadecimal, is that of the form that is expected.
   * @param {unknown} data
   * @param {string} [digest]
   */
  static async of(data, digest) {
    const { question: asked, mechanism: given } = record(data, ["mechanism", "question"], "form");
    const question = isText(asked) ? new TextQuestion(asked) : new Question(asked);
    const mechanism = question.mechanism(given);
    const text = canonical({ discreet: VERSION, mechanism: given, question: question.toJSON() });
    const found = await sha256(ascii(text));
    need(digest === undefined || digest === toHex(found), `${question.name}: this form is not the one that was expected`);
    return new Form(question, mechanism, found);
  }

  /** The first 16 bytes of the digest: what a report carries. */
  get tag() {
    return this.digest.slice(0, TAG);
  }
}

/** A question with a list of choices; a choice for no answer may come after them. */
export class Question {
  /** @param {unknown} data */
  constructor(data) {
    const { name, choices, missing } = record(data, CHOICES, "question");
    this.name = named(name);
    need(Array.isArray(choices), `${name}: need a list of choices`);
    this.missing = /** @type {Choice | null} */ (missing);
    this.choices = Object.freeze(/** @type {Choice[]} */ (missing === null ? [...choices] : [...choices, missing]));
    const count = this.choices.length;
    need(count >= 2 && count <= MOST, `${name}: need 2 to ${MOST} choices`);
    need(this.choices.every(isChoice), `${name}: need choices that are text, whole numbers below 2**53, or booleans`);
    need(new Set(this.choices).size === count, `${name}: need choices that differ`);
    Object.freeze(this);
  }

  /**
   * @param {unknown} given
   * @returns {import("./mechanisms.js").Mechanism}
   */
  mechanism(given) {
    const [Kind, keys] = kindOf(given, MECHANISMS);
    const bool = Kind === MECHANISMS.RandomizedResponseBool[0];
    need(!bool || canonical(this.choices) === "[false,true]", `${this.name}: need the choices false and true`);
    return new Kind(record(given, ["name", ...keys], "mechanism"), this.choices.length, 1);
  }

  /**
   * The place of an answer among the choices; null is the missing one.
   * @param {Choice | null} answer
   */
  place(answer) {
    const place = this.choices.indexOf(/** @type {Choice} */ (answer ?? this.missing));
    need(place >= 0, `${this.name}: the answer is not one of the choices`);
    return place;
  }

  toJSON() {
    const choices = this.missing === null ? this.choices : this.choices.slice(0, -1);
    return { name: this.name, choices, missing: this.missing };
  }
}

/** A question whose answer is any text: *hashes* of *length* bits are set in a Bloom filter, by cohort. */
export class TextQuestion {
  /** @param {unknown} data */
  constructor(data) {
    const { name, length, hashes, cohorts, key } = record(data, TEXT, "question");
    this.name = named(name);
    this.length = count(length, MOST, "length");
    this.hashes = count(hashes, Math.min(MOST_HASHES, this.length), "hashes");
    this.cohorts = count(cohorts, Math.min(1 << 16, Math.floor((1 << 24) / this.length)), "cohorts");
    need(typeof key === "string" && key.length <= 128, "key: need at most 64 bytes, in hexadecimal");
    this.key = fromHex(key);
    Object.freeze(this);
  }

  /**
   * @param {unknown} given
   * @returns {import("./mechanisms.js").Mechanism}
   */
  mechanism(given) {
    const [Kind, keys] = kindOf(given, FILTERS);
    const known = record(given, ["name", ...keys], "mechanism");
    const weight = wholeOf(known.max_weight, "max_weight");
    need(this.hashes <= weight && weight <= this.length, `max_weight: need ${this.hashes} to ${this.length}`);
    return new Kind(known, this.length, weight);
  }

  toJSON() {
    const { name, length, hashes, cohorts } = this;
    return { name, length, hashes, cohorts, key: toHex(this.key) };
  }
}

/**
 * A mapping with these keys and no others.
 * @param {unknown} data
 * @param {string[]} keys
 * @param {string} what
 */
export function record(data, keys, what) {
  const found = data !== null && typeof data === "object" ? Object.keys(data).sort().join(", ") : typeof data;
  need(found === [...keys].sort().join(", "), `${what}: need ${[...keys].sort().join(", ")}, not ${found}`);
  return /** @type {Given} */ (data);
}

/**
 * @template T
 * @param {unknown} given
 * @param {Readonly<Record<string, T>>} kinds
 */
function kindOf(given, kinds) {
  const name = given !== null && typeof given === "object" && "name" in given ? given.name : undefined;
  need(typeof name === "string" && Object.hasOwn(kinds, name), `mechanism: need one of ${Object.keys(kinds).join(", ")}`);
  return kinds[name];
}

/** @param {unknown} asked */
const isText = (asked) => asked !== null && typeof asked === "object" && "length" in asked;

/** @param {unknown} value */
const isChoice = (value) => typeof value === "string" || typeof value === "boolean" || Number.isSafeInteger(value);

/** @param {unknown} name */
function named(name) {
  need(typeof name === "string" && name.trim() !== "", "name: need a text that is not blank");
  return name;
}

/** @param {unknown} value @param {number} most @param {string} name */
function count(value, most, name) {
  need(Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= most, `${name}: need 1 to ${most}`);
  return Number(value);
}
