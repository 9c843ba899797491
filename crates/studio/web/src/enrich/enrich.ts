// Enrich: an animation, what is painted on it, and what physics makes of it.

import {
  BufferAttribute,
  BufferGeometry,
  LineBasicMaterial,
  MeshStandardMaterial,
  Points,
  PointsMaterial,
  Vector3,
} from "three";
import { element } from "../controls/element";
import { Timeline } from "../controls/timeline";
import type { Connection, Header, Packet } from "../shell/connection";
import type { Place, Shortcut, View } from "../shell/place";
import type { Shell } from "../shell/shell";
import { download, upload } from "../shell/transfer";
import { HEAT_GRADIENT } from "../stage/colours";
import { Stage } from "../stage/stage";
import { SurfaceMesh } from "../stage/surface";
import { Brush } from "./brush";
import { Neighbours } from "./neighbours";
import { Painting, STIFFNESS_GRADIENT, WEIGHT_GRADIENT } from "./painting";
import { Panel } from "./panel";
import type { BrushKind, Ink, Library, Look, State } from "./settings";
import { Tets } from "./tets";

export const enrich: Place = {
  name: "enrich",
  title: "Enrich",
  open: (shell, connection) => new EnrichView(shell, connection),
};

/** Where animations are looked at from. */
const FROM = new Vector3(1, 0.3, 0.62);
/** Vertices in one command. */
const MANY = 50_000;

class EnrichView implements View {
  readonly shortcuts: Shortcut[];
  readonly stage: Stage;
  readonly timeline: Timeline;
  readonly panel: Panel;
  private readonly brush: Brush;
  private readonly caption = element("div", "caption");
  private readonly legend = element("div", "legend");
  private readonly labels = [element("div", "label first", "Before"), element("div", "label second", "After")];
  state: State | null = null;
  /** The first picture's surface, and the second's. */
  surfaces: SurfaceMesh[] = [];
  painting: Painting | null = null;
  private neighbours: Neighbours | null = null;
  private tets: Tets | null = null;
  private marks: Points;
  private marked: number[] = [];
  private groups = new Map<string, Uint32Array>();
  private generation = -1;
  private size = 1;
  private last: Packet | null = null;
  private saving = ["", ""];
  private readonly ink: LineBasicMaterial;

