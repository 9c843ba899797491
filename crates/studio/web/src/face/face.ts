// Face: expressions, muscles, and what is done to them.

import type { Place, View } from "../shell/place";

export const face: Place = {
  name: "face",
  title: "Face",
  open: () => new FaceView(),
};

class FaceView implements View {
  readonly shortcuts = [];
  message(): void {}
  packet(): void {}
  frame(): void {}
  close(): void {}
}
