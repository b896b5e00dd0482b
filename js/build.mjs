// Builds dist/: one module for pages and Node, its memory, and their types; and the script of a poll's page, which the
// Python package holds. Says how large it is.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { build } from "esbuild";

const MOST = 6 * 1024;
const options = { bundle: true, minify: true, legalComments: "none", target: "es2022" };

/** The script of a poll's page, with the digest of what it was made from. */
export async function page(outfile) {
  const sources = ["page", "src"].flatMap((folder) => readdirSync(folder).sort().map((name) => `${folder}/${name}`));
  const digest = createHash("sha256");
  for (const file of sources) digest.update(`${file}\n`).update(readFileSync(file));
  const banner = { js: `// Made by make js from js/page and js/src, ${digest.digest("hex")}` };
  await build({ ...options, entryPoints: ["page/poll.js"], outfile, format: "iife", charset: "ascii", banner });
}

async function main() {
  rmSync("dist", { recursive: true, force: true });
  const format = "esm";
  await build({ ...options, entryPoints: ["src/index.js"], outfile: "dist/index.js", format });
  await build({ ...options, entryPoints: ["src/memory.js"], outfile: "dist/memory.js", format, external: ["./index.js"] });
  await page("../src/discreet/survey/poll.js");
  execFileSync("npx", ["tsc"], { stdio: "inherit" });
  const size = (file) => gzipSync(readFileSync(file), { level: 9 }).length;
  console.log(`dist/index.js: ${size("dist/index.js")} bytes gzipped, of at most ${MOST}; memory.js ${size("dist/memory.js")}`);
  if (size("dist/index.js") > MOST) process.exit(1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
