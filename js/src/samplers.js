// One lemma: U lies in [prefix, prefix + 1) / 2**bits, and words are added until that decides.

import { drawn } from "./coins.js";

/** @typedef {import("./coins.js").Coins} Coins */
/** @typedef {import("./exact.js").Fraction} Fraction */

export const WORD = 64;

/**
 * Whether U < p, given the first bits of U.
 * @param {Fraction} p
 * @param {bigint} prefix
 * @param {Coins} coins
 */
export async function belowReal([a, d], prefix, coins, bits = WORD) {
  for (;;) {
    const gap = (a << BigInt(bits)) - prefix * d; // U < p for all such U iff gap >= d, for none iff gap <= 0.
    if (gap >= d || gap <= 0n) return gap > 0n;
    prefix = (prefix << BigInt(WORD)) | (await drawn(coins, WORD));
    bits += WORD;
  }
}

/**
 * The floor of n U, given the first bits of U.
 * @param {number} n
 * @param {bigint} prefix
 * @param {Coins} coins
 */
export async function floorOf(n, prefix, coins, bits = WORD) {
  const limit = BigInt(n);
  for (;;) {
    const low = (prefix * limit) >> BigInt(bits);
    if (low === (prefix * limit + limit - 1n) >> BigInt(bits)) return Number(low);
    prefix = (prefix << BigInt(WORD)) | (await drawn(coins, WORD));
    bits += WORD;
  }
}

/** A uniform integer of 0 .. n-1. @param {number} n @param {Coins} coins */
export const below = async (n, coins) => floorOf(n, await drawn(coins, WORD), coins);

/** True with probability exactly p. @param {Fraction} p @param {Coins} coins */
export const bernoulli = async (p, coins) => belowReal(p, await drawn(coins, WORD), coins);

/**
 * Independent draws, each true with probability exactly p: one byte of U settles all but one in 256.
 * @param {Fraction} p
 * @param {number} n
 * @param {Coins} coins
 */
export async function bernoullis(p, n, coins) {
  const [a, d] = p;
  const first = Number((a << 8n) / d);
  const decided = (a << 8n) % d === 0n;
  const cells = (await words(n, coins)).subarray(0, n);
  const draws = Array.from(cells, (cell) => cell < first);
  const open = decided ? [] : [...cells.keys()].filter((i) => cells[i] === first);
  const more = new DataView((await words(8 * open.length, coins)).buffer);
  for (const [j, i] of open.entries()) {
    const prefix = (BigInt(first) << 56n) | (more.getBigUint64(8 * j, true) >> 8n);
    draws[i] = await belowReal(p, prefix, coins);
  }
  return draws;
}

/** So many bytes or a few more: coins come in whole words here. @param {number} n @param {Coins} coins */
const words = (n, coins) => coins.take((n + 7) & ~7);
