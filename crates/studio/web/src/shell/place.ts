// What a place of the page is. A folder beside this one has each; main.ts lists them.

import type { Connection, Header, Packet } from "./connection";
import type { Shell } from "./shell";

/** A key, and what it does; help shows the words. */
export interface Shortcut {
  /** As in KeyboardEvent.key, in small letters, with "ctrl+" and "shift+" before it. */
  key: string;
  /** For the help. */
  words: string;
  run(): void;
}

/** A place that is open. */
export interface View {
  shortcuts: Shortcut[];
  /** A message with the key `kind`. */
  message(message: Header): void;
  /** A packet other than a frame. */
  packet(packet: Packet): void;
  /** The latest frame, when the screen can show one; it is acknowledged afterwards. */
  frame(packet: Packet): void;
  /** The page is dark now, or light. */
  themed?(): void;
  close(): void;
}

export interface Place {
  /** As in the address, and on the server. */
  name: string;
  title: string;
  open(shell: Shell, connection: Connection): View;
}