  constructor(
    private readonly shell: Shell,
    private readonly connection: Connection,
  ) {
    this.stage = new Stage(shell.stage, "enrich");
    this.ink = new LineBasicMaterial({ color: this.stage.colour("--text"), transparent: true, opacity: 0.28 });
    const dots = { size: 2.5, sizeAttenuation: false, color: 0x26241f, transparent: true, opacity: 0.5 };
    this.marks = new Points(new BufferGeometry(), new PointsMaterial(dots));
    this.marks.frustumCulled = false;
    this.stage.lanes[0].add(this.marks);
    shell.stage.append(this.caption, this.legend, ...this.labels);
    const send = connection.send.bind(connection);
    const orders = {
      open: (source: unknown) => send({ do: "open", source }),
      upload: (files: File[]) => void this.upload(files),
      set: (change: unknown, what: string, ended: boolean) => send({ do: "set", change, what, ended }),
      findFollow: () => send({ do: "find-follow" }),
      fillGroup: (name: string) => this.fillGroup(name),
      enrich: () => send({ do: "enrich" }),
      stop: () => send({ do: "stop" }),
      save: (name: string, format: string) => this.save(name, format, false),
      make: (what: string, format: string) => send({ do: "make", what, format }),
      undo: () => send({ do: "undo" }),
      redo: () => send({ do: "redo" }),
      look: (look: Look) => this.seen(look),
      brush: (kind: BrushKind) => this.took(kind),
    };
    const run = () => send({ do: "run", on: !this.state?.running });
    const seek = (frame: number) => send({ do: "seek", frame });
    this.panel = new Panel(shell.panel, orders);
    this.timeline = new Timeline({ run, seek }, "% of its size");
    shell.strip.append(this.timeline.root);
    this.brush = new Brush(this.stage, () => this.canvas(), {
      kind: () => this.panel.brush.kind,
      ink: () => this.panel.brush.ink(),
      paint: (vertices, ink, ended) => this.paint(vertices, ink, `${this.panel.brush.kind.paint}`, ended),
    });
    const { panel } = this;
    const step = (by: number) => {
      const [frames, at] = [this.state?.frames ?? 1, Number(this.last?.header.cursor ?? 0)];
      seek((at + by + frames) % frames);
    };
    const radius = (factor: number) =>
      panel.brush.take({ radius: Math.min(0.4, Math.max(0.005, panel.brush.kind.radius * factor)) });
    const paint = (key: string, kind: BrushKind["paint"], words: string): Shortcut => ({
      key,
      words,
      run: () => panel.brush.take({ paint: kind }),
    });
    this.shortcuts = [
      { key: " ", words: "Play or pause", run },
      { key: "arrowleft", words: "A frame back", run: () => step(-1) },
      { key: "arrowright", words: "A frame on", run: () => step(1) },
      { key: "e", words: "Enrich", run: orders.enrich },
      { key: "escape", words: "Stop", run: () => this.state?.run && orders.stop() },
      { key: "b", words: "Before or after", run: () => this.turn() },
      { key: "c", words: "Before and after side by side, or one alone", run: () => this.split() },
      { key: "t", words: "Tets, cut open, or the surface", run: () => this.open() },
      paint("q", "follow", "Brush: follow"),
      paint("w", "free", "Brush: free"),
      paint("v", "weight", "Brush: weight"),
      paint("s", "stiffness", "Brush: stiffness"),
      paint("x", "clear", "Brush: clear"),
      { key: "g", words: "Brush or fill", run: () => panel.brush.take({ fills: !panel.brush.kind.fills }) },
      { key: "[", words: "Smaller brush", run: () => radius(1 / 1.25) },
      { key: "]", words: "Larger brush", run: () => radius(1.25) },
      { key: "f", words: "Look at everything", run: () => this.stage.goHome() },
      { key: "ctrl+z", words: "Undo", run: orders.undo },
      { key: "ctrl+shift+z", words: "Redo", run: orders.redo },
    ];
  }

  message(message: Header): void {
    if (message.kind === "library") this.panel.library(message as unknown as Library);
    else if (message.kind === "state") this.told(message as unknown as State);
    else if (message.kind === "saved") this.shell.confirm(String(message.sentence));
    else if (message.kind === "exists") this.overwrite(String(message.file));
    else if (message.kind === "made") download(String(message.file));
  }

  packet(packet: Packet): void {
    const { kind, generation } = packet.header;
    if (kind === "mesh") this.dress(packet);
    else if (generation !== this.generation) return;
    else if (kind === "tets") this.fill(packet);
    else if (kind === "paint" && this.painting) {
      this.painting.take(packet);
      this.brush.again(this.painting);
      this.tets?.weigh(packet.floats("solid"));
      this.repaint();
    }
  }

  frame(packet: Packet): void {
    if (packet.header.generation !== this.generation) return;
    this.last = packet;
    this.timeline.at(Number(packet.header.cursor));
    this.place();
    if (this.panel.look.look.colours === "motion") this.repaint();
    this.stage.draw();
  }

  themed(): void {
    this.timeline.ask();
    this.ink.color = this.stage.colour("--text");
    this.stage.ask();
  }

  close(): void {
    this.stage.close();
  }

  private canvas() {
    const { neighbours, painting, surfaces, size } = this;
    return neighbours && painting ? { neighbours, painting, surfaces, size } : null;
  }

  private told(state: State): void {
    this.state = state;
    if (this.painting) this.painting.body = state.settings.young ?? state.usualYoung ?? 1;
    this.panel.show(state);
    this.timeline.set(state.frames, state.fps, state.running);
    const motion = state.result?.motion ?? [];
    const colour = state.result?.isStale ? "--target" : "--second";
    const words = state.result?.isStale ? "distance from the input, before the last changes" : "distance from the input";
    this.timeline.draw(motion.length > 0 ? [{ colour, words, values: motion.map((own) => 100 * own) }] : []);
    const count = (n: number) => n.toLocaleString("en");
    const tets = state.tets === null ? "" : ` · ${count(state.tets)} tets`;
    this.shell.tell(`${count(state.vertices)} vertices${tets} · ${count(state.frames)} frames`);
    this.seen(this.panel.look.look);
  }

