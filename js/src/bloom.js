// The Bloom filter of a text: BLAKE2b under the key of a cohort (RFC 7693), the same on every machine.

import { ascii, bigEndian, joined, listed, littleEndian, sha256, utf8 } from "./bytes.js";

const MASK = (1n << 64n) - 1n;
const IV = [2n, 3n, 5n, 7n, 11n, 13n, 17n, 19n].map((prime) => root(prime << 128n) & MASK);
const ORDER = // Sixteen words each of ten rounds.
  "0123456789abcdef" + "ea489fd61c02b753" + "b8c052fdae367194" + "7931dcbe265a40f8" + "905724afe1bc683d" +
  "2c6a0b834d75fe19" + "c51fed4a0763928b" + "db7ec13950f4862a" + "6fe9b308c2d714a5" + "a2847615fb9e3cd0";
const BLOCK = 128;

/** The floor of a square root, from above. @param {bigint} n */
function root(n) {
  let x = n;
  while (x * x > n) x = (x + n / x) >> 1n;
  return x;
}

/** @param {bigint} x @param {bigint} n */
const turned = (x, n) => ((x >> n) | (x << (64n - n))) & MASK;

/**
 * BLAKE2b of 16 bytes, with a key of 32 bytes and a number for a salt.
 * @param {Uint8Array} data
 * @param {Uint8Array} key
 * @param {number} salt
 */
function blake2b(data, key, salt) {
  const length = BLOCK + data.length;
  const blocks = joined(key, new Uint8Array(BLOCK - 32), data, new Uint8Array(BLOCK)); // The key is the first block.
  const view = new DataView(blocks.buffer);
  const state = [...IV];
  state[0] ^= 0x01012010n; // One leaf of depth one, 32 bytes of key, 16 of digest.
  state[4] ^= BigInt(salt);
  for (let at = 0; at < length; at += BLOCK) {
    const words = listed(16, (i) => view.getBigUint64(at + 8 * i, true));
    mixed(state, words, Math.min(length, at + BLOCK), at + BLOCK >= length);
  }
  [0, 1].forEach((i) => view.setBigUint64(8 * i, state[i], true));
  return blocks.subarray(0, 16);
}

/**
 * Mix a block into the state.
 * @param {bigint[]} state
 * @param {bigint[]} words
 * @param {number} read
 * @param {boolean} last
 */
function mixed(state, words, read, last) {
  const v = [...state, ...IV];
  v[12] ^= BigInt(read);
  if (last) v[14] ^= MASK;
  for (let round = 0; round < 12; round++) {
    for (let step = 0; step < 16; step++) {
      const i = step >> 1; // Four columns of four rows, then four diagonals; each with two words.
      const [a, b, c, d] = listed(4, (row) => 4 * row + ((i + (i >> 2) * row) & 3));
      const [m, n] = step & 1 ? [16n, 63n] : [32n, 24n];
      v[a] = (v[a] + v[b] + words[parseInt(ORDER[(16 * round + step) % 160], 16)]) & MASK;
      v[d] = turned(v[d] ^ v[a], m);
      v[c] = (v[c] + v[d]) & MASK;
      v[b] = turned(v[b] ^ v[c], n);
    }
  }
  state.forEach((x, i) => (state[i] = x ^ v[i] ^ v[i + 8]));
}

/**
 * The bits that a text sets in the filter of a cohort.
 * @param {{ length: number, hashes: number, key: Uint8Array<ArrayBuffer> }} question
 * @param {number} cohort
 * @param {string} text
 */
export async function filterOf({ length, hashes, key }, cohort, text) {
  const own = await sha256(joined(ascii("discreet cohort"), littleEndian(cohort, 2), key));
  const data = joined(ascii("s"), utf8(text));
  const bits = listed(length, () => false);
  for (let i = 0; i < hashes; i++) {
    const hash = bigEndian(blake2b(data, own, i));
    bits[Number((hash * BigInt(length)) >> 128n)] = true;
  }
  return bits;
}
