// Memory: the secret of this device and what was given, in IndexedDB. Without a budget nothing of an answer is kept.

import { randomBytes } from "./bytes.js";
import { need, Refused } from "./errors.js";

/**
 * What is kept: the secret and the sum of what was given. With a budget also a mark of each answer, so that the same
 * one is free again: whoever has the secret beside it, as here, can find out by trying which answer it is of.
 * @typedef {{ secret: Uint8Array, spent: number, marks: string[] }} Kept
 */

/** A sum of two losses that is not below it. @param {number} a @param {number} b */
const plus = (a, b) => (a && b ? (a + b) * (1 + 2 ** -52) : a + b);

/** The secret of this device, and what was given; a second device has its own, and the losses add up. */
export class Memory {
  #db;

  /** @param {IDBDatabase} db @param {Uint8Array} secret @param {number} budget */
  constructor(db, secret, budget) {
    this.#db = db;
    this.secret = secret;
    this.budget = budget;
  }

  /**
   * The memory of a name; where there is none it is made. What exceeds the *budget* in sum is refused, and an answer
   * that was given before is free. Without one no mark of an answer is kept, and the sum counts each time.
   * @param {string} [name]
   * @param {number} [budget]
   */
  static async open(name = "discreet", budget = Infinity) {
    const db = await new Promise((resolve, reject) => {
      const asked = indexedDB.open(name, 1);
      asked.onupgradeneeded = () => asked.result.createObjectStore("kept");
      asked.onsuccess = () => resolve(asked.result);
      asked.onerror = () => reject(new Refused("need a place to keep a secret"));
    });
    const make = () => ({ secret: randomBytes(32), spent: 0, marks: [] });
    const { secret } = await changed(db, (kept) => kept ?? make());
    return new Memory(db, secret, budget);
  }

  /** The sum of what was given; not below it. */
  async spent() {
    return (await changed(this.#db, (kept) => kept)).spent;
  }

  /**
   * Charge what was not paid for yet, safely kept before it returns.
   * @param {[mark: string, epsilon: number][]} given The mark of each answer, and its loss.
   */
  async pay(given) {
    await changed(this.#db, (kept) => {
      need(`${kept?.secret}` === `${this.secret}`, "the secret of this device has changed");
      const owed = given.filter(([mark]) => !kept.marks.includes(mark));
      const spent = owed.reduce((sum, [, epsilon]) => plus(sum, epsilon), kept.spent);
      need(spent <= this.budget, `epsilon=${spent} in sum is more than budget=${this.budget}; nothing was asked`);
      const marks = this.budget === Infinity ? [] : owed.map(([mark]) => mark);
      return { ...kept, spent, marks: [...kept.marks, ...marks] };
    });
  }
}

/**
 * Change what is kept, in one transaction, and return it once it is safe. What is damaged is not replaced.
 * @param {IDBDatabase} db
 * @param {(kept: any) => Kept} change
 * @returns {Promise<Kept>}
 */
const changed = (db, change) =>
  new Promise((resolve, reject) => {
    const all = db.transaction("kept", "readwrite", { durability: "strict" });
    const store = all.objectStore("kept");
    const asked = store.get(0);
    /** @type {Kept} */
    let kept;
    /** @type {unknown} */
    let why = new Refused("what is kept could not be written");
    asked.onsuccess = () => {
      try {
        kept = change(asked.result);
        const whole = kept.secret instanceof Uint8Array && kept.secret.length === 32 && kept.spent >= 0;
        need(whole && Array.isArray(kept.marks), "what is kept is damaged");
        store.put(kept, 0);
      } catch (error) {
        why = error;
        all.abort();
      }
    };
    all.oncomplete = () => resolve(kept);
    all.onabort = () => reject(why);
  });
