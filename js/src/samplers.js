// One lemma: U lies in [prefix, prefix + 1) / 2**bits, and words are added until that decides.

import { bytesOf } from "./bytes.js";
import { drawn } from "./coins.js";

/** @typedef {import("./coins.js").Coins} Coins */
/** @typedef {import("./exact.js").Fraction} Fraction */

const WORD = 64n;
const BYTES = 8;

/**
 * What the first bits of U decide, as *decide* says of them; it says undefined while they do not.
 * @template T
 * @param {(prefix: bigint, bits: bigint) => T | undefined} decide
 * @param {bigint} prefix
 * @param {Coins} coins
 */
async function decided(decide, prefix, coins) {
  for (let bits = WORD; ; bits += WORD) {
    const found = decide(prefix, bits);
    if (found !== undefined) return found;
    prefix = (prefix << WORD) | (await drawn(coins, BYTES));
  }
}

/**
 * Whether U < p, given the first word of U: for all such U iff gap >= d, for none iff gap <= 0.
 * @param {Fraction} p
 * @param {bigint} prefix
 * @param {Coins} coins
 */
export const belowReal = ([a, d], prefix, coins) =>
  decided((prefix, bits) => {
    const gap = (a << bits) - prefix * d;
    return gap >= d || (gap <= 0n ? false : undefined);
  }, prefix, coins);

/**
 * The floor of n U, given the first word of U.
 * @param {number} n
 * @param {bigint} prefix
 * @param {Coins} coins
 */
export const floorOf = (n, prefix, coins) =>
  decided((prefix, bits) => {
    const [low, high] = [prefix, prefix + 1n].map((end, last) => (end * BigInt(n) - BigInt(last)) >> bits);
    return low === high ? Number(low) : undefined;
  }, prefix, coins);

/** A uniform integer of 0 .. n-1. @param {number} n @param {Coins} coins */
export const below = async (n, coins) => floorOf(n, await drawn(coins, BYTES), coins);

/** True with probability exactly p. @param {Fraction} p @param {Coins} coins */
export const bernoulli = async (p, coins) => belowReal(p, await drawn(coins, BYTES), coins);

/**
 * Independent draws, each true with probability exactly p: one byte of U settles all but one in 256.
 * @param {Fraction} p
 * @param {number} n
 * @param {Coins} coins
 */
export async function bernoullis(p, n, coins) {
  const [a, d] = p;
  const first = Number((a << 8n) / d);
  const exact = (a << 8n) % d === 0n;
  const cells = (await coins.take(8 * bytesOf(n))).subarray(0, n); // Coins come in whole words here.
  const draws = Array.from(cells, (cell) => cell < first);
  const open = [...cells.keys()].filter((i) => !exact && cells[i] === first);
  const more = new DataView((await coins.take(8 * open.length)).buffer);
  for (const [j, i] of open.entries()) {
    const prefix = (BigInt(first) << 56n) | (more.getBigUint64(8 * j, true) >> 8n);
    draws[i] = await belowReal(p, prefix, coins);
  }
  return draws;
}
