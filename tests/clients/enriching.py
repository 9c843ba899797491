"""Enriched animations in other programs: USD and glTF hold the frames that the cache does."""

import json
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pygltflib
from pxr import Usd, UsdGeom

FRAMES, FPS = 10, 25


def bar(cells=(12, 3, 3), size=(1.2, 0.3, 0.3)):
    """The surface of a box, and a wave through it."""
    corners, quads = {}, []

    def vertex(*place):
        return corners.setdefault(place, len(corners))

    for axis in range(3):
        u, v = [a for a in range(3) if a != axis]
        for side in (0, cells[axis]):
            for i in range(cells[u]):
                for j in range(cells[v]):
                    quad = []
                    for di, dj in ((0, 0), (1, 0), (1, 1), (0, 1)):
                        place = [0, 0, 0]
                        place[axis], place[u], place[v] = side, i + di, j + dj
                        quad.append(vertex(*place))
                    outward = (side > 0) == (axis != 1)
                    quads.append(quad if outward else quad[::-1])
    grid = np.array(list(corners), float)
    rest = ((grid / cells - 0.5) * size).astype(np.float32)
    frames = np.repeat(rest[None], FRAMES, axis=0)
    for k in range(FRAMES):
        frames[k, :, 1] += 0.1 * np.sin(2 * np.pi * k / FRAMES) * (rest[:, 0] + 0.6)
    return rest, quads, frames


def main(pliant):
    rest, quads, frames = bar()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = [f"v {x} {y} {z}" for x, y, z in rest.tolist()]
        rows += ["f " + " ".join(str(v + 1) for v in quad) for quad in quads]
        (folder / "wave.obj").write_text("\n".join(rows) + "\n")
        header = struct.pack("<12siiffi", b"POINTCACHE2\0", 1, len(rest), 0.0, 1.0, FRAMES)
        (folder / "wave.pc2").write_bytes(header + frames.astype("<f4").tobytes())
        for out in ("soft.pc2", "soft.usda", "soft.glb"):
            command = [pliant, "enrich", "wave.pc2", "--out", out, "--resolution", "16", "--fps", str(FPS)]
            subprocess.run([*command, "--quiet"], check=True, cwd=folder)
        data = (folder / "soft.pc2").read_bytes()
        soft = np.frombuffer(data, "<f4", offset=32).reshape(FRAMES, len(rest), 3)
        assert np.isfinite(soft).all() and np.abs(soft - frames).max() > 0.01, "nothing moves"

        stage = Usd.Stage.Open(str(folder / "soft.usda"))
        assert stage.GetTimeCodesPerSecond() == FPS
        (mesh,) = [UsdGeom.Mesh(p) for p in stage.Traverse() if p.IsA(UsdGeom.Mesh)]
        times = mesh.GetPointsAttr().GetTimeSamples()
        assert len(times) == FRAMES, times
        for frame, time in zip(soft, times):
            np.testing.assert_allclose(np.array(mesh.GetPointsAttr().Get(time)), frame, atol=1e-6)

        gltf = pygltflib.GLTF2().load(str(folder / "soft.glb"))
        assert len(gltf.animations) == 1 and len(gltf.meshes[0].primitives[0].targets) == FRAMES

        # What follows exactly is the input, to the last bit of the cache.
        report = json.loads((folder / "soft.pc2.report.json").read_text())
        same = (soft == frames).all(axis=(0, 2)).sum()
        assert report["follow_error"] == 0.0 and same >= report["exact"] > 0, (same, report)
    print("enriched animations: as in the cache")


main(sys.argv[1])
