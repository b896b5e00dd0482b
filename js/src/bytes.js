// Bytes: hexadecimal, little-endian numbers, bits, and the two functions of WebCrypto that are used.

import { need } from "./errors.js";

const encoder = new TextEncoder();

/** @param {string} text */
export const ascii = (text) => encoder.encode(text);

/**
 * A text in UTF-8; half of a pair of surrogates, which is no character, as the three bytes it would have.
 * @param {string} text
 */
export const utf8 = (text) =>
  joined(
    Array.from(text, (character) => {
      const code = character.charCodeAt(0);
      const half = /[\ud800-\udfff]/u.test(character); // With u, a pair is none.
      return half ? Uint8Array.of(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63)) : ascii(character);
    }),
  );

/** Parts, or lists of them, as one. @param {(Uint8Array | Uint8Array[])[]} parts */
export const joined = (...parts) => Uint8Array.from(parts.flat().flatMap((part) => [...part]));

/**
 * What something is of 0 .. n-1.
 * @template T
 * @param {number} n
 * @param {(i: number) => T} of
 */
export const listed = (n, of) => Array.from({ length: n }, (_, i) => of(i));

/** @param {number} value @param {number} width */
export const hex = (value, width) => value.toString(16).padStart(width, "0");

/** @param {Uint8Array} data */
export const toHex = (data) => Array.from(data, (byte) => hex(byte, 2)).join("");

/** The bytes of a text that is hexadecimal. @param {string} text */
export const fromHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));

/** @param {Uint8Array} data */
export const toBase64 = (data) => btoa(Array.from(data, (byte) => String.fromCharCode(byte)).join(""));

/**
 * A number as bytes, the lowest first.
 * @param {number} value
 * @param {number} width
 */
export const littleEndian = (value, width) => Uint8Array.from(listed(width, (i) => (value / 2 ** (8 * i)) & 255));

/**
 * A number that bytes are, the highest first.
 * @param {Uint8Array} data
 */
export const bigEndian = (data) => BigInt(`0x0${toHex(data)}`);

/** How many bytes some bits take. @param {number} bits */
export const bytesOf = (bits) => (bits + 7) >> 3;

/**
 * Bits as bytes: bit i is bit i % 8, from the lowest, of byte i // 8.
 * @param {boolean[]} bits
 */
export function packed(bits) {
  const data = new Uint8Array(bytesOf(bits.length));
  bits.forEach((bit, i) => (data[i >> 3] |= Number(bit) << (i & 7)));
  return data;
}

function crypto() {
  const { crypto } = globalThis;
  need(crypto?.subtle !== undefined, "need WebCrypto: a page over https, or from this device");
  return crypto;
}

const AT_A_TIME = 1 << 16; // WebCrypto gives no more.

/** @param {number} n */
export function randomBytes(n) {
  const data = new Uint8Array(n);
  for (let at = 0; at < n; at += AT_A_TIME) crypto().getRandomValues(data.subarray(at, at + AT_A_TIME));
  return data;
}

/** @param {Uint8Array<ArrayBuffer>} data */
export const sha256 = async (data) => new Uint8Array(await crypto().subtle.digest("SHA-256", data));

/**
 * HMAC-SHA256 under a key.
 * @param {Uint8Array<ArrayBuffer>} key
 * @returns {Promise<(data: Uint8Array<ArrayBuffer>) => Promise<Uint8Array<ArrayBuffer>>>}
 */
export async function hmac(key) {
  const { subtle } = crypto();
  const made = await subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return async (data) => new Uint8Array(await subtle.sign("HMAC", made, data));
}
