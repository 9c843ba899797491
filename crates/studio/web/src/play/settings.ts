// What can be set at Play, as the server has it.

export interface Method {
  scheme: string;
  solver: string;
  iterations: number;
  correction: string;
  filter: number;
}

export type Source = { demo: { name: string; variant: number } } | { file: string };

export interface Settings {
  scene: Source;
  methods: Method[];
  stiffness: number;
  damping: { kind: string; rate: number };
  wind: [number, number, number];
  step: number;
  grip: number;
  pace: number;
}

export interface State {
  settings: Settings;
  running: boolean;
  undo: string | null;
  redo: string | null;
  vertices: number;
  elements: number;
}

export interface SceneEntry {
  name: string;
  about: string;
  variants: string[];
}

/** An entry of a menu, as the server names it. */
export interface Word {
  value: string;
  words: string;
  about: string;
}

/** Everything that menus offer. */
export interface Menus {
  /** With the solvers that a scheme goes with, the best first. */
  schemes: (Word & { solvers: string[] })[];
  /** With the iterations that a solver starts with. */
  solvers: (Word & { iterations: number })[];
  /** With whether a filter comes before the correction. */
  corrections: (Word & { filters?: boolean })[];
  dampings: Word[];
  presets: (Word & { method: Method })[];
}

export const NO_MENUS: Menus = { schemes: [], solvers: [], corrections: [], dampings: [], presets: [] };

/** A method in a few words. */
export function methodWords(menus: Menus, method: Method): string {
  const words = (all: Word[], value: string) => all.find((own) => own.value === value)?.words ?? value;
  const correction = method.correction === "none" ? "" : ` + ${words(menus.corrections, method.correction)}`;
  return words(menus.schemes, method.scheme) + correction;
}
