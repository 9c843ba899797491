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

const named = (pairs: [string, string][]) => pairs.map(([value, words]) => ({ value, words }));

export const SCHEMES = named([
  ["backward-euler", "Backward Euler"],
  ["bdf2", "BDF2"],
  ["implicit-midpoint", "Implicit midpoint"],
  ["trapezoidal", "Trapezoidal"],
  ["discrete-gradient", "Discrete gradient"],
  ["symplectic-euler", "Symplectic Euler"],
  ["forward-euler", "Forward Euler"],
  ["quasi-static", "Quasi-static"],
]);

export const SOLVERS = named([
  ["projective", "Projective dynamics"],
  ["newton", "Newton"],
  ["xpbd", "XPBD"],
  ["linearised", "One linear solve"],
]);

export const CORRECTIONS = named([
  ["none", "None"],
  ["fepr", "FEPR"],
  ["blend", "Blend"],
  ["velocity", "Velocities"],
  ["lagrange", "Lagrange"],
]);

export const DAMPINGS = named([
  ["none", "None"],
  ["ether", "Ether"],
  ["rigid-preserving", "Rigid"],
  ["rayleigh", "Rayleigh"],
]);

/** A method in a few words. */
export function methodWords(method: Method): string {
  const words = (all: { value: string; words: string }[], value: string) =>
    all.find((own) => own.value === value)?.words ?? value;
  const correction = method.correction === "none" ? "" : ` + ${words(CORRECTIONS, method.correction)}`;
  return words(SCHEMES, method.scheme) + correction;
}
