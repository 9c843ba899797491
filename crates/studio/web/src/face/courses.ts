// Courses of muscles, seen through the skin: red where they are shorter than at rest.

import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/examples/jsm/lines/LineSegmentsGeometry.js";
import { tension } from "../stage/colours";

/** Strain that is as red, or as blue, as it gets. */
const SHORTEST = 0.3;

export class Courses {
  readonly lines: LineSegments2;
  private readonly ends: Float32Array<ArrayBuffer>;
  private readonly colours: Float32Array<ArrayBuffer>;

  constructor(
    /** Ends of pieces, among all points. */
    private readonly pieces: Uint32Array,
    private readonly muscleOf: Uint32Array,
  ) {
    this.ends = new Float32Array(3 * pieces.length);
    this.colours = new Float32Array(3 * pieces.length);
    const geometry = new LineSegmentsGeometry();
    geometry.setPositions(this.ends);
    geometry.setColors(this.colours);
    const material = new LineMaterial({ vertexColors: true, linewidth: 2.6, depthTest: false, transparent: true });
    this.lines = new LineSegments2(geometry, material);
    this.lines.frustumCulled = false;
    this.lines.renderOrder = 5;
  }

  /** Points, three numbers each, and how much longer than at rest each muscle is. */
  move(points: Float32Array, strains: Float32Array): void {
    this.pieces.forEach((point, k) => {
      this.ends.set(points.subarray(3 * point, 3 * point + 3), 3 * k);
      this.colours.set(tension(0.5 + (0.5 * strains[this.muscleOf[point]]) / SHORTEST), 3 * k);
    });
    this.lines.geometry.setPositions(this.ends);
    this.lines.geometry.setColors(this.colours);
  }
}
