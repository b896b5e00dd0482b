// The mechanisms of local privacy, one class each. A new one is a new class, and an entry in MECHANISMS.

import { bytesOf, listed, littleEndian, packed } from "./bytes.js";
import { drawn, SYSTEM } from "./coins.js";
import { need, whole } from "./errors.js";
import { atMost, fraction, oddsOf, ONE, over, parsed, rest } from "./exact.js";
import { below, belowReal, bernoulli, bernoullis, floorOf } from "./samplers.js";

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

/** What all of them have, unless they say otherwise. */
class Base {
  lasting = false;
  odds = /** @type {Fraction | null} */ (null);
  times = 1n;

  /** @param {number} size @param {number} width */
  constructor(size, width) {
    this.size = size;
    this.width = width;
  }
}

/** What is true with probability *prob*, and would be by chance with probability *chance*. */
class Truthful extends Base {
  /** @param {Given} given @param {number} size @param {Fraction} chance @param {number} width */
  constructor(given, size, chance, width) {
    super(size, width);
    this.prob = parsed(given, "prob");
    need(atMost(chance, this.prob) && atMost(this.prob, ONE), `prob: need ${chance.join("/")} <= prob <= 1`);
    this.odds = oddsOf(this.prob, chance);
  }
}

/** Say yes or no truthfully with probability *prob*. @implements {Mechanism} */
class RandomizedResponseBool extends Truthful {
  /** @param {Given} given */
  constructor(given) {
    super(given, 2, fraction(1n, 2n), 1);
  }

  /** @param {number} place @param {Coins} coins */
  async draw(place, coins) {
    return Uint8Array.of(Number(Boolean(place) === (await bernoulli(this.prob, coins))));
  }
}

/** Name the true choice with probability *prob*, and each other one as often as any. @implements {Mechanism} */
class RandomizedResponse extends Truthful {
  /** @param {Given} given @param {number} size */
  constructor(given, size) {
    super(given, size, fraction(1n, BigInt(size)), size <= 256 ? 1 : size <= 65_536 ? 2 : 4);
  }

  /** @param {number} place @param {Coins} coins */
  async draw(place, coins) {
    const [first, second] = [await drawn(coins, 8), await drawn(coins, 8)];
    const honest = await belowReal(this.prob, first, coins);
    const choice = await floorOf(this.size - 1, second, coins);
    return littleEndian(honest ? place : (place + 1 + choice) % this.size, this.width);
  }
}

/** Name a set of *size* choices, which holds the true one with probability *prob*. @implements {Mechanism} */
class SubsetSelection extends Truthful {
  /** @param {Given} given @param {number} all */
  constructor(given, all) {
    const size = whole(numberOf(given, "size"), 1, all - 1, "size");
    super(given, size, fraction(BigInt(size), BigInt(all)), bytesOf(all));
    this.all = all;
  }

  /** @param {number} place @param {Coins} coins */
  async draw(place, coins) {
    await below(this.all, coins); // As many coins as for an answer that is none of the choices.
    const others = listed(this.all, (i) => i).filter((i) => i !== place);
    for (let i = 0; i < this.size; i++) {
      const j = i + (await below(this.all - 1 - i, coins));
      [others[i], others[j]] = [others[j], others[i]];
    }
    if (await bernoulli(this.prob, coins)) others[0] = place;
    const chosen = new Set(others.slice(0, this.size));
    return packed(listed(this.all, (i) => chosen.has(i)));
  }
}

/** Vectors of bits, each with a coin of its own. */
class Bits extends Base {
  /** @param {number} size */
  constructor(size) {
    super(size, bytesOf(size));
  }

  /** @this {Bits & BitMechanism} @param {number} place @param {Coins} coins */
  async draw(place, coins) {
    return packed(await this.reply(listed(this.size, (i) => i === place), coins));
  }
}

/** Show the true choice's bit with probability *p*, and any other with probability *q*. */
class OptimizedUnary extends Bits {
  /** @param {Given} given @param {number} size */
  constructor(given, size) {
    super(size);
    this.p = parsed(given, "p");
    this.q = parsed(given, "q");
    need(this.q[0] > 0n && atMost(this.q, this.p) && this.p[0] < this.p[1], "p, q: need 0 < q <= p < 1");
    this.odds = oddsOf(this.p, this.q);
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
    const f = parsed(given, "f");
    need(f[0] > 0n && atMost(f, ONE), "f: need 0 < f <= 1");
    this.flip = over(f, [2n, 1n]);
    this.odds = over(rest(this.flip), this.flip);
    this.times = BigInt(Math.min(2 * weight, size));
  }

  /** @param {boolean[]} bits @param {Coins} coins */
  async reply(bits, coins) {
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
    this.p = parsed(given, "p");
    this.q = parsed(given, "q");
    need(!atMost(this.q, this.p) && atMost(this.q, ONE), "p, q: need p < q <= 1");
  }

  /** @param {boolean[]} bits @param {Coins} coins @param {Coins} fresh */
  async reply(bits, coins, fresh = SYSTEM) {
    const memo = await super.reply(bits, coins);
    const zeros = await bernoullis(this.p, this.size, fresh);
    const ones = await bernoullis(this.q, this.size, fresh);
    return memo.map((bit, i) => (bit ? ones[i] : zeros[i]));
  }
}

/**
 * Mechanisms by their names: what makes one of a description, for so many bits or choices of which at most *weight*
 * are set; and the keys of that description, sorted.
 * @typedef {Readonly<Record<string, [new (given: Given, size: number, weight: number) => Mechanism, string]>>} Kinds
 */

/** Those that a choice is asked with. @type {Kinds} */
export const MECHANISMS = {
  RandomizedResponseBool: [RandomizedResponseBool, "name, prob"],
  RandomizedResponse: [RandomizedResponse, "name, prob"],
  SubsetSelection: [SubsetSelection, "name, prob, size"],
  OptimizedUnary: [OptimizedUnary, "name, p, q"],
  Rappor: [Rappor, "f, name"],
  LongitudinalRappor: [LongitudinalRappor, "f, name, p, q"],
};

/** Those that open text is asked with. @type {Kinds} */
export const FILTERS = {
  Rappor: [Rappor, "f, max_weight, name"],
  LongitudinalRappor: [LongitudinalRappor, "f, max_weight, name, p, q"],
};

/**
 * A whole number that stands under a name, as a text.
 * @param {Given} given
 * @param {string} name
 */
export function numberOf(given, name) {
  const text = given[name];
  need(typeof text === "string" && /^(0|[1-9]\d{0,8})$/.test(text), `${name}: need a whole number, as a text`);
  return Number(text);
}
