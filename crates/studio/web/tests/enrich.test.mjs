// Enrich in a browser: paint and see weights filled in, run, scrub, compare, save; the command gives the same.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { command, leave, LONG, open, picture, visit } from "./studio.mjs";

let studio;
before(async () => {
  studio = await open("soft.toml");
});
afterEach(() => leave(studio));
after(() => studio?.close());

const ready = (page) =>
  page.waitForFunction(() => {
    const { view } = window.pliant ?? {};
    return view?.state?.tets > 0 && view.painting?.exact.some((own) => own > 0.5);
  }, null, { timeout: LONG });

/** Where a vertex in the middle of the bar is on the page, on the side that the camera sees. */
const middle = (page) =>
  page.evaluate(() => {
    const { surfaces, stage } = window.pliant.view;
    const [surface] = surfaces;
    let [best, least] = [0, Infinity];
    for (let v = 0; v < surface.count; v += 1) {
      const { x, y, z } = surface.at(v);
      const far = 10 * Math.abs(x) + 10 * Math.abs(y) - z;
      if (far < least) [best, least] = [v, far];
    }
    return stage.project(surface.at(best));
  });

const painted = () => window.pliant.view.painting.painted.filter((weight) => weight >= 0).length;

test("what is painted is filled in, undone, and still there after a reload", { timeout: LONG }, async () => {
  const { page, faults } = await visit(studio, "enrich");
  await ready(page);
  await page.evaluate(() => window.pliant.connection.send({ do: "seek", frame: 0 }));
  const stands = () => !window.pliant.view.state.running && window.pliant.view.last?.header.cursor === 0;
  await page.waitForFunction(stands, null, { timeout: LONG });
  await page.keyboard.press("v");
  const before = await page.evaluate(() => [...window.pliant.view.painting.weights]);
  const { x, y } = await middle(page);
  await page.mouse.move(x - 6, y);
  await page.mouse.down();
  await page.mouse.move(x + 6, y, { steps: 5 });
  await page.mouse.up();
  await page.waitForFunction(() => window.pliant.view.state.undo === "weight", null, { timeout: LONG });
  assert.ok((await page.evaluate(painted)) > 3);
  // Not only what was touched has another weight by now.
  await page.waitForFunction((before) => {
    const { weights, painted } = window.pliant.view.painting;
    return weights.some((own, v) => painted[v] < 0 && Math.abs(own - before[v]) > 0.02);
  }, before, { timeout: LONG });
  await page.keyboard.press("Control+z");
  await page.waitForFunction(() => window.pliant.view.painting.marks().length === 0, null, { timeout: LONG });
  await page.keyboard.press("Control+Shift+z");
  await page.waitForFunction(() => window.pliant.view.painting.marks().length > 3, null, { timeout: LONG });
  await page.reload();
  await ready(page);
  await page.waitForFunction(() => window.pliant.view.painting.marks().length > 3, null, { timeout: LONG });
  await page.keyboard.press("t");
  await page.getByLabel("Cut", { exact: true }).waitFor();
  await page.keyboard.press("t");
  assert.deepEqual(faults, []);
});

test("it runs, is scrubbed and compared, and the command makes the same of what is saved", { timeout: 2 * LONG }, async () => {
  const { page, faults } = await visit(studio, "enrich");
  await ready(page);
  await page.keyboard.press("e");
  const done = () => window.pliant.view.state.result?.report && window.pliant.view.state.result.frames === window.pliant.view.state.frames;
  await page.waitForFunction(done, null, { timeout: LONG });
  await page.keyboard.press("Space");
  await page.waitForFunction(() => !window.pliant.view.state.running, null, { timeout: LONG });
  await page.keyboard.press("c");
  await page.getByText("After", { exact: true }).last().waitFor();
  // Half of the way along the timeline is half of the time.
  const box = await page.locator(".timeline canvas").boundingBox();
  await page.mouse.click(box.x + 0.5 * box.width, box.y + 10);
  const there = () => Math.abs(window.pliant.view.last.header.cursor - 0.5 * (window.pliant.view.state.frames - 1)) <= 1;
  await page.waitForFunction(there, null, { timeout: LONG });
  const apart = await page.evaluate(() => {
    const [before, after] = window.pliant.view.surfaces;
    let most = 0;
    for (let v = 0; v < before.count; v += 1) most = Math.max(most, before.at(v).distanceTo(after.at(v)));
    return most;
  });
  assert.ok(apart > 1e-3, `moved by ${apart}`);
  await picture(page, "studio-enrich-run");
  await page.getByLabel("Format", { exact: true }).selectOption("pc2");
  await page.getByRole("button", { name: "Save project and result here" }).click();
  await page.getByText("Saved soft_soft.toml").waitFor({ timeout: LONG });
  const at = (name) => join(studio.folder, name);
  command("enrich", at("soft_soft.toml"), "--out", at("again.pc2"));
  assert.ok(readFileSync(at("again.pc2")).equals(readFileSync(at("soft_soft.pc2"))));
  assert.deepEqual(faults, []);
});

test("it fits small and large screens, light and dark", { timeout: LONG }, async () => {
  for (const [width, height, colorScheme] of [[1280, 720, "light"], [3840, 2160, "dark"]]) {
    const { page, faults } = await visit(studio, "enrich", { viewport: { width, height }, colorScheme });
    await ready(page);
    const cut = await page.evaluate(() => {
      const wide = (part) => part.scrollWidth > part.clientWidth + 1;
      const parts = [document.documentElement, ...document.querySelectorAll(".panel, .segments, .bar")];
      return parts.filter(wide).map((part) => part.className || part.tagName);
    });
    assert.deepEqual(cut, [], `${width} × ${height}`);
    assert.deepEqual(faults, []);
    await leave(studio);
  }
});
