// The page of a poll: answer plainly, see the machine at work, confirm, and only then the dice are rolled.
// The page is made by discreet in Python; what is said on it are texts of a table, and nothing is ever read as markup.

import { Refused, SurveyClient, SurveyForm } from "../src/index.js";
import { Memory } from "../src/memory.js";
import { Response } from "../src/survey.js";
import { qr } from "./qr.js";
import { Ticket } from "./tickets.js";

/** @typedef {string | number | boolean} Choice */
/**
 * @typedef {object} Asked
 * @property {"radio" | "select" | "number" | "check" | "text"} kind
 * @property {"choice" | "choices" | "text"} law
 * @property {string} own In percent, the chance that the true choice is in a report.
 * @property {string} other That of any one other.
 * @property {string | null} belief
 */
/**
 * @typedef {object} Poll
 * @property {unknown} survey
 * @property {string} digest
 * @property {number} most
 * @property {boolean} memory
 * @property {string | null} collector
 * @property {import("./tickets.js").Where | null} tickets Where invitations become tickets.
 * @property {string} language
 * @property {Record<string, Record<string, string>>} texts
 * @property {Asked[]} questions
 * @property {string | null} belief
 * @property {string | null} factor
 * @property {string} epsilon
 */

const MOST_BARS = 8;
const PATIENCE = 20_000;
/** Why a server does not take a response. There is no code then: handed in, it would pass by what the server keeps to. */
const REFUSALS = new Map([[403, "uninvited"], [410, "over"], [413, "too_long"], [429, "wait"]]);
const LATER = ["uninvited", "wait"];

/** @param {string} id */
const found = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
/** @type {Poll} */
const poll = JSON.parse(found("poll").textContent ?? "");
const ask = /** @type {HTMLFormElement} */ (found("ask"));
const review = found("review");
const done = found("done");
const live = found("live");
const chosen = /** @type {HTMLSelectElement} */ (found("language"));

let language = poll.language;
let turn = 0; // Whoever waited while another turn began has come too late, and shows nothing.
const invitation = new URLSearchParams(location.hash.slice(1)).get("code");
try {
  if (location.hash) history.replaceState(null, "", location.pathname + location.search);
} catch {
  location.hash = ""; // A page from a file may not have another address.
}
const held = poll.tickets && new Ticket(poll.tickets, invitation);

/** A text of the table, with its blanks filled in. @param {string} key @param {Record<string, string>} [blanks] */
const said = (key, blanks = {}) => poll.texts[language][key].replace(/\{(\w+)\}/g, (all, name) => blanks[name] ?? all);

/** A number as this language writes it. @param {string} text */
function number(text) {
  const digits = text.replace(/,/g, "").split(".")[1]?.length ?? 0;
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat(language, options).format(Number(text.replace(/,/g, "")));
}

/**
 * An element with a class, a text and what is in it.
 * @param {string} tag
 * @param {string} [name]
 * @param {(string | Node)[]} inside
 */
function made(tag, name, ...inside) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  element.append(...inside);
  return element;
}

/** @param {string} key @param {() => void} act @param {string} name */
function button(key, act, name) {
  const element = /** @type {HTMLButtonElement} */ (made("button", name, said(key)));
  element.type = "button";
  element.onclick = act;
  return element;
}

/** Show one part of the page and move the focus there. @param {HTMLElement} part */
function show(part) {
  for (const each of [found("start"), review, done]) each.hidden = each !== part;
  (part.querySelector("h2") ?? part).focus();
  scrollTo(0, 0);
}

function translate() {
  document.documentElement.lang = language;
  document.documentElement.dir = language === "ar" ? "rtl" : "ltr";
  document.querySelectorAll("[data-t]").forEach((element) => {
    const [key, low, high] = (element.getAttribute("data-t") ?? "").split("|");
    element.textContent = said(key, { low, high });
  });
  chosen.setAttribute("aria-label", said("language"));
  document.title = said("title");
}

/** @param {number} i @param {number} place */
const label = (i, place) => said(`q${i}.${place}`);

/** The controls of a question. @param {number} i @returns {HTMLInputElement[]} */
const controls = (i) => Array.from(ask.querySelectorAll(`[name="q${i}"]`));

/**
 * What was answered to a question: a choice, a text, null for nothing, or undefined for what is none of the choices.
 * @param {number} i
 * @param {import("../src/form.js").Form} form
 * @returns {Choice | null | undefined}
 */
