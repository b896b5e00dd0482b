// Builds dist/: one module for pages and Node, and its types. Says how large it is.

import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { gzipSync } from "node:zlib";

import { build } from "esbuild";

const MOST = 6 * 1024;

rmSync("dist", { recursive: true, force: true });
const options = { bundle: true, minify: true, legalComments: "none", target: "es2022" };
await build({ ...options, entryPoints: ["src/index.js"], outfile: "dist/index.js", format: "esm" });
await build({ ...options, entryPoints: ["src/memory.js"], outfile: "dist/memory.js", format: "esm", external: ["./index.js"] });
execFileSync("npx", ["tsc"], { stdio: "inherit" });
const size = (file) => gzipSync(readFileSync(file), { level: 9 }).length;
console.log(`dist/index.js: ${size("dist/index.js")} bytes gzipped, of at most ${MOST}; memory.js ${size("dist/memory.js")}`);
if (size("dist/index.js") > MOST) process.exit(1);
