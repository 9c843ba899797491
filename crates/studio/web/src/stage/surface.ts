// A surface whose vertices move, with smooth normals, and colours if it has any.

import {
  BufferAttribute,
  BufferGeometry,
  DynamicDrawUsage,
  type Material,
  Mesh,
  type Raycaster,
  Vector3,
} from "three";

export class SurfaceMesh {
  readonly mesh: Mesh;
  private readonly positions: BufferAttribute;
  private readonly normals: BufferAttribute;
  private colours: BufferAttribute | null = null;

  constructor(
    readonly count: number,
    private readonly triangles: Uint32Array,
    material: Material,
  ) {
    const geometry = new BufferGeometry();
    this.positions = new BufferAttribute(new Float32Array(3 * count), 3);
    this.normals = new BufferAttribute(new Float32Array(3 * count), 3);
    this.positions.setUsage(DynamicDrawUsage);
    this.normals.setUsage(DynamicDrawUsage);
    geometry.setAttribute("position", this.positions);
    geometry.setAttribute("normal", this.normals);
    geometry.setIndex(new BufferAttribute(triangles, 1));
    this.mesh = new Mesh(geometry, material);
    this.mesh.castShadow = true;
    this.mesh.receiveShadow = true;
    // It moves: what it was bounded by says nothing.
    this.mesh.frustumCulled = false;
  }

  /** Three numbers per vertex. */
  move(positions: Float32Array): void {
    if (positions.length !== 3 * this.count) return;
    this.positions.array.set(positions);
    this.positions.needsUpdate = true;
    smoothNormals(positions, this.triangles, this.normals.array as Float32Array);
    this.normals.needsUpdate = true;
  }

  /** Three numbers per vertex from 0 to 1, in the light that screens have. */
  paint(colours: Float32Array): void {
    if (!this.colours) {
      this.colours = new BufferAttribute(new Float32Array(3 * this.count), 3);
      this.colours.setUsage(DynamicDrawUsage);
      this.mesh.geometry.setAttribute("color", this.colours);
    }
    this.colours.array.set(colours);
    this.colours.needsUpdate = true;
  }

  at(vertex: number): Vector3 {
    return new Vector3().fromBufferAttribute(this.positions, vertex);
  }

  /** The vertex nearest to where a ray meets the surface, and that place. */
  pick(caster: Raycaster): { vertex: number; point: Vector3 } | null {
    this.mesh.geometry.boundingSphere = null;
    this.mesh.geometry.boundingBox = null;
    const hit = caster.intersectObject(this.mesh, false)[0];
    if (!hit?.face) return null;
    const corners = [hit.face.a, hit.face.b, hit.face.c];
    const distance = (v: number) => this.at(v).distanceToSquared(hit.point);
    const vertex = corners.reduce((a, b) => (distance(b) < distance(a) ? b : a));
    return { vertex, point: hit.point };
  }
}

/** Normals of vertices: those of the triangles around, by area. */
export function smoothNormals(x: Float32Array, triangles: Uint32Array, out: Float32Array): void {
  out.fill(0);
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
    const ux = x[b] - x[a];
    const uy = x[b + 1] - x[a + 1];
    const uz = x[b + 2] - x[a + 2];
    const vx = x[c] - x[a];
    const vy = x[c + 1] - x[a + 1];
    const vz = x[c + 2] - x[a + 2];
    const nx = uy * vz - uz * vy;
    const ny = uz * vx - ux * vz;
    const nz = ux * vy - uy * vx;
    out[a] += nx;
    out[a + 1] += ny;
    out[a + 2] += nz;
    out[b] += nx;
    out[b + 1] += ny;
    out[b + 2] += nz;
    out[c] += nx;
    out[c + 1] += ny;
    out[c + 2] += nz;
  }
  for (let v = 0; v < out.length; v += 3) {
    const length = Math.hypot(out[v], out[v + 1], out[v + 2]) || 1;
    out[v] /= length;
    out[v + 1] /= length;
    out[v + 2] /= length;
  }
}
