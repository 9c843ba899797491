// The controls of Enrich.

import { button, choice, section, segments, slider } from "../controls/controls";
import { element } from "../controls/element";
import { BrushPanel } from "./brushes";
import { type BrushKind, type Library, type Look, type Settings, type Source, sourceValue, type State } from "./settings";
import { LookPanel } from "./look";

export interface Orders {
  open(source: Source): void;
  upload(files: File[]): void;
  set(change: Partial<Settings>, what: string, ended: boolean): void;
  findFollow(): void;
  fillGroup(name: string): void;
  enrich(): void;
  stop(): void;
  save(name: string, format: string): void;
  make(what: string, format: string): void;
  undo(): void;
  redo(): void;
  look(look: Look): void;
  brush(kind: BrushKind): void;
}

const FORMATS = [
  { value: "glb", words: "glTF (.glb)" },
  { value: "usda", words: "USD (.usda)" },
  { value: "pc2", words: "Point cache (.pc2)" },
  { value: "obj", words: "A mesh per frame (.obj)" },
];

export class Panel {
  private state: State | null = null;
  private entries: Library = { builtIn: [], projects: [], animations: [] };
  readonly look: LookPanel;
  readonly brush: BrushPanel;
  private readonly source;
  private readonly about = element("p", "note");
  private readonly undoButton: HTMLButtonElement;
  private readonly redoButton: HTMLButtonElement;
  private readonly controls: ((state: State) => void)[] = [];
  private readonly enrichButton: HTMLButtonElement;
  private readonly stopButton: HTMLButtonElement;
  private readonly done = element("div");
  private readonly work = element("div", "bar-of-work");
  private readonly note = element("p", "note");
  private readonly facts = element("div", "facts");
  private readonly name = element("input", "text");
  private readonly saveButton: HTMLButtonElement;
  private readonly resultButton: HTMLButtonElement;
  private shownName = "";

  constructor(
    root: HTMLElement,
    private readonly orders: Orders,
  ) {
    const head = section("Animation");
    this.source = choice("Animation", [], (value) => {
      const name = value.slice(2);
      orders.open(value.startsWith("b:") ? { "built-in": name } : { file: name });
    });
    const upload = element("input");
    upload.type = "file";
    upload.multiple = true;
    upload.accept = ".glb,.gltf,.bin,.usda,.usd,.usdc,.usdz,.pc2,.mdd,.obj,.ply,.toml";
    upload.hidden = true;
    upload.onchange = () => {
      orders.upload([...(upload.files ?? [])]);
      upload.value = "";
    };
    const open = button("Open …", "An animation, with all its files, or a project", () => upload.click());
    this.undoButton = button("Undo", "Ctrl Z", () => orders.undo());
    this.redoButton = button("Redo", "Ctrl Shift Z", () => orders.redo());
    const buttons = element("div", "buttons");
    for (const own of [this.undoButton, this.redoButton, open]) own.classList.add("grow");
    buttons.append(this.undoButton, this.redoButton, open, upload);
    head.body.append(this.source.root, this.about, buttons);

    this.look = new LookPanel((look) => orders.look(look));
    this.brush = new BrushPanel(orders);
    const run = section("Enrich");
    this.enrichButton = button("Enrich", "E", () => orders.enrich());
    this.enrichButton.classList.add("grow", "strong");
    this.stopButton = button("Stop", "Esc: what there is stays", () => orders.stop());
    this.work.append(this.done);
    const go = element("div", "buttons");
    go.append(this.enrichButton, this.stopButton);
    run.body.append(go, this.work, this.note, this.facts);

    const save = section("Save");
    this.name.setAttribute("aria-label", "Name");
    const row = element("div", "row wide");
    row.append(element("label", "", "Name"), this.name);
    const format = choice("Format", FORMATS, () => {});
    format.set("glb");
    const chosen = () => format.root.querySelector("select")?.value ?? "glb";
    this.saveButton = button("Save both here", "Project and result, beside the animation", () =>
      orders.save(this.name.value.trim(), chosen()),
    );
    this.saveButton.classList.add("grow");
    const make = element("div", "buttons");
    const project = button("Download project", "What `pliant enrich` reads", () => orders.make("project", "glb"));
    this.resultButton = button("Download result", "As glTF, or USD where that is chosen", () =>
      orders.make("result", chosen() === "usda" ? "usda" : "glb"),
    );
    for (const own of [project, this.resultButton]) own.classList.add("grow");
    make.append(project, this.resultButton);
    const here = element("div", "buttons");
    here.append(this.saveButton);
    save.body.append(row, format.root, here, make);
    root.append(head.root, run.root, this.look.root, this.brush.root, this.flesh(), save.root);
  }