function answered(i, { question }) {
  const { kind } = poll.questions[i];
  const inputs = controls(i);
  if (kind === "text") return inputs[0].value.trim();
  const choices = /** @type {import("../src/form.js").Question} */ (question).choices;
  if (kind === "check") return choices[inputs[0].checked ? 1 : 0];
  if (kind === "number") {
    const text = inputs[0].value.trim();
    const value = Number(text);
    return text === "" && inputs[0].validity.valid ? null : choices.includes(value) ? value : undefined;
  }
  const value = kind === "select" ? inputs[0].value : inputs.find((input) => input.checked)?.value;
  return value ? choices[Number(value)] : null;
}

/** Mark what is missing, and return whether nothing is. @param {import("../src/survey.js").SurveyForm} form */
function complete(form) {
  /** @type {HTMLElement | null} */
  let first = null;
  /** @param {string} id @param {boolean} bad @param {HTMLElement[]} inputs */
  const mark = (id, bad, inputs) => {
    found(id).hidden = !bad;
    inputs.forEach((input) => (bad ? input.setAttribute("aria-invalid", "true") : input.removeAttribute("aria-invalid")));
    if (bad) first ??= inputs[0];
  };
  form.forms.forEach((each, i) => {
    const answer = answered(i, each);
    const needed = "choices" in each.question && each.question.missing === null;
    mark(`q${i}-error`, answer === undefined || (answer === null && needed), controls(i));
  });
  const consent = /** @type {HTMLInputElement | null} */ (found("consent"));
  if (consent) mark("consent-error", !consent.checked, [consent]);
  /** @type {HTMLElement | null} */ (first)?.focus();
  live.textContent = first === null ? "" : said("please");
  return first === null;
}

/** How likely each choice is to leave: the bars begin at the truth and melt into the law. @param {number} i @param {number} place @param {number} count */
function bars(i, place, count) {
  const { own, other } = poll.questions[i];
  const list = made("ul", "bars");
  const few = count <= MOST_BARS;
  const rows = few ? [...Array(count).keys()] : [place];
  for (const at of rows) list.append(bar(label(i, at), at === place ? own : other, at === place));
  if (!few) list.append(bar(said("others", { n: number(String(count - 1)) }), other, false));
  return list;
}

/** @param {string} name @param {string} chance @param {boolean} yours */
function bar(name, chance, yours) {
  const fill = made("i");
  fill.style.setProperty("--p", `${Number(chance)}%`);
  fill.style.setProperty("--from", yours ? "100%" : "0%");
  const words = made("span", "", made("bdi", "", name), ...(yours ? [" ", made("small", "", said("yours_mark"))] : []));
  return made("li", yours ? "yours" : "", made("div", "", words, made("b", "", `${number(chance)} %`)), fill);
}

/** What will happen to one answer. @param {number} i @param {import("../src/form.js").Form} form @param {Choice | null} answer */
function card(i, { question }, answer) {
  const { law, belief, other } = poll.questions[i];
  const part = made("article", "card", made("h3", "", said(`q${i}`)));
  if (!("choices" in question)) {
    const yours = said("yours", { answer: `“${answer}”` });
    const { hashes, length } = question;
    const blanks = { bits: number(String(length)), hashes: number(String(hashes)), flip: number(other) };
    part.append(made("p", "", yours), made("p", "", said("law_text", blanks)));
  } else {
    const place = question.place(answer);
    part.append(made("p", "", said("yours", { answer: label(i, place) })), made("p", "", said(`law_${law}`)));
    part.append(bars(i, place, question.choices.length));
  }
  const words = belief === null ? "learn_nothing" : i === 0 ? "learn" : "learn_short";
  part.append(made("p", "learn", said(words, { belief: number(belief ?? "0") })));
  return part;
}

