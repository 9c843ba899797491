// The page: a bar with places, and the place that is open.

import "./style.css";
import { enrich } from "./enrich/enrich";
import { face } from "./face/face";
import { lips } from "./lips/lips";
import { play } from "./play/play";
import { Shell } from "./shell/shell";

const root = document.getElementById("app");
if (root) {
  const shell = new Shell(root, [play, enrich, face, lips]);
  shell.start();
}
