// Lips: a performance, lines drawn on a few of its frames, and what these teach about all others.

import { type BufferGeometry, CircleGeometry, Color, Mesh, MeshBasicMaterial, MeshStandardMaterial, SRGBColorSpace, Vector3 } from "three";
import { element } from "../controls/element";
import { Timeline } from "../controls/timeline";
import type { Connection, Header, Packet } from "../shell/connection";
import type { Place, Shortcut, View } from "../shell/place";
import type { Shell } from "../shell/shell";
import { download } from "../shell/transfer";
import { HEAT_GRADIENT, heat } from "../stage/colours";
import { Stage } from "../stage/stage";
import { SurfaceMesh } from "../stage/surface";
import { Contour, type Line } from "./contour";
import { Panel } from "./panel";
import type { Look, Source, State } from "./settings";

export const lips: Place = {
  name: "lips",
  title: "Lips",
  open: (shell, connection) => new LipsView(shell, connection),
};

/** Where mouths are looked at from. */
const FROM = new Vector3(0.12, 0.1, 1);
/** Millimetres that are as hot as it gets. */
const WORST = 1.5;
const SKIN = new Color().setStyle("#dfb49d", SRGBColorSpace);
const LIP = new Color().setStyle("#b45a55", SRGBColorSpace);

class LipsView implements View {
  readonly shortcuts: Shortcut[];
  readonly stage: Stage;
  readonly timeline: Timeline;
  readonly contour: Contour;
  private readonly panel: Panel;
  private readonly caption = element("div", "caption");
  private readonly legend = element("div", "legend");
  private readonly labels = [element("div", "label first", "Captured"), element("div", "label second", "Corrected")];
  state: State | null = null;
  surfaces: SurfaceMesh[] = [];
  private readonly cavity: Mesh;
  private ring: Uint32Array = new Uint32Array();
  private inner: Uint32Array = new Uint32Array();
  private skin = new Float32Array();
  private generation = -1;
  private last: Packet | null = null;
  private curves: Packet | null = null;
  private lined = "";
  private isSaving = false;

  constructor(
    private readonly shell: Shell,
    private readonly connection: Connection,
  ) {
    this.stage = new Stage(shell.stage, "lips");
    this.stage.hasFloor = false;
    this.cavity = new Mesh(new CircleGeometry(1, 48), new MeshBasicMaterial({ color: 0x2a0f0e, side: 2 }));
    this.cavity.scale.set(0.041, 0.026, 1);
    this.cavity.position.set(0, -0.006, -0.024);
    this.stage.scene.add(this.cavity);
    const send = connection.send.bind(connection);
    this.contour = new Contour(this.stage, (line, ended) => this.draw(line, ended));
    shell.stage.append(this.contour.root as unknown as HTMLElement, this.caption, this.legend, ...this.labels);
    const orders = {
      open: (source: Source) => send({ do: "open", source }),
      seek: (frame: number) => send({ do: "seek", frame }),
      add: () => send({ do: "add" }),
      discard: () => send({ do: "discard" }),
      truth: () => send({ do: "truth" }),
      remove: (frame: number) => send({ do: "remove", frame }),
      save: () => this.save(false),
      make: () => send({ do: "make", what: "model" }),
      undo: () => send({ do: "undo" }),
      redo: () => send({ do: "redo" }),
      look: (look: Look) => this.seen(look),
    };
    const run = () => send({ do: "run", on: !this.state?.running });
    this.panel = new Panel(shell.panel, orders);
    this.timeline = new Timeline({ run, seek: orders.seek });
    shell.strip.append(this.timeline.root);
    const { panel } = this;
    const step = (by: number) => {
      const frames = this.state?.frames ?? 1;
      orders.seek((this.cursor + by + frames) % frames);
    };
    const next = () => this.state?.suggestion && orders.seek(this.state.suggestion.frame);
    const lines: Look["contour"][] = ["off", "around", "meet"];
    const line = () => panel.see({ contour: lines[(lines.indexOf(panel.look.contour) + 1) % 3], compare: "corrected" });
    const turn = () => panel.see({ compare: panel.look.compare === "captured" ? "corrected" : "captured" });
    const both = () => panel.see({ compare: panel.look.compare === "both" ? "corrected" : "both" });
    this.shortcuts = [
      { key: " ", words: "Play or pause", run },
      { key: "arrowleft", words: "A frame back", run: () => step(-1) },
      { key: "arrowright", words: "A frame on", run: () => step(1) },
      { key: "n", words: "The suggested frame", run: () => void next() },
      { key: "l", words: "The line: around the opening, where lips meet, hidden", run: line },
      { key: "a", words: "Add what is drawn to the training set", run: orders.add },
      { key: "x", words: "Discard what is drawn", run: orders.discard },
      { key: "b", words: "Captured or corrected", run: turn },
      { key: "c", words: "Both side by side, or one alone", run: both },
      { key: "f", words: "Look at the mouth", run: () => this.stage.goHome() },
      { key: "ctrl+z", words: "Undo", run: orders.undo },
      { key: "ctrl+shift+z", words: "Redo", run: orders.redo },
    ];
  }