/** @param {import("../src/survey.js").SurveyForm} form */
async function toReview(form) {
  if (!complete(form)) return;
  const mine = ++turn;
  const memory = poll.memory ? await Memory.open().catch(() => undefined) : undefined;
  const spent = memory ? await memory.spent() : 0;
  const key = held ? await held.fingerprint() : "";
  if (mine !== turn) return;
  const answers = form.forms.map((each, i) => answered(i, each) ?? null);
  const title = made("h2", "", said("before"));
  title.tabIndex = -1;
  const { belief, factor, epsilon, collector } = poll;
  const blanks = { belief: belief ? number(belief) : "", factor: factor ? number(factor) : "", epsilon: number(epsilon) };
  const whole = said(belief && factor ? "learn_all" : "learn_all_nothing", blanks);
  const sees = made("section", "card", made("h3", "", said("sees")), made("p", "", said(collector === null ? "by_hand" : "server")));
  if (held) sees.append(made("p", "", said("ticketed", { key })));
  else if (invitation !== null && collector !== null) sees.append(made("p", "", said("invited")));
  sees.append(made("p", "", said(memory ? "memory" : held ? "no_memory_ticket" : "no_memory")));
  if (spent > 0) sees.append(made("p", "", said("given", { epsilon: number((Math.ceil(spent * 100) / 100).toFixed(2)) })));
  const go = button(collector === null ? "make_code" : "send", async () => (await admitted()) && roll(form, memory), "main");
  const back = button("change", () => (review.replaceChildren(), show(found("start"))), "plain");
  const cards = form.forms.map((each, i) => card(i, each, answers[i]));
  review.replaceChildren(title, ...cards, made("p", "learn whole", whole), sees, made("div", "buttons", go, back));
  show(review);
}

/** What is said where there is no ticket. @param {import("./tickets.js").State} state */
const unable = (state) => (state === "over" ? state : `ticket_${state}`);

/** Whether a response will be taken as far as tickets go: no die is rolled before that is known. */
async function admitted() {
  const state = held ? await held.state() : "ready";
  if (state === "failed" && !review.querySelector(".failed")) review.append(made("p", "failed", said("ticket_failed")));
  else if (state !== "ready" && state !== "failed") tell(unable(state));
  return state === "ready";
}

/** Draw, once, and erase the answers; then send what was drawn. @param {import("../src/survey.js").SurveyForm} form @param {Memory} [memory] */
async function roll(form, memory) {
  const answers = Object.fromEntries(form.forms.map((each, i) => [each.question.name, answered(i, each) ?? null]));
  turn++;
  const wait = made("h2", "working", said("working"));
  wait.tabIndex = -1;
  review.replaceChildren();
  done.replaceChildren(wait);
  show(done);
  live.textContent = said("working");
  try {
    const response = await new SurveyClient(form, { most: poll.most, memory }).report(answers);
    erase();
    await (poll.collector === null ? toCode(form, response) : send(form, response));
  } catch (error) {
    erase();
    tell(error instanceof Refused ? "changed" : "old");
  }
}

/** Forget the answers: no control has them any more, and nothing else did. */
function erase() {
  ask.reset();
  ask.querySelectorAll("input[type=text], input[type=number]").forEach((input) => (/** @type {HTMLInputElement} */ (input).value = ""));
  review.replaceChildren();
  turn++;
}

