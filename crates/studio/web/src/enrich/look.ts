// What is looked at: the surface or the tets, before or after, in which colours.

import { section, segments, slider } from "../controls/controls";
import { remember, remembered } from "../shell/memory";
import type { Look, State } from "./settings";

const USUAL: Look = { what: "surface", colours: "weights", compare: "after", axis: "x", cut: 0.5 };

export class LookPanel {
  readonly root: HTMLElement;
  look: Look = { ...USUAL, ...remembered<Partial<Look>>("enrich:look", {}) };
  private readonly marks: () => void;
  private readonly compare;
  private hasResult = false;

  constructor(private readonly changed: (look: Look) => void) {
    const { root, body } = section("Look");
    this.root = root;
    const what = segments(
      "Show",
      [
        { value: "surface", words: "Surface" },
        { value: "tets", words: "Tets" },
      ],
      (value) => this.see({ what: value as Look["what"] }),
    );
    const colours = segments(
      "Colours",
      [
        { value: "weights", words: "Weights" },
        { value: "stiffness", words: "Stiffness" },
        { value: "motion", words: "Motion" },
        { value: "plain", words: "Plain" },
      ],
      (value) => this.see({ colours: value as Look["colours"] }),
    );
    colours.root.classList.add("alone");
    this.compare = segments(
      "Compare",
      [
        { value: "before", words: "Before" },
        { value: "after", words: "After" },
        { value: "both", words: "Both" },
      ],
      (value) => this.see({ compare: value as Look["compare"] }),
    );
    const axis = segments(
      "Cut across",
      ["x", "y", "z"].map((value) => ({ value, words: value })),
      (value) => this.see({ axis: value as Look["axis"] }),
    );
    const cut = slider({
      label: "Cut",
      low: 0,
      high: 1,
      usual: 0.5,
      words: (v) => `${Math.round(100 * v)} %`,
      change: (value) => this.see({ cut: value }),
    });
    this.marks = () => {
      const { look } = this;
      what.set(look.what);
      colours.set(look.colours);
      this.compare.set(look.compare);
      axis.set(look.axis);
      cut.set(look.cut);
      const isCut = look.what === "tets";
      axis.root.hidden = cut.root.hidden = !isCut;
      colours.root.hidden = isCut;
      this.compare.root.hidden = isCut || !this.hasResult;
    };
    body.append(what.root, colours.root, this.compare.root, axis.root, cut.root);
    this.marks();
  }

  see(change: Partial<Look>): void {
    this.look = { ...this.look, ...change };
    remember("enrich:look", this.look);
    this.marks();
    this.changed(this.look);
  }

  show(state: State): void {
    if (this.hasResult === (state.result !== null)) return;
    this.hasResult = state.result !== null;
    this.marks();
  }
}
