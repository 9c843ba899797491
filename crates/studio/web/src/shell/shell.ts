// What all places share: the bar, the panel, the theme, shortcuts, errors and progress.

import { element } from "../controls/element";
import { Connection, type Header, token } from "./connection";
import { Help } from "./help";
import type { Place, Shortcut, View } from "./place";
import { remember, remembered } from "./memory";

/** Work that is done after so many milliseconds needs no words. */
const PATIENCE = 400;

export class Shell {
  /** Where a place draws, has its controls, and its plots. */
  readonly stage = element("div", "stage");
  readonly panel = element("aside", "panel");
  readonly strip = element("div", "strip");
  private readonly tabs = new Map<string, HTMLButtonElement>();
  private readonly status = element("span", "status");
  private readonly toasts = element("div", "toasts");
  private busy: HTMLElement | null = null;
  private patience = 0;
  private view: View | null = null;
  private connection: Connection | null = null;
  private readonly help = new Help();

  constructor(
    root: HTMLElement,
    private readonly places: Place[],
  ) {
    token();
    const bar = element("nav", "bar");
    bar.append(element("span", "mark", "pliant"));
    for (const place of places) {
      const tab = element("button", "tab", place.title);
      tab.onclick = () => this.open(place.name);
      this.tabs.set(place.name, tab);
      bar.append(tab);
    }
    const button = (words: string, title: string, run: () => void) => {
      const made = element("button", "tab", words);
      made.title = title;
      made.onclick = run;
      return made;
    };
    bar.append(
      element("span", "space"),
      this.status,
      button("◐", "Light or dark (D)", () => this.turnTheme()),
      button("?", "Shortcuts (?)", () => this.showHelp()),
    );
    const work = element("main", "work");
    work.append(this.stage, this.strip);
    root.append(bar, work, this.panel, this.toasts);
    addEventListener("keydown", (event) => this.pressed(event));
    addEventListener("popstate", () => this.open(this.named(), false));
    this.setTheme(remembered("theme", matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
  }

  start(): void {
    this.open(this.named(), false);
  }

  /** Opens a place; its address is in the page's. */
  open(name: string, isNew = true): void {
    const place = this.places.find((place) => place.name === name) ?? this.places[0];
    this.view?.close();
    this.connection?.close();
    this.stage.replaceChildren();
    this.panel.replaceChildren();
    this.strip.replaceChildren();
    this.progress("", 1);
    for (const [name, tab] of this.tabs) {
      if (name === place.name) tab.setAttribute("aria-current", "page");
      else tab.removeAttribute("aria-current");
    }
    if (isNew) history.pushState(null, "", `${location.pathname}${location.search}#${place.name}`);
    document.title = `${place.title} – pliant studio`;
    const connection = new Connection(place.name, {
      message: (message) => this.heard(message),
      packet: (packet) => this.view?.packet(packet),
      frame: (packet) => this.view?.frame(packet),
      connected: (is) => this.connected(is),
    });
    this.connection = connection;
    this.view = place.open(this, connection);
    // For whoever drives the page from outside.
    Object.assign(window, { pliant: { view: this.view, connection } });
  }

  /** A sentence about what went wrong; it goes away by itself. */
  complain(sentence: string): void {
    this.toast(sentence, "toast");
  }

  /** A sentence about what was done. */
  confirm(sentence: string): void {
    this.toast(sentence, "toast good");
  }

  private toast(sentence: string, className: string): void {
    const toast = element("div", className);
    toast.setAttribute("role", "alert");
    const close = element("button", "", "Close");
    close.onclick = () => toast.remove();
    toast.append(element("span", "", sentence), close);
    this.toasts.append(toast);
    while (this.toasts.children.length > 4) this.toasts.firstElementChild?.remove();
    setTimeout(() => toast.remove(), 12000);
  }

  /** Something in the bar, on the right. */
  tell(words: string): void {
    this.status.textContent = words;
    this.status.classList.remove("lost");
  }

  get isDark(): boolean {
    return document.documentElement.dataset.theme === "dark";
  }

  private named(): string {
    return location.hash.slice(1);
  }

  private heard(message: Header): void {
    if (message.kind === "error") this.complain(String(message.sentence));
    else if (message.kind === "progress") this.progress(String(message.label), Number(message.part));
    else this.view?.message(message);
  }

  private connected(is: boolean): void {
    this.status.classList.toggle("lost", !is);
    this.status.textContent = is ? "" : "No connection to pliant; trying again …";
  }

  private progress(label: string, part: number): void {
    if (!label) {
      clearTimeout(this.patience);
      this.busy?.remove();
      this.busy = null;
      return;
    }
    if (!this.busy) {
      this.busy = element("div", "busy");
      const track = element("div", "track");
      track.append(element("div"));
      const line = element("div", "line");
      const cancel = element("button", "plain", "Cancel");
      cancel.onclick = () => this.connection?.send({ do: "cancel" });
      line.append(element("span", "percent"), cancel);
      this.busy.append(element("b"), track, line);
      const { busy } = this;
      this.patience = window.setTimeout(() => this.stage.append(busy), PATIENCE);
    }
    const find = (what: string) => this.busy?.querySelector<HTMLElement>(what);
    const [name, fill, percent] = [find("b"), find(".track div"), find(".percent")];
    if (name) name.textContent = label;
    if (fill) fill.style.width = `${100 * part}%`;
    if (percent) percent.textContent = `${Math.round(100 * part)} %`;
  }

  private setTheme(theme: string): void {
    document.documentElement.dataset.theme = theme;
    remember("theme", theme);
    this.view?.themed?.();
  }

  private turnTheme(): void {
    this.setTheme(this.isDark ? "light" : "dark");
  }

  private shortcuts(): Shortcut[] {
    const places = this.places.map((place, k) => ({
      key: String(k + 1),
      words: place.title,
      run: () => this.open(place.name),
    }));
    return [
      ...places,
      { key: "d", words: "Light or dark", run: () => this.turnTheme() },
      { key: "?", words: "These shortcuts", run: () => this.showHelp() },
    ];
  }

  private showHelp(): void {
    this.help.toggle([
      ["Here", this.view?.shortcuts ?? []],
      ["Everywhere", this.shortcuts()],
    ]);
  }

  private pressed(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    const isTyping = target.matches("input:not([type=range]), textarea, select");
    if (event.key === "Escape") this.help.hide();
    const control = event.ctrlKey || event.metaKey;
    if ((isTyping && !control) || event.altKey) return;
    const shift = event.shiftKey && event.key.length > 1 ? "shift+" : "";
    const letter = event.key.toLowerCase();
    const key = `${control ? "ctrl+" : ""}${control && event.shiftKey ? "shift+" : shift}${letter}`;
    const all = [...(this.view?.shortcuts ?? []), ...this.shortcuts()];
    const found = all.find((shortcut) => shortcut.key === key);
    if (!found) return;
    event.preventDefault();
    found.run();
  }
}
