// The controls of Face.

import { button, choice, section, segments, slider } from "../controls/controls";
import { element } from "../controls/element";
import { remember, remembered } from "../shell/memory";
import { FleshPanel } from "./flesh";
import { grouped, type Library, mirrored, PRESETS, type Settings, type State, words } from "./settings";

export interface Orders {
  set(change: Partial<Settings>, what: string, ended: boolean): void;
  neutral(): void;
  load(file: string): void;
  unload(): void;
  upload(file: File): void;
  run(on: boolean): void;
  seek(frame: number): void;
  compare(target: string, result: string): void;
  face(): void;
  undo(): void;
  redo(): void;
  look(look: Look): void;
}

/** What skin is painted by, and whether muscles are seen through it. */
export interface Look {
  paint: "skin" | "activation";
  lines: boolean;
}

type Row = { name: string; root: HTMLElement; set(settings: Settings): void };

export class Panel {
  private state: State | null = null;
  private rows: Row[] = [];
  private built = "";
  look: Look = remembered<Look>("face:look", { paint: "skin", lines: false });
  private isMirrored = remembered("face:mirror", true);
  private readonly undo: HTMLButtonElement;
  private readonly redo: HTMLButtonElement;
  private readonly files = choice("Face", [], (value) => this.orders.set({ face: value || null }, "face", true));
  private readonly performance = choice("Weights", [], (value) =>
    value ? this.orders.load(value) : this.orders.unload(),
  );
  private readonly playButton = button("Play", "Space", () => this.orders.run(!this.state?.running));
  private readonly scrubber = element("input");
  private readonly place = element("output");
  private readonly expressions = section("Expressions");
  private readonly muscles = section("Muscles", false);
  private readonly flesh: FleshPanel;
  private readonly target = choice("Target", [], () => {});
  private readonly result = choice("Result", [], () => {});
  readonly fitNote = element("p", "note", "Two meshes of the same vertices: a target, and what a fit made of it.");
  readonly facts = element("div", "facts");

  constructor(
    root: HTMLElement,
    private readonly orders: Orders,
  ) {
    const head = section("Face");
    this.undo = button("Undo", "Ctrl Z", () => orders.undo());
    this.redo = button("Redo", "Ctrl Shift Z", () => orders.redo());
    const neutral = button("Neutral", "N: all sliders to where they began", () => orders.neutral());
    const buttons = element("div", "buttons");
    for (const own of [this.undo, this.redo, neutral]) own.classList.add("grow");
    buttons.append(this.undo, this.redo, neutral);
    const paint = segments(
      "Skin shows",
      [
        { value: "skin", words: "Itself" },
        { value: "activation", words: "Activation" },
      ],
      (value) => this.see({ ...this.look, paint: value as Look["paint"] }),
    );
    const lines = segments(
      "Muscles",
      [
        { value: "off", words: "Hidden" },
        { value: "on", words: "Contraction lines" },
      ],
      (value) => this.see({ ...this.look, lines: value === "on" }),
    );
    paint.set(this.look.paint);
    lines.set(this.look.lines ? "on" : "off");
    this.marks = (look) => {
      paint.set(look.paint);
      lines.set(look.lines ? "on" : "off");
    };
    head.body.append(this.files.root, paint.root, lines.root, buttons);

    const played = section("Performance");
    const upload = element("input");
    upload.type = "file";
    upload.accept = ".csv,.json";
    upload.hidden = true;
    upload.onchange = () => upload.files?.[0] && orders.upload(upload.files[0]);
    const open = button("Open …", "A table or JSON of weights", () => upload.click());
    this.scrubber.type = "range";
    this.scrubber.min = "0";
    this.scrubber.setAttribute("aria-label", "Frame");
    this.scrubber.oninput = () => orders.seek(Number(this.scrubber.value));
    const scrub = element("div", "scrub");
    scrub.append(this.playButton, this.scrubber, this.place);
    const more = element("div", "buttons");
    more.append(open, upload);
    played.body.append(this.performance.root, scrub, more);

    this.flesh = new FleshPanel(orders);
    const fit = section("Error of a fit", false);
    const both = element("div", "buttons");
    both.append(
      button("Show", "Distances in millimetres", () => orders.compare(chosen(this.target), chosen(this.result))),
      button("Back to the face", "", () => orders.face()),
    );
    fit.body.append(this.target.root, this.result.root, both, this.fitNote);
    const facts = section("Figures");
    facts.body.append(this.facts);
    root.append(head.root, played.root, this.expressions.root, this.muscles.root, this.flesh.root, fit.root, facts.root);
  }

  private readonly marks: (look: Look) => void;

  see(look: Look): void {
    this.look = look;
    this.marks(look);
    remember("face:look", look);
    this.orders.look(look);
  }

