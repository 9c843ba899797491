// Colours of bodies, and of numbers.

import { Color, SRGBColorSpace } from "three";

/** Of bodies, one after the other. */
export const BODIES = ["#e39a3b", "#5b9bb8", "#c9695f", "#7fa86a", "#a283b8", "#d6b65a"];

/** From nothing to much: skin, then ever warmer. */
const HEAT = ["#e9d9cb", "#f3c27a", "#ee8a4a", "#d2423f", "#8d1f4f"];
/** From shorter over as it was to longer. */
const TENSION = ["#b3262e", "#d9683f", "#6f6a63", "#4c8fb0", "#1f5f86"];

export function ramp(stops: string[]): (part: number) => [number, number, number] {
  const colours = stops.map((stop) => new Color().setStyle(stop, SRGBColorSpace));
  return (part) => {
    const at = Math.min(1, Math.max(0, part)) * (colours.length - 1);
    const k = Math.min(Math.floor(at), colours.length - 2);
    const mixed = colours[k].clone().lerp(colours[k + 1], at - k);
    return [mixed.r, mixed.g, mixed.b];
  };
}

export const heat = ramp(HEAT);
export const tension = ramp(TENSION);

/** The same for a legend. */
export const gradient = (stops: string[]) => `linear-gradient(90deg, ${stops.join(", ")})`;
export const HEAT_GRADIENT = gradient(HEAT);
export const TENSION_GRADIENT = gradient(TENSION);
