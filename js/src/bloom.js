// The Bloom filter of a text: BLAKE2b under the key of a cohort (RFC 7693), the same on every machine.

import { ascii, bigEndian, joined, littleEndian, sha256, utf8 } from "./bytes.js";

const MASK = (1n << 64n) - 1n;
const IV = [
  0x6a09e667f3bcc908n, 0xbb67ae8584caa73bn, 0x3c6ef372fe94f82bn, 0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n, 0x9b05688c2b3e6c1fn, 0x1f83d9abfb41bd6bn, 0x5be0cd19137e2179n,
];
const ORDER = [
  "0123456789abcdef", "ea489fd61c02b753", "b8c052fdae367194", "7931dcbe265a40f8",
  "905724afe1bc683d", "2c6a0b834d75fe19", "c51fed4a0763928b", "db7ec13950f4862a",
  "6fe9b308c2d714a5", "a2847615fb9e3cd0",
];
const COLUMNS = ["048c", "159d", "26ae", "37bf", "05af", "16bc", "278d", "349e"];
const BLOCK = 128;

/** @param {bigint} x @param {bigint} n */
const turned = (x, n) => ((x >> n) | (x << (64n - n))) & MASK;

/** @param {string} digits */
const places = (digits) => Array.from(digits, (digit) => parseInt(digit, 16));

/**
 * BLAKE2b of 16 bytes, with a key and a salt of 8 bytes.
 * @param {Uint8Array} data
 * @param {Uint8Array<ArrayBuffer>} key
 * @param {Uint8Array<ArrayBuffer>} salt
 */
export function blake2b(data, key, salt) {
  const head = new Uint8Array(key.length ? BLOCK : 0);
  head.set(key);
  const all = joined(head, data);
  const state = [...IV];
  state[0] ^= 0x01010010n ^ (BigInt(key.length) << 8n);
  state[4] ^= new DataView(salt.buffer).getBigUint64(0, true);
  for (let at = 0; at === 0 || at < all.length; at += BLOCK) {
    const block = new Uint8Array(BLOCK);
    block.set(all.subarray(at, at + BLOCK));
    const view = new DataView(block.buffer);
    const last = at + BLOCK >= all.length;
    mixed(state, Array.from({ length: 16 }, (_, i) => view.getBigUint64(8 * i, true)), last ? all.length : at + BLOCK, last);
  }
  const out = new DataView(new ArrayBuffer(16));
  [0, 1].forEach((i) => out.setBigUint64(8 * i, state[i], true));
  return new Uint8Array(out.buffer);
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
    const order = places(ORDER[round % 10]);
    COLUMNS.map(places).forEach(([a, b, c, d], i) => {
      for (const [x, m, n] of [[words[order[2 * i]], 32n, 24n], [words[order[2 * i + 1]], 16n, 63n]]) {
        v[a] = (v[a] + v[b] + x) & MASK;
        v[d] = turned(v[d] ^ v[a], m);
        v[c] = (v[c] + v[d]) & MASK;
        v[b] = turned(v[b] ^ v[c], n);
      }
    });
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
  const bits = Array(length).fill(false);
  for (let i = 0; i < hashes; i++) {
    const hash = bigEndian(blake2b(data, own, littleEndian(i, 8)));
    bits[Number((hash * BigInt(length)) >> 128n)] = true;
  }
  return bits;
}
