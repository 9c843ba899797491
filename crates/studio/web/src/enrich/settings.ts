// What the server says about Enrich.

export type Source = { "built-in": string } | { file: string };

export interface Settings {
  source: Source;
  /** What is null is found. */
  resolution: number | null;
  young: number | null;
  isLoop: boolean;
  isKinematic: boolean;
}

export interface Report {
  frames: number;
  gamma: number;
  motionAdded: number;
  motionMost: number;
  followError: number;
  spikes: number;
  seconds: number;
  warnings: string[];
}

export interface State {
  settings: Settings;
  name: string;
  frames: number;
  fps: number;
  vertices: number;
  tets: number | null;
  usualResolution: number;
  usualYoung: number | null;
  isFollowFound: boolean;
  running: boolean;
  run: { done: number; of: number } | null;
  result: { frames: number; isStale: boolean; report: Report | null; motion: number[] } | null;
  stem: string;
  canSave: boolean;
  notes: string[];
  undo: string | null;
  redo: string | null;
}

export interface Library {
  builtIn: { name: string; about: string }[];
  projects: string[];
  animations: string[];
}

/** What a brush leaves. */
export type Ink =
  | { kind: "follow" }
  | { kind: "weight"; value: number }
  | { kind: "clear" }
  | { kind: "stiffness"; young: number | null };

/** What a brush is, as the page remembers it. */
export interface BrushKind {
  paint: "follow" | "free" | "weight" | "clear" | "stiffness";
  weight: number;
  /** A factor on the body's stiffness. */
  stiffness: number;
  /** Of the body's size. */
  radius: number;
  fills: boolean;
  mirror: "off" | "x" | "y" | "z";
}

/** What is looked at, and how. */
export interface Look {
  what: "surface" | "tets";
  colours: "weights" | "stiffness" | "motion" | "plain";
  compare: "before" | "after" | "both";
  axis: "x" | "y" | "z";
  /** Where tets are cut, from 0 to 1 along the axis. */
  cut: number;
}

export const sourceValue = (source: Source): string =>
  "built-in" in source ? `b:${source["built-in"]}` : `f:${source.file}`;
