// Bundles the page into a folder: node bundle.mjs FOLDER
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const folder = process.argv[2];
await build({
  entryPoints: { app: "src/main.ts" },
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  legalComments: "inline",
  outdir: folder,
  logLevel: "error",
});
copyFileSync("index.html", join(folder, "index.html"));
