// The line of the lips over the picture, with handles to drag.

import { Plane, Vector3 } from "three";
import type { Stage } from "../stage/stage";

const SVG = "http://www.w3.org/2000/svg";
/** Handles around the opening, and along the line where lips meet. */
const AROUND = 16;
const ALONG = 9;
/** How many handles on each side go along with one that is dragged. */
const REACH = 2;
/** Points of the line from a handle to the next. */
const FINE = 5;

export interface Line {
  camera: Record<string, unknown>;
  /** Pixels. */
  points: [number, number][];
  closed: boolean;
  handles: [number, number, number][];
}

export class Contour {
  readonly root = document.createElementNS(SVG, "svg");
  private readonly path = document.createElementNS(SVG, "path");
  private readonly dots: SVGCircleElement[] = [];
  private handles: Vector3[] = [];
  private closed = true;
  private held: { index: number; pointer: number; plane: Plane; from: Vector3; start: Vector3[] } | null = null;
  private isAsked = false;

  constructor(
    private readonly stage: Stage,
    private readonly draw: (line: Line, ended: boolean) => void,
  ) {
    this.root.classList.add("contour");
    this.root.append(this.path);
    stage.controls.addEventListener("change", () => this.place());
    new ResizeObserver(() => this.place()).observe(this.root);
  }

  get isHeld(): boolean {
    return this.held !== null;
  }

  set visible(is: boolean) {
    this.root.toggleAttribute("hidden", !is);
    this.root.style.display = is ? "" : "none";
  }

  /** Handles where they were put before. */
  put(handles: [number, number, number][], closed: boolean): void {
    if (this.held) return;
    this.take(handles.map((own) => new Vector3().fromArray(own)), closed);
  }

  /** Handles along the lips of a shape. */
  follow(ring: Uint32Array, at: (v: number) => Vector3, kind: "around" | "meet"): void {
    if (this.held || ring.length < 8) return;
    const places = Array.from(ring, at);
    if (kind === "around") {
      this.take(Array.from({ length: AROUND }, (_, k) => places[Math.floor((k * places.length) / AROUND)]), true);
      return;
    }
    // The corners are farthest apart; half of the ring leads from one to the other above, half below.
    const [a, b] = ends(places);
    const upper = [...places.slice(a), ...places.slice(0, a)];
    const cut = (b - a + places.length) % places.length;
    const lower = [...upper.slice(cut), upper[0]].reverse();
    const first = upper.slice(0, cut + 1);
    const sample = (list: Vector3[], t: number) => list[Math.round(t * (list.length - 1))];
    const middle = (k: number) => {
      const t = k / (ALONG - 1);
      return sample(first, t).clone().add(sample(lower, t)).multiplyScalar(0.5);
    };
    this.take(Array.from({ length: ALONG }, (_, k) => middle(k)), false);
  }

  private take(handles: Vector3[], closed: boolean): void {
    [this.handles, this.closed] = [handles.map((own) => own.clone()), closed];
    while (this.dots.length < handles.length) {
      const dot = document.createElementNS(SVG, "circle");
      const index = this.dots.length;
      dot.setAttribute("r", "5");
      dot.addEventListener("pointerdown", (event) => this.down(event, index));
      dot.addEventListener("pointermove", (event) => this.move(event));
      for (const end of ["pointerup", "pointercancel"] as const) {
        dot.addEventListener(end, (event) => this.up(event as PointerEvent));
      }
      this.dots.push(dot);
      this.root.append(dot);
    }
    while (this.dots.length > handles.length) this.dots.pop()?.remove();
    this.place();
  }

  /** Where a place is in the picture. */
  private pixel(place: Vector3): [number, number] {
    const box = this.stage.renderer.domElement.getBoundingClientRect();
    const { x, y } = this.stage.project(place);
    return [x - box.left, y - box.top];
  }

  private place(): void {
    if (this.handles.length === 0) return;
    const pixels = this.handles.map((own) => this.pixel(own));
    pixels.forEach(([x, y], k) => {
      this.dots[k].setAttribute("cx", String(x));
      this.dots[k].setAttribute("cy", String(y));
    });
    const line = smooth(pixels, this.closed);
    const text = line.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join(" L ");
    this.path.setAttribute("d", `M ${text}${this.closed ? " Z" : ""}`);
  }

