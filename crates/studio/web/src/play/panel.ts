// The controls of Play.

import { button, choice, type Control, section, slider } from "../controls/controls";
import { element } from "../controls/element";
import { type Menus, type Method, NO_MENUS, type SceneEntry, type Settings, type Source, type State } from "./settings";

export interface Orders {
  open(scene: Source): void;
  set(change: Partial<Settings>, what: string, ended: boolean): void;
  run(on: boolean): void;
  step(): void;
  reset(): void;
  undo(): void;
  redo(): void;
}

export class Panel {
  private state: State | null = null;
  private scenes: SceneEntry[] = [];
  menus: Menus = NO_MENUS;
  private readonly scene;
  private readonly variant;
  private readonly slowing;
  private readonly about = element("p", "note");
  private readonly runButton: HTMLButtonElement;
  private readonly undoButton: HTMLButtonElement;
  private readonly redoButton: HTMLButtonElement;
  private readonly methods = section("Method");
  private readonly controls: { set(settings: Settings): void }[] = [];
  private shownMethods = "";
  private methodControls: { set(method: Method): void }[] = [];
  readonly facts = element("div", "facts");

  constructor(
    root: HTMLElement,
    private readonly orders: Orders,
  ) {
    const scene = section("Scene");
    this.scene = choice("Scene", [], (value) => {
      const [kind, name] = [value.slice(0, 1), value.slice(2)];
      orders.open(kind === "d" ? { demo: { name, variant: 0 } } : { file: name });
    });
    this.variant = choice("Variant", [], (value) => {
      const source = this.state?.settings.scene;
      if (source && "demo" in source) orders.open({ demo: { name: source.demo.name, variant: Number(value) } });
    });
    this.runButton = button("Pause", "Space", () => orders.run(!this.state?.running));
    this.runButton.classList.add("grow");
    this.undoButton = button("Undo", "Ctrl Z", () => orders.undo());
    this.redoButton = button("Redo", "Ctrl Shift Z", () => orders.redo());
    const first = element("div", "buttons");
    first.append(
      this.runButton,
      button("Step", "S", () => orders.step()),
      button("Reset", "R", () => orders.reset()),
    );
    const second = element("div", "buttons");
    this.undoButton.classList.add("grow");
    this.redoButton.classList.add("grow");
    second.append(this.undoButton, this.redoButton);
    scene.body.append(this.scene.root, this.variant.root, this.about, first, second);

    const body = section("Body and air");
    const number = (
      label: string,
      options: { low: number; high: number; usual: number; log?: boolean; words?: (v: number) => string },
      get: (s: Settings) => number,
      put: (v: number, s: Settings) => Partial<Settings>,
    ) => {
      const control = slider({
        label,
        ...options,
        change: (value, ended) => this.state && orders.set(put(value, this.state.settings), label.toLowerCase(), ended),
      });
      this.controls.push({ set: (settings) => control.set(get(settings)) });
      return control.root;
    };
    this.slowing = choice("Damping", [], (kind) => {
      const rate = this.state?.settings.damping.rate ?? 0;
      orders.set({ damping: { kind, rate: kind !== "none" && rate === 0 ? 1 : rate } }, "damping", true);
    });
    this.controls.push({ set: (settings) => this.slowing.set(settings.damping.kind) });
    const wind = (axis: number) => (v: number, s: Settings) => {
      const all: [number, number, number] = [...s.wind];
      all[axis] = v;
      return { wind: all };
    };
    const speed = { low: -20, high: 20, usual: 0, words: (v: number) => `${v.toFixed(1)} m/s` };
    body.body.append(
      number(
        "Stiffness",
        { low: 0.05, high: 20, usual: 1, log: true, words: (v) => `× ${v.toPrecision(2)}` },
        (s) => s.stiffness,
        (stiffness) => ({ stiffness }),
      ),
      this.slowing.root,
      number(
        "Damping rate",
        { low: 0, high: 10, usual: 0, words: (v) => `${v.toFixed(2)} /s` },
        (s) => s.damping.rate,
        (rate, s) => ({ damping: { kind: s.damping.kind === "none" ? this.menus.dampings[1].value : s.damping.kind, rate } }),
      ),
      number("Wind →", speed, (s) => s.wind[0], wind(0)),
      number("Wind ↑", speed, (s) => s.wind[1], wind(1)),
      number("Wind ↗", speed, (s) => s.wind[2], wind(2)),
    );

    const time = section("Time and hand");
    time.body.append(
      number(
        "Step",
        { low: 1 / 480, high: 1 / 15, usual: 1 / 60, log: true, words: (v) => `${(1000 * v).toFixed(1)} ms` },
        (s) => s.step,
        (step) => ({ step }),
      ),
      number(
        "Pace",
        { low: 0, high: 2, usual: 1, words: (v) => (v < 0.02 ? "all it can" : `× ${v.toFixed(2)}`) },
        (s) => s.pace,
        (pace) => ({ pace: pace < 0.02 ? 0 : pace }),
      ),
      number(
        "Grip",
        { low: 0.05, high: 20, usual: 1, log: true, words: (v) => `× ${v.toPrecision(2)}` },
        (s) => s.grip,
        (grip) => ({ grip }),
      ),
    );
    const facts = section("Figures");
    facts.body.append(this.facts);
    root.append(scene.root, this.methods.root, body.root, time.root, facts.root);
  }

  library(scenes: SceneEntry[], files: string[], menus: Menus): void {
    this.scenes = scenes;
    this.menus = menus;
    this.slowing.fill(menus.dampings);
    this.shownMethods = "";
    this.scene.fill([
      ...files.map((name) => ({ value: `f:${name}`, words: name, group: "Project" })),
      ...scenes.map((own) => ({ value: `d:${own.name}`, words: own.name, group: "Built in" })),
    ]);
    if (this.state) this.show(this.state);
  }

