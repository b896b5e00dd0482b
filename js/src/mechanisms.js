// The mechanisms of local privacy, one class each. A new one is a new class, and an entry in MECHANISMS.

import { littleEndian, packed } from "./bytes.js";
import { drawn, SYSTEM } from "./coins.js";
import { need } from "./errors.js";
import { atMost, fraction, over, parsed, rest, times } from "./exact.js";
import { below, belowReal, bernoulli, bernoullis, floorOf, WORD } from "./samplers.js";

/** @typedef {import("./coins.js").Coins} Coins */
/** @typedef {import("./exact.js").Fraction} Fraction */

/**
 * What a mechanism is: the greatest odds that a report gives one answer over another are *odds* to the power of
 * *times*, and no odds (null) where nothing is hidden. It draws a payload from the place of an answer.
 * @typedef {object} Mechanism
 * @property {Fraction | null} odds
 * @property {bigint} times
 * @property {number} width
 * @property {boolean} lasting Whether reports of one permanent answer differ from each other.
 * @property {(place: number, coins: Coins) => Promise<Uint8Array<ArrayBuffer>>} draw
 */

/**
 * One of them that draws about any bits, of which at most some are set.
 * @typedef {Mechanism & { reply(bits: boolean[], coins: Coins): Promise<boolean[]> }} BitMechanism
 */

/** What is written about a mechanism. @typedef {Record<string, unknown>} Given */

const ONE = fraction(1n);
const HALF = fraction(1n, 2n);

/** p / (1 - p), if any. @param {Fraction} p */
const oddsOf = (p) => (p[0] === p[1] ? null : over(p, rest(p)));

/** @param {Fraction} p @param {Fraction} least @param {string} name */
function between(p, least, name) {
  need(atMost(least, p) && atMost(p, ONE), `${name}: need ${least.join("/")} <= ${name} <= 1`);
  return p;
}

/** Say yes or no truthfully with probability *prob*. @implements {Mechanism} */
class RandomizedResponseBool {
  times = 1n;
  width = 1;
  lasting = false;

  /** @param {Given} given @param {number} size */
  constructor(given, size) {
    need(size === 2, "RandomizedResponseBool: need the choices false and true");
    this.prob = between(parsed(given.prob, "prob"), HALF, "prob");
    this.odds = oddsOf(this.prob);
  }

  /** @param {number} place @param {Coins} coins */
  async draw(place, coins) {
    return Uint8Array.of(Number(Boolean(place) === (await bernoulli(this.prob, coins))));
  }
}

/** Name the true choice with probability *prob*, and each other one as often as any. @implements {Mechanism} */
class RandomizedResponse {
  times = 1n;
  lasting = false;

  /** @param {Given} given @param {number} size */
  constructor(given, size) {
    this.size = size;
    this.width = size <= 256 ? 1 : size <= 65_536 ? 2 : 4;
    this.prob = between(parsed(given.prob, "prob"), fraction(1n, BigInt(size)), "prob");
    const odds = oddsOf(this.prob);
    this.odds = odds && times(odds, fraction(BigInt(size - 1)));
  }

  /** @param {number} place @param {Coins} coins */
  async draw(place, coins) {
    const word = BigInt(WORD);
    const both = await drawn(coins, 2 * WORD);
    const honest = await belowReal(this.prob, both >> word, coins);
    const choice = await floorOf(this.size - 1, both & ((1n << word) - 1n), coins);
    return littleEndian(honest ? place : (place + 1 + choice) % this.size, this.width);
  }
}

/** Name a set of *size* choices, which holds the true one with probability *prob*. @implements {Mechanism} */
class SubsetSelection {
  times = 1n;
  lasting = false;

  /** @param {Given} given @param {number} size */
  constructor(given, size) {
    this.all = size;
    this.size = wholeOf(given.size, "size");
    this.width = (size + 7) >> 3;
    need(this.size >= 1 && this.size < size, `size: need 1 <= size < ${size}, the number of choices`);
    const [d, k] = [BigInt(this.size), BigInt(size)];
    this.prob = between(parsed(given.prob, "prob"), fraction(d, k), "prob");
    const odds = oddsOf(this.prob);
    this.odds = odds && times(odds, fraction(k - d, d));
  }

  /** @param {number} place @param {Coins} coins */
  async draw(place, coins) {
    await below(this.all, coins); // As many coins as for an answer that is none of the choices.
    const others = [...Array(this.all).keys()].filter((i) => i !== place);
    for (let i = 0; i < this.size; i++) {
      const j = i + (await below(this.all - 1 - i, coins));
      [others[i], others[j]] = [others[j], others[i]];
    }
    if (await bernoulli(this.prob, coins)) others[0] = place;
    const chosen = new Set(others.slice(0, this.size));
    return packed(Array.from({ length: this.all }, (_, i) => chosen.has(i)));
  }
}

