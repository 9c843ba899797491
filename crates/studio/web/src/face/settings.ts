// What can be set at Face, as the server has it, and what things are called.

export interface Settings {
  face: string | null;
  shapes: Record<string, number>;
  muscles: Record<string, number>;
  head: [number, number, number];
  iterations: number;
  inertia: boolean;
  damping: number;
  firmness: number;
  wind: [number, number];
  gust: number;
  fat: Record<string, number>;
  palsy: [number, number];
}

export interface State {
  settings: Settings;
  performance: { name: string; frames: number; fps: number } | null;
  running: boolean;
  undo: string | null;
  redo: string | null;
}

export interface Library {
  name: string;
  shapes: string[];
  muscles: string[];
  regions: string[];
  tets: number;
  faces: string[];
  performances: string[];
  meshes: string[];
}

/** Groups of shapes, by how their names begin. */
const GROUPS: [string, RegExp][] = [
  ["Jaw", /^jaw/],
  ["Mouth", /^(mouth|lips?)/i],
  ["Cheeks and nose", /^(cheek|nose)/],
  ["Eyes", /^(eye|lid)/],
  ["Brows", /^brow/],
  ["Tongue", /^tongue/],
];

/** Shapes by group, those of no group last. */
export function grouped(shapes: string[]): [string, string[]][] {
  const left = new Set(shapes);
  const groups = GROUPS.map(([title, pattern]): [string, string[]] => {
    const own = shapes.filter((name) => pattern.test(name));
    for (const name of own) left.delete(name);
    return [title, own];
  });
  return [...groups, ["Action units and others", [...left]] as [string, string[]]].filter(([, own]) => own.length > 0);
}

/** "mouthSmileLeft" as words, without what its group says. */
export function words(name: string): string {
  const spaced = name
    .replace(/_/g, " ")
    .replace(/([a-z])([A-Z0-9])/g, "$1 $2")
    .toLowerCase();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** The same on the other side of the face. */
export function mirrored(name: string): string {
  if (/Left/.test(name)) return name.replace("Left", "Right");
  if (/Right/.test(name)) return name.replace("Right", "Left");
  if (/_l\b|_l$/.test(name)) return name.replace(/_l$/, "_r");
  if (/_r$/.test(name)) return name.replace(/_r$/, "_l");
  return name;
}

/** Faces that everybody knows, to begin with. */
export const PRESETS: [string, Record<string, number>][] = [
  ["Smile", { mouthSmileLeft: 1, mouthSmileRight: 1, cheekSquintLeft: 0.7, cheekSquintRight: 0.7, mouthUpperUpLeft: 0.3, mouthUpperUpRight: 0.3 }],
  ["Surprise", { jawOpen: 0.55, browInnerUp: 1, browOuterUpLeft: 1, browOuterUpRight: 1, eyeWideLeft: 0.8, eyeWideRight: 0.8 }],
  ["Anger", { browDownLeft: 1, browDownRight: 1, noseSneerLeft: 0.7, noseSneerRight: 0.7, mouthPressLeft: 0.6, mouthPressRight: 0.6 }],
  ["Sorrow", { browInnerUp: 0.9, mouthFrownLeft: 0.9, mouthFrownRight: 0.9, mouthShrugLower: 0.4 }],
  ["Kiss", { mouthPucker: 1, mouthFunnel: 0.25 }],
];
