/** Why something was refused, in a sentence. It shows what was given of a form, and nothing of an answer. */
export class Refused extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "Refused";
  }
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
