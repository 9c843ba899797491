// The hand: takes hold of a vertex, moves it in the plane that faces the camera, and lets go.

import { BufferGeometry, Line, LineBasicMaterial, Mesh, MeshBasicMaterial, Plane, SphereGeometry, Vector3 } from "three";
import type { Stage } from "../stage/stage";
import type { SurfaceMesh } from "../stage/surface";

export interface Grasp {
  grab(vertex: number): void;
  drag(by: Vector3): void;
  release(): void;
}

export class Hand {
  private held: { lane: number; vertex: number; from: Vector3; to: Vector3; plane: Plane; pointer: number } | null = null;
  private readonly dot: Mesh;
  private readonly line: Line;
  private waiting: Vector3 | null = null;

  constructor(
    private readonly stage: Stage,
    private readonly surfaces: () => SurfaceMesh[],
    private readonly grasp: Grasp,
  ) {
    const colour = stage.colour("--warm");
    const seen = { color: colour, depthTest: false, transparent: true };
    this.dot = new Mesh(new SphereGeometry(1, 16, 12), new MeshBasicMaterial(seen));
    this.line = new Line(new BufferGeometry(), new LineBasicMaterial(seen));
    this.dot.renderOrder = this.line.renderOrder = 9;
    this.dot.visible = this.line.visible = false;
    stage.scene.add(this.dot, this.line);
    const canvas = stage.renderer.domElement;
    // Before the camera's own listener, which must not turn what is being pulled.
    canvas.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.move(event), { capture: true });
    for (const end of ["pointerup", "pointercancel"] as const) {
      canvas.addEventListener(end, (event) => this.up(event), { capture: true });
    }
  }

  get isHolding(): boolean {
    return this.held !== null;
  }

  /** Draws the hand where the vertex is by now. */
  follow(): void {
    const surface = this.held && this.surfaces()[this.held.lane];
    this.dot.visible = this.line.visible = !!surface;
    if (!this.held || !surface) return;
    const at = surface.at(this.held.vertex);
    const size = 0.006 * this.stage.camera.position.distanceTo(at);
    this.dot.position.copy(this.held.to);
    this.dot.scale.setScalar(size);
    this.line.geometry.setFromPoints([at, this.held.to]);
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0 || event.altKey || this.held) return;
    const { caster, lane } = this.stage.ray(event);
    const hit = this.surfaces()[lane]?.pick(caster);
    this.stage.controls.enabled = !hit;
    if (!hit) return;
    event.stopImmediatePropagation();
    this.stage.renderer.domElement.setPointerCapture(event.pointerId);
    const facing = this.stage.camera.getWorldDirection(new Vector3());
    const plane = new Plane().setFromNormalAndCoplanarPoint(facing, hit.point);
    this.held = {
      lane,
      vertex: hit.vertex,
      from: hit.point.clone(),
      to: hit.point.clone(),
      plane,
      pointer: event.pointerId,
    };
    this.grasp.grab(hit.vertex);
    this.follow();
    this.stage.ask();
  }

  private move(event: PointerEvent): void {
    if (!this.held || event.pointerId !== this.held.pointer) return;
    event.stopImmediatePropagation();
    const { caster } = this.stage.ray(event);
    const point = caster.ray.intersectPlane(this.held.plane, new Vector3());
    if (!point) return;
    this.held.to = point;
    // One command per picture is enough.
    if (!this.waiting) requestAnimationFrame(() => this.tell());
    this.waiting = point.clone().sub(this.held.from);
    this.follow();
    this.stage.ask();
  }

  private tell(): void {
    if (this.waiting && this.held) this.grasp.drag(this.waiting);
    this.waiting = null;
  }

  private up(event: PointerEvent): void {
    if (!this.held || event.pointerId !== this.held.pointer) return;
    event.stopImmediatePropagation();
    this.tell();
    this.held = null;
    this.stage.controls.enabled = true;
    this.grasp.release();
    this.follow();
    this.stage.ask();
  }
}
