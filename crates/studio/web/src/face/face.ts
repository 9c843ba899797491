// Face: expressions, muscles, and what is done to them.

import { type BufferGeometry, Color, MeshStandardMaterial, SRGBColorSpace, Vector3 } from "three";
import { element } from "../controls/element";
import type { Connection, Header, Packet } from "../shell/connection";
import type { Place, Shortcut, View } from "../shell/place";
import type { Shell } from "../shell/shell";
import { upload } from "../shell/transfer";
import { HEAT_GRADIENT, heat, TENSION_GRADIENT } from "../stage/colours";
import { Stage } from "../stage/stage";
import { SurfaceMesh } from "../stage/surface";
import { Courses } from "./courses";
import { type Look, Panel } from "./panel";
import type { Library, State } from "./settings";

export const face: Place = {
  name: "face",
  title: "Face",
  open: (shell, connection) => new FaceView(shell, connection),
};

/** Where the face is looked at from. */
const FROM = new Vector3(0.42, 0.06, 1);
/** Contraction that is as warm as it gets, and error in millimetres. */
const HOTTEST = 0.22;
const WORST = 3;

class FaceView implements View {
  readonly shortcuts: Shortcut[];
  readonly stage: Stage;
  private readonly panel: Panel;
  private readonly legend = element("div", "legend");
  private readonly caption = element("div", "caption");
  surface: SurfaceMesh | null = null;
  state: State | null = null;
  private fit: SurfaceMesh | null = null;
  private lines: Courses | null = null;
  private own = new Float32Array();
  private painted = new Float32Array();
  private skin = 0;
  private generation = -1;
  private last: Packet | null = null;
  private tets = 0;

  constructor(
    private readonly shell: Shell,
    private readonly connection: Connection,
  ) {
    this.stage = new Stage(shell.stage, "face");
    this.stage.hasFloor = false;
    shell.stage.append(this.caption, this.legend);
    const send = connection.send.bind(connection);
    const orders = {
      set: (change: unknown, what: string, ended: boolean) => send({ do: "set", change, what, ended }),
      neutral: () => send({ do: "neutral" }),
      load: (file: string) => send({ do: "load", file }),
      unload: () => send({ do: "unload" }),
      upload: async (file: File) => {
        const name = await upload(file, shell);
        if (name) send({ do: "load", file: name });
      },
      run: (on: boolean) => send({ do: "run", on }),
      seek: (frame: number) => send({ do: "seek", frame }),
      compare: (target: string, result: string) => send({ do: "compare", target, result }),
      face: () => send({ do: "face" }),
      undo: () => send({ do: "undo" }),
      redo: () => send({ do: "redo" }),
      look: (look: Look) => this.seen(look),
    };
    this.panel = new Panel(shell.panel, orders);
    const { panel } = this;
    const paint = () => (panel.look.paint === "skin" ? "activation" : "skin");
    this.shortcuts = [
      { key: " ", words: "Play or pause the performance", run: () => orders.run(!this.state?.running) },
      { key: "a", words: "Activation on the skin", run: () => panel.see({ ...panel.look, paint: paint() }) },
      { key: "m", words: "Muscles’ contraction lines", run: () => panel.see({ ...panel.look, lines: !panel.look.lines }) },
      { key: "n", words: "Neutral", run: orders.neutral },
      { key: "f", words: "Look at the face", run: () => this.stage.goHome() },
      { key: "ctrl+z", words: "Undo", run: orders.undo },
      { key: "ctrl+shift+z", words: "Redo", run: orders.redo },
    ];
  }

  message(message: Header): void {
    if (message.kind === "library") {
      const library = message as unknown as Library;
      this.tets = library.tets;
      this.panel.library(library);
      this.shell.tell(`${library.tets.toLocaleString("en")} tets · ${library.muscles.length} muscles`);
    } else if (message.kind === "state") {
      this.state = message as unknown as State;
      this.panel.show(this.state);
    } else if (message.kind === "face") this.leaveFit();
  }

  packet(packet: Packet): void {
    if (packet.header.kind === "mesh") this.dress(packet);
    else if (packet.header.kind === "fit") this.showFit(packet);
  }

  frame(packet: Packet): void {
    if (packet.header.generation !== this.generation || !this.surface) return;
    this.last = packet;
    this.surface.move(packet.floats("positions"));
    this.paint();
    this.tellFigures(packet.header);
    this.panel.at(Number(packet.header.cursor));
    this.stage.draw();
  }

  close(): void {
    this.stage.close();
  }