/** Vectors of bits, each with a coin of its own. */
class Bits {
  lasting = false;
  odds = /** @type {Fraction | null} */ (null);
  times = 1n;

  /** @param {number} size */
  constructor(size) {
    this.size = size;
    this.width = (size + 7) >> 3;
  }

  /** @param {number} place @param {Coins} coins */
  async draw(place, coins) {
    return packed(await this.reply(Array.from({ length: this.size }, (_, i) => i === place), coins));
  }

  /** @param {boolean[]} bits @param {Coins} coins @returns {Promise<boolean[]>} */
  async reply(bits, coins) {
    throw new Error(`${bits} ${coins}`);
  }
}

/** Show the true choice's bit with probability *p*, and any other with probability *q*. */
class OptimizedUnary extends Bits {
  /** @param {Given} given @param {number} size */
  constructor(given, size) {
    super(size);
    this.p = parsed(given.p, "p");
    this.q = parsed(given.q, "q");
    need(this.q[0] > 0n && atMost(this.q, this.p) && this.p[0] < this.p[1], "p, q: need 0 < q <= p < 1");
    this.odds = times(over(this.p, this.q), over(rest(this.q), rest(this.p)));
  }

  /** @param {boolean[]} bits @param {Coins} coins */
  async reply(bits, coins) {
    const [honest] = await bernoullis(this.p, 1, coins);
    const others = await bernoullis(this.q, this.size, coins);
    return bits.map((bit, i) => (bit ? honest : others[i]));
  }
}

/** Flip each bit of a vector, of which at most *max_weight* are set, with probability f/2. */
class Rappor extends Bits {
  /** @param {Given} given @param {number} size @param {number} weight */
  constructor(given, size, weight) {
    super(size);
    this.f = parsed(given.f, "f");
    need(this.f[0] > 0n && atMost(this.f, ONE), "f: need 0 < f <= 1");
    this.flip = times(this.f, HALF);
    this.odds = oddsOf(rest(this.flip));
    this.times = BigInt(Math.min(2 * weight, size));
  }

  /** @param {boolean[]} bits @param {Coins} coins */
  reply(bits, coins) {
    return this.permanent(bits, coins);
  }

  /** @param {boolean[]} bits @param {Coins} coins */
  async permanent(bits, coins) {
    const flips = await bernoullis(this.flip, this.size, coins);
    return bits.map((bit, i) => bit !== flips[i]);
  }
}

/** RAPPOR for many reports: the flipped bits are permanent; of those, report a 1 with probability q, a 0 with p. */
class LongitudinalRappor extends Rappor {
  lasting = true;

  /** @param {Given} given @param {number} size @param {number} weight */
  constructor(given, size, weight) {
    super(given, size, weight);
    this.p = parsed(given.p, "p");
    this.q = parsed(given.q, "q");
    need(!atMost(this.q, this.p) && atMost(this.q, ONE), "p, q: need p < q <= 1");
  }

  /** @param {boolean[]} bits @param {Coins} coins @param {Coins} fresh */
  async reply(bits, coins, fresh = SYSTEM) {
    const memo = await this.permanent(bits, coins);
    const zeros = await bernoullis(this.p, this.size, fresh);
    const ones = await bernoullis(this.q, this.size, fresh);
    return memo.map((bit, i) => (bit ? ones[i] : zeros[i]));
  }
}

/**
 * Mechanisms by their names: what makes one of a description, for so many bits or choices of which at most *weight*
 * are set; and what is written about it.
 * @typedef {Readonly<Record<string, [new (given: Given, size: number, weight: number) => Mechanism, string[]]>>} Kinds
 */

/** Those that a choice is asked with. @type {Kinds} */
export const MECHANISMS = {
  RandomizedResponseBool: [RandomizedResponseBool, ["prob"]],
  RandomizedResponse: [RandomizedResponse, ["prob"]],
  SubsetSelection: [SubsetSelection, ["prob", "size"]],
  OptimizedUnary: [OptimizedUnary, ["p", "q"]],
  Rappor: [Rappor, ["f"]],
  LongitudinalRappor: [LongitudinalRappor, ["f", "p", "q"]],
};

/** Those that open text is asked with. @type {Kinds} */
export const FILTERS = {
  Rappor: [Rappor, ["f", "max_weight"]],
  LongitudinalRappor: [LongitudinalRappor, ["f", "max_weight", "p", "q"]],
};

/**
 * A whole number that a text is.
 * @param {unknown} text
 * @param {string} name
 */
export function wholeOf(text, name) {
  need(typeof text === "string" && /^(0|[1-9]\d{0,8})$/.test(text), `${name}: need a whole number, as a text`);
  return Number(text);
}
