// Builds dist/: one module for pages and Node, and its types. Says how large it is.

import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { gzipSync } from "node:zlib";

import { build } from "esbuild";

const MOST = 6 * 1024;

rmSync("dist", { recursive: true, force: true });
await build({
  entryPoints: ["src/index.js"],
  outfile: "dist/index.js",
  bundle: true,
  format: "esm",
  minify: true,
  legalComments: "none",
  target: "es2022",
});
execFileSync("npx", ["tsc"], { stdio: "inherit" });
const size = gzipSync(readFileSync("dist/index.js"), { level: 9 }).length;
console.log(`dist/index.js: ${size} bytes gzipped, of at most ${MOST}`);
if (size > MOST) process.exit(1);