  private dress(packet: Packet): void {
    const { header } = packet;
    this.generation = header.generation as number;
    this.skin = header.skin as number;
    const rest = packet.floats("rest");
    const colours = packet.floats("colours");
    const count = rest.length / 3;
    if (this.surface) remove(this.surface.mesh);
    if (this.lines) remove(this.lines.lines);
    const material = new MeshStandardMaterial({ vertexColors: true, roughness: 0.52, side: 2 });
    this.surface = new SurfaceMesh(count, packet.counts("triangles"), material);
    this.own = new Float32Array(3 * count);
    const colour = new Color();
    for (let v = 0; v < count; v += 1) {
      colour.setRGB(colours[3 * v], colours[3 * v + 1], colours[3 * v + 2], SRGBColorSpace);
      this.own.set([colour.r, colour.g, colour.b], 3 * v);
    }
    this.painted = this.own.slice();
    this.surface.paint(this.own);
    this.surface.move(rest);
    this.lines = new Courses(packet.counts("pieces"), packet.counts("muscleOf"));
    this.stage.scene.add(this.surface.mesh, this.lines.lines);
    const box = bounds(rest.subarray(0, 3 * this.skin));
    // The face, not the shoulders.
    const low = box[0].clone().lerp(box[1], 0.2).setY(box[0].y + 0.2 * (box[1].y - box[0].y));
    const high = box[1].clone().lerp(box[0], 0.2).setY(box[1].y - 0.08 * (box[1].y - box[0].y));
    this.stage.frame(low, high, FROM, "face");
    this.seen(this.panel.look);
    if (this.fit) this.surface.mesh.visible = false;
  }

  private seen(look: Look): void {
    if (this.lines) this.lines.lines.visible = look.lines && !this.fit;
    this.paint();
    const ramp = (gradient: string, low: string, high: string) => {
      const box = element("div");
      const bar = element("div", "ramp");
      bar.style.background = gradient;
      const ends = element("div", "ends");
      ends.append(element("span", "", low), element("span", "", high));
      box.append(bar, ends);
      return box;
    };
    this.legend.replaceChildren();
    if (this.fit) this.legend.append(ramp(HEAT_GRADIENT, "0 mm", `${WORST} mm from the target`));
    else {
      if (look.paint === "activation") this.legend.append(ramp(HEAT_GRADIENT, "at rest", "contracted"));
      if (look.lines) this.legend.append(ramp(TENSION_GRADIENT, "shorter by 30 %", "longer"));
    }
    this.stage.ask();
  }

  /** Colours of skin and lines, by the last frame. */
  private paint(): void {
    if (!this.surface) return;
    const { look } = this.panel;
    if (look.paint === "skin" || !this.last) this.surface.paint(this.own);
    else {
      const activation = this.last.floats("activation");
      this.painted.set(this.own);
      for (let v = 0; v < this.skin; v += 1) this.painted.set(heat(activation[v] / HOTTEST), 3 * v);
      this.surface.paint(this.painted);
    }
    if (look.lines && this.lines && this.last) {
      this.lines.move(this.last.floats("courses"), this.last.floats("strains"));
    }
  }

  private showFit(packet: Packet): void {
    if (this.fit) remove(this.fit.mesh);
    const positions = packet.floats("positions");
    const errors = packet.floats("errors");
    const material = new MeshStandardMaterial({ vertexColors: true, roughness: 0.6, side: 2 });
    this.fit = new SurfaceMesh(positions.length / 3, packet.counts("triangles"), material);
    this.fit.move(positions);
    const colours = new Float32Array(positions.length);
    errors.forEach((error, v) => colours.set(heat(error / WORST), 3 * v));
    this.fit.paint(colours);
    this.stage.scene.add(this.fit.mesh);
    if (this.surface) this.surface.mesh.visible = false;
    const { header } = packet;
    const mm = (value: unknown) => `${Number(value).toFixed(3)} mm`;
    this.panel.fitNote.textContent = `Mean ${mm(header.mean)}, at most ${mm(header.most)}.`;
    this.caption.replaceChildren(element("b", "", String(header.result)), element("span", "", `against ${header.target}`));
    const [low, high] = bounds(positions);
    this.stage.frame(low, high, FROM, String(header.result));
    this.seen(this.panel.look);
  }

  private leaveFit(): void {
    if (!this.fit || !this.surface) return;
    remove(this.fit.mesh);
    this.fit = null;
    this.surface.mesh.visible = true;
    this.caption.replaceChildren();
    this.seen(this.panel.look);
  }

  private tellFigures(header: Header): void {
    const [open, turn] = header.jaw as number[];
    const rows: [string, string][] = [
      ["Time per frame", `${Number(header.milliseconds).toFixed(1)} ms`],
      ["Iterations", String(header.iterations)],
      ["Residual", Number(header.residual).toExponential(1)],
      ["Lips in teeth", `${Number(header.penetration).toFixed(2)} mm`],
      ["Jaw", `${open.toFixed(1)}° open, ${turn.toFixed(1)}° aside`],
      ["Tets", this.tets.toLocaleString("en")],
      ["Frames shown", String(this.connection.counted.shown)],
    ];
    this.panel.facts.replaceChildren(
      ...rows.flatMap(([label, value]) => [element("span", "", label), element("b", "", value)]),
    );
  }
}

function remove(part: { removeFromParent(): void; geometry: BufferGeometry; material: unknown }): void {
  part.removeFromParent();
  part.geometry.dispose();
  for (const material of [part.material].flat() as { dispose(): void }[]) material.dispose();
}

function bounds(positions: Float32Array): [Vector3, Vector3] {
  const [low, high] = [new Vector3().setScalar(1e9), new Vector3().setScalar(-1e9)];
  const at = new Vector3();
  for (let v = 0; v < positions.length; v += 3) {
    at.fromArray(positions, v);
    low.min(at);
    high.max(at);
  }
  return [low, high];
}
