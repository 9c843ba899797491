// The tets, cut by a plane, in the colours of their weights.

import {
  BufferAttribute,
  BufferGeometry,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshStandardMaterial,
} from "three";
import { weightColour } from "./painting";

/** Corners of the faces of a tet, seen from outside. */
const FACES = [
  [1, 2, 3],
  [0, 3, 2],
  [0, 1, 3],
  [0, 2, 1],
];

export class Tets {
  readonly root = new Group();
  private readonly mesh: Mesh;
  private readonly lines: LineSegments;
  private readonly low = [0, 0, 0];
  private readonly high = [0, 0, 0];
  private weights = new Float32Array();
  private shown: [number, number] = [0, 1];
  private isStale = true;

  constructor(
    private readonly tets: Uint32Array,
    private readonly positions: Float32Array,
    ink: LineBasicMaterial,
  ) {
    const material = new MeshStandardMaterial({ vertexColors: true, roughness: 0.7, flatShading: true, side: 2 });
    material.polygonOffset = true;
    material.polygonOffsetFactor = 1;
    material.polygonOffsetUnits = 1;
    this.mesh = new Mesh(new BufferGeometry(), material);
    this.lines = new LineSegments(new BufferGeometry(), ink);
    this.mesh.castShadow = true;
    this.mesh.receiveShadow = true;
    this.mesh.frustumCulled = this.lines.frustumCulled = false;
    this.root.add(this.mesh, this.lines);
    for (let k = 0; k < 3; k += 1) {
      [this.low[k], this.high[k]] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      for (let v = k; v < positions.length; v += 3) {
        this.low[k] = Math.min(this.low[k], positions[v]);
        this.high[k] = Math.max(this.high[k], positions[v]);
      }
    }
  }

  /** Weights of all vertices, also inside. */
  weigh(weights: Float32Array): void {
    this.weights = weights.slice();
    this.isStale = true;
    if (this.root.visible) this.cut(...this.shown);
  }

  /** Leaves what is on one side of a plane across an axis. */
  cut(axis: number, part: number): void {
    if (!this.isStale && this.shown[0] === axis && this.shown[1] === part) return;
    [this.shown, this.isStale] = [[axis, part], false];
    const { tets, positions } = this;
    const beyond = this.low[axis] + (part * 1.02 - 0.01) * (this.high[axis] - this.low[axis]);
    const count = positions.length / 3;
    // A face that two kept tets share is inside; its key is that of its corners in order.
    const faces = new Map<number, number[]>();
    for (let t = 0; t < tets.length; t += 4) {
      let middle = 0;
      for (let k = 0; k < 4; k += 1) middle += positions[3 * tets[t + k] + axis] / 4;
      if (middle > beyond) continue;
      for (const face of FACES) {
        const corners = face.map((k) => tets[t + k]);
        const [a, b, c] = [...corners].sort((x, y) => x - y);
        const key = (a * count + b) * count + c;
        if (!faces.delete(key)) faces.set(key, corners);
      }
    }
    const [places, colours] = [new Float32Array(9 * faces.size), new Float32Array(9 * faces.size)];
    const ends = new Float32Array(18 * faces.size);
    let at = 0;
    for (const corners of faces.values()) {
      corners.forEach((v, k) => {
        const place = positions.subarray(3 * v, 3 * v + 3);
        places.set(place, 9 * at + 3 * k);
        colours.set(weightColour(this.weights[v] ?? 0), 9 * at + 3 * k);
        ends.set(place, 18 * at + 6 * k);
        ends.set(place, 18 * at + 6 * ((k + 2) % 3) + 3);
      });
      at += 1;
    }
    this.mesh.geometry.dispose();
    this.mesh.geometry = new BufferGeometry();
    this.mesh.geometry.setAttribute("position", new BufferAttribute(places, 3));
    this.mesh.geometry.setAttribute("color", new BufferAttribute(colours, 3));
    this.mesh.geometry.computeVertexNormals();
    this.lines.geometry.dispose();
    this.lines.geometry = new BufferGeometry();
    this.lines.geometry.setAttribute("position", new BufferAttribute(ends, 3));
  }

  dispose(): void {
    this.root.removeFromParent();
    this.mesh.geometry.dispose();
    this.lines.geometry.dispose();
    (this.mesh.material as MeshStandardMaterial).dispose();
  }
}
