// Face in a browser: it loads, sliders move it, a performance plays.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { frames, LONG, open, slide, visit } from "./studio.mjs";

let studio;
before(async () => {
  studio = await open("head.face");
});
after(() => studio?.close());

/** How far any vertex is from where it was noted to be. */
const note = (page) => page.evaluate(() => {
  const { surface } = window.pliant.view;
  window.noted = Array.from({ length: surface.count }, (_, v) => surface.at(v));
});
const apart = (least) => {
  const { surface } = window.pliant.view;
  return window.noted.some((was, v) => was.distanceTo(surface.at(v)) > least);
};

test("sliders move the face, muscles are seen, and a performance plays", { timeout: 2 * LONG }, async () => {
  const { page, faults } = await visit(studio, "face");
  await page.waitForFunction(() => window.pliant.view.state?.settings.face === "head.face", null, { timeout: 2 * LONG });
  // A face at rest sends no more than a few frames: they may all have been shown by now.
  await page.waitForFunction(() => window.pliant.connection.counted.shown > 0, null, { timeout: LONG });
  await note(page);
  await slide(page, "Jaw open", 0.8);
  await page.waitForFunction(apart, 0.008, { timeout: LONG });
  await page.keyboard.press("n");
  await frames(page, 2);
  await note(page);
  await page.getByRole("button", { name: "Smile" }).click();
  await page.waitForFunction(apart, 0.002, { timeout: LONG });
  await page.keyboard.press("a");
  await page.keyboard.press("m");
  await page.getByText("contracted", { exact: true }).waitFor();
  await page.keyboard.press("n");
  await page.getByLabel("Weights", { exact: true }).selectOption("talk.csv");
  await page.waitForFunction(() => window.pliant.view.state.performance?.frames === 5, null, { timeout: LONG });
  await note(page);
  await page.waitForFunction(apart, 0.006, { timeout: LONG });
  assert.deepEqual(faults, []);
});
