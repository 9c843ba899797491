// Play: any scene, by one method or two, to be pulled at while it moves.

import {
  BufferAttribute,
  BufferGeometry,
  Color,
  LineBasicMaterial,
  LineSegments,
  MeshStandardMaterial,
  SRGBColorSpace,
  Vector3,
} from "three";
import { element } from "../controls/element";
import { Plot } from "../controls/plot";
import type { Connection, Header, Packet } from "../shell/connection";
import type { Place, Shortcut, View } from "../shell/place";
import type { Shell } from "../shell/shell";
import { BODIES } from "../stage/colours";
import { Stage } from "../stage/stage";
import { SurfaceMesh } from "../stage/surface";
import { Hand } from "./hand";
import { Obstacles } from "./obstacles";
import { Panel } from "./panel";
import { type Menus, methodWords, type SceneEntry, type State } from "./settings";

export const play: Place = {
  name: "play",
  title: "Play",
  open: (shell, connection) => new PlayView(shell, connection),
};

/** Where scenes are looked at from. */
const FROM = new Vector3(0.5, 0.28, 1);

class PlayView implements View {
  readonly shortcuts: Shortcut[];
  readonly stage: Stage;
  readonly energy: Plot;
  readonly momentum: Plot;
  private readonly speed: Plot;
  private readonly panel: Panel;
  private readonly hand: Hand;
  private readonly caption = element("div", "caption");
  private readonly labels = [element("div", "label first"), element("div", "label second")];
  surfaces: SurfaceMesh[] = [];
  state: State | null = null;
  private rods: LineSegments[] = [];
  private obstacles: Obstacles | null = null;
  private generation = -1;
  private seen: number[] = [];

  constructor(
    private readonly shell: Shell,
    private readonly connection: Connection,
  ) {
    this.stage = new Stage(shell.stage, "play");
    shell.stage.append(this.caption, ...this.labels);
    this.energy = new Plot("Energy", "J", [
      { colour: "--first", words: "" },
      { colour: "--first", words: "account", dashed: true },
      { colour: "--second", words: "second" },
      { colour: "--second", dashed: true },
    ]);
    this.momentum = new Plot("Momentum", "", [
      { colour: "--first", words: "linear" },
      { colour: "--first", words: "angular", dashed: true },
      { colour: "--second" },
      { colour: "--second", dashed: true },
    ]);
    this.speed = new Plot("Time per step", "ms", [
      { colour: "--first", words: "" },
      { colour: "--second", words: "second" },
    ]);
    shell.strip.append(this.energy.root, this.momentum.root, this.speed.root);
    const send = connection.send.bind(connection);
    const orders = {
      open: (scene: unknown) => send({ do: "open", scene }),
      set: (change: unknown, what: string, ended: boolean) => send({ do: "set", change, what, ended }),
      run: (on: boolean) => send({ do: "run", on }),
      step: () => send({ do: "step" }),
      reset: () => send({ do: "reset" }),
      undo: () => send({ do: "undo" }),
      redo: () => send({ do: "redo" }),
    };
    this.panel = new Panel(shell.panel, orders);
    this.hand = new Hand(this.stage, () => this.surfaces, {
      grab: (vertex) => send({ do: "grab", vertex }),
      drag: (by) => send({ do: "drag", by: by.toArray() }),
      release: () => send({ do: "release" }),
    });
    this.shortcuts = [
      { key: " ", words: "Play or pause", run: () => orders.run(!this.state?.running) },
      { key: "s", words: "One step", run: orders.step },
      { key: "r", words: "Back to the beginning", run: orders.reset },
      { key: "c", words: "Compare two methods, or one alone", run: () => this.panel.compare() },
      { key: "f", words: "Look at everything", run: () => this.stage.goHome() },
      { key: "ctrl+z", words: "Undo", run: orders.undo },
      { key: "ctrl+shift+z", words: "Redo", run: orders.redo },
    ];
  }

  message(message: Header): void {
    if (message.kind === "library") {
      this.panel.library(message.scenes as SceneEntry[], message.files as string[], message.menus as Menus);
      if (this.state) this.told(this.state);
    }
    else if (message.kind === "state") this.told(message as unknown as State);
    else if (message.kind === "samples") this.recall(message.lanes as number[][][]);
  }

  packet(packet: Packet): void {
    if (packet.header.kind === "mesh") this.dress(packet);
  }

  frame(packet: Packet): void {
    const { header } = packet;
    if (header.generation !== this.generation) return;
    this.surfaces.forEach((surface, k) => {
      const positions = packet.floats(`positions${k}`);
      surface.move(positions);
      const rods = this.rods[k]?.geometry.getAttribute("position") as BufferAttribute | undefined;
      rods?.array.set(positions);
      if (rods) rods.needsUpdate = true;
    });
    this.obstacles?.move(packet.floats("poses"));
    this.draw(header.samples as number[][][]);
    this.hand.follow();
    this.stage.draw();
  }

  themed(): void {
    for (const plot of [this.energy, this.momentum, this.speed]) plot.ask();
  }

  close(): void {
    this.stage.close();
  }

  private told(state: State): void {
    this.state = state;
    this.panel.show(state);
    const { methods } = state.settings;
    this.labels.forEach((label, k) => {
      label.hidden = methods.length < 2;
      label.style.left = `${25 + 50 * k}%`;
      label.textContent = methods[k] ? methodWords(this.panel.menus, methods[k]) : "";
    });
    const count = (n: number) => n.toLocaleString("en");
    this.shell.tell(`${count(state.vertices)} vertices · ${count(state.elements)} elements`);
  }