  private down(event: PointerEvent, index: number): void {
    if (event.button !== 0) return;
    event.preventDefault();
    event.stopPropagation();
    (event.target as Element).setPointerCapture(event.pointerId);
    const facing = this.stage.camera.getWorldDirection(new Vector3());
    const plane = new Plane().setFromNormalAndCoplanarPoint(facing, this.handles[index]);
    const from = this.touched(event, plane) ?? this.handles[index].clone();
    const start = this.handles.map((own) => own.clone());
    this.held = { index, pointer: event.pointerId, plane, from, start };
  }

  private move(event: PointerEvent): void {
    if (!this.held || event.pointerId !== this.held.pointer) return;
    const { plane, from, start, index } = this.held;
    const point = this.touched(event, plane);
    if (!point) return;
    const by = point.sub(from);
    const count = start.length;
    start.forEach((own, k) => {
      const straight = Math.abs(k - index);
      const far = this.closed ? Math.min(straight, count - straight) : straight;
      const share = far > REACH ? 0 : Math.cos((0.5 * Math.PI * far) / (REACH + 1)) ** 2;
      this.handles[k].copy(own).addScaledVector(by, share);
    });
    this.place();
    // One line per picture is enough.
    if (this.isAsked) return;
    this.isAsked = true;
    requestAnimationFrame(() => {
      this.isAsked = false;
      if (this.held) this.draw(this.line(), false);
    });
  }

  private up(event: PointerEvent): void {
    if (!this.held || event.pointerId !== this.held.pointer) return;
    this.held = null;
    this.draw(this.line(), true);
  }

  private touched(event: PointerEvent, plane: Plane): Vector3 | null {
    return this.stage.ray(event).caster.ray.intersectPlane(plane, new Vector3());
  }

  /** The line as it is, and the camera that it is seen by. */
  private line(): Line {
    const { camera, controls, renderer } = this.stage;
    const { clientWidth: width, clientHeight: height } = renderer.domElement;
    return {
      camera: {
        eye: camera.position.toArray(),
        target: controls.target.toArray(),
        up: [0, 1, 0],
        field_of_view: camera.fov,
        width,
        height,
      },
      points: smooth(
        this.handles.map((own) => this.pixel(own)),
        this.closed,
      ),
      closed: this.closed,
      handles: this.handles.map((own) => own.toArray()),
    };
  }
}

/** The two of some places that are farthest apart, the one on the left first. */
function ends(places: Vector3[]): [number, number] {
  let [best, most]: [[number, number], number] = [[0, 0], -1];
  for (let a = 0; a < places.length; a += 1)
    for (let b = a + 1; b < places.length; b += 1) {
      const far = places[a].distanceToSquared(places[b]);
      if (far > most) [best, most] = [[a, b], far];
    }
  return places[best[0]].x <= places[best[1]].x ? best : [best[1], best[0]];
}

/** A curve through points (Catmull and Rom's), as a line of many. */
function smooth(points: [number, number][], closed: boolean): [number, number][] {
  const count = points.length;
  const at = (k: number) => (closed ? points[(k + count) % count] : points[Math.min(count - 1, Math.max(0, k))]);
  const line: [number, number][] = [];
  const pieces = closed ? count : count - 1;
  for (let k = 0; k < pieces; k += 1) {
    const [p, q, r, s] = [at(k - 1), at(k), at(k + 1), at(k + 2)];
    for (let i = 0; i < FINE; i += 1) {
      const t = i / FINE;
      const mix = (c: 0 | 1) =>
        0.5 *
        (2 * q[c] +
          (r[c] - p[c]) * t +
          (2 * p[c] - 5 * q[c] + 4 * r[c] - s[c]) * t * t +
          (3 * q[c] - p[c] - 3 * r[c] + s[c]) * t * t * t);
      line.push([mix(0), mix(1)]);
    }
  }
  if (!closed) line.push(points[count - 1]);
  return line;
}
