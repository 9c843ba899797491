// The page: a bar with places, and the place that is open.

import "./style.css";
import { face } from "./face/face";
import { play } from "./play/play";
import { Shell } from "./shell/shell";

const root = document.getElementById("app");
if (root) {
  const shell = new Shell(root, [play, face]);
  shell.start();
}
