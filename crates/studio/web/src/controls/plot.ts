// Curves over time that grow while one looks.

import { element } from "./element";

export interface Curve {
  /** A custom property of the style, such as "--first". */
  colour: string;
  /** Before its last value, beside the title; without words that is not told. */
  words?: string;
  dashed?: boolean;
}

/** Points that are kept of a curve. */
const KEPT = 1200;

export class Plot {
  readonly root = element("div", "plot");
  private readonly canvas = element("canvas");
  private readonly values = element("span");
  private readonly times: number[] = [];
  private readonly series: number[][];
  private isAsked = false;

  constructor(
    title: string,
    private readonly unit: string,
    private readonly curves: Curve[],
    /** Seconds that are seen. */
    private readonly span = 6,
  ) {
    const head = element("header");
    head.append(element("b", "", title), this.values);
    this.root.append(head, this.canvas);
    this.series = curves.map(() => []);
    new ResizeObserver(() => this.ask()).observe(this.root);
  }

  /** A value per curve at a time; what is not a number is a gap. */
  add(time: number, values: number[]): void {
    if (this.times.length > 0 && time < this.times[this.times.length - 1]) this.clear();
    this.times.push(time);
    values.forEach((value, k) => this.series[k]?.push(value));
    if (this.times.length > KEPT) {
      this.times.shift();
      for (const own of this.series) own.shift();
    }
    this.ask();
  }

  clear(): void {
    this.times.length = 0;
    for (const own of this.series) own.length = 0;
    this.ask();
  }

  /** The last values, for whoever asks. */
  last(): number[] {
    return this.series.map((own) => own[own.length - 1] ?? Number.NaN);
  }

  ask(): void {
    if (this.isAsked) return;
    this.isAsked = true;
    requestAnimationFrame(() => {
      this.isAsked = false;
      this.draw();
    });
  }

  private draw(): void {
    const { clientWidth: width, clientHeight: height } = this.root;
    if (width === 0 || height === 0) return;
    const ratio = devicePixelRatio;
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    const pen = this.canvas.getContext("2d");
    if (!pen) return;
    pen.scale(ratio, ratio);
    const style = getComputedStyle(this.root);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    const size = Number.parseFloat(style.fontSize);
    const [left, right, top, bottom] = [size * 4.3, size * 0.8, size * 2.3, size * 1.7];
    const end = Math.max(this.times[this.times.length - 1] ?? 0, this.span);
    const start = end - this.span;
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const own of this.series) {
      own.forEach((value, k) => {
        if (this.times[k] >= start && Number.isFinite(value)) {
          low = Math.min(low, value);
          high = Math.max(high, value);
        }
      });
    }
    if (low > high) [low, high] = [0, 1];
    const room = Math.max(high - low, 1e-9 * Math.max(Math.abs(low), Math.abs(high)), 1e-12);
    [low, high] = [low - 0.08 * room, high + 0.12 * room];
    const x = (time: number) => left + ((time - start) / this.span) * (width - left - right);
    const y = (value: number) => top + ((high - value) / (high - low)) * (height - top - bottom);
    pen.font = `${0.86 * size}px ${style.fontFamily}`;
    pen.fillStyle = colour("--quiet");
    pen.strokeStyle = colour("--line");
    pen.lineWidth = 1;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const value of ticks(low, high, 3)) {
      pen.beginPath();
      pen.moveTo(left, y(value));
      pen.lineTo(width - right, y(value));
      pen.stroke();
      pen.fillText(short(value), left - size * 0.5, y(value));
    }
    pen.textAlign = "center";
    pen.textBaseline = "bottom";
    for (const time of ticks(start, end, 5)) pen.fillText(`${short(time)} s`, x(time), height - size * 0.3);
    this.series.forEach((own, curve) => {
      pen.strokeStyle = colour(this.curves[curve].colour);
      pen.lineWidth = this.curves[curve].dashed ? 1.2 : 1.6;
      pen.setLineDash(this.curves[curve].dashed ? [4, 4] : []);
      pen.beginPath();
      let isDown = false;
      own.forEach((value, k) => {
        if (this.times[k] < start || !Number.isFinite(value)) {
          isDown = false;
          return;
        }
        if (isDown) pen.lineTo(x(this.times[k]), y(value));
        else pen.moveTo(x(this.times[k]), y(value));
        isDown = true;
      });
      pen.stroke();
    });
    const told = this.curves.map((curve, k) => {
      const value = this.series[k][this.series[k].length - 1];
      return curve.words !== undefined && Number.isFinite(value) ? `${curve.words} ${short(value)}` : "";
    });
    this.values.textContent = `${told.filter(Boolean).join("   ")} ${this.unit}`;
  }
}

/** Round numbers between two. */
function ticks(low: number, high: number, most: number): number[] {
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((step) => step >= rough) ?? rough;
  const all: number[] = [];
  for (let value = Math.ceil(low / step) * step; value <= high && all.length < 20; value += step) all.push(value);
  return all;
}

function short(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) return value.toExponential(1);
  return String(Number(value.toPrecision(4)));
}
