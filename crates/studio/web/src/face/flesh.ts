// What is done to a face: head, inertia, wind, fat, palsy.

import { section, segments, slider } from "../controls/controls";
import { element } from "../controls/element";
import type { Library, Settings } from "./settings";
import { words } from "./settings";

/** Where fat is usually asked for; a region, or two of them. */
const FAT = ["cheeks", "chin", "jaw", "upper_lip", "lower_lip", "nose", "neck"];

interface FleshOrders {
  set(change: Partial<Settings>, what: string, ended: boolean): void;
}

export class FleshPanel {
  readonly root = element("div");
  private readonly controls: ((settings: Settings) => void)[] = [];
  private settings: Settings | null = null;
  private readonly fat = element("div");
  private shown = "";

  constructor(private readonly orders: FleshOrders) {
    const head = section("Head", false);
    (["Turn", "Nod", "Tilt"] as const).forEach((label, axis) => {
      head.body.append(
        this.number(
          label,
          { low: -40, high: 40, usual: 0, words: degrees },
          (s) => s.head[axis],
          (value, s) => {
            const all: [number, number, number] = [...s.head];
            all[axis] = value;
            return { head: all };
          },
        ),
      );
    });
    const flesh = section("Flesh and wind");
    const inertia = segments(
      "Inertia",
      [
        { value: "off", words: "None" },
        { value: "on", words: "Flesh swings" },
      ],
      (value) => orders.set({ inertia: value === "on" }, "inertia", true),
    );
    this.controls.push((settings) => inertia.set(settings.inertia || settings.wind.some(Boolean) ? "on" : "off"));
    const speed = (v: number) => `${v.toFixed(0)} m/s`;
    flesh.body.append(
      inertia.root,
      this.number(
        "Damping",
        { low: 0, high: 30, usual: 6, words: (v) => `${v.toFixed(1)} /s` },
        (s) => s.damping,
        (damping) => ({ damping }),
      ),
      this.number(
        "Firmness",
        { low: 0.05, high: 4, usual: 1, log: true, words: (v) => `× ${v.toPrecision(2)}` },
        (s) => s.firmness,
        (firmness) => ({ firmness }),
      ),
      this.number(
        "Wind, front",
        { low: 0, high: 40, usual: 0, words: speed },
        (s) => s.wind[0],
        (v, s) => ({ wind: [v, s.wind[1]] }),
      ),
      this.number(
        "Wind, side",
        { low: -40, high: 40, usual: 0, words: speed },
        (s) => s.wind[1],
        (v, s) => ({ wind: [s.wind[0], v] }),
      ),
      this.number(
        "Gusts",
        { low: 0, high: 2, usual: 0.6 },
        (s) => s.gust,
        (gust) => ({ gust }),
      ),
    );
    const palsy = section("Palsy");
    ["Left side", "Right side"].forEach((label, side) => {
      palsy.body.append(
        this.number(
          label,
          { low: 0, high: 1, usual: 0, words: (v) => `${Math.round(100 * v)} %` },
          (s) => s.palsy[side],
          (value, s) => {
            const all: [number, number] = [...s.palsy];
            all[side] = value;
            return { palsy: all };
          },
        ),
      );
    });
    const fat = section("Fat");
    fat.body.append(this.fat);
    this.root.append(head.root, flesh.root, fat.root, palsy.root);
  }

  library(library: Library): void {
    const known = new Set([...library.regions, ...(library.regions.includes("cheek_l") ? ["cheeks"] : [])]);
    const names = FAT.filter((name) => known.has(name));
    if (names.join() === this.shown) return;
    this.shown = names.join();
    this.fat.replaceChildren(
      ...names.map((name) =>
        this.number(
          words(name),
          { low: 0.6, high: 2.2, usual: 1, words: (v) => `${Math.round(100 * v)} %` },
          (s) => s.fat[name] ?? 1,
          (value) => ({ fat: { [name]: value } }),
        ),
      ),
    );
    if (this.settings) this.show(this.settings);
  }

  show(settings: Settings): void {
    this.settings = settings;
    for (const set of this.controls) set(settings);
  }

  private number(
    label: string,
    options: { low: number; high: number; usual: number; log?: boolean; words?: (v: number) => string },
    get: (s: Settings) => number,
    put: (value: number, s: Settings) => Partial<Settings>,
  ): HTMLElement {
    const control = slider({
      label,
      ...options,
      change: (value, ended) => this.settings && this.orders.set(put(value, this.settings), label.toLowerCase(), ended),
    });
    this.controls.push((settings) => control.set(get(settings)));
    return control.root;
  }
}

function degrees(value: number): string {
  return `${value.toFixed(0)}°`;
}
