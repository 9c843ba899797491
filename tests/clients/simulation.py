"""Reads what `pliant simulate` writes with the programs that users have: csv, numpy, trimesh."""

import csv
import json
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import trimesh

FRAMES, SUBSTEPS, FPS = 4, 2, 30
SCENE = f"""
name = "two bodies"
frames = {FRAMES}
fps = {FPS}
substeps = {SUBSTEPS}

[[body]]
name = "block"
mesh = {{ box = {{ size = [0.2, 0.1, 0.1], cells = [4, 2, 2] }} }}
material = {{ preset = "jelly" }}

[[body.attach]]
select = {{ box = {{ min = [-0.11, -1.0, -1.0], max = [-0.09, 1.0, 1.0] }} }}
stiffness = "hard"

[[body]]
name = "cloth"
mesh = {{ cloth = {{ size = [0.2, 0.2], cells = [3, 3] }} }}
material = {{ model = "springs", stiffness = 50.0, mass = 0.1 }}
place = {{ translate = [0.0, 0.5, 0.0] }}
"""
COLUMNS = (
    "step,time,kinetic,potential,total,target,added,dissipated,px,py,pz,lx,ly,lz,s,t,"
    "solver_iterations,residual,correction_iterations,fallback,contacts,max_penetration,"
    "step_ms,correction_ms"
).split(",")
# Without an energy correction there is nothing for these two to hold.
WITHOUT_VALUE = {"s", "t"}


def check_metrics(path):
    """Every column is a number for csv + float() and for genfromtxt, and both agree."""
    with open(path, newline="") as file:
        reader = csv.DictReader(file)
        assert reader.fieldnames == COLUMNS, reader.fieldnames
        rows = [{name: float(value) for name, value in row.items()} for row in reader]
    steps = FRAMES * SUBSTEPS
    assert len(rows) == steps + 1, len(rows)
    table = np.genfromtxt(path, delimiter=",", names=True)
    assert table.dtype.names == tuple(COLUMNS), table.dtype.names
    assert table.shape == (steps + 1,), table.shape
    for name in COLUMNS:
        values = np.array([row[name] for row in rows])
        np.testing.assert_array_equal(table[name], values)
        assert np.isnan(values).all() if name in WITHOUT_VALUE else np.isfinite(values).all(), name
    np.testing.assert_array_equal(table["step"], np.arange(steps + 1))
    np.testing.assert_allclose(table["time"], np.arange(steps + 1) / (FPS * SUBSTEPS), rtol=1e-14)
    np.testing.assert_allclose(
        table["total"], table["kinetic"] + table["potential"], rtol=1e-12, atol=1e-12
    )
    assert table["kinetic"][0] == 0.0 and table["kinetic"][-1] > 0.0, "gravity sets it in motion"


def check_rest(path, vertices):
    """The surface for trimesh; all vertices of the simulation, inner ones too, in the file."""
    surface = trimesh.load(path, process=False, force="mesh")
    surface_of_the_box = 2 * (0.2 * 0.1 + 0.2 * 0.1 + 0.1 * 0.1)
    np.testing.assert_allclose(surface.area, surface_of_the_box + 0.2 * 0.2, rtol=1e-6)
    lines = [line for line in Path(path).read_text().splitlines() if line.startswith("v ")]
    positions = np.array([line.split()[1:] for line in lines], dtype=float)
    assert positions.shape == (vertices, 3), positions.shape
    inner = 3
    assert len(np.unique(surface.vertices, axis=0)) == vertices - inner
    return positions


def check_cache(path, rest):
    """Header, size and contents of the PC2 file, read as its format says."""
    data = Path(path).read_bytes()
    magic, version, points, start, rate, samples = struct.unpack("<12siiffi", data[:32])
    assert magic == b"POINTCACHE2\0", magic
    assert (version, start, rate) == (1, 0.0, 1.0), (version, start, rate)
    assert (points, samples) == (len(rest), FRAMES + 1), (points, samples)
    frames = np.frombuffer(data, "<f4", offset=32).reshape(samples, points, 3)
    assert np.isfinite(frames).all()
    np.testing.assert_allclose(frames[0], rest, atol=1e-6)
    held = np.abs(rest[:, 0] + 0.1) < 0.01
    held &= rest[:, 1] < 0.25
    assert held.sum() == 9, held.sum()
    np.testing.assert_array_equal(frames[-1][held], frames[0][held])
    assert np.abs(frames[-1] - frames[0]).max() > 1e-3, "what is not held falls"


def check_summary(path):
    summary = json.loads(Path(path).read_text())
    expected = {
        "name", "hash", "vertices", "elements", "steps", "ms_per_step", "correction_ms_per_step",
        "energy_drift", "momentum_drift", "fallbacks", "exploded", "version",
    }
    assert expected <= set(summary), expected - set(summary)
    assert set(summary["ms_per_step"]) == {"mean", "min", "p95"}, summary["ms_per_step"]
    assert summary["name"] == "two bodies"
    assert summary["steps"] == FRAMES * SUBSTEPS
    assert summary["exploded"] is False and summary["fallbacks"] == 0
    assert summary["momentum_drift"] is None, "one body is held"
    return summary["vertices"]


def main(pliant):
    with tempfile.TemporaryDirectory() as folder:
        scene, run = Path(folder, "scene.toml"), Path(folder, "run")
        scene.write_text(SCENE)
        subprocess.run([pliant, "simulate", scene, "--out", run, "--quiet"], check=True)
        vertices = check_summary(run / "summary.json")
        check_metrics(run / "metrics.csv")
        check_cache(run / "animation.pc2", check_rest(run / "rest.obj", vertices))


if __name__ == "__main__":
    main(*sys.argv[1:])
