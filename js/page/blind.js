// Blind: requests that a server signs without seeing what, by RSABSSA-SHA384-PSS-Randomized of RFC 9474.

const PREFIX = 32;
const HASH = 48;

/** @typedef {Uint8Array<ArrayBuffer>} Bytes */
/** What a person keeps until the ticket is used. @typedef {{ drawn: Bytes, inverse: bigint, blinded: Bytes }} Secret */

/** @param {ArrayLike<number>[]} parts @returns {Bytes} */
const joined = (...parts) => Uint8Array.from(parts.flatMap((part) => Array.from(part)));

/** @param {Uint8Array} data */
const toHex = (data) => Array.from(data, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** @param {string} text @returns {Bytes} */
export const fromHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));

/** @param {Uint8Array} data */
const toNumber = (data) => BigInt(`0x${toHex(data)}`);

/** @param {bigint} number @param {number} width */
const toBytes = (number, width) => fromHex(number.toString(16).padStart(2 * width, "0"));

/** @param {number} n */
const system = (n) => crypto.getRandomValues(new Uint8Array(n));

/** @param {Bytes} data */
const sha384 = async (data) => new Uint8Array(await crypto.subtle.digest("SHA-384", data));

/** To the power 65537, the only exponent: under another a server could choose a modulus that hides less. @param {bigint} base @param {bigint} modulus */
function raised(base, modulus) {
  let power = base;
  for (let i = 0; i < 16; i++) power = (power * power) % modulus;
  return (power * base) % modulus;
}

/** What a number is to be multiplied by to give 1, or null where nothing is. @param {bigint} number @param {bigint} modulus */
function inverse(number, modulus) {
  let [a, b, x, y] = [number % modulus, modulus, 1n, 0n];
  while (b) [a, b, x, y] = [b, a % b, y, x - (a / b) * y];
  return a === 1n ? ((x % modulus) + modulus) % modulus : null;
}

/** A message as PSS encodes it for so many bytes. @param {Bytes} message @param {Bytes} salt @param {number} width */
async function encoded(message, salt, width) {
  const digest = await sha384(joined(new Uint8Array(8), await sha384(message), salt));
  const block = joined(new Uint8Array(width - 2 * HASH - 2), [1], salt);
  for (let start = 0, count = 0; start < block.length; start += HASH, count++) {
    const mask = await sha384(joined(digest, [0, 0, 0, count]));
    for (let i = start; i < Math.min(start + HASH, block.length); i++) block[i] ^= mask[i - start];
  }
  block[0] &= 127;
  return joined(block, digest, [0xbc]);
}

/** Refuse what is no modulus of 2048 to 4096 bits, in whole bytes. @param {Uint8Array} key */
function checked(key) {
  const { length } = key;
  if (length < 256 || length > 512 || !(key[0] & 128) || !(key[length - 1] & 1)) throw new Error("this is no key");
  return toNumber(key);
}

/**
 * A new request to a key, and what turns its answer into a ticket.
 * @param {Bytes} key
 * @param {Bytes} about
 * @param {(n: number) => Bytes} [random]
 * @returns {Promise<Secret>}
 */
export async function request(key, about, random = system) {
  const modulus = checked(key);
  let drawn;
  let number;
  do {
    drawn = random(PREFIX);
    number = toNumber(await encoded(joined(drawn, about), random(HASH), key.length));
  } while (inverse(number, modulus) === null); // What shares a factor with the modulus shows it through any blinding.
  for (;;) {
    const mask = toNumber(random(key.length));
    const back = mask < modulus ? inverse(mask, modulus) : null;
    if (back === null) continue;
    return { drawn, inverse: back, blinded: toBytes((number * raised(mask, modulus)) % modulus, key.length) };
  }
}

/**
 * The ticket that an answer gives, or null where it was not signed by this key.
 * @param {Bytes} key
 * @param {Bytes} about
 * @param {Secret} secret
 * @param {Bytes} signed
 */
export async function ticket(key, about, { drawn, inverse: back }, signed) {
  if (signed.length !== key.length) return null;
  const signature = toBytes((toNumber(signed) * back) % checked(key), key.length);
  const n = btoa(String.fromCharCode(...key)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
  const kind = { name: "RSA-PSS", hash: "SHA-384" };
  const whose = await crypto.subtle.importKey("jwk", { kty: "RSA", n, e: "AQAB" }, kind, false, ["verify"]);
  const good = await crypto.subtle.verify({ name: "RSA-PSS", saltLength: HASH }, whose, signature, joined(drawn, about));
  return good ? joined(drawn, signature) : null;
}

/** What people compare: the first 128 bits of the key's SHA-256, in groups. @param {Bytes} key */
export async function fingerprint(key) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", key));
  return (toHex(digest).slice(0, 32).match(/..../g) ?? []).join("-");
}
