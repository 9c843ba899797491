// Obstacles of a scene, and where they are.

import {
  BoxGeometry,
  type BufferGeometry,
  CapsuleGeometry,
  Group,
  LatheGeometry,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  PlaneGeometry,
  Quaternion,
  SphereGeometry,
  TorusGeometry,
  Vector2,
  Vector3,
} from "three";

type Numbers = [number, number, number];
type Shape = {
  Plane?: { point: Numbers; normal: Numbers };
  Sphere?: { center: Numbers; radius: number };
  Box?: { min: Numbers; max: Numbers };
  Capsule?: { a: Numbers; b: Numbers; radius: number };
  Torus?: { center: Numbers; axis: Numbers; radius: number; tube: number };
  Revolved?: { profile: [number, number][] };
};

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
  const up = new Vector3(0, 1, 0);
  const placed = (geometry: BufferGeometry, at: Vector3, turn = new Quaternion()): [Mesh, Matrix4] => {
    // What lies on an obstacle is seen before it.
    const behind = { polygonOffset: true, polygonOffsetFactor: 4, polygonOffsetUnits: 8 };
    const material = new MeshStandardMaterial({ color: "#a8a49c", roughness: 0.85, ...behind });
    const mesh = new Mesh(geometry, material);
    mesh.receiveShadow = true;
    mesh.castShadow = !shape.Plane;
    mesh.matrixAutoUpdate = false;
    const rest = new Matrix4().compose(at, turn, new Vector3(1, 1, 1));
    mesh.matrix.copy(rest);
    return [mesh, rest];
  };
  const vector = (numbers: Numbers) => new Vector3(...numbers);
  if (shape.Plane) {
    const normal = vector(shape.Plane.normal).normalize();
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), normal);
    return placed(new PlaneGeometry(6 * extent, 6 * extent), vector(shape.Plane.point), turn);
  }
  if (shape.Sphere) return placed(new SphereGeometry(shape.Sphere.radius, 48, 32), vector(shape.Sphere.center));
  if (shape.Box) {
    const [low, high] = [vector(shape.Box.min), vector(shape.Box.max)];
    const size = high.clone().sub(low);
    return placed(new BoxGeometry(size.x, size.y, size.z), low.add(high).multiplyScalar(0.5));
  }
  if (shape.Capsule) {
    const [a, b] = [vector(shape.Capsule.a), vector(shape.Capsule.b)];
    const way = b.clone().sub(a);
    const turn = new Quaternion().setFromUnitVectors(up, way.clone().normalize());
    const geometry = new CapsuleGeometry(shape.Capsule.radius, way.length(), 16, 32);
    return placed(geometry, a.add(b).multiplyScalar(0.5), turn);
  }
  if (shape.Torus) {
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), vector(shape.Torus.axis).normalize());
    return placed(new TorusGeometry(shape.Torus.radius, shape.Torus.tube, 24, 72), vector(shape.Torus.center), turn);
  }
  if (shape.Revolved) {
    const points = shape.Revolved.profile.map(([r, y]) => new Vector2(r, y));
    return placed(new LatheGeometry(points, 64), new Vector3());
  }
  return null;
}
