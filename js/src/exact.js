// Exact numbers: fractions of integers, and logarithms between two integers over a power of two.

import { need } from "./errors.js";

/** Numerator and denominator, in lowest terms. @typedef {readonly [bigint, bigint]} Fraction */

/** @param {bigint} a @param {bigint} b @returns {bigint} */
const gcd = (a, b) => (b ? gcd(b, a % b) : a);

/**
 * A fraction in lowest terms.
 * @param {bigint} a
 * @param {bigint} b
 * @returns {Fraction}
 */
export function fraction(a, b = 1n) {
  const common = gcd(a < 0n ? -a : a, b);
  return [a / common, b / common];
}

/**
 * The fraction that stands under a name, as a text such as 3/4, or refuse. There is one text for each.
 * @param {Record<string, unknown>} given
 * @param {string} name
 */
export function parsed(given, name) {
  const text = given[name];
  const found = /^(0|[1-9]\d{0,799})(?:\/([1-9]\d{0,799}))?$/.exec(String(text));
  const [a, b] = found ? fraction(BigInt(found[1]), BigInt(found[2] ?? 1)) : [0n, 0n];
  need(text === (b === 1n ? `${a}` : `${a}/${b}`), `${name}: need a fraction in lowest terms, such as "3/4"`);
  return /** @type {Fraction} */ ([a, b]);
}

export const ONE = fraction(1n);

/** Whether x <= y. @param {Fraction} x @param {Fraction} y */
export const atMost = ([a, b], [c, d]) => a * d <= c * b;

/** @param {Fraction} x @param {Fraction} y */
export const times = ([a, b], [c, d]) => fraction(a * c, b * d);

/** @param {Fraction} x @param {Fraction} y */
export const over = ([a, b], [c, d]) => fraction(a * d, b * c);

/** 1 - x. @param {Fraction} x */
export const rest = ([a, b]) => fraction(b - a, b);

/** How much likelier p is than q, p / q times (1 - q) / (1 - p); null where p is 1. @param {Fraction} p @param {Fraction} q */
export const oddsOf = (p, q) => (p[0] === p[1] ? null : times(over(p, q), over(rest(q), rest(p))));

/**
 * Integers around 2**bits ln(x), for x >= 1: x = 2**e y with 1 <= y < 2, and ln(y) = 2 atanh((y - 1) / (y + 1)).
 * @param {Fraction} x
 * @param {number} bits
 * @returns {[bigint, bigint]}
 */
export function lnEnclosed([a, b], bits) {
  let e = BigInt(a.toString(2).length - b.toString(2).length);
  if (a < b << e) e--;
  b <<= e;
  const [y, more] = atanh(a - b, a + b, bits);
  const [two, moreTwo] = atanh(1n, 3n, bits);
  const low = 2n * (y + e * two);
  return [low, low + 2n * (more + e * moreTwo)];
}

/**
 * An integer below 2**bits atanh(z) for z = a / b of 0 to 1/3, and how far below it may be.
 *
 * atanh(z) = z + z**3 / 3 + z**5 / 5 + ... The powers are rounded down, each from the last: at most 9/8 below. So each
 * term is less than 3 below, and all those after the first power that is 0 are less than 3 together.
 * @param {bigint} a
 * @param {bigint} b
 * @param {number} bits
 * @returns {[bigint, bigint]}
 */
function atanh(a, b, bits) {
  let [sum, below, n] = [0n, 3n, 1n];
  for (let power = (a << BigInt(bits)) / b; power > 0n; power = (power * a * a) / (b * b)) {
    sum += power / n;
    below += 3n;
    n += 2n;
  }
  return [sum, below];
}

/**
 * The least double that is not below the sum of n ln(x), for odds x of n times each; Infinity where nothing is hidden.
 * @param {{ odds: Fraction | null, times: bigint }[]} losses
 */
export function lossUp(...losses) {
  const some = losses.filter(({ odds, times }) => times && (odds === null || odds[0] !== odds[1]));
  if (some.some(({ odds }) => odds === null)) return Infinity;
  for (let bits = 128; some.length; bits *= 2) {
    const ends = some.map(({ odds, times }) => lnEnclosed(/** @type {Fraction} */ (odds), bits).map((end) => end * times));
    const [low, high] = [0, 1].map((i) => doubleUp(ends.reduce((sum, end) => sum + end[i], 0n), bits));
    if (low === high) return high;
  }
  return 0;
}

/**
 * The least double that is not below value / 2**bits, for a value that is not negative. Doubles have 53 bits, and are
 * multiples of 2**-1074.
 * @param {bigint} value
 * @param {number} bits
 */
function doubleUp(value, bits) {
  const drop = Math.max(value.toString(2).length - 53, bits - 1074, 0);
  const kept = -(-value >> BigInt(drop));
  return Number(kept) * 2 ** (drop - bits);
}

/**
 * Refuse a loss that is greater than a limit, compared exactly.
 * @param {number} loss
 * @param {number} most
 * @param {string} name
 */
export function within(loss, most, name) {
  need(typeof most === "number", `${name}: need most to be a number`);
  // The least double above the loss is at most a double exactly where the loss is.
  need(loss <= most, `${name}: epsilon=${loss} is more than most=${most}; nothing was asked`);
}
