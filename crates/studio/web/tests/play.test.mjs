// Play in a browser: it loads, a vertex is dragged and moves, the correction changes the curve.

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { frames, leave, LONG, open, picture, slide, visit } from "./studio.mjs";

let studio;
before(async () => {
  studio = await open("free.toml");
});
afterEach(() => leave(studio));
after(() => studio?.close());

/** Where a vertex is, in the scene and on the page: the one that the camera sees best. */
const nearest = (page) =>
  page.evaluate(() => {
    const { surfaces, stage } = window.pliant.view;
    const [surface] = surfaces;
    let [best, least] = [0, Infinity];
    for (let v = 0; v < surface.count; v += 1) {
      const distance = surface.at(v).distanceTo(stage.camera.position);
      if (distance < least) [best, least] = [v, distance];
    }
    return { vertex: best, at: surface.at(best).toArray(), point: stage.project(surface.at(best)) };
  });

test("a vertex that is dragged moves, and undo brings it back", { timeout: LONG }, async () => {
  const { page, faults } = await visit(studio, "play");
  await frames(page, 5);
  const { vertex, at, point } = await nearest(page);
  await page.mouse.move(point.x, point.y);
  await page.mouse.down();
  await page.mouse.move(point.x + 60, point.y - 30, { steps: 4 });
  await page.mouse.move(point.x + 200, point.y - 120, { steps: 8 });
  const moved = ([vertex, at]) => {
    const now = window.pliant.view.surfaces[0].at(vertex).toArray();
    return Math.hypot(...now.map((x, k) => x - at[k])) > 0.2;
  };
  await page.waitForFunction(moved, [vertex, at], { timeout: LONG });
  await picture(page, "studio-pull");
  await page.mouse.up();
  await page.keyboard.press("Control+z");
  await page.getByRole("button", { name: "Redo pull" }).waitFor({ timeout: LONG });
  assert.deepEqual(faults, []);
});

test("switching the correction changes the energy curve", { timeout: LONG }, async () => {
  const { page, faults } = await visit(studio, "play");
  await frames(page, 3);
  await page.keyboard.press("r");
  const off = () => page.evaluate(() => {
    const [, kinetic, potential, target] = window.pliant.view.lastSample();
    return (kinetic + potential - target) / target;
  });
  await page.waitForFunction(() => {
    const [time, kinetic, potential, target] = window.pliant.view.lastSample();
    return time > 0.5 && kinetic + potential < 0.9 * target;
  }, null, { timeout: LONG });
  await page.getByLabel("Correction", { exact: true }).selectOption("fepr");
  await frames(page, 10);
  assert.ok(Math.abs(await off()) < 1e-6, `off its account by ${await off()}`);
  // Both side by side.
  await page.keyboard.press("c");
  await page.waitForFunction(() => window.pliant.view.surfaces.length === 2, null, { timeout: LONG });
  await frames(page, 5);
  const labels = await page.locator(".label:visible").allTextContents();
  assert.deepEqual(labels, ["Backward Euler + FEPR", "Backward Euler"]);
  assert.deepEqual(faults, []);
});

test("what is set survives a reload, and a second page sees it", { timeout: LONG }, async () => {
  const { page } = await visit(studio, "play", { colorScheme: "dark" });
  await frames(page, 3);
  await slide(page, "Stiffness", 0.75);
  const stiff = () => window.pliant?.view.state?.settings.stiffness > 4;
  await page.waitForFunction(stiff, null, { timeout: LONG });
  await page.reload();
  await page.waitForFunction(stiff, null, { timeout: LONG });
  const second = await visit(studio, "play");
  await second.page.waitForFunction(stiff, null, { timeout: LONG });
  await page.keyboard.press("?");
  await page.getByText("Compare two methods, or one alone").waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+z");
  await second.page.waitForFunction(() => window.pliant.view.state.settings.stiffness === 1, null, { timeout: LONG });
});

test("a built-in scene opens, by keys and by name", { timeout: LONG }, async () => {
  const { page, faults } = await visit(studio, "play");
  await frames(page, 2);
  await page.getByLabel("Scene", { exact: true }).selectOption("d:cube");
  const named = () => document.querySelector(".caption b")?.textContent.includes("cube");
  await page.waitForFunction(named, null, { timeout: LONG });
  await frames(page, 2);
  await page.keyboard.press("Space");
  await page.getByRole("button", { name: "Play", exact: true }).last().waitFor({ timeout: LONG });
  await page.keyboard.press("Control+z");
  await page.waitForFunction(() => document.querySelector(".caption b")?.textContent === "free", null, { timeout: LONG });
  await page.keyboard.press("Space");
  await frames(page, 2);
  assert.deepEqual(faults, []);
});

test("what cannot be done is a sentence on the page", { timeout: LONG }, async () => {
  const { page } = await visit(studio, "play");
  await frames(page, 2);
  await page.evaluate(() => window.pliant.connection.send({ do: "open", scene: { file: "../secret.toml" } }));
  await page.getByText("`../secret.toml` is not in the opened project").waitFor({ timeout: LONG });
});

test("it fits small and large screens, light and dark", { timeout: LONG }, async () => {
  for (const [width, height, colorScheme] of [[1280, 720, "light"], [3840, 2160, "dark"]]) {
    const { page, faults } = await visit(studio, "play", { viewport: { width, height }, colorScheme });
    await frames(page, 2);
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
