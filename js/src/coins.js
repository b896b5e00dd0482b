// Coins: the only file in which randomness enters.

import { ascii, bigEndian, hmac, joined, littleEndian, randomBytes } from "./bytes.js";

const BLOCK = 32;

/**
 * A source of independent fair coins, byte by byte.
 * @typedef {{ take(n: number): Promise<Uint8Array<ArrayBuffer>> }} Coins
 */

/** The browser's own generator. It has no seed and no state. @type {Coins} */
export const SYSTEM = { take: async (n) => randomBytes(n) };

/**
 * The coins of a secret and a context: the same for the same, and fair to whoever does not know the secret.
 *
 * Block i is HMAC-SHA256 of i, 8 bytes, lowest first, under a key that is HMAC-SHA256 of "discreet coins 1" and the
 * context under the secret.
 * @implements {Coins}
 */
export class KeyedCoins {
  #block;
  #next = 0;
  #rest = new Uint8Array();

  /**
   * @param {Uint8Array<ArrayBuffer>} secret
   * @param {Uint8Array<ArrayBuffer>} context
   */
  constructor(secret, context) {
    this.#block = hmac(secret).then(async (keyed) => hmac(await keyed(joined(ascii("discreet coins 1"), context))));
  }

  /** @param {number} n */
  async take(n) {
    const parts = [this.#rest];
    for (let have = this.#rest.length; have < n; have += BLOCK) {
      parts.push(await (await this.#block)(littleEndian(this.#next++, 8)));
    }
    const all = joined(parts);
    this.#rest = all.slice(n);
    return all.slice(0, n);
  }
}

/** An integer made of some fair bytes. @param {Coins} coins @param {number} n */
export const drawn = async (coins, n) => bigEndian(await coins.take(n));
