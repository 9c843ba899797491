// What is painted on a surface, and the colours that show it.

import { Color, SRGBColorSpace } from "three";
import type { Packet } from "../shell/connection";
import { gradient, heat, ramp } from "../stage/colours";
import type { Ink, Look } from "./settings";

/** From physics to the input. */
const WEIGHTS = ["#ea8f5f", "#f3c39b", "#efe8db", "#abcbd9", "#74aec9"];
/** From softer to stiffer than the body. */
const STIFFNESS = ["#8f6fb0", "#c6b3d6", "#e4dfd6", "#a9c096", "#4f8455"];
export const WEIGHT_GRADIENT = gradient(WEIGHTS);
export const STIFFNESS_GRADIENT = gradient(STIFFNESS);
export const weightColour = ramp(WEIGHTS);
const stiffnessColour = ramp(STIFFNESS);
const EXACT = rgb("#4a90b5");
const PLAIN = rgb("#d9cdbd");
/** A factor of stiffness that is as green, or as purple, as it gets. */
const STIFFEST = 20;
/** A distance from the input that is as hot as it gets, of the body's size. */
const FARTHEST = 0.06;

function rgb(style: string): [number, number, number] {
  const colour = new Color().setStyle(style, SRGBColorSpace);
  return [colour.r, colour.g, colour.b];
}

export class Painting {
  /** Painted weights, below 0 where there is none; Young's moduli, 0 for the body's; filled weights; what follows. */
  painted = new Float32Array();
  young = new Float32Array();
  weights = new Float32Array();
  exact = new Float32Array();
  /** Young's modulus of the body. */
  body = 1;
  private own = new Float32Array();
  private colours = new Float32Array();

  constructor(readonly count: number) {
    this.painted = new Float32Array(count).fill(-1);
    this.young = new Float32Array(count);
    this.weights = new Float32Array(count);
    this.exact = new Float32Array(count);
    this.colours = new Float32Array(3 * count);
    this.own = new Float32Array(3 * count);
    for (let v = 0; v < count; v += 1) this.own.set(PLAIN, 3 * v);
  }

  /** Colours that the animation comes with. */
  dress(colours: Float32Array): void {
    if (colours.length !== 3 * this.count) return;
    const colour = new Color();
    for (let v = 0; v < this.count; v += 1) {
      colour.setRGB(colours[3 * v], colours[3 * v + 1], colours[3 * v + 2], SRGBColorSpace);
      this.own.set([colour.r, colour.g, colour.b], 3 * v);
    }
  }

  take(packet: Packet): void {
    if (packet.floats("weights").length !== this.count) return;
    this.painted = packet.floats("painted").slice();
    this.young = packet.floats("young").slice();
    this.weights = packet.floats("weights").slice();
    this.exact = packet.floats("exact").slice();
  }

  /** Paints at once what the server will say in a moment. */
  put(vertices: Iterable<number>, ink: Ink): void {
    for (const v of vertices) {
      if (ink.kind === "stiffness") this.young[v] = ink.young ?? 0;
      else {
        this.exact[v] = ink.kind === "follow" ? 1 : 0;
        this.painted[v] = ink.kind === "weight" ? ink.value : -1;
        if (ink.kind === "weight") this.weights[v] = ink.value;
        if (ink.kind === "follow") this.weights[v] = 1;
      }
    }
  }

  /** What two vertices must share to be filled alike. */
  kindOf(v: number, ink: Ink): number {
    if (ink.kind === "stiffness") return this.young[v];
    return this.exact[v] > 0.5 ? 2 : this.painted[v];
  }

  /** Vertices that weights were painted at. */
  marks(): number[] {
    const all: number[] = [];
    for (let v = 0; v < this.count; v += 1) if (this.painted[v] >= 0 && this.exact[v] < 0.5) all.push(v);
    return all;
  }

  /** Colours of all vertices, by what is looked at. */
  seen(look: Look["colours"], motion: Float32Array | null): Float32Array {
    if (look === "plain") return this.own;
    for (let v = 0; v < this.count; v += 1) this.colours.set(this.at(v, look, motion), 3 * v);
    return this.colours;
  }

  private at(v: number, look: Look["colours"], motion: Float32Array | null): [number, number, number] {
    if (look === "motion") return heat(motion ? motion[v] / FARTHEST : 0);
    if (look === "weights") return this.exact[v] > 0.5 ? EXACT : weightColour(this.weights[v]);
    const factor = this.young[v] > 0 ? this.young[v] / this.body : 1;
    return stiffnessColour(0.5 + (0.5 * Math.log(factor)) / Math.log(STIFFEST));
  }
}