/** @param {Uint8Array} data */
const hex = (data) => Array.from(data, (byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * Send what was drawn. *once* is a number of this submission alone: a server that got it and could not say so counts
 * it once when it is tried again.
 * @param {import("../src/survey.js").SurveyForm} form
 * @param {Response} response
 */
async function send(form, response, once = hex(crypto.getRandomValues(new Uint8Array(16)))) {
  /** @type {Record<string, string>} */
  const headers = { "Content-Type": "application/octet-stream", "Discreet-Once": once };
  if (held) {
    headers["Discreet-Ticket"] = held.header();
    await held.hold({ once, tag: response.tag, payloads: response.payloads });
  } else if (invitation !== null) headers["Discreet-Invitation"] = invitation;
  /** @type {RequestInit} */
  const how = { method: "POST", headers, body: response.toBytes(), credentials: "omit", cache: "no-store", redirect: "error" };
  const signal = AbortSignal.timeout?.(PATIENCE);
  const got = await fetch(`${poll.collector}`, { ...how, referrerPolicy: "no-referrer", signal }).catch(() => null);
  if (got?.ok) {
    await held?.drop();
    return finish("thanks", ...what(form, response));
  }
  if (got === null || got.status >= 500 || got.status === 408) return toCode(form, response, "failed", once);
  const why = REFUSALS.get(got.status) ?? "not_taken";
  const again = LATER.includes(why) ? [button("again", () => send(form, response, once), "main")] : [];
  finish(why, made("div", "buttons", ...again));
}

/** What a response says, question by question. @param {import("../src/survey.js").SurveyForm} form @param {Response} response */
function what({ forms }, response) {
  const list = made("dl", "left");
  forms.forEach(({ question }, i) => {
    const payload = response.payloads[i];
    const bits = (/** @type {number} */ from) => [...payload.slice(from)].flatMap((byte, at) => [...Array(8).keys()].flatMap((b) => ((byte >> b) & 1 ? [8 * at + b] : [])));
    let text;
    if (!("choices" in question)) {
      text = said("sent_bits", { count: number(String(bits(2).length)), bits: number(String(question.length)) });
    } else if (poll.questions[i].law === "choice") {
      text = label(i, payload.reduce((sum, byte, at) => sum + byte * 256 ** at, 0));
    } else {
      text = bits(0).map((at) => label(i, at)).join(" · ") || said("nothing");
    }
    list.append(made("dt", "", said(`q${i}`)), made("dd", "", made("bdi", "", text)));
  });
  return [made("p", "", said("sent")), list, made("p", "", said("erased"))];
}

/**
 * A code to hand in, and a picture of it. What it says is not shown: whoever hands in only results that they like tells
 * more than the chances allow for.
 * @param {import("../src/survey.js").SurveyForm} form
 * @param {Response} response
 * @param {string} [why]
 * @param {string} [once]
 */
async function toCode(form, response, why, once) {
  const code = await response.toCode();
  const box = /** @type {HTMLTextAreaElement} */ (made("textarea", "code", code));
  box.readOnly = true;
  box.rows = 4;
  box.dir = "ltr";
  box.setAttribute("aria-label", said("code"));
  const copy = button("copy", async () => {
    box.select();
    await navigator.clipboard?.writeText(code).catch(() => {});
    live.textContent = copy.textContent = said("copied");
  }, "plain");
  const again = why ? [button("again", () => send(form, response, once), "main")] : [];
  const modules = qr(new TextEncoder().encode(code));
  const picture = modules ? [drawing(modules)] : [];
  const words = made("p", why ? "failed" : "", said(why ?? "hand_in"));
  const card = made("div", "card", ...picture, box, made("div", "buttons", ...again, copy));
  finish("code", words, card, made("p", "", said("erased")));
}

/** @param {boolean[][]} modules */
function drawing(modules) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const size = modules.length + 8;
  const path = modules.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x + 4} ${y + 4}h1v1h-1z`] : []))).join("");
  for (const [tag, name, value] of [["rect", "class", "light"], ["path", "d", path]]) {
    const element = document.createElementNS(svg.namespaceURI, tag);
    element.setAttribute(name, value);
    if (tag === "rect") [element.setAttribute("width", `${size}`), element.setAttribute("height", `${size}`)];
    svg.append(element);
  }
  svg.setAttribute("viewBox", `0 0 ${size} ${size}`);
  svg.setAttribute("class", "qr");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", said("code"));
  return svg;
}

/** @param {string} title @param {Node[]} parts */
function finish(title, ...parts) {
  const head = made("h2", "", said(title));
  head.tabIndex = -1;
  live.textContent = "";
  done.replaceChildren(head, ...parts);
  show(done);
}

/** Say one thing, in place of all others. @param {string} key */
function tell(key) {
  ask.replaceChildren();
  finish(key);
}

async function main() {
  for (const [code, { _name }] of Object.entries(poll.texts)) chosen.append(new Option(_name, code, false, code === language));
  chosen.parentElement && (chosen.parentElement.hidden = chosen.length < 2);
  chosen.onchange = () => {
    language = chosen.value;
    translate();
    if (!review.hidden) toReview(form);
  };
  translate();
  if (!globalThis.crypto?.subtle) return tell("old");
  /** @type {import("../src/survey.js").SurveyForm} */
  let form;
  try {
    form = await SurveyForm.of(poll.survey, poll.digest);
    new SurveyClient(form, { most: poll.most, secret: new Uint8Array(32) }); // It may cost too much.
  } catch {
    return tell("changed");
  }
  ask.onsubmit = (event) => {
    event.preventDefault();
    toReview(form);
  };
  addEventListener("pagehide", erase);
  document.body.dataset.ready = "";
  const state = await held?.state();
  if (state && state !== "ready" && state !== "failed") return tell(unable(state));
  if (held?.sending) await toCode(form, new Response(held.sending.tag, held.sending.payloads), "failed", held.sending.once);
}

main();
