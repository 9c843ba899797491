// Time from the first frame to the last: what happens in each, and where one is. Drag to go elsewhere.

import { button } from "./controls";
import { element } from "./element";

export interface TimelineCurve {
  /** A custom property of the style. */
  colour: string;
  words: string;
  /** One per frame; what is not a number is a gap. */
  values: ArrayLike<number>;
}

export interface TimelineMark {
  frame: number;
  colour: string;
}

export class Timeline {
  readonly root = element("div", "timeline");
  private readonly canvas = element("canvas");
  private readonly playButton: HTMLButtonElement;
  private readonly place = element("output");
  private readonly legend = element("span", "legend");
  private readonly range = element("input");
  private count = 1;
  private fps = 30;
  private frame = 0;
  private curves: TimelineCurve[] = [];
  private marks: TimelineMark[] = [];
  private isAsked = false;

  constructor(
    private readonly orders: { run(): void; seek(frame: number): void },
    private readonly unit = "",
  ) {
    this.playButton = button("Play", "Space", () => orders.run());
    const head = element("header");
    head.append(this.playButton, this.place, this.legend);
    // The canvas is for the eye; keys and readers have a range of their own.
    this.range.type = "range";
    this.range.min = "0";
    this.range.step = "1";
    this.range.className = "aside";
    this.range.setAttribute("aria-label", "Frame");
    this.range.oninput = () => orders.seek(Number(this.range.value));
    const box = element("div", "track");
    box.append(this.canvas, this.range);
    this.root.append(head, box);
    box.addEventListener("pointerdown", (event) => {
      box.setPointerCapture(event.pointerId);
      this.seek(event);
    });
    box.addEventListener("pointermove", (event) => event.buttons === 1 && this.seek(event));
    new ResizeObserver(() => this.ask()).observe(box);
  }

  /** What there is. */
  set(count: number, fps: number, running: boolean): void {
    [this.count, this.fps] = [Math.max(1, count), fps];
    this.range.max = String(this.count - 1);
    this.playButton.textContent = running ? "Pause" : "Play";
    this.ask();
  }

  /** What happens in the frames. */
  draw(curves: TimelineCurve[], marks: TimelineMark[] = []): void {
    [this.curves, this.marks] = [curves, marks];
    this.legend.replaceChildren(
      ...curves.map(({ colour, words }) => {
        const entry = element("span", "", words);
        entry.style.setProperty("--own", `var(${colour})`);
        return entry;
      }),
    );
    this.ask();
  }

  at(frame: number): void {
    this.frame = frame;
    this.range.value = String(frame);
    this.place.textContent = `Frame ${frame} · ${(frame / this.fps).toFixed(2)} s`;
    this.ask();
  }

  ask(): void {
    if (this.isAsked) return;
    this.isAsked = true;
    requestAnimationFrame(() => {
      this.isAsked = false;
      this.paint();
    });
  }

  private seek(event: PointerEvent): void {
    const box = this.canvas.getBoundingClientRect();
    const part = (event.clientX - box.left) / Math.max(1, box.width);
    const frame = Math.round(Math.min(1, Math.max(0, part)) * (this.count - 1));
    if (frame !== this.frame) this.orders.seek(frame);
  }

  private paint(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const pen = this.canvas.getContext("2d");
    if (!pen || width === 0 || height === 0) return;
    const ratio = devicePixelRatio;
    [this.canvas.width, this.canvas.height] = [width * ratio, height * ratio];
    pen.scale(ratio, ratio);
    const style = getComputedStyle(this.root);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    const size = Number.parseFloat(style.fontSize);
    const [top, bottom] = [0.5 * size, height - 1.35 * size];
    const x = (frame: number) => (frame / Math.max(1, this.count - 1)) * (width - 2) + 1;
    let most = 0;
    for (const { values } of this.curves)
      for (let k = 0; k < values.length; k += 1) if (Number.isFinite(values[k])) most = Math.max(most, values[k]);
    pen.fillStyle = colour("--quiet");
    pen.strokeStyle = colour("--line");
    pen.font = `${0.84 * size}px ${style.fontFamily}`;
    pen.textBaseline = "bottom";
    const seconds = (this.count - 1) / this.fps;
    const step = [0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60].find((own) => seconds / own <= 12) ?? 120;
    for (let time = 0; time <= seconds + 1e-9; time += step) {
      const at = x(time * this.fps);
      pen.beginPath();
      pen.moveTo(at, top);
      pen.lineTo(at, bottom);
      pen.stroke();
      const words = `${Number(time.toFixed(1))} s`;
      pen.textAlign = at < 20 ? "left" : at > width - 20 ? "right" : "center";
      pen.fillText(words, at, height);
    }
    for (const { colour: own, values } of this.curves) {
      pen.strokeStyle = colour(own);
      pen.lineWidth = 1.5;
      pen.beginPath();
      let isDown = false;
      for (let k = 0; k < values.length; k += 1) {
        const value = values[k];
        if (!Number.isFinite(value)) {
          isDown = false;
          continue;
        }
        const y = bottom - (value / Math.max(most, 1e-12)) * (bottom - top);
        if (isDown) pen.lineTo(x(k), y);
        else pen.moveTo(x(k), y);
        isDown = true;
      }
      pen.stroke();
    }
    if (most > 0) {
      pen.textAlign = "left";
      pen.textBaseline = "top";
      pen.fillText(`${Number(most.toPrecision(2))} ${this.unit}`, 4, 0);
    }
    for (const mark of this.marks) {
      pen.fillStyle = colour(mark.colour);
      pen.beginPath();
      pen.arc(x(mark.frame), bottom - 0.1 * size, 0.34 * size, 0, 2 * Math.PI);
      pen.fill();
    }
    pen.fillStyle = colour("--accent");
    pen.fillRect(x(this.frame) - 1, 0, 2, bottom + 0.2 * size);
  }
}
