/** Why something was refused, in a sentence. It shows what was given of a form, and nothing of an answer. */
export class Refused extends Error {
  name = "Refused";
}

/**
 * Refuse unless something holds.
 * @param {boolean} holds
 * @param {string} what
 * @returns {asserts holds}
 */
export function need(holds, what) {
  if (!holds) throw new Refused(what);
}

/**
 * A whole number of a range, or refuse.
 * @param {unknown} value
 * @param {number} least
 * @param {number} most
 * @param {string} name
 */
export function whole(value, least, most, name) {
  const number = /** @type {number} */ (value);
  need(Number.isSafeInteger(value) && number >= least && number <= most, `${name}: need ${least} to ${most}`);
  return number;
}