  library(entries: Library): void {
    this.entries = entries;
    const files = (list: string[], group: string) =>
      list.map((name) => ({ value: `f:${name}`, words: name.replace(/^upload:/, ""), group }));
    this.source.fill([
      ...files(entries.projects, "Projects"),
      ...files(entries.animations, "Animations"),
      ...entries.builtIn.map(({ name }) => ({ value: `b:${name}`, words: name, group: "Built in" })),
    ]);
    if (this.state) this.show(this.state);
  }

  show(state: State): void {
    this.state = state;
    const { source } = state.settings;
    this.source.set(sourceValue(source));
    const entry = "built-in" in source ? this.entries.builtIn.find((own) => own.name === source["built-in"]) : undefined;
    this.about.textContent = [entry?.about ?? "", ...state.notes].filter(Boolean).join(" ");
    this.about.hidden = !this.about.textContent;
    this.undoButton.disabled = !state.undo;
    this.redoButton.disabled = !state.redo;
    this.undoButton.title = state.undo ? `Undo ${state.undo} (Ctrl Z)` : "Ctrl Z";
    this.redoButton.title = state.redo ? `Redo ${state.redo} (Ctrl Shift Z)` : "Ctrl Shift Z";
    for (const set of this.controls) set(state);
    this.brush.show(state);
    this.look.show(state);
    this.showRun(state);
    if (this.shownName !== state.stem) {
      this.shownName = state.stem;
      this.name.value = state.stem;
    }
    this.saveButton.disabled = !state.canSave;
    this.saveButton.textContent = state.result ? "Save project and result here" : "Save project here";
    this.resultButton.disabled = !state.result;
  }

  private showRun(state: State): void {
    const { run, result } = state;
    this.enrichButton.disabled = !!run || state.tets === null;
    this.enrichButton.textContent = run ? `Frame ${run.done + 1} of ${run.of}` : result ? "Enrich again" : "Enrich";
    this.stopButton.hidden = !run;
    this.work.hidden = !run;
    if (run) this.done.style.width = `${(100 * run.done) / run.of}%`;
    const words: string[] = [];
    if (!run && result && result.frames < state.frames) words.push(`Stopped after ${result.frames} of ${state.frames} frames.`);
    if (result?.isStale) words.push("What is set or painted has changed since.");
    words.push(...(result?.report?.warnings ?? []));
    this.note.textContent = words.join(" ");
    this.note.hidden = words.length === 0;
    const rows: [string, string][] = [];
    const report = run ? null : result?.report;
    const percent = (part: number) => `${(100 * part).toFixed(1)} % of its size`;
    if (report) {
      rows.push(
        ["Motion added", percent(report.motionAdded)],
        ["At most", percent(report.motionMost)],
        ["What follows is off by", `${report.followError}`],
        ["Spikes", String(report.spikes)],
        ["Time", `${report.seconds.toFixed(1)} s`],
      );
    }
    this.facts.replaceChildren(
      ...rows.flatMap(([label, value]) => [element("span", "", label), element("b", "", value)]),
    );
  }

  private flesh(): HTMLElement {
    const flesh = section("Flesh");
    const young = slider({
      label: "Stiffness",
      low: 100,
      high: 1e7,
      usual: 2e4,
      log: true,
      words: pascals,
      change: (value, ended) => this.orders.set({ young: Number(value.toPrecision(3)) }, "stiffness", ended),
    });
    const resolution = slider({
      label: "Resolution",
      low: 6,
      high: 80,
      usual: 24,
      step: 1,
      words: (v) => `${v} cells`,
      change: (value, ended) => this.orders.set({ resolution: Math.round(value) }, "resolution", ended),
    });
    const loop = segments(
      "Loop",
      [
        { value: "once", words: "Plays once" },
        { value: "loop", words: "Goes round" },
      ],
      (value) => this.orders.set({ isLoop: value === "loop" }, "loop", true),
    );
    const blend = segments(
      "Weights act",
      [
        { value: "implicit", words: "As a force" },
        { value: "kinematic", words: "On the shape" },
      ],
      (value) => this.orders.set({ isKinematic: value === "kinematic" }, "blending", true),
    );
    this.controls.push(({ settings, usualYoung, usualResolution }) => {
      young.set(settings.young ?? usualYoung ?? 2e4);
      resolution.set(settings.resolution ?? usualResolution);
      loop.set(settings.isLoop ? "loop" : "once");
      blend.set(settings.isKinematic ? "kinematic" : "implicit");
    });
    flesh.body.append(young.root, resolution.root, loop.root, blend.root);
    return flesh.root;
  }
}

export function pascals(value: number): string {
  return value >= 1e6 ? `${(value / 1e6).toPrecision(3)} MPa` : value >= 1e3 ? `${(value / 1e3).toPrecision(3)} kPa` : `${value.toPrecision(3)} Pa`;
}
