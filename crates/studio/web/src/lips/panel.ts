// The controls of Lips.

import { button, choice, section, segments } from "../controls/controls";
import { element } from "../controls/element";
import { remember, remembered } from "../shell/memory";
import type { Look, Source, State } from "./settings";

export interface Orders {
  open(source: Source): void;
  seek(frame: number): void;
  add(): void;
  discard(): void;
  truth(): void;
  remove(frame: number): void;
  save(): void;
  make(): void;
  undo(): void;
  redo(): void;
  look(look: Look): void;
}

const USUAL: Look = { compare: "corrected", colours: "skin", contour: "off" };
const BUILT_IN = "";

export class Panel {
  private state: State | null = null;
  look: Look = { ...USUAL, ...remembered<Partial<Look>>("lips:look", {}) };
  private readonly marks: () => void;
  private readonly source;
  private readonly undoButton: HTMLButtonElement;
  private readonly redoButton: HTMLButtonElement;
  private readonly addButton: HTMLButtonElement;
  private readonly discardButton: HTMLButtonElement;
  private readonly truthButton: HTMLButtonElement;
  private readonly nextButton: HTMLButtonElement;
  private readonly saveButton: HTMLButtonElement;
  private readonly makeButton: HTMLButtonElement;
  private readonly drawnNote = element("p", "note");
  private readonly nextNote = element("p", "note");
  private readonly list = element("div", "chips");
  private readonly facts = element("div", "facts");

  constructor(
    root: HTMLElement,
    private readonly orders: Orders,
  ) {
    const head = section("Performance");
    this.source = choice("Performance", [{ value: "b", words: "Built-in mouth" }], (value) =>
      orders.open(value === "b" ? "built-in" : { folder: value.slice(2) }),
    );
    this.undoButton = button("Undo", "Ctrl Z", () => orders.undo());
    this.redoButton = button("Redo", "Ctrl Shift Z", () => orders.redo());
    const buttons = element("div", "buttons");
    for (const own of [this.undoButton, this.redoButton]) own.classList.add("grow");
    buttons.append(this.undoButton, this.redoButton);
    head.body.append(this.source.root, buttons);

    const look = section("Look");
    const compare = segments(
      "Show",
      [
        { value: "captured", words: "Captured" },
        { value: "corrected", words: "Corrected" },
        { value: "both", words: "Both" },
      ],
      (value) => this.see({ compare: value as Look["compare"] }),
    );
    const colours = segments(
      "Colours",
      [
        { value: "skin", words: "Skin" },
        { value: "moved", words: "Moved" },
        { value: "error", words: "Error" },
      ],
      (value) => this.see({ colours: value as Look["colours"] }),
    );
    look.body.append(compare.root, colours.root);

    const draw = section("Draw");
    const contour = segments(
      "Line",
      [
        { value: "off", words: "Hidden" },
        { value: "around", words: "The opening" },
        { value: "meet", words: "Lips meet" },
      ],
      (value) => this.see({ contour: value as Look["contour"], ...(value === "off" ? {} : { compare: "corrected" }) }),
    );
    contour.root.classList.add("alone");
    this.addButton = button("Add to training set", "A", () => orders.add());
    this.addButton.classList.add("grow", "strong");
    this.discardButton = button("Discard", "X: the frame as it was", () => orders.discard());
    const both = element("div", "buttons");
    both.append(this.addButton, this.discardButton);
    this.truthButton = button("Correct as it really was", "The built-in mouth knows", () => orders.truth());
    const known = element("div", "buttons");
    this.truthButton.classList.add("grow");
    known.append(this.truthButton);
    draw.body.append(contour.root, this.drawnNote, both, known);

    const training = section("Training set");
    this.nextButton = button("Go to the suggested frame", "N", () => {
      if (this.state?.suggestion) orders.seek(this.state.suggestion.frame);
    });
    this.nextButton.classList.add("grow");
    const next = element("div", "buttons");
    next.append(this.nextButton);
    training.body.append(this.nextNote, next, this.list);

    const facts = section("Figures");
    facts.body.append(this.facts);
    const save = section("Save");
    this.saveButton = button("Save here", "Corrected frames, model and performance, beside the capture", () => orders.save());
    this.makeButton = button("Download model", "What `pliant lips apply` reads", () => orders.make());
    const last = element("div", "buttons");
    for (const own of [this.saveButton, this.makeButton]) own.classList.add("grow");
    last.append(this.saveButton, this.makeButton);
    save.body.append(last);
    root.append(head.root, look.root, draw.root, training.root, facts.root, save.root);
    this.marks = () => {
      compare.set(this.look.compare);
      colours.set(this.look.colours);
      contour.set(this.look.contour);
    };
    this.marks();
  }

  see(change: Partial<Look>): void {
    this.look = { ...this.look, ...change };
    remember("lips:look", this.look);
    this.marks();
    this.orders.look(this.look);
  }

  library(folders: string[]): void {
    this.source.fill([
      { value: "b", words: "Built-in mouth" },
      ...folders.map((name) => ({ value: `f:${name}`, words: name === BUILT_IN ? "The opened folder" : name })),
    ]);
    if (this.state) this.show(this.state, -1);
  }

  show(state: State, cursor: number): void {
    this.state = state;
    this.source.set(state.folder === null ? "b" : `f:${state.folder}`);
    this.undoButton.disabled = !state.undo;
    this.redoButton.disabled = !state.redo;
    this.undoButton.title = state.undo ? `Undo ${state.undo} (Ctrl Z)` : "Ctrl Z";
    const { drawn, suggestion, training } = state;
    this.addButton.disabled = !drawn;
    this.discardButton.disabled = !drawn;
    this.drawnNote.textContent = drawn
      ? `Frame ${drawn.frame}: lips within ${drawn.meanPixels.toFixed(2)} pixels of the line, moved by up to ${drawn.moved.toFixed(1)} mm.`
      : "Show the line, and drag its points to where the lips should be.";
    this.truthButton.parentElement?.toggleAttribute("hidden", !state.hasTruth);
    this.nextButton.disabled = !suggestion || suggestion.score <= 0;
    const isNew = suggestion && suggestion.score > 0.005;
    this.nextNote.textContent = isNew
      ? `Most worth correcting next: frame ${suggestion.frame}, ${Math.round(100 * suggestion.score)} % of which no corrected frame shows.`
      : "Corrected frames show all that this performance does.";
    this.list.replaceChildren(
      ...training.map((frame) => {
        const chip = element("button", frame === cursor ? "here" : "", `${frame} `);
        chip.title = `Go to frame ${frame}; Shift and click takes it out of the set`;
        const away = element("span", "away", "×");
        away.title = "Take it out of the set";
        away.onclick = (event) => {
          event.stopPropagation();
          this.orders.remove(frame);
        };
        chip.append(away);
        chip.onclick = (event) => (event.shiftKey ? this.orders.remove(frame) : this.orders.seek(frame));
        return chip;
      }),
    );
    const mm = (value: number | null) => (value === null ? "unknown" : `${value.toFixed(3)} mm`);
    const rows: [string, string][] = [["Frames corrected by hand", `${training.length} of ${state.frames}`]];
    if (state.hasTruth) rows.push(["Error as captured", mm(state.errors[0])], ["Error as corrected", mm(state.errors[1])]);
    this.facts.replaceChildren(
      ...rows.flatMap(([label, value]) => [element("span", "", label), element("b", "", value)]),
    );
    this.saveButton.disabled = state.folder === null || training.length === 0;
    this.makeButton.disabled = training.length === 0;
  }
}
