// Builds dist/: one module for pages and Node, and its types; and the script of a poll's page, which the Python package
// holds. Says how large the module is.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { build } from "esbuild";
import { minify } from "terser";

const MOST = 6_000;

/** One file of an entry and all that it imports, in a format, as short as keeps its meaning. */
async function bundle(entry, outfile, format, preamble) {
  const options = { bundle: true, legalComments: "none", target: "es2022", charset: "utf8", write: false };
  const { outputFiles } = await build({ ...options, entryPoints: [entry], format });
  // No getter here does anything but read (pure_getters); nothing unsafe is asked for, and no property is renamed.
  const compress = { passes: 3, hoist_funs: true, inline: 1, pure_getters: true };
  const shape = { ascii_only: true, preamble };
  const module = format === "esm"; // Only a module is strict without saying so.
  const { code } = await minify(outputFiles[0].text, { module, ecma: 2022, compress, format: shape });
  mkdirSync(dirname(outfile), { recursive: true });
  writeFileSync(outfile, `${code}\n`);
}

/** The script of a poll's page, with the digest of what it was made from. */
export async function page(outfile) {
  const sources = ["page", "src"].flatMap((folder) => readdirSync(folder).sort().map((name) => `${folder}/${name}`));
  const digest = createHash("sha256");
  for (const file of sources) digest.update(`${file}\n`).update(readFileSync(file));
  await bundle("page/poll.js", outfile, "iife", `// Made by make js from js/page and js/src, ${digest.digest("hex")}`);
}

async function main() {
  rmSync("dist", { recursive: true, force: true });
  await bundle("src/index.js", "dist/index.js", "esm");
  await page("../src/discreet/survey/poll.js");
  execFileSync("npx", ["tsc"], { stdio: "inherit" });
  const size = gzipSync(readFileSync("dist/index.js"), { level: 9 }).length;
  console.log(`dist/index.js: ${size} bytes gzipped, of at most ${MOST}`);
  if (size > MOST) process.exit(1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
