// The brush's own controls: what it paints, how far it reaches, what lies opposite.

import { button, section, segments, slider } from "../controls/controls";
import { element } from "../controls/element";
import { remember, remembered } from "../shell/memory";
import type { BrushKind, Ink, State } from "./settings";

const USUAL: BrushKind = { paint: "follow", weight: 0.3, stiffness: 0.25, radius: 0.05, fills: false, mirror: "off" };
const PAINTS: { value: BrushKind["paint"]; words: string }[] = [
  { value: "follow", words: "Follow" },
  { value: "free", words: "Free" },
  { value: "weight", words: "Weight" },
  { value: "stiffness", words: "Stiffness" },
  { value: "clear", words: "Clear" },
];
const ABOUT: Record<BrushKind["paint"], string> = {
  follow: "Goes exactly where the animation puts it.",
  free: "Nothing but physics: a weight of 0.",
  weight: "Pulled to the animation. Once a weight is painted, all that is not painted is filled in between.",
  stiffness: "Softer or stiffer than the rest of the body.",
  clear: "Nothing painted here: its weight is filled in.",
};

interface BrushOrders {
  brush(kind: BrushKind): void;
  findFollow(): void;
  fillGroup(name: string): void;
}

export class BrushPanel {
  readonly root: HTMLElement;
  kind: BrushKind = { ...USUAL, ...remembered<Partial<BrushKind>>("enrich:brush", {}) };
  private readonly marks: () => void;
  private readonly groups = element("div", "chips");
  private readonly found = element("div", "buttons");
  private body = 2e4;

  constructor(private readonly orders: BrushOrders) {
    const { root, body } = section("Brush");
    this.root = root;
    const paint = segments("Paint", PAINTS, (value) => this.take({ paint: value as BrushKind["paint"] }));
    paint.root.classList.add("alone");
    const tool = segments(
      "By",
      [
        { value: "brush", words: "Brush" },
        { value: "fill", words: "Fill" },
      ],
      (value) => this.take({ fills: value === "fill" }),
    );
    const about = element("p", "note");
    const weight = slider({
      label: "Weight",
      low: 0,
      high: 1,
      usual: USUAL.weight,
      step: 0.01,
      change: (value) => this.take({ weight: Number(value.toFixed(2)) }),
    });
    const stiffness = slider({
      label: "Stiffness",
      low: 0.02,
      high: 50,
      usual: 1,
      log: true,
      words: (v) => `× ${v.toPrecision(2)}`,
      change: (value) => this.take({ stiffness: Number(value.toPrecision(2)) }),
    });
    const radius = slider({
      label: "Radius",
      low: 0.005,
      high: 0.4,
      usual: USUAL.radius,
      log: true,
      words: (v) => `${(100 * v).toPrecision(2)} %`,
      change: (value) => this.take({ radius: value }),
    });
    const mirror = segments(
      "Mirror",
      ["off", "x", "y", "z"].map((value) => ({ value, words: value === "off" ? "Off" : value })),
      (value) => this.take({ mirror: value as BrushKind["mirror"] }),
    );
    this.found.append(
      button("Find what follows", "As if nobody had painted or chosen it", () => orders.findFollow()),
    );
    this.marks = () => {
      const { kind } = this;
      paint.set(kind.paint);
      tool.set(kind.fills ? "fill" : "brush");
      weight.set(kind.weight);
      stiffness.set(kind.stiffness);
      radius.set(kind.radius);
      mirror.set(kind.mirror);
      weight.root.hidden = kind.paint !== "weight";
      stiffness.root.hidden = kind.paint !== "stiffness";
      radius.root.hidden = kind.fills;
      about.textContent = ABOUT[kind.paint];
    };
    body.append(paint.root, about, weight.root, stiffness.root, tool.root, radius.root, mirror.root, this.groups, this.found);
    this.marks();
  }

  take(change: Partial<BrushKind>): void {
    this.kind = { ...this.kind, ...change };
    remember("enrich:brush", this.kind);
    this.marks();
    this.orders.brush(this.kind);
  }

  /** What the brush leaves. */
  ink(): Ink {
    const { paint, weight, stiffness } = this.kind;
    if (paint === "free") return { kind: "weight", value: 0 };
    if (paint === "weight") return { kind: "weight", value: weight };
    if (paint === "stiffness") {
      const isOwn = Math.abs(stiffness - 1) < 0.005;
      return { kind: "stiffness", young: isOwn ? null : Number((stiffness * this.body).toPrecision(3)) };
    }
    return { kind: paint };
  }

  show(state: State): void {
    this.body = state.settings.young ?? state.usualYoung ?? 2e4;
    this.found.hidden = state.isFollowFound;
  }

  /** Parts that the mesh has names for. */
  name(groups: string[]): void {
    this.groups.hidden = groups.length === 0;
    this.groups.replaceChildren(
      ...groups.slice(0, 40).map((name) => {
        const chip = element("button", "", name.replace(/_/g, " "));
        chip.title = "Paint all of it";
        chip.onclick = () => this.orders.fillGroup(name);
        return chip;
      }),
    );
  }
}