  get cursor(): number {
    return Number(this.last?.header.cursor ?? 0);
  }

  message(message: Header): void {
    if (message.kind === "library") this.panel.library(message.folders as string[]);
    else if (message.kind === "state") this.told(message as unknown as State);
    else if (message.kind === "saved") {
      this.isSaving = false;
      this.shell.confirm(String(message.sentence));
    } else if (message.kind === "exists") {
      const { file } = message;
      if (this.isSaving && confirm(`${file} is there already. Write over it?`)) this.save(true);
    } else if (message.kind === "made") download(String(message.file));
  }

  packet(packet: Packet): void {
    if (packet.header.kind === "mesh") this.dress(packet);
    else if (packet.header.kind === "curves" && packet.header.generation === this.generation) {
      this.curves = packet;
      this.drawTime();
    }
  }

  frame(packet: Packet): void {
    if (packet.header.generation !== this.generation) return;
    this.last = packet;
    this.timeline.at(this.cursor);
    this.place();
    if (this.state) this.panel.show(this.state, this.cursor);
    this.stage.draw();
  }

  themed(): void {
    this.timeline.ask();
  }

  close(): void {
    this.stage.close();
  }

  private told(state: State): void {
    this.state = state;
    this.panel.show(state, this.cursor);
    this.timeline.set(state.frames, state.fps, state.running);
    this.cavity.visible = state.folder === null;
    this.drawTime();
    this.lines();
    const name = state.folder === null ? "Built-in mouth" : state.folder || "The opened folder";
    const words = "drag the line’s points to where the lips should be";
    this.caption.replaceChildren(element("b", "", name), element("span", "", words));
    const count = (n: number) => n.toLocaleString("en");
    this.shell.tell(`${count(state.vertices)} vertices · ${count(state.frames)} frames · ${state.training.length} corrected`);
  }

  private dress(packet: Packet): void {
    this.generation = packet.header.generation as number;
    for (const { mesh } of this.surfaces) remove(mesh);
    [this.last, this.curves, this.lined] = [null, null, ""];
    const rest = packet.floats("rest");
    const count = rest.length / 3;
    const red = packet.floats("red");
    this.ring = packet.counts("ring");
    this.inner = packet.counts("inner");
    this.skin = new Float32Array(3 * count);
    const colour = new Color();
    for (let v = 0; v < count; v += 1) {
      colour.copy(SKIN).lerp(LIP, red[v] ?? 0);
      this.skin.set([colour.r, colour.g, colour.b], 3 * v);
    }
    this.surfaces = this.stage.lanes.map((lane) => {
      const material = new MeshStandardMaterial({ vertexColors: true, roughness: 0.48, side: 2 });
      const surface = new SurfaceMesh(count, packet.counts("triangles"), material);
      surface.move(rest);
      surface.paint(this.skin);
      lane.add(surface.mesh);
      return surface;
    });
    // The mouth, with some of what is around it.
    const [low, high] = [new Vector3().setScalar(1e9), new Vector3().setScalar(-1e9)];
    for (const v of this.ring) {
      const at = new Vector3().fromArray(rest, 3 * v);
      low.min(at);
      high.max(at);
    }
    this.stage.frame(low, high, FROM, `lips of ${count}`, { room: 1.7 });
    this.seen(this.panel.look);
  }

