// Bytes: hexadecimal, little-endian numbers, bits, and the two functions of WebCrypto that are used.

import { need } from "./errors.js";

const encoder = new TextEncoder();

/** @param {string} text */
export const ascii = (text) => encoder.encode(text);

/**
 * A text in UTF-8; half of a pair of surrogates, which is no character, as the three bytes it would have.
 * @param {string} text
 */
export function utf8(text) {
  const halves = /[\ud800-\udfff]/u; // As characters: with u, a pair is none.
  if (!halves.test(text)) return encoder.encode(text);
  const parts = text.split(/([\ud800-\udfff])/u);
  return joinedAll(parts.map((part) => (halves.test(part) ? half(part.charCodeAt(0)) : encoder.encode(part))));
}

/** @param {number} code */
const half = (code) => Uint8Array.of(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));

/** @param {Uint8Array[]} parts */
export const joined = (...parts) => joinedAll(parts);

/** @param {Uint8Array[]} parts */
function joinedAll(parts) {
  const all = new Uint8Array(parts.reduce((n, part) => n + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** @param {Uint8Array} data */
export const toHex = (data) => Array.from(data, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** @param {string} text */
export function fromHex(text) {
  need(/^([0-9a-f]{2})*$/.test(text), "need bytes in hexadecimal");
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

/** @param {Uint8Array} data */
export const toBase64 = (data) => btoa(Array.from(data, (byte) => String.fromCharCode(byte)).join(""));

/**
 * A number as bytes, the lowest first.
 * @param {number} value
 * @param {number} width
 */
export const littleEndian = (value, width) => Uint8Array.from({ length: width }, (_, i) => (value / 2 ** (8 * i)) & 255);

/**
 * A number that bytes are, the highest first.
 * @param {Uint8Array} data
 */
export const bigEndian = (data) => (data.length ? BigInt(`0x${toHex(data)}`) : 0n);

/**
 * Bits as bytes: bit i is bit i % 8, from the lowest, of byte i // 8.
 * @param {boolean[]} bits
 */
export function packed(bits) {
  const data = new Uint8Array((bits.length + 7) >> 3);
  bits.forEach((bit, i) => (data[i >> 3] |= Number(bit) << (i & 7)));
  return data;
}

function crypto() {
  const { crypto } = globalThis;
  need(crypto?.subtle !== undefined, "need WebCrypto: a page that came over https, or from this device");
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