  /** New surfaces for a new scene, or for another number of methods. */
  private dress(packet: Packet): void {
    const { header } = packet;
    const bounds = header.bounds as [number[], number[]];
    const [low, high] = bounds.map((corner) => new Vector3().fromArray(corner));
    const extent = Math.max(high.distanceTo(low), 1e-3);
    this.generation = header.generation as number;
    this.clear();
    const counts = header.bodies as number[];
    const total = counts.reduce((a, b) => a + b, 0);
    const triangles = packet.counts("triangles");
    const colours = painted(counts, packet.floats("colours"));
    const ends = packet.counts("rods");
    const lanes = header.lanes as number;
    for (let k = 0; k < lanes; k += 1) {
      const material = new MeshStandardMaterial({ vertexColors: true, roughness: 0.38, side: 2 });
      const surface = new SurfaceMesh(total, triangles, material);
      surface.paint(colours);
      this.surfaces.push(surface);
      this.stage.lanes[k].add(surface.mesh);
      if (ends.length > 0) {
        const geometry = new BufferGeometry();
        geometry.setAttribute("position", new BufferAttribute(new Float32Array(3 * total), 3));
        geometry.setIndex(new BufferAttribute(ends, 1));
        const rods = new LineSegments(geometry, new LineBasicMaterial({ color: this.stage.colour("--first") }));
        rods.frustumCulled = false;
        this.rods.push(rods);
        this.stage.lanes[k].add(rods);
      }
    }
    this.obstacles = new Obstacles(header.obstacles as never[], extent);
    this.stage.scene.add(this.obstacles.root);
    this.stage.hasFloor = (header.obstacles as unknown[]).length === 0;
    this.stage.split(lanes === 2);
    const name = String(header.name);
    this.caption.replaceChildren(element("b", "", name), element("span", "", "drag the body to pull it, elsewhere to turn"));
    this.stage.frame(low, high, FROM, name, { room: 1.3, floor: low.y - (header.stands ? 0 : 0.4 * extent) });
    for (const plot of [this.energy, this.momentum, this.speed]) plot.clear();
    this.seen = [];
  }

  private clear(): void {
    for (const part of [...this.surfaces.map((own) => own.mesh), ...this.rods]) {
      part.removeFromParent();
      part.geometry.dispose();
      for (const material of [part.material].flat()) material.dispose();
    }
    this.obstacles?.root.removeFromParent();
    [this.surfaces, this.rods] = [[], []];
  }

  private recall(lanes: number[][][]): void {
    this.seen = [];
    for (const plot of [this.energy, this.momentum, this.speed]) plot.clear();
    this.draw(lanes);
  }

  /** Adds samples to the plots: both methods' at the same time. */
  private draw(lanes: number[][][]): void {
    const [first, second] = lanes;
    if (!first) return;
    first.forEach((a, k) => {
      const b = second?.[k];
      const gap = Number.NaN;
      this.energy.add(a[0], [a[1] + a[2], a[3], b ? b[1] + b[2] : gap, b ? b[3] : gap]);
      this.momentum.add(a[0], [a[4], a[5], b?.[4] ?? gap, b?.[5] ?? gap]);
      this.speed.add(a[0], [a[6], b?.[6] ?? gap]);
      this.seen = a;
    });
    if (first.length > 0) this.tellFigures(first[first.length - 1], second?.[second.length - 1]);
  }

  private tellFigures(a: number[], b: number[] | undefined): void {
    const both = (get: (s: number[]) => string) => (b ? `${get(a)} · ${get(b)}` : get(a));
    const rows: [string, string][] = [
      ["Time", `${a[0].toFixed(2)} s`],
      ["Kinetic energy", both((s) => `${s[1].toPrecision(3)} J`)],
      ["Off its account", both((s) => off(s))],
      ["Iterations", both((s) => (s[8] ? `${s[7]} + ${s[8]}` : `${s[7]}`))],
      ["Guard or correction gave way", both((s) => (s[9] ? "yes" : "no"))],
      ["Frames shown", String(this.connection.counted.shown)],
    ];
    this.panel.facts.replaceChildren(
      ...rows.flatMap(([label, value]) => [element("span", "", label), element("b", "", value)]),
    );
  }

  /** The last sample, for whoever drives the page. */
  lastSample(): number[] {
    return this.seen;
  }
}

function off(s: number[]): string {
  const scale = Math.max(Math.abs(s[3]), s[1], 1e-30);
  return `${((100 * (s[1] + s[2] - s[3])) / scale).toPrecision(2)} %`;
}

/** Colours of vertices: their own, or that of their body. */
function painted(counts: number[], own: Float32Array): Float32Array {
  const total = counts.reduce((a, b) => a + b, 0);
  const colours = new Float32Array(3 * total);
  let vertex = 0;
  counts.forEach((count, body) => {
    const plain = new Color().setStyle(BODIES[body % BODIES.length], SRGBColorSpace);
    for (let k = 0; k < count; k += 1, vertex += 1) {
      const at = 3 * vertex;
      const colour =
        own.length > at && own[at] >= 0
          ? new Color().setRGB(own[at], own[at + 1], own[at + 2], SRGBColorSpace)
          : plain;
      colours.set([colour.r, colour.g, colour.b], at);
    }
  });
  return colours;
}
