// The brush: paints where it touches the surface, along the surface, and on the other side of the mirror.

import { BufferGeometry, LineBasicMaterial, LineLoop, Vector3 } from "three";
import type { Stage } from "../stage/stage";
import type { SurfaceMesh } from "../stage/surface";
import type { Neighbours } from "./neighbours";
import type { Painting } from "./painting";
import type { BrushKind, Ink } from "./settings";

/** What there is to paint on. */
export interface Canvas {
  surfaces: (SurfaceMesh | null)[];
  neighbours: Neighbours;
  painting: Painting;
  /** Longest side. */
  size: number;
}

export interface Painter {
  kind(): BrushKind;
  ink(): Ink;
  /** Vertices that are new in a stroke. */
  paint(vertices: number[], ink: Ink, ended: boolean): void;
}

/** Corners of the ring that shows how far the brush reaches. */
const CORNERS = 48;

export class Brush {
  private readonly ring: LineLoop;
  private stroke: { pointer: number; ink: Ink; done: Set<number>; waiting: number[] } | null = null;
  private isAsked = false;

  constructor(
    private readonly stage: Stage,
    private readonly canvas: () => Canvas | null,
    private readonly painter: Painter,
  ) {
    const seen = { color: stage.colour("--text"), depthTest: false, transparent: true, opacity: 0.75 };
    this.ring = new LineLoop(new BufferGeometry(), new LineBasicMaterial(seen));
    this.ring.renderOrder = 9;
    this.ring.visible = false;
    this.ring.frustumCulled = false;
    stage.scene.add(this.ring);
    const element = stage.renderer.domElement;
    // Before the camera's own listener, which must not turn what is being painted.
    element.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    element.addEventListener("pointermove", (event) => this.move(event), { capture: true });
    for (const end of ["pointerup", "pointercancel"] as const) {
      element.addEventListener(end, (event) => this.up(event), { capture: true });
    }
    element.addEventListener("pointerleave", () => this.hide());
  }

  get isPainting(): boolean {
    return this.stroke !== null;
  }

  /** What the stroke has painted so far, for whoever shows other paint meanwhile. */
  again(painting: Painting): void {
    if (this.stroke) painting.put(this.stroke.done, this.stroke.ink);
  }

  private touched(event: PointerEvent): { vertex: number; point: Vector3; surface: SurfaceMesh } | null {
    const { caster, lane } = this.stage.ray(event);
    const surface = this.canvas()?.surfaces[lane];
    const hit = surface?.mesh.visible ? surface.pick(caster) : null;
    return hit && surface ? { ...hit, surface } : null;
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0 || event.altKey || event.shiftKey || this.stroke) {
      this.stage.controls.enabled = !this.stroke;
      return;
    }
    const hit = this.touched(event);
    this.stage.controls.enabled = !hit;
    if (!hit) return;
    event.stopImmediatePropagation();
    this.stage.renderer.domElement.setPointerCapture(event.pointerId);
    this.stroke = { pointer: event.pointerId, ink: this.painter.ink(), done: new Set(), waiting: [] };
    if (this.painter.kind().fills) this.fill(hit.vertex);
    else this.dab(hit);
  }

  private move(event: PointerEvent): void {
    if (this.stroke) {
      if (event.pointerId !== this.stroke.pointer) return;
      event.stopImmediatePropagation();
      const hit = this.painter.kind().fills ? null : this.touched(event);
      if (hit) this.dab(hit);
      return;
    }
    if (event.buttons !== 0) return;
    const hit = this.touched(event);
    if (hit) this.show(hit);
    else this.hide();
  }

  private up(event: PointerEvent): void {
    if (!this.stroke || event.pointerId !== this.stroke.pointer) return;
    event.stopImmediatePropagation();
    const { waiting, ink } = this.stroke;
    this.stroke = null;
    this.stage.controls.enabled = true;
    this.painter.paint(waiting, ink, true);
  }

  /** Paints what is joined to a vertex and painted as it is. */
  private fill(vertex: number): void {
    const canvas = this.canvas();
    if (!canvas || !this.stroke) return;
    const { painting, neighbours } = canvas;
    const { ink } = this.stroke;
    const kind = painting.kindOf(vertex, ink);
    this.take(neighbours.flood(vertex, (v) => painting.kindOf(v, ink) === kind));
  }

  /** Paints what is near a place, along the surface. */
  private dab(hit: { vertex: number; point: Vector3; surface: SurfaceMesh }): void {
    const canvas = this.canvas();
    if (!canvas) return;
    const reach = this.painter.kind().radius * canvas.size;
    this.take(canvas.neighbours.flood(hit.vertex, (v) => hit.surface.at(v).distanceTo(hit.point) <= reach));
    this.show(hit);
  }

  private take(vertices: Set<number>): void {
    const canvas = this.canvas();
    if (!canvas || !this.stroke) return;
    const { mirror } = this.painter.kind();
    const opposite = mirror === "off" ? [] : canvas.neighbours.mirrored(vertices, "xyz".indexOf(mirror));
    const { done, waiting, ink } = this.stroke;
    const fresh: number[] = [];
    for (const list of [vertices, opposite])
      for (const v of list) {
        if (done.has(v)) continue;
        done.add(v);
        fresh.push(v);
        waiting.push(v);
      }
    canvas.painting.put(fresh, ink);
    // One command per picture is enough.
    if (this.isAsked || fresh.length === 0) return;
    this.isAsked = true;
    requestAnimationFrame(() => {
      this.isAsked = false;
      if (this.stroke) this.painter.paint(this.stroke.waiting.splice(0), this.stroke.ink, false);
    });
  }

  /** The ring around the place that the brush would paint. */
  private show(hit: { point: Vector3 }): void {
    const kind = this.painter.kind();
    const size = this.canvas()?.size ?? 1;
    const radius = kind.fills ? 0.008 * size : kind.radius * size;
    const { camera } = this.stage;
    const right = new Vector3().setFromMatrixColumn(camera.matrixWorld, 0);
    const up = new Vector3().setFromMatrixColumn(camera.matrixWorld, 1);
    const corner = (k: number) => {
      const angle = (2 * Math.PI * k) / CORNERS;
      return hit.point
        .clone()
        .addScaledVector(right, radius * Math.cos(angle))
        .addScaledVector(up, radius * Math.sin(angle));
    };
    this.ring.geometry.dispose();
    this.ring.geometry = new BufferGeometry().setFromPoints(Array.from({ length: CORNERS }, (_, k) => corner(k)));
    this.ring.visible = true;
    this.stage.ask();
  }

  private hide(): void {
    if (!this.ring.visible) return;
    this.ring.visible = false;
    this.stage.ask();
  }
}
