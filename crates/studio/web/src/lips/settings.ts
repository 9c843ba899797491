// What the server says about Lips.

export type Source = "built-in" | { folder: string };

export interface Drawn {
  frame: number;
  closed: boolean;
  handles: [number, number, number][];
  meanPixels: number;
  /** Millimetres. */
  moved: number;
}

export interface State {
  /** Null for what is built in. */
  folder: string | null;
  frames: number;
  fps: number;
  vertices: number;
  training: number[];
  suggestion: { frame: number; score: number } | null;
  drawn: Drawn | null;
  hasTruth: boolean;
  /** Mean distances from the truth, as captured and as corrected, in millimetres. */
  errors: [number | null, number | null];
  running: boolean;
  undo: string | null;
  redo: string | null;
}

/** What is looked at, and which line is drawn. */
export interface Look {
  compare: "captured" | "corrected" | "truth" | "both";
  colours: "skin" | "moved" | "error";
  contour: "off" | "around" | "meet";
}
