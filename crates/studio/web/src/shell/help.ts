// The overlay with shortcuts.

import { element } from "../controls/element";
import type { Shortcut } from "./place";

const NAMES: Record<string, string> = {
  " ": "Space",
  arrowleft: "←",
  arrowright: "→",
  escape: "Esc",
};

export class Help {
  private shown: HTMLElement | null = null;

  toggle(groups: [string, Shortcut[]][]): void {
    if (this.shown) {
      this.hide();
      return;
    }
    const overlay = element("div", "help");
    const sheet = element("div");
    sheet.append(element("h1", "", "Shortcuts"));
    for (const [title, shortcuts] of groups) {
      sheet.append(element("div", "sub", title));
      const list = element("dl");
      for (const { key, words } of shortcuts) {
        const keys = element("dt");
        for (const part of key.split("+").filter((part) => part !== "")) {
          keys.append(element("kbd", "", NAMES[part] ?? part.charAt(0).toUpperCase() + part.slice(1)), " ");
        }
        list.append(keys, element("dd", "", words));
      }
      sheet.append(list);
    }
    overlay.append(sheet);
    overlay.onclick = (event) => event.target === overlay && this.hide();
    document.body.append(overlay);
    this.shown = overlay;
  }

  hide(): void {
    this.shown?.remove();
    this.shown = null;
  }
}
