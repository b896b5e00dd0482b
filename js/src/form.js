// Forms: what a client and a collector must agree on. A question, and the mechanism that randomizes its answers.

import { ascii, fromHex, hex, sha256, toHex } from "./bytes.js";
import { need, whole } from "./errors.js";
import { lossUp } from "./exact.js";
import { FILTERS, MECHANISMS, numberOf } from "./mechanisms.js";

/** @typedef {string | number | boolean} Choice */
/** @typedef {import("./mechanisms.js").Given} Given */

export const VERSION = 2;
export const TAG = 16;
const MOST = 1 << 19;
const MOST_HASHES = 64;

/**
 * Plain values as the JSON that digests are made of: sorted keys, no spaces, ASCII.
 * @param {unknown} data
 * @returns {string}
 */
export function canonical(data) {
  if (Array.isArray(data)) return `[${data.map(canonical).join(",")}]`;
  if (isRecord(data)) {
    const parts = Object.keys(data).sort().map((key) => `${canonical(key)}:${canonical(data[key])}`);
    return `{${parts.join(",")}}`;
  }
  return JSON.stringify(data).replace(/[\u007f-\uffff]/g, (c) => `\\u${hex(c.charCodeAt(0), 4)}`);
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
    const { question: asked, mechanism: given } = record(data, "mechanism, question", "form");
    const question = isRecord(asked) && "length" in asked ? new TextQuestion(asked) : new Question(asked);
    const mechanism = question.mechanism(given);
    const text = canonical({ discreet: VERSION, mechanism: given, question: question.toJSON() });
    const found = await sha256(ascii(text));
    expect(digest === undefined || digest === toHex(found), question.name);
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
    const { name, choices, missing } = record(data, "choices, missing, name", "question");
    this.name = named(name);
    need(Array.isArray(choices), `${name}: need a list of choices`);
    this.missing = /** @type {Choice | null} */ (missing);
    this.choices = Object.freeze(/** @type {Choice[]} */ (missing === null ? [...choices] : [...choices, missing]));
    whole(this.choices.length, 2, MOST, `${name}, choices`);
    need(this.choices.every(isChoice), `${name}: need choices that are text, whole numbers below 2**53, or booleans`);
    need(new Set(this.choices).size === this.choices.length, `${name}: need choices that differ`);
    Object.freeze(this);
  }

  /**
   * @param {unknown} given
   * @returns {import("./mechanisms.js").Mechanism}
   */
  mechanism(given) {
    const [known, Kind] = kindOf(given, MECHANISMS);
    const bool = Kind === MECHANISMS.RandomizedResponseBool[0];
    need(!bool || canonical(this.choices) === "[false,true]", `${this.name}: need the choices false and true`);
    return new Kind(known, this.choices.length, 1);
  }

  /**
   * The place of an answer among the choices; null is the missing one.
   * @param {Choice | null} answer
   */
  place(answer) {
    const place = this.choices.indexOf(/** @type {Choice} */ (answer ?? this.missing));
    need(place >= 0, `${this.name}: need ${answer == null ? "an answer" : "one of the choices"}`);
    return place;
  }

  toJSON() {
    const { name, choices, missing } = this;
    return { name, choices: choices.filter((choice) => choice !== missing), missing };
  }
}

/** A question whose answer is any text: *hashes* of *length* bits are set in a Bloom filter, by cohort. */
export class TextQuestion {
  /** @param {unknown} data */
  constructor(data) {
    const { name, length, hashes, cohorts, key } = record(data, "cohorts, hashes, key, length, name", "question");
    this.name = named(name);
    this.length = whole(length, 1, MOST, "length");
    this.hashes = whole(hashes, 1, Math.min(MOST_HASHES, this.length), "hashes");
    this.cohorts = whole(cohorts, 1, Math.min(1 << 16, Math.floor((1 << 24) / this.length)), "cohorts");
    need(typeof key === "string" && /^([0-9a-f]{2}){0,64}$/.test(key), "key: need at most 64 bytes, in hexadecimal");
    this.key = fromHex(key);
    Object.freeze(this);
  }

  /**
   * @param {unknown} given
   * @returns {import("./mechanisms.js").Mechanism}
   */
  mechanism(given) {
    const [known, Kind] = kindOf(given, FILTERS);
    const weight = numberOf(known, "max_weight");
    return new Kind(known, this.length, whole(weight, this.hashes, this.length, "max_weight"));
  }

  toJSON() {
    const { name, length, hashes, cohorts } = this;
    return { name, length, hashes, cohorts, key: toHex(this.key) };
  }
}

/** @param {unknown} data @returns {data is Given} */
const isRecord = (data) => data !== null && typeof data === "object";

/**
 * A mapping with these keys, sorted, and no others.
 * @param {unknown} data
 * @param {string} keys
 * @param {string} what
 */
export function record(data, keys, what) {
  const found = isRecord(data) ? Object.keys(data).sort().join(", ") : typeof data;
  need(found === keys, `${what}: need ${keys}, not ${found}`);
  return /** @type {Given} */ (data);
}

/**
 * What is written about a mechanism, and the class that it names.
 * @param {unknown} given
 * @param {import("./mechanisms.js").Kinds} kinds
 */
function kindOf(given, kinds) {
  const name = isRecord(given) && given.name;
  need(typeof name === "string" && Object.hasOwn(kinds, name), `mechanism: need one of ${Object.keys(kinds).join(", ")}`);
  const [Kind, keys] = kinds[name];
  return /** @type {const} */ ([record(given, keys, "mechanism"), Kind]);
}

/** @param {unknown} value */
const isChoice = (value) => ["string", "boolean"].includes(typeof value) || Number.isSafeInteger(value);

/** @param {unknown} name */
function named(name) {
  need(typeof name === "string" && name.trim() !== "", "name: need a text that is not blank");
  return name;
}

/** @param {boolean} same @param {string} name */
export const expect = (same, name) => need(same, `${name}: this is not the one that was expected`);
