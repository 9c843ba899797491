// Which vertices are next to which: what a brush spreads along, and what lies opposite.

export class Neighbours {
  private readonly first: Uint32Array;
  private readonly list: Uint32Array;
  private readonly opposite = new Map<number, Int32Array>();
  private edge = 0;

  constructor(
    private readonly count: number,
    triangles: Uint32Array,
    private readonly rest: Float32Array,
  ) {
    this.first = new Uint32Array(count + 1);
    for (const v of triangles) this.first[v + 1] += 2;
    for (let v = 0; v < count; v += 1) this.first[v + 1] += this.first[v];
    this.list = new Uint32Array(2 * triangles.length);
    const next = this.first.slice();
    let length = 0;
    for (let t = 0; t < triangles.length; t += 3) {
      for (let k = 0; k < 3; k += 1) {
        const [a, b, c] = [triangles[t + k], triangles[t + ((k + 1) % 3)], triangles[t + ((k + 2) % 3)]];
        this.list[next[a]++] = b;
        this.list[next[a]++] = c;
        length += this.apart(a, b);
      }
    }
    this.edge = length / Math.max(1, triangles.length);
  }

  /** Everything that is joined to a vertex through vertices that are meant. */
  flood(from: number, isMeant: (v: number) => boolean): Set<number> {
    const found = new Set([from]);
    const front = [from];
    for (let v = front.pop(); v !== undefined; v = front.pop()) {
      for (let k = this.first[v]; k < this.first[v + 1]; k += 1) {
        const other = this.list[k];
        if (found.has(other) || !isMeant(other)) continue;
        found.add(other);
        front.push(other);
      }
    }
    return found;
  }

  /** The vertices on the other side of the middle plane, each at most an edge and a half from its image. */
  mirrored(vertices: Iterable<number>, axis: number): number[] {
    let map = this.opposite.get(axis);
    if (!map) {
      map = this.match(axis);
      this.opposite.set(axis, map);
    }
    const found: number[] = [];
    for (const v of vertices) if (map[v] >= 0) found.push(map[v]);
    return found;
  }

  private match(axis: number): Int32Array {
    const { rest, count } = this;
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let v = 0; v < count; v += 1) {
      low = Math.min(low, rest[3 * v + axis]);
      high = Math.max(high, rest[3 * v + axis]);
    }
    const reach = Math.max(1.5 * this.edge, 1e-9);
    const cell = (x: number) => Math.floor(x / reach);
    const key = (i: number, j: number, k: number) => `${i},${j},${k}`;
    const cells = new Map<string, number[]>();
    for (let v = 0; v < count; v += 1) {
      const own = key(cell(rest[3 * v]), cell(rest[3 * v + 1]), cell(rest[3 * v + 2]));
      const list = cells.get(own);
      if (list) list.push(v);
      else cells.set(own, [v]);
    }
    const map = new Int32Array(count).fill(-1);
    for (let v = 0; v < count; v += 1) {
      const image = [rest[3 * v], rest[3 * v + 1], rest[3 * v + 2]];
      image[axis] = low + high - image[axis];
      let least = reach;
      for (let i = -1; i <= 1; i += 1)
        for (let j = -1; j <= 1; j += 1)
          for (let k = -1; k <= 1; k += 1) {
            const near = cells.get(key(cell(image[0]) + i, cell(image[1]) + j, cell(image[2]) + k)) ?? [];
            for (const other of near) {
              const far = Math.hypot(...image.map((x, c) => x - rest[3 * other + c]));
              if (far < least) [least, map[v]] = [far, other];
            }
          }
    }
    return map;
  }

  private apart(a: number, b: number): number {
    const { rest } = this;
    return Math.hypot(rest[3 * a] - rest[3 * b], rest[3 * a + 1] - rest[3 * b + 1], rest[3 * a + 2] - rest[3 * b + 2]);
  }
}
