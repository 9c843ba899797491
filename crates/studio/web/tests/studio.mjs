// The studio as a newcomer starts it, and a browser to look at it with.

import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

/** The program, and the browser. */
const PLIANT = process.env.PLIANT ?? "pliant";
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
/** Longer than anything takes, also where many others work. */
export const LONG = 90_000;

const FLAGS = [
  "--no-sandbox",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  "--ignore-gpu-blocklist",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A cube that floats, stretched: backward Euler takes its energy, FEPR keeps it. */
const FREE = `name = "free"
frames = 10
fps = 60
gravity = [0, 0, 0]
[[body]]
mesh = { box = { size = [1, 1, 1], cells = [5, 5, 5] } }
material = { model = "corotated", young = 2e4, poisson = 0.3, density = 1000.0 }
initial = { stretch = [1.3, 1, 1] }
`;

/** A bar that is pressed flat in its middle and let go; its ends follow. */
const SOFT = `input = "puppet:bar:20"
fps = 6
resolution = 8
preroll = 2
material = { young = 2e4 }
[fit]
gamma = 1e-10
[follow]
select = { not = { box = { min = [-0.3, -1, -1], max = [0.3, 1, 1] } } }
`;

/** Starts it on a file of a folder that has a scene and, if that is asked for, a coarse face, or a folder of lips. */
export async function open(file) {
  const folder = mkdtempSync(join(tmpdir(), "pliant-studio-"));
  if (file === "head.face") {
    command("face", "template", "--out", join(folder, "head"), "--size", "0.006");
    command("face", "build", join(folder, "head"), "--out", join(folder, "head.face"), "--size", "0.01");
    rmSync(join(folder, "head"), { recursive: true });
  }
  if (file === "lips") command("lips", "demo", "--out", join(folder, "lips"), "--around", "32", "--corrected", "3");
  writeFileSync(join(folder, "free.toml"), FREE);
  writeFileSync(join(folder, "soft.toml"), SOFT);
  writeFileSync(join(folder, "talk.csv"), "frame,jawOpen\n0,0\n1,0.4\n2,0.8\n3,0.5\n4,0.1\n");
  const program = spawn(PLIANT, ["studio", join(folder, file), "--no-open", "--threads", "1"], { stdio: ["ignore", "pipe", "ignore"] });
  const lines = createInterface({ input: program.stdout });
  const url = await new Promise((found, lost) => {
    lines.once("line", found);
    program.once("exit", () => lost(new Error("pliant studio ended")));
  });
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  return {
    url,
    browser,
    folder,
    async close() {
      await browser.close();
      const ended = new Promise((done) => program.once("exit", done));
      program.kill("SIGINT");
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

/** A page at a place, which says no bad word. */
export async function visit(studio, place, options = {}) {
  const context = await studio.browser.newContext({ viewport: { width: 1280, height: 720 }, ...options });
  const page = await context.newPage();
  const faults = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  await page.goto(`${studio.url}#${place}`);
  return { page, faults };
}

/** Waits until as many frames were shown. */
export async function frames(page, count) {
  const before = await page.evaluate(() => window.pliant?.connection.counted.shown ?? 0);
  await page.waitForFunction((until) => window.pliant?.connection.counted.shown >= until, before + count, { timeout: LONG });
}

/** Closes all pages: others draw faster then. */
export async function leave(studio) {
  for (const context of studio.browser.contexts()) await context.close();
}

/** Puts a slider somewhere, by its part of the way. */
export async function slide(page, label, part) {
  await page.getByLabel(label, { exact: true }).evaluate((range, part) => {
    range.value = String(part);
    range.dispatchEvent(new Event("input"));
    range.dispatchEvent(new Event("change"));
  }, part);
}

/** Has the program do something else meanwhile. */
export function command(...words) {
  execFileSync(PLIANT, [...words, "--quiet", "--threads", "1"]);
}

/** Writes a picture, where somebody wants it. */
export async function picture(page, name) {
  if (process.env.PICTURES) await page.screenshot({ path: join(process.env.PICTURES, `${name}.png`) });
}
