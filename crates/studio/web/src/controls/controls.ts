// Rows of a panel: sliders, choices, buttons. Each has a `set`, which tells nobody.

import { remember, remembered } from "../shell/memory";
import { element } from "./element";

/** A control, and how to put a value into it from outside. */
export interface Control<T> {
  root: HTMLElement;
  set(value: T): void;
}

export interface SliderOptions {
  label: string;
  low: number;
  high: number;
  /** Where a double click leads. */
  usual: number;
  /** Equal ways are equal factors. */
  log?: boolean;
  step?: number;
  words?: (value: number) => string;
  /** Called while it is dragged, and with `ended` when it is let go. */
  change(value: number, ended: boolean): void;
}

/** A section of a panel that can be folded; the page remembers. */
export function section(title: string, isOpen = true): { root: HTMLElement; body: HTMLElement; note: HTMLElement } {
  const root = element("section");
  const head = element("h2", "", title);
  const note = element("small");
  const body = element("div", "body");
  const key = `section:${title}`;
  root.classList.toggle("closed", !remembered(key, isOpen));
  head.onclick = () => remember(key, !root.classList.toggle("closed"));
  head.append(note);
  root.append(head, body);
  return { root, body, note };
}

export function slider(options: SliderOptions): Control<number> {
  const { label, low, high, usual, log, change } = options;
  const words = options.words ?? ((value: number) => value.toFixed(2));
  const root = element("div", "row");
  const name = element("label", "", label);
  name.title = `${label}: double click for ${words(usual)}`;
  const range = element("input");
  range.type = "range";
  range.min = "0";
  range.max = "1";
  range.step = "any";
  range.setAttribute("aria-label", label);
  const value = element("input", "value");
  value.setAttribute("aria-label", `${label}, as a number`);
  let now = usual;
  const toPart = (v: number) => (log ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low));
  const toValue = (part: number) => {
    const exact = log ? low * (high / low) ** part : low + (high - low) * part;
    return options.step ? Math.round(exact / options.step) * options.step : exact;
  };
  const show = () => {
    const part = Math.min(1, Math.max(0, toPart(now)));
    range.value = String(part);
    range.style.setProperty("--part", `${100 * part}%`);
    if (document.activeElement !== value) value.value = words(now);
    root.classList.toggle("changed", Math.abs(now - usual) > 1e-9 * (high - low));
  };
  const take = (next: number, ended: boolean) => {
    now = Math.min(high, Math.max(low, next));
    show();
    change(now, ended);
  };
  let isDragging = false;
  range.oninput = () => {
    isDragging = true;
    take(toValue(Number(range.value)), false);
  };
  range.onchange = () => {
    isDragging = false;
    take(toValue(Number(range.value)), true);
  };
  root.ondblclick = () => take(usual, true);
  value.onfocus = () => {
    value.value = String(Number(now.toPrecision(5)));
    value.select();
  };
  value.onchange = () => {
    const typed = Number.parseFloat(value.value.replace(",", "."));
    if (Number.isFinite(typed)) take(typed, true);
    value.blur();
  };
  value.onblur = show;
  root.append(name, range, value);
  show();
  return {
    root,
    set(next) {
      if (isDragging) return;
      now = next;
      show();
    },
  };
}

export interface Option {
  value: string;
  words: string;
  group?: string;
}

/** One of a list. */
export function choice(label: string, options: Option[], change: (value: string) => void): Control<string> & {
  fill(options: Option[]): void;
} {
  const root = element("div", "row wide");
  const select = element("select");
  select.setAttribute("aria-label", label);
  select.onchange = () => change(select.value);
  const fill = (options: Option[]) => {
    const before = select.value;
    select.replaceChildren();
    const groups = new Map<string, HTMLOptGroupElement>();
    for (const { value, words, group } of options) {
      const option = element("option", "", words);
      option.value = value;
      let parent: HTMLElement = select;
      if (group) {
        let own = groups.get(group);
        if (!own) {
          own = element("optgroup");
          own.label = group;
          groups.set(group, own);
          select.append(own);
        }
        parent = own;
      }
      parent.append(option);
    }
    select.value = before;
  };
  fill(options);
  root.append(element("label", "", label), select);
  return { root, fill, set: (value) => void (select.value = value) };
}

/** One of a few, side by side. */
export function segments(label: string, options: Option[], change: (value: string) => void): Control<string> {
  const root = element("div", "row wide");
  const box = element("div", "segments");
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", label);
  const buttons = options.map(({ value, words }) => {
    const button = element("button", "", words);
    button.onclick = () => {
      mark(value);
      change(value);
    };
    box.append(button);
    return { value, button };
  });
  const mark = (value: string) => {
    for (const own of buttons) own.button.setAttribute("aria-pressed", String(own.value === value));
  };
  root.append(element("label", "", label), box);
  return { root, set: mark };
}

export function button(words: string, title: string, run: () => void): HTMLButtonElement {
  const made = element("button", "plain", words);
  made.title = title;
  made.onclick = run;
  return made;
}
