// QR codes [ISO/IEC 18004]: bytes, versions 1 to 20, the lowest level of correction; enough for 858 bytes.

const EXTRA = [7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28];
const BLOCKS = [1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8];
const LEVEL = 1; // As L is written in the format's bits.

/** The number of bits that a version has room for, correction and all. @param {number} version */
function room(version) {
  const aligned = Math.floor(version / 7) + 2;
  const alignment = version > 1 ? (25 * aligned - 10) * aligned - 55 : 0;
  return (16 * version + 128) * version + 64 - alignment - (version >= 7 ? 36 : 0);
}

/** How many codewords are data. @param {number} version */
const kept = (version) => (room(version) >> 3) - EXTRA[version - 1] * BLOCKS[version - 1];

/** Multiply in the field of 256 elements. @param {number} x @param {number} y */
function product(x, y) {
  let z = 0;
  for (let i = 7; i >= 0; i--) z = (z << 1) ^ ((z >> 7) * 0x11d) ^ (((y >> i) & 1) * x);
  return z & 255;
}

/** The remainder of Reed and Solomon. @param {number[]} data @param {number} degree */
function remainder(data, degree) {
  let divisor = [...Array(degree - 1).fill(0), 1];
  for (let i = 0, root = 1; i < degree; i++, root = product(root, 2)) {
    divisor = divisor.map((c, j) => product(c, root) ^ (divisor[j + 1] ?? 0));
  }
  const rest = Array(degree).fill(0);
  for (const byte of data) {
    const lead = byte ^ rest[0];
    rest.shift();
    rest.push(0);
    divisor.forEach((c, i) => (rest[i] ^= product(c, lead)));
  }
  return rest;
}

/** Bytes as codewords: mode, length, data, padding; in blocks, each with its correction. @param {Uint8Array} data @param {number} version */
function codewords(data, version) {
  /** @type {number[]} */
  const bits = [];
  const put = (/** @type {number} */ value, /** @type {number} */ n) => {
    for (let i = n - 1; i >= 0; i--) bits.push((value >> i) & 1);
  };
  put(4, 4);
  put(data.length, version < 10 ? 8 : 16);
  data.forEach((byte) => put(byte, 8));
  const all = 8 * kept(version);
  put(0, Math.min(4, all - bits.length));
  put(0, -bits.length & 7);
  for (let pad = 0xec; bits.length < all; pad ^= 0xfd) put(pad, 8);
  const words = Array.from({ length: all / 8 }, (_, i) => bits.slice(8 * i, 8 * i + 8).reduce((x, bit) => 2 * x + bit, 0));
  const [count, extra, total] = [BLOCKS[version - 1], EXTRA[version - 1], room(version) >> 3];
  const short = Math.floor(total / count) - extra;
  const long = total % count;
  const blocks = Array.from({ length: count }, (_, i) => {
    const start = i * short + Math.max(0, i - (count - long));
    return words.slice(start, start + short + (i < count - long ? 0 : 1));
  });
  const checks = blocks.map((block) => remainder(block, extra));
  const woven = (/** @type {number[][]} */ parts, /** @type {number} */ n) =>
    Array.from({ length: n }, (_, i) => parts.flatMap((part) => (i < part.length ? [part[i]] : []))).flat();
  return [...woven(blocks, short + 1), ...woven(checks, extra)];
}

/** A number followed by the remainder of its division. @param {number} value @param {number} degree @param {number} divisor */
function checked(value, degree, divisor) {
  let rest = value;
  for (let i = 0; i < degree; i++) rest = (rest << 1) ^ ((rest >> (degree - 1)) * divisor);
  return (value << degree) | rest;
}

/** @type {((x: number, y: number) => boolean)[]} */
const MASKS = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/**
 * The modules of the least QR code that holds these bytes, row by row: whether each is dark. None where it is too long.
 * @param {Uint8Array} data
 * @returns {boolean[][] | null}
 */