  private seen(look: Look): void {
    const isSplit = look.compare === "both";
    this.stage.split(isSplit);
    this.labels.forEach((label, k) => {
      label.hidden = !isSplit;
      label.style.left = `${25 + 50 * k}%`;
    });
    this.legend.replaceChildren();
    if (look.colours !== "skin") {
      const [bar, ends] = [element("div", "ramp"), element("div", "ends")];
      bar.style.background = HEAT_GRADIENT;
      const words = look.colours === "moved" ? "from the capture" : "from the truth";
      ends.append(element("span", "", "0 mm"), element("span", "", `${WORST} mm ${words}`));
      this.legend.style.bottom = isSplit ? "3.4em" : "";
      this.legend.append(bar, ends);
    }
    this.place();
    this.lines();
    this.stage.ask();
  }

  /** Positions and colours of the last frame, in the pictures that there are. */
  private place(): void {
    if (!this.last || this.surfaces.length < 2) return;
    const { compare, colours } = this.panel.look;
    const captured = this.last.floats("captured");
    const drawn = this.last.floats("drawn");
    const corrected = drawn.length > 0 ? drawn : this.last.floats("corrected");
    const shown = compare === "both" ? [captured, corrected] : [compare === "captured" ? captured : corrected];
    const against = colours === "moved" ? captured : this.last.floats("truth");
    shown.forEach((positions, k) => {
      this.surfaces[k].move(positions);
      this.surfaces[k].paint(colours === "skin" || against.length === 0 ? this.skin : this.warm(positions, against));
    });
    this.lines();
  }

  private warm(positions: Float32Array, against: Float32Array): Float32Array {
    const colours = this.skin.slice();
    for (const v of this.inner) {
      const far = Math.hypot(...[0, 1, 2].map((k) => positions[3 * v + k] - against[3 * v + k]));
      colours.set(heat((1000 * far) / WORST), 3 * v);
    }
    return colours;
  }

  /** The line with its handles: where it was drawn, or along the lips. */
  private lines(): void {
    const { contour, compare } = this.panel.look;
    const { state } = this;
    const isShown = compare !== "both" && !state?.running && this.last !== null;
    this.contour.visible = isShown && contour !== "off";
    if (!isShown || !state || contour === "off" || this.contour.isHeld) return;
    const { drawn } = state;
    const isOwn = drawn?.frame === this.cursor;
    // A line that is drawn stays as it is; one that is not follows the lips.
    const key = `${this.cursor} ${contour} ${isOwn ? JSON.stringify(drawn.handles) : state.training.join()}`;
    if (key === this.lined) return;
    this.lined = key;
    if (isOwn && drawn.closed === (contour === "around")) this.contour.put(drawn.handles, drawn.closed);
    else this.contour.follow(this.ring, (v) => this.surfaces[0].at(v), contour);
  }

  private save(over: boolean): void {
    this.isSaving = true;
    this.connection.send({ do: "save", over });
  }

  private draw(line: Line, ended: boolean): void {
    this.connection.send({ do: "draw", ...line, ended });
  }

  private drawTime(): void {
    const { state, curves } = this;
    if (!state || !curves) return;
    const [before, after] = [curves.floats("before"), curves.floats("after")];
    const unknown = curves.floats("unknown").map((part) => 100 * part);
    const all =
      before.length > 0
        ? [
            { colour: "--first", words: "off by, as captured (mm)", values: before },
            { colour: "--second", words: "as corrected", values: after },
          ]
        : [{ colour: "--second", words: "not shown by corrected frames (%)", values: unknown }];
    const marks = state.training.map((frame) => ({ frame, colour: "--good" }));
    if (state.suggestion && state.suggestion.score > 0.005) {
      marks.push({ frame: state.suggestion.frame, colour: "--warm" });
    }
    this.timeline.draw(all, marks);
  }
}

function remove(part: { removeFromParent(): void; geometry: BufferGeometry; material: unknown }): void {
  part.removeFromParent();
  part.geometry.dispose();
  for (const material of [part.material].flat() as { dispose(): void }[]) material.dispose();
}
