// Obstacles of a scene, and where they are.

import {
  BufferAttribute,
  BufferGeometry,
  Group,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  PlaneGeometry,
  Quaternion,
  Vector3,
} from "three";
import { toCreasedNormals } from "three/examples/jsm/utils/BufferGeometryUtils.js";

type Numbers = [number, number, number];
/** A half space behind a plane, a surface, or nothing that is shown. */
type Shape = { point: Numbers; normal: Numbers } | { positions: Numbers[]; triangles: Numbers[] } | null;

/** Edges sharper than this are seen (radians). */
const CREASE = 0.7;

export class Obstacles {
  readonly root = new Group();
  private readonly parts: (Mesh | null)[];
  private readonly rest: Matrix4[];

  constructor(shapes: Shape[], extent: number) {
    const made = shapes.map((shape) => build(shape, extent));
    this.parts = made.map((own) => own && own[0]);
    this.rest = made.map((own) => own?.[1] ?? new Matrix4());
    for (const part of this.parts) if (part) this.root.add(part);
  }

  /** Fifteen numbers each: a turn in columns, what it is about, and a shift. */
  move(poses: Float32Array): void {
    this.parts.forEach((part, k) => {
      const n = poses.subarray(15 * k, 15 * k + 15);
      if (!part || n.length < 15) return;
      const turn = new Matrix4().set(
        n[0], n[3], n[6], 0,
        n[1], n[4], n[7], 0,
        n[2], n[5], n[8], 0,
        0, 0, 0, 1,
      );
      const about = new Vector3(n[9], n[10], n[11]);
      const back = new Matrix4().makeTranslation(about.clone().negate());
      const there = new Matrix4().makeTranslation(about.add(new Vector3(n[12], n[13], n[14])));
      part.matrix.copy(there.multiply(turn).multiply(back).multiply(this.rest[k]));
    });
  }
}

function build(shape: Shape, extent: number): [Mesh, Matrix4] | null {
  if (!shape) return null;
  // What lies on an obstacle is seen before it.
  const behind = { polygonOffset: true, polygonOffsetFactor: 4, polygonOffsetUnits: 8 };
  const material = new MeshStandardMaterial({ color: "#a8a49c", roughness: 0.85, ...behind });
  const rest = new Matrix4();
  let geometry: BufferGeometry;
  if ("point" in shape) {
    const normal = new Vector3(...shape.normal);
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), normal);
    rest.compose(new Vector3(...shape.point), turn, new Vector3(1, 1, 1));
    geometry = new PlaneGeometry(6 * extent, 6 * extent);
  } else {
    const indexed = new BufferGeometry();
    indexed.setAttribute("position", new BufferAttribute(new Float32Array(shape.positions.flat()), 3));
    indexed.setIndex(shape.triangles.flat());
    geometry = toCreasedNormals(indexed, CREASE);
  }
  const mesh = new Mesh(geometry, material);
  mesh.receiveShadow = true;
  mesh.castShadow = !("point" in shape);
  mesh.matrixAutoUpdate = false;
  mesh.matrix.copy(rest);
  return [mesh, rest];
}