  show(state: State): void {
    this.state = state;
    const { settings } = state;
    const source = settings.scene;
    this.scene.set("demo" in source ? `d:${source.demo.name}` : `f:${source.file}`);
    const entry = "demo" in source ? this.scenes.find((own) => own.name === source.demo.name) : undefined;
    this.about.textContent = entry?.about ?? "";
    this.variant.root.hidden = (entry?.variants.length ?? 0) < 2;
    this.variant.fill((entry?.variants ?? []).map((words, k) => ({ value: String(k), words: words || "as it is" })));
    if ("demo" in source) this.variant.set(String(source.demo.variant));
    this.runButton.textContent = state.running ? "Pause" : "Play";
    this.runButton.classList.toggle("on", !state.running);
    this.undoButton.disabled = !state.undo;
    this.redoButton.disabled = !state.redo;
    this.undoButton.textContent = state.undo ? `Undo ${state.undo}` : "Undo";
    this.redoButton.textContent = state.redo ? `Redo ${state.redo}` : "Redo";
    for (const control of this.controls) control.set(settings);
    const kinds = settings.methods.map((method) => `${method.solver} ${method.correction}`).join();
    if (kinds !== this.shownMethods) {
      this.shownMethods = kinds;
      this.layOutMethods(settings.methods);
    }
    settings.methods.forEach((method, k) => this.methodControls[k]?.set(method));
  }

  /** Adds a second method, or takes it away. */
  compare(): void {
    const methods = this.state?.settings.methods;
    if (!methods) return;
    if (methods.length === 2) {
      this.orders.set({ methods: [methods[0]] }, "comparison", true);
      return;
    }
    // With a correction beside without one.
    const [none, first] = this.menus.corrections.map((own) => own.value);
    const other = methods[0].correction === none ? first : none;
    this.orders.set({ methods: [methods[0], { ...methods[0], correction: other }] }, "comparison", true);
  }

  private layOutMethods(methods: Method[]): void {
    const { body } = this.methods;
    body.replaceChildren();
    this.methodControls = methods.map((method, k) => {
      const box = element("div", methods.length === 1 ? "" : k === 0 ? "lane" : "lane second");
      const controls = this.methodRows(k, method);
      box.append(...controls.map((control) => control.root));
      body.append(box);
      return { set: (method) => controls.forEach((control) => control.set(method)) };
    });
    const buttons = element("div", "buttons");
    const comparing = methods.length === 2;
    const compare = button(comparing ? "One method" : "Compare two", "C", () => this.compare());
    compare.classList.add("grow");
    const presets = this.menus.presets.map(({ words, about, method }) => button(words, about, () => this.take(method)));
    buttons.append(compare, ...presets);
    body.append(buttons);
  }

  /** Puts a preset in the place of the last method. */
  private take(preset: Method): void {
    const methods = this.state?.settings.methods;
    if (!methods) return;
    const last = methods.length - 1;
    const changed = methods.map((own, k) => (k === last ? preset : own));
    this.orders.set({ methods: changed }, "method", true);
  }

  private methodRows(k: number, shown: Method): Control<Method>[] {
    const put = (change: Partial<Method>, what: string, ended = true) => {
      const methods = this.state?.settings.methods;
      if (!methods) return;
      this.orders.set({ methods: methods.map((own, m) => (m === k ? { ...own, ...change } : own)) }, what, ended);
    };
    const { schemes, solvers, corrections } = this.menus;
    const scheme = choice("Scheme", schemes, (value) => {
      // A solver that does not go with the scheme makes room for the best one.
      const fitting = schemes.find((own) => own.value === value)?.solvers ?? [];
      const solver = this.state?.settings.methods[k]?.solver ?? "";
      put({ scheme: value, ...(fitting.includes(solver) ? {} : { solver: fitting[0] }) }, "scheme");
    });
    const solver = choice("Solver", solvers, (value) => {
      const iterations = solvers.find((own) => own.value === value)?.iterations ?? 20;
      const fitting = schemes.filter((own) => own.solvers.includes(value)).map((own) => own.value);
      const scheme = this.state?.settings.methods[k]?.scheme ?? "";
      put({ solver: value, iterations, ...(fitting.includes(scheme) ? {} : { scheme: fitting[0] }) }, "solver");
    });
    const correction = choice("Correction", corrections, (value) => put({ correction: value }, "correction"));
    const iterations = slider({
      label: "Iterations",
      low: 1,
      high: 100,
      usual: 20,
      step: 1,
      log: true,
      words: (v) => String(v),
      change: (value, ended) => put({ iterations: value }, "iterations", ended),
    });
    const filter = slider({
      label: "Filter",
      low: 0,
      high: 0.5,
      usual: 0,
      change: (value, ended) => put({ filter: value }, "filter", ended),
    });
    const rows: Control<Method>[] = [
      { root: scheme.root, set: (method) => scheme.set(method.scheme) },
      { root: solver.root, set: (method) => solver.set(method.solver) },
      { root: correction.root, set: (method) => correction.set(method.correction) },
    ];
    if (solvers.find((own) => own.value === shown.solver)?.iterations !== 1)
      rows.push({ root: iterations.root, set: (method) => iterations.set(method.iterations) });
    if (corrections.find((own) => own.value === shown.correction)?.filters) rows.push({ root: filter.root, set: (method) => filter.set(method.filter) });
    return rows;
  }
}