  library(library: Library): void {
    const file = (name: string) => ({ value: name, words: name });
    this.files.fill([{ value: "", words: "Built-in head" }, ...library.faces.map(file)]);
    this.performance.fill([
      { value: "", words: "None" },
      { value: "speech", words: "Built-in speech" },
      ...library.performances.map(file),
    ]);
    this.target.fill(library.meshes.map(file));
    this.result.fill(library.meshes.map(file));
    const names = JSON.stringify([library.shapes, library.muscles]);
    if (names !== this.built) {
      this.built = names;
      this.layOut(library);
    }
    this.flesh.library(library);
    if (this.state) this.show(this.state);
  }

  show(state: State): void {
    this.state = state;
    const { settings, performance } = state;
    this.undo.disabled = !state.undo;
    this.redo.disabled = !state.redo;
    this.undo.title = state.undo ? `Undo ${state.undo} (Ctrl Z)` : "";
    this.files.set(settings.face ?? "");
    this.performance.set(performance?.name ?? "");
    this.playButton.disabled = !performance;
    this.playButton.textContent = state.running ? "Pause" : "Play";
    this.scrubber.disabled = !performance;
    this.scrubber.max = String((performance?.frames ?? 1) - 1);
    for (const row of this.rows) row.set(settings);
    this.flesh.show(settings);
    const count = Object.keys(settings.shapes).length;
    this.expressions.note.textContent = count > 0 ? `${count} at work` : "";
    const muscles = Object.keys(settings.muscles).length;
    this.muscles.note.textContent = muscles > 0 ? `${muscles} at work` : "";
  }

  /** Where the performance is. */
  at(frame: number): void {
    if (document.activeElement !== this.scrubber || this.state?.running) this.scrubber.value = String(frame);
    const frames = this.state?.performance?.frames;
    this.place.textContent = frames ? `${frame + 1} / ${frames}` : "";
    const part = frames ? (100 * frame) / Math.max(1, frames - 1) : 0;
    this.scrubber.style.setProperty("--part", `${part}%`);
  }

  private layOut(library: Library): void {
    this.rows = [];
    const { body } = this.expressions;
    const presets = element("div", "buttons");
    const known = new Set(library.shapes);
    for (const [title, weights] of PRESETS) {
      if (!Object.keys(weights).every((name) => known.has(name))) continue;
      presets.append(
        button(title, "All other expressions rest", () => {
          const rest = Object.fromEntries(library.shapes.map((name) => [name, 0]));
          this.orders.set({ shapes: { ...rest, ...weights } }, title.toLowerCase(), true);
        }),
      );
    }
    const mirror = segments(
      "Sides",
      [
        { value: "both", words: "Together" },
        { value: "one", words: "Each" },
      ],
      (value) => {
        this.isMirrored = value === "both";
        remember("face:mirror", this.isMirrored);
      },
    );
    mirror.set(this.isMirrored ? "both" : "one");
    const list = element("div");
    body.replaceChildren(presets, mirror.root, this.filter(list), list);
    for (const [title, names] of grouped(library.shapes)) {
      const group = element("div");
      group.append(element("div", "sub", title));
      for (const name of names) {
        group.append(this.row(name, { low: 0, high: 1 }, (s) => s.shapes, (shapes) => ({ shapes })));
      }
      list.append(group);
    }
    const all = element("div");
    this.muscles.body.replaceChildren(this.filter(all), all);
    for (const name of library.muscles) {
      all.append(this.row(name, { low: -0.3, high: 0.6 }, (s) => s.muscles, (muscles) => ({ muscles })));
    }
  }

  private row(
    name: string,
    range: { low: number; high: number },
    get: (s: Settings) => Record<string, number>,
    put: (values: Record<string, number>) => Partial<Settings>,
  ): HTMLElement {
    const control = slider({
      label: words(name),
      ...range,
      usual: 0,
      change: (value, ended) => {
        const values: Record<string, number> = { [name]: value };
        if (this.isMirrored) values[mirrored(name)] = value;
        this.orders.set(put(values), words(name).toLowerCase(), ended);
      },
    });
    control.root.dataset.name = name;
    this.rows.push({ name, root: control.root, set: (settings) => control.set(get(settings)[name] ?? 0) });
    return control.root;
  }

  /** A field that leaves only rows with its words. */
  private filter(list: HTMLElement): HTMLElement {
    const field = element("input", "text filter");
    field.placeholder = "Filter";
    field.setAttribute("aria-label", "Filter");
    field.oninput = () => {
      const typed = field.value.toLowerCase();
      for (const row of list.querySelectorAll<HTMLElement>(".row")) {
        row.hidden = !words(row.dataset.name ?? "").toLowerCase().includes(typed);
      }
      for (const group of list.querySelectorAll<HTMLElement>(":scope > div:not(.row)")) {
        group.hidden = !group.querySelector(".row:not([hidden])");
      }
    };
    return field;
  }
}

function chosen(control: { root: HTMLElement }): string {
  return control.root.querySelector("select")?.value ?? "";
}
