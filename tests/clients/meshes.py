"""Meshes that meshio writes, in every format that both know, inspected and simulated; and back."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import meshio
import numpy as np

# File name, and how meshio is asked to write it.
FORMATS = [
    ("gmsh22-text.msh", {"file_format": "gmsh22", "binary": False}),
    ("gmsh22-binary.msh", {"file_format": "gmsh22", "binary": True}),
    ("gmsh41-text.msh", {"file_format": "gmsh", "binary": False}),
    ("gmsh41-binary.msh", {"file_format": "gmsh", "binary": True}),
    ("medit.mesh", {}),
    ("legacy42-text.vtk", {"file_format": "vtk42", "binary": False}),
    ("legacy42-binary.vtk", {"file_format": "vtk42", "binary": True}),
    ("legacy51-text.vtk", {"file_format": "vtk51", "binary": False}),
    ("legacy51-binary.vtk", {"file_format": "vtk51", "binary": True}),
    ("text.vtu", {"binary": False}),
    ("zlib.vtu", {"binary": True, "compression": "zlib"}),
    ("plain.vtu", {"binary": True, "compression": None}),
]
SIZE = np.array([0.3, 0.2, 0.1])
CELLS = (3, 2, 1)


def box():
    """A box with six tets per cell, all of them around the cell's diagonal."""
    nx, ny, nz = (count + 1 for count in CELLS)
    grid = np.stack(np.meshgrid(range(nx), range(ny), range(nz), indexing="ij"), axis=-1)
    points = grid.reshape(-1, 3) / np.array(CELLS) * SIZE
    number = lambda corner: (corner[0] * ny + corner[1]) * nz + corner[2]
    axes = np.eye(3, dtype=int)
    tets = []
    for cell in np.ndindex(*CELLS):
        for first in range(3):
            for second in {0, 1, 2} - {first}:
                corner = np.array(cell)
                path = [corner, corner + axes[first], corner + axes[first] + axes[second], corner + 1]
                a, b, c, d = (points[number(p)] for p in path)
                if np.dot(np.cross(b - a, c - a), d - a) < 0:
                    # Two corners exchanged: the same tet, wound the other way.
                    path[1:3] = path[2], path[1]
                tets.append([number(p) for p in path])
    return points, np.array(tets)


def inspect(pliant, path):
    output = subprocess.run([pliant, "inspect", path, "--json"], check=True, capture_output=True)
    return json.loads(output.stdout)


def simulate(pliant, path, folder):
    scene, run = folder / "scene.toml", folder / f"run-{path.name}"
    scene.write_text(
        f"""
        frames = 2
        [[body]]
        mesh = {{ file = "{path.name}" }}
        material = {{ preset = "rubber" }}
        """
    )
    subprocess.run([pliant, "simulate", scene, "--out", run, "--quiet"], check=True)
    return np.frombuffer((run / "animation.pc2").read_bytes(), "<f4", offset=32).reshape(3, -1, 3)


def check_ours(pliant, source, points, tets, folder):
    """What `pliant convert` makes of a solid, for meshio."""
    for name in ["ours.msh", "ours.mesh", "ours.vtk", "ours.vtu", "ours.ele"]:
        path = folder / name
        subprocess.run([pliant, "convert", source, path, "--quiet"], check=True)
        # Of TetGen's pair, meshio is given the vertices.
        found = meshio.read(path.with_suffix(".node") if path.suffix == ".ele" else path)
        np.testing.assert_array_equal(found.points, points, err_msg=name)
        np.testing.assert_array_equal(found.cells_dict["tetra"], tets, err_msg=name)
    for name in ["ours.obj", "ours.off", "ours.ply", "ours.stl"]:
        path = folder / name
        subprocess.run([pliant, "convert", source, path, "--quiet"], check=True)
        found = meshio.read(path)
        a, b, c = (found.points[corner].astype(float) for corner in found.cells_dict["triangle"].T)
        volume = np.einsum("ij,ij->", np.cross(a, b), c) / 6
        np.testing.assert_allclose(volume, SIZE.prod(), rtol=1e-5, err_msg=name)


def main(pliant):
    points, tets = box()
    faces = 4 * (3 * 2 + 2 * 1 + 1 * 3)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for name, options in FORMATS:
            path = folder / name
            meshio.Mesh(points, [("tetra", tets)]).write(path, **options)
            found = inspect(pliant, path)
            counts = {key: found[key] for key in ("vertices", "faces", "tets", "frames")}
            expected = {"vertices": len(points), "faces": faces, "tets": len(tets), "frames": 1}
            assert counts == expected, (name, counts, expected)
            assert found["findings"] == [], (name, found["findings"])
            np.testing.assert_allclose(found["bounds"]["min"], np.zeros(3), atol=1e-7)
            np.testing.assert_allclose(found["bounds"]["max"], SIZE, rtol=1e-6)
            frames = simulate(pliant, path, folder)
            # Vertices keep their numbers, and a free body falls as one: ½gt(t + h) after two steps.
            np.testing.assert_allclose(frames[0], points, atol=1e-6, err_msg=name)
            fallen = frames[2] - frames[0]
            np.testing.assert_allclose(fallen[:, 1], -9.81 * 3 / 900, rtol=1e-3, err_msg=name)
            assert np.abs(fallen[:, [0, 2]]).max() < 1e-5, name
        check_ours(pliant, folder / "plain.vtu", points, tets, folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
