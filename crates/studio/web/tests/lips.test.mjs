// Lips in a browser: it loads, a line is dragged and joins the training set, other frames change with it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, test } from "node:test";
import { command, LONG, open, picture, visit } from "./studio.mjs";

let studio;
afterEach(() => studio?.close());

test("a dragged line is a corrected frame, and the others learn from it", { timeout: 2 * LONG }, async () => {
  studio = await open("free.toml");
  const { page, faults } = await visit(studio, "lips");
  await page.waitForFunction(() => window.pliant?.view.state?.suggestion && window.pliant.view.last, null, { timeout: LONG });
  await page.keyboard.press("n");
  const there = () => window.pliant.view.cursor === window.pliant.view.state.suggestion.frame;
  await page.waitForFunction(there, null, { timeout: LONG });
  const frame = await page.evaluate(() => window.pliant.view.cursor);
  await page.keyboard.press("l");
  const handle = page.locator(".contour circle").nth(4);
  await handle.waitFor();
  const box = await handle.boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, y - 18, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction((frame) => window.pliant.view.state.drawn?.frame === frame, frame, { timeout: LONG });
  const apart = (a, b) =>
    page.evaluate(([a, b]) => {
      const [first, second] = [a, b].map((name) => window.pliant.view.last.floats(name));
      return first.reduce((most, own, k) => Math.max(most, Math.abs(own - second[k])), 0);
    }, [a, b]);
  await page.waitForFunction(() => window.pliant.view.last.floats("drawn").length > 0, null, { timeout: LONG });
  assert.ok((await apart("captured", "drawn")) > 5e-4);
  await picture(page, "studio-lips-line");
  await page.keyboard.press("a");
  await page.waitForFunction((frame) => window.pliant.view.state.training.includes(frame), frame, { timeout: LONG });
  await page.getByRole("button", { name: `${frame} ×` }).waitFor();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction((frame) => window.pliant.view.cursor === frame + 1, frame, { timeout: LONG });
  assert.ok((await apart("captured", "corrected")) > 1e-5);
  await page.keyboard.press("Control+z");
  await page.waitForFunction(() => window.pliant.view.state.training.length === 0, null, { timeout: LONG });
  await page.keyboard.press("Control+Shift+z");
  await page.waitForFunction(() => window.pliant.view.state.training.length === 1, null, { timeout: LONG });
  // Whoever reloads finds it all.
  await page.reload();
  await page.waitForFunction(() => window.pliant?.view.state?.training.length === 1, null, { timeout: LONG });
  await page.keyboard.press("c");
  await page.getByText("Corrected", { exact: true }).last().waitFor();
  assert.deepEqual(faults, []);
});

test("what is saved is what the commands make of the same folder", { timeout: LONG }, async () => {
  studio = await open("lips");
  const { page, faults } = await visit(studio, "lips");
  await page.waitForFunction(() => window.pliant?.view.state?.training.length === 3, null, { timeout: LONG });
  await page.getByRole("button", { name: "Save here" }).click();
  await page.getByText("Saved 3 corrected frames").waitFor({ timeout: LONG });
  const at = (name) => join(studio.folder, "lips", name);
  const regions = ["--inner", at("inner.txt"), "--mouth", at("mouth.txt")];
  const fixed = ["--corrected", at("fix/*.obj"), "--out", at("again.lips")];
  command("lips", "train", "--rest", at("rest.obj"), "--frames", at("capture.pc2"), ...regions, ...fixed);
  command("lips", "apply", at("mouth.lips"), "--frames", at("capture.pc2"), "--out", at("again.pc2"));
  for (const [own, other] of [["mouth.lips", "again.lips"], ["corrected.pc2", "again.pc2"]]) {
    assert.ok(readFileSync(at(own)).equals(readFileSync(at(other))), own);
  }
  assert.deepEqual(faults, []);
});