  /** New surfaces for a new animation. */
  private dress(packet: Packet): void {
    const { header } = packet;
    this.generation = header.generation as number;
    for (const { mesh } of this.surfaces) {
      mesh.removeFromParent();
      mesh.geometry.dispose();
      for (const material of [mesh.material].flat()) material.dispose();
    }
    this.tets?.dispose();
    [this.tets, this.last] = [null, null];
    const rest = packet.floats("rest");
    const triangles = packet.counts("triangles");
    const count = rest.length / 3;
    this.surfaces = this.stage.lanes.map((lane) => {
      const material = new MeshStandardMaterial({ vertexColors: true, roughness: 0.55, side: 2 });
      const surface = new SurfaceMesh(count, triangles, material);
      lane.add(surface.mesh);
      surface.move(rest);
      return surface;
    });
    this.painting = new Painting(count);
    this.painting.dress(packet.floats("colours"));
    this.neighbours = new Neighbours(count, triangles, rest);
    const members = packet.counts("members");
    this.groups = new Map(
      (header.groups as [string, number, number][]).map(([name, from, length]) => [
        name,
        members.subarray(from, from + length),
      ]),
    );
    // Colours can be selected by, too, but are no parts.
    this.panel.brush.name([...this.groups.keys()].filter((name) => !/^(color|displaycolor)/i.test(name)));
    const [low, high] = [new Vector3().setScalar(1e9), new Vector3().setScalar(-1e9)];
    const at = new Vector3();
    for (let v = 0; v < rest.length; v += 3) {
      at.fromArray(rest, v);
      low.min(at);
      high.max(at);
    }
    this.size = Math.max(high.x - low.x, high.y - low.y, high.z - low.z, 1e-9);
    const name = String(header.name);
    this.caption.replaceChildren(
      element("b", "", name),
      element("span", "", "drag on the body to paint, elsewhere or with Alt to turn"),
    );
    this.stage.frame(low, high, FROM, name, { room: 0.98 });
    this.repaint();
  }

  private fill(packet: Packet): void {
    this.tets?.dispose();
    this.tets = new Tets(packet.counts("tets"), packet.floats("positions"), this.ink);
    this.stage.lanes[0].add(this.tets.root);
    this.tets.root.visible = false;
    this.seen(this.panel.look.look);
  }

  /** Another look: what is seen, in how many pictures, with which legend. */
  private seen(look: Look): void {
    const isCut = look.what === "tets" && this.tets !== null;
    const hasResult = this.state?.result !== null && this.state?.result !== undefined;
    const isSplit = !isCut && hasResult && look.compare === "both";
    this.stage.split(isSplit);
    for (const label of this.labels) label.hidden = !isSplit;
    this.legend.style.bottom = isSplit ? "3.4em" : "";
    this.labels.forEach((label, k) => (label.style.left = `${25 + 50 * k}%`));
    for (const surface of this.surfaces) surface.mesh.visible = !isCut;
    this.marks.visible = !isCut && look.colours === "weights";
    if (this.tets) {
      this.tets.root.visible = isCut;
      if (isCut) this.tets.cut("xyz".indexOf(look.axis), look.cut);
    }
    const ramps: Record<Look["colours"], [string, string, string] | null> = {
      weights: [WEIGHT_GRADIENT, "physics", "the animation"],
      stiffness: [STIFFNESS_GRADIENT, "softer", "stiffer"],
      motion: [HEAT_GRADIENT, "where it was", "6 % of its size away"],
      plain: null,
    };
    const shown = isCut ? ramps.weights : ramps[look.colours];
    this.legend.replaceChildren();
    if (shown) {
      const [bar, ends] = [element("div", "ramp"), element("div", "ends")];
      bar.style.background = shown[0];
      ends.append(element("span", "", shown[1]), element("span", "", shown[2]));
      this.legend.append(bar, ends);
    }
    this.place();
    this.repaint();
  }

  /** Positions of the last frame, in the pictures that there are. */
  private place(): void {
    if (!this.last || this.surfaces.length < 2) return;
    const input = this.last.floats("input");
    const own = this.last.floats("result");
    const result = own.length > 0 ? own : input;
    const { compare } = this.panel.look.look;
    const isSplit = !this.labels[0].hidden;
    this.surfaces[0].move(isSplit || compare === "before" ? input : result);
    if (isSplit) this.surfaces[1].move(result);
    this.placeMarks();
  }