export function qr(data) {
  const fits = (/** @type {number} */ v) => 4 + (v < 10 ? 8 : 16) + 8 * data.length <= 8 * kept(v);
  const version = [...BLOCKS.keys()].map((i) => i + 1).find(fits);
  if (version === undefined) return null;
  const size = 4 * version + 17;
  const dark = Array.from({ length: size }, () => Array(size).fill(false));
  const fixed = Array.from({ length: size }, () => Array(size).fill(false));
  const set = (/** @type {number} */ x, /** @type {number} */ y, /** @type {boolean} */ value) => {
    if (x < 0 || y < 0 || x >= size || y >= size) return;
    dark[y][x] = value;
    fixed[y][x] = true;
  };
  for (let i = 0; i < size; i++) [set(6, i, i % 2 === 0), set(i, 6, i % 2 === 0)];
  const square = (/** @type {number} */ cx, /** @type {number} */ cy, /** @type {number} */ r, /** @type {number[]} */ light) => {
    for (let dy = -r; dy <= r; dy++) {
      for (let dx = -r; dx <= r; dx++) set(cx + dx, cy + dy, !light.includes(Math.max(Math.abs(dx), Math.abs(dy))));
    }
  };
  [[3, 3], [size - 4, 3], [3, size - 4]].forEach(([x, y]) => square(x, y, 4, [2, 4]));
  const places = aligned(version, size);
  places.forEach((x, i) =>
    places.forEach((y, j) => {
      const last = places.length - 1;
      if (!((i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0))) square(x, y, 2, [1]);
    }),
  );
  const format = (/** @type {number} */ mask) => {
    const bits = checked((LEVEL << 3) | mask, 10, 0x537) ^ 0x5412;
    const bit = (/** @type {number} */ i) => ((bits >> i) & 1) === 1;
    for (let i = 0; i <= 5; i++) set(8, i, bit(i));
    [set(8, 7, bit(6)), set(8, 8, bit(7)), set(7, 8, bit(8))];
    for (let i = 9; i < 15; i++) set(14 - i, 8, bit(i));
    for (let i = 0; i < 8; i++) set(size - 1 - i, 8, bit(i));
    for (let i = 8; i < 15; i++) set(8, size - 15 + i, bit(i));
    set(8, size - 8, true);
  };
  format(0);
  if (version >= 7) {
    const bits = checked(version, 12, 0x1f25);
    for (let i = 0; i < 18; i++) {
      const [a, b, value] = [size - 11 + (i % 3), Math.floor(i / 3), ((bits >> i) & 1) === 1];
      [set(a, b, value), set(b, a, value)];
    }
  }
  fill(dark, fixed, codewords(data, version));
  const tried = MASKS.map((mask, i) => {
    masked(dark, fixed, mask);
    format(i);
    const found = penalty(dark);
    masked(dark, fixed, mask);
    return found;
  });
  const best = tried.indexOf(Math.min(...tried));
  masked(dark, fixed, MASKS[best]);
  format(best);
  return dark;
}

/** Where the centres of the alignment patterns are. @param {number} version @param {number} size */
function aligned(version, size) {
  if (version === 1) return [];
  const n = Math.floor(version / 7) + 2;
  const step = Math.floor((version * 8 + n * 3 + 5) / (n * 4 - 4)) * 2;
  return [6, ...Array.from({ length: n - 1 }, (_, i) => size - 7 - step * (n - 2 - i))];
}

/** Write codewords in pairs of columns, from the right, up and down. @param {boolean[][]} dark @param {boolean[][]} fixed @param {number[]} words */
function fill(dark, fixed, words) {
  const size = dark.length;
  let at = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let i = 0; i < size; i++) {
      for (const x of [right, right - 1]) {
        const y = ((right + 1) & 2) === 0 ? size - 1 - i : i;
        if (fixed[y][x] || at >= 8 * words.length) continue;
        dark[y][x] = ((words[at >> 3] >> (7 - (at & 7))) & 1) === 1;
        at++;
      }
    }
  }
}

/** @param {boolean[][]} dark @param {boolean[][]} fixed @param {(x: number, y: number) => boolean} mask */
const masked = (dark, fixed, mask) => dark.forEach((row, y) => row.forEach((value, x) => (row[x] = value !== (!fixed[y][x] && mask(x, y)))));

/** How hard it is to read, by the standard's first, second and fourth rule. @param {boolean[][]} dark */
function penalty(dark) {
  const turned = dark.map((_, x) => dark.map((row) => row[x]));
  let sum = 0;
  for (const row of [...dark, ...turned]) {
    for (let i = 0, run = 1; i < row.length; i++, run++) {
      if (row[i] === row[i + 1]) continue;
      if (run >= 5) sum += run - 2;
      run = 0;
    }
    const text = row.map(Number).join("");
    for (const bad of ["10111010000", "00001011101"]) sum += 40 * (text.split(bad).length - 1);
  }
  dark.slice(1).forEach((row, y) =>
    row.slice(1).forEach((value, x) => {
      if (value === row[x] && value === dark[y][x] && value === dark[y][x + 1]) sum += 3;
    }),
  );
  const share = dark.flat().filter(Boolean).length / dark.length ** 2;
  return sum + 10 * Math.floor(Math.abs(share - 0.5) * 20);
}
