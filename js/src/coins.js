// Coins: the only file in which randomness enters.

import { ascii, bigEndian, hmac, joined, littleEndian, randomBytes } from "./bytes.js";

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
  #key;
  #block = 0;
  #rest = new Uint8Array();

  /**
   * @param {Uint8Array<ArrayBuffer>} secret
   * @param {Uint8Array<ArrayBuffer>} context
   */
  constructor(secret, context) {
    this.#key = hmac(secret, joined(ascii("discreet coins 1"), context));
  }

  /** @param {number} n */
  async take(n) {
    while (this.#rest.length < n) {
      this.#rest = joined(this.#rest, await hmac(await this.#key, littleEndian(this.#block++, 8)));
    }
    const taken = this.#rest.slice(0, n);
    this.#rest = this.#rest.slice(n);
    return taken;
  }
}

/**
 * An integer made of some fair bits, a multiple of eight.
 * @param {Coins} coins
 * @param {number} bits
 */
export const drawn = async (coins, bits) => bigEndian(await coins.take(bits >> 3));