  private placeMarks(): void {
    const places = new Float32Array(3 * this.marked.length);
    this.marked.forEach((v, k) => this.surfaces[0]?.at(v).toArray(places, 3 * k));
    this.marks.geometry.dispose();
    this.marks.geometry = new BufferGeometry();
    this.marks.geometry.setAttribute("position", new BufferAttribute(places, 3));
  }

  private repaint(): void {
    if (!this.painting || this.surfaces.length < 2) return;
    const { look } = this.panel.look;
    const colours = this.painting.seen(look.colours, look.colours === "motion" ? this.motion() : null);
    this.surfaces[0].paint(colours);
    if (!this.labels[0].hidden) this.surfaces[1].paint(colours);
    this.marked = this.painting.marks();
    this.placeMarks();
    this.stage.ask();
  }

  /** How far every vertex is from the input, of the body's size. */
  private motion(): Float32Array | null {
    const input = this.last?.floats("input");
    const result = this.last?.floats("result");
    if (!input || !result || result.length !== input.length) return null;
    const far = new Float32Array(input.length / 3);
    for (let v = 0; v < far.length; v += 1) {
      const [x, y, z] = [0, 1, 2].map((k) => result[3 * v + k] - input[3 * v + k]);
      far[v] = Math.hypot(x, y, z) / this.size;
    }
    return far;
  }

  private paint(vertices: number[], ink: Ink, what: string, ended: boolean): void {
    for (let from = 0; from === 0 || from < vertices.length; from += MANY) {
      const isLast = from + MANY >= vertices.length;
      const some = vertices.slice(from, from + MANY);
      this.connection.send({ do: "paint", vertices: some, brush: ink, what, ended: ended && isLast });
    }
    this.repaint();
  }

  private fillGroup(name: string): void {
    const members = this.groups.get(name);
    if (!members) return;
    const ink = this.panel.brush.ink();
    this.painting?.put(members, ink);
    this.paint([...members], ink, `${this.panel.brush.kind.paint} ${name}`, true);
  }

  /** A brush shows what it paints. */
  private took(kind: BrushKind): void {
    const { look } = this.panel.look;
    const colours = kind.paint === "stiffness" ? "stiffness" : "weights";
    if (look.colours !== colours || look.what === "tets") this.panel.look.see({ colours, what: "surface" });
  }

  private turn(): void {
    const { compare } = this.panel.look.look;
    this.panel.look.see({ compare: compare === "before" ? "after" : "before", what: "surface" });
  }

  private split(): void {
    const { compare } = this.panel.look.look;
    this.panel.look.see({ compare: compare === "both" ? "after" : "both", what: "surface" });
  }

  private open(): void {
    this.panel.look.see({ what: this.panel.look.look.what === "tets" ? "surface" : "tets" });
  }

  private save(name: string, format: string, over: boolean): void {
    this.saving = [name, format];
    this.connection.send({ do: "save", name, format, over });
  }

  private overwrite(file: string): void {
    const [name, format] = this.saving;
    if (name && confirm(`${file} is there already. Write over it?`)) this.save(name, format, true);
  }

  /** Sends all files, and opens the one that the others belong to. */
  private async upload(files: File[]): Promise<void> {
    const names: string[] = [];
    for (const file of files) {
      const name = await upload(file, this.shell);
      if (name) names.push(name);
    }
    const order = [/\.toml$/i, /\.(pc2|mdd)$/i, /\.(glb|gltf|usd[acz]?)$/i, /./];
    const first = order.map((ending) => names.find((name) => ending.test(name))).find(Boolean);
    if (!first) return;
    const numbered = first.match(/^(.*?)\d+(\.(?:obj|ply|off|stl))$/i);
    const isSeries = numbered && names.filter((name) => name.startsWith(numbered[1])).length > 1;
    this.connection.send({ do: "list" });
    const file = isSeries && numbered ? `${numbered[1]}*${numbered[2]}` : first;
    this.connection.send({ do: "open", source: { file } });
  }
}
