// Tickets: an invitation becomes a ticket that the server signs and cannot recognise. It is kept until it is used.

import { fingerprint, fromHex, request, ticket } from "./blind.js";

/** @typedef {import("./blind.js").Bytes} Bytes */
/** @typedef {{ key: string, about: string, address: string }} Where */
/** What is being sent: kept until it is acknowledged, so that it is sent again as it is. */
/** @typedef {{ once: string, tag: Bytes, payloads: Bytes[] }} Sending */
/** @typedef {{ code: string, secret: import("./blind.js").Secret, ticket?: Bytes, sending?: Sending }} Kept */
/** @typedef {"ready" | "none" | "refused" | "over" | "changed" | "failed"} State */

const PATIENCE = 20_000;

/** The ticket of one person, in IndexedDB as long as it has not been used; where there is none, while the page is open. */
export class Ticket {
  #where;
  #code;
  #key;
  #about;
  /** @type {Kept | undefined} */
  #kept;
  /** @type {Promise<State> | undefined} */
  #state;

  /** @param {Where} where @param {string | null} code */
  constructor(where, code) {
    this.#where = where;
    this.#code = code;
    this.#key = fromHex(where.key);
    this.#about = fromHex(where.about);
  }

  /** What the page says about its key, for people to compare. */
  fingerprint() {
    return fingerprint(this.#key);
  }

  /** Whether there is a ticket. What failed for want of a network is tried again. @returns {Promise<State>} */
  async state() {
    this.#state ??= this.#exchange();
    const found = await this.#state;
    if (found === "failed") this.#state = undefined;
    return found;
  }

  /** The ticket in base 64, for a header. */
  header() {
    return btoa(String.fromCharCode(...(this.#kept?.ticket ?? [])));
  }

  /** What was being sent when the page was closed. */
  get sending() {
    return this.#kept?.sending;
  }

  /** Keep what is about to be sent. @param {Sending} sending */
  async hold(sending) {
    if (this.#kept) await this.#keep({ ...this.#kept, sending });
  }

  /** Forget all, once it is acknowledged. */
  async drop() {
    if (this.#kept) await changed((store) => store.delete(this.#name(this.#kept?.code ?? "")));
    this.#kept = undefined;
  }

  /** @param {string} code */
  #name(code) {
    return [this.#where.key, this.#where.about, code];
  }

  /** Another page of this browser may have used it up meanwhile: then it stays forgotten. @param {Kept} kept */
  async #keep(kept) {
    this.#kept = kept;
    await changed((store) => whereThere(store, kept, this.#name(kept.code)));
  }

  /** @returns {Promise<State>} */
  async #exchange() {
    const code = this.#code;
    const range = () => IDBKeyRange.bound(this.#name(code ?? ""), this.#name(code ?? "\uffff"));
    this.#kept ??= await changed((store) => store.get(range()));
    if (this.#kept?.ticket) return "ready";
    if (!this.#kept) {
      if (code === null) return "none";
      const made = { code, secret: await request(this.#key, this.#about) };
      this.#kept = (await changed((store) => unlessThere(store, made, this.#name(code)))) ?? made;
    }
    const kept = /** @type {Kept} */ (this.#kept);
    const signed = await asked(this.#where.address, kept);
    if (signed === "refused" || signed === "over") await this.drop(); // It gives no ticket; whatever is asked for next is new.
    if (typeof signed === "string") return signed;
    const made = await ticket(this.#key, this.#about, kept.secret, signed).catch(() => null);
    if (made === null) return "changed";
    await this.#keep({ ...kept, ticket: made });
    return "ready";
  }
}

/** Keep something unless another page of this browser was faster, and give what was there. @param {IDBObjectStore} store @param {Kept} made @param {string[]} name */
function unlessThere(store, made, name) {
  const before = store.get(name);
  before.onsuccess = () => before.result ?? store.put(made, name);
  return before;
}

/** Keep something in the place of what was there. @param {IDBObjectStore} store @param {Kept} made @param {string[]} name */
function whereThere(store, made, name) {
  const before = store.get(name);
  before.onsuccess = () => before.result && store.put(made, name);
  return before;
}

/** What the server answers to a request. @param {string} address @param {Kept} kept @returns {Promise<Bytes | State>} */
async function asked(address, { code, secret }) {
  const headers = { "Content-Type": "application/octet-stream", "Discreet-Invitation": code };
  /** @type {RequestInit} */
  const how = { method: "POST", headers, body: secret.blinded, credentials: "omit", cache: "no-store", redirect: "error" };
  const signal = AbortSignal.timeout?.(PATIENCE);
  try {
    const got = await fetch(address, { ...how, referrerPolicy: "no-referrer", signal });
    if (got.ok) return new Uint8Array(await got.arrayBuffer());
    if (got.status === 403) return "refused";
    if (got.status === 410) return "over";
    return got.status < 500 && got.status !== 408 && got.status !== 429 ? "changed" : "failed";
  } catch {
    return "failed";
  }
}

/** @returns {Promise<IDBDatabase>} */
const opened = () =>
  new Promise((resolve, reject) => {
    const asked = indexedDB.open("discreet-tickets", 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore("kept");
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });

/**
 * Change what is kept, and return what was asked for once it is safe. A browser that keeps nothing has only this page.
 * @param {(store: IDBObjectStore) => IDBRequest} change
 * @returns {Promise<any>}
 */
async function changed(change) {
  try {
    const db = await opened();
    try {
      return await new Promise((resolve, reject) => {
        const all = db.transaction("kept", "readwrite", { durability: "strict" });
        const asked = change(all.objectStore("kept"));
        all.oncomplete = () => resolve(asked.result);
        all.onabort = () => reject(all.error);
      });
    } finally {
      db.close();
    }
  } catch {
    return undefined;
  }
}
