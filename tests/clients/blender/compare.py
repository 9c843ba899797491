"""Blender's view of our files: animations that it reads are compared with what was written.

Arguments: the command, then every Blender to ask: a `blender`, or a Python that has `bpy`.
"""

import json
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import trimesh

INSIDE = Path(__file__).with_name("inside.py")
FRAMES, FPS = 12, 24
# A solid, whose inner vertices no face uses, and a cloth.
SCENE = f"""
name = "two bodies"
frames = {FRAMES}
fps = {FPS}

[[body]]
name = "block"
mesh = {{ box = {{ size = [0.4, 0.2, 0.2], cells = [6, 4, 3] }} }}
material = {{ preset = "jelly" }}

[[body.attach]]
select = {{ box = {{ min = [-0.21, -1.0, -1.0], max = [-0.19, 1.0, 1.0] }} }}
stiffness = "hard"

[[body]]
name = "cloth"
mesh = {{ cloth = {{ size = [0.2, 0.2], cells = [3, 3] }} }}
material = {{ model = "springs", stiffness = 50.0, mass = 0.1 }}
place = {{ translate = [0.0, 0.5, 0.0] }}
"""
# Single precision, and rotations of an axis system within it.
NEAR = 1e-6


def ask(blender, jobs, folder):
    """Has a Blender do jobs, and returns the results, None where it was built without."""
    for index, job in enumerate(jobs):
        job["result"] = str(folder / f"result{index}.json")
    listed = folder / "jobs.json"
    listed.write_text(json.dumps(jobs))
    if "python" in Path(blender).name:
        command = [blender, "-B", INSIDE, listed]
    else:
        quiet = ["--background", "--factory-startup", "--python-exit-code", "1"]
        command = [blender, *quiet, "--python", INSIDE, "--", listed]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"{blender}:\n{done.stdout}\n{done.stderr}"
    answers = [json.loads(Path(job["result"]).read_text()) for job in jobs]
    return answers[0]["version"], [answer["result"] for answer in answers]


def read_pc2(path):
    data = Path(path).read_bytes()
    _, _, points, _, _, samples = struct.unpack("<12siiffi", data[:32])
    return np.frombuffer(data, "<f4", offset=32).reshape(samples, points, 3)


def used_by_faces(path):
    """Vertices of the faces of an OBJ file, from 0."""
    lines = Path(path).read_text().splitlines()
    return sorted({int(v) - 1 for line in lines if line.startswith("f ") for v in line.split()[1:]})


def far_off(found, expected):
    """The largest distance of any vertex at any frame."""
    found = np.array(found)
    assert found.shape == expected.shape, (found.shape, expected.shape)
    return np.abs(found - expected).max()


def spoil(path, copy):
    """A copy with one number of the last frame changed, which a comparison has to notice."""
    if path.suffix == ".usda":
        head, _, tail = path.read_text().rpartition("(")
        x, comma, rest = tail.partition(",")
        copy.write_text(f"{head}({float(x) + 0.01}{comma}{rest}")
        return
    data = bytearray(path.read_bytes())
    where, order = {".pc2": (-12, "<f"), ".mdd": (-12, ">f"), ".glb": (None, "<f")}[path.suffix]
    if where is None:
        # The x of a vertex in the morph target of the last frame: the accessor says where.
        length = struct.unpack_from("<I", data, 12)[0]
        scene = json.loads(data[20 : 20 + length])
        target = scene["meshes"][0]["primitives"][0]["targets"][-1]["POSITION"]
        view = scene["bufferViews"][scene["accessors"][target]["bufferView"]]
        corner = scene["accessors"][scene["meshes"][0]["primitives"][0]["indices"]]
        first = scene["bufferViews"][corner["bufferView"]]["byteOffset"] + corner.get("byteOffset", 0)
        vertex = struct.unpack_from("<I", data, 28 + length + first)[0]
        where = 28 + length + view.get("byteOffset", 0) + 12 * vertex
    else:
        where += len(data)
    (x,) = struct.unpack_from(order, data, where)
    struct.pack_into(order, data, where, x + 0.01)
    copy.write_bytes(data)


def simulated(pliant, blenders, folder):
    """PC2, MDD, glTF and USD as written by `simulate` and `convert`, vertex by vertex."""
    scene, run = folder / "scene.toml", folder / "run"
    scene.write_text(SCENE)
    subprocess.run([pliant, "simulate", scene, "--out", run, "--quiet"], check=True)
    written = {"PC2": run / "animation.pc2"}
    for kind, name in [("MDD", "walk.mdd"), ("glTF", "walk.glb"), ("USD", "walk.usda")]:
        written[kind] = folder / name
        command = [pliant, "convert", run, written[kind], "--quiet", "--fps", str(FPS)]
        subprocess.run(command, check=True)
    animations(blenders, written, run / "rest.obj", [0, 1, 5, FRAMES], folder)


def enriched(pliant, blenders, folder):
    """The same as written by `enrich`."""
    written = {}
    for kind, ending in [("PC2", "pc2"), ("MDD", "mdd"), ("glTF", "glb"), ("USD", "usda")]:
        written[kind] = folder / f"soft.{ending}"
        command = [pliant, "enrich", "puppet:cube:6", "--out", written[kind], "--resolution", "8"]
        subprocess.run([*command, "--frames", f"10..{10 + FRAMES}", "--fps", str(FPS), "--quiet"], check=True)
    animations(blenders, written, folder / "soft.obj", [0, 1, 5, FRAMES], folder)


def animations(blenders, written, rest, frames, folder):
    """Files of one animation by kind, the PC2 cache with its mesh at rest being the truth."""
    truth = read_pc2(written["PC2"])
    assert np.abs(truth[-1] - truth[0]).max() > 0.05, "something moves"
    jobs, expected = [], []
    for kind, path in written.items():
        for spoilt in [False, True]:
            if spoilt:
                copy = folder / f"spoilt{path.suffix}"
                spoil(path, copy)
                path = copy
            job = {"path": str(path), "frames": frames, "fps": FPS, "kind": kind, "spoilt": spoilt}
            if kind in ["PC2", "MDD"]:
                job |= {"do": "cache", "format": kind, "mesh": str(rest)}
            else:
                job["do"] = {"glTF": "gltf", "USD": "usd"}[kind]
            jobs.append(job)
            # A glTF importer leaves out what no triangle uses; the two bodies are in order.
            used = used_by_faces(rest) if kind == "glTF" else slice(None)
            expected.append(truth[frames][:, used])
    seen = set()
    for blender in blenders:
        version, results = ask(blender, jobs, folder)
        for job, result, positions in zip(jobs, results, expected):
            if result is None:
                continue
            off = far_off(result["frames"], positions)
            assert (off < NEAR) != job["spoilt"], f"Blender {version}: {job['kind']} is off by {off} m"
            if not job["spoilt"]:
                seen.add(job["kind"])
                print(f"Blender {version} reads {job['kind']}: within {off:.1e} m at frames {frames}")
    for kind in sorted(written.keys() - seen):
        print(f"skipped: {kind}, which no Blender here was built with; bpy from PyPI is, for Python 3.11")


# What can be selected by name, and which of it is a weight map, in files of old and new Blenders.
NAMES = {
    3: {"glb": ["WEIGHT", "COLOR_0.r", "end"], "obj": ["color.r", "tip"], "ply": []},
    4: {
        "glb": ["WEIGHT", "_WEIGHT", "COLOR_0.r", "end"],
        "obj": ["color.r", "tip"],
        "ply": ["WEIGHT", "color.r", "tip"],
        "usda": ["WEIGHT", "Col.r", "tip", "end"],
    },
}
HELD = """
frames = 4
gravity = [0.0, -1000.0, 0.0]

[[body]]
mesh = {{ surface = "{file}", resolution = 16 }}
material = {{ preset = "jelly" }}

[[body.attach]]
select = {{ group = "{name}" }}
stiffness = "hard"
"""


def nearest(places, points):
    """For every point the number of the place that is there."""
    distances = np.linalg.norm(np.array(places)[None] - np.array(points)[:, None], axis=2)
    assert distances.min(axis=1).max() < NEAR, distances.min(axis=1).max()
    return distances.argmin(axis=1)


def painted_values(pliant, path, places):
    """The attributes that we read, and which place each vertex is at: by way of a PLY file."""
    copy = path.with_name("copy.ply")
    subprocess.run([pliant, "convert", path, copy, "--quiet"], check=True)
    raw = trimesh.load(copy, process=False).metadata["_ply_raw"]["vertex"]["data"]
    values = {name: np.ravel(raw[name]) for name in raw.dtype.names}
    return values, nearest(places, np.stack([values[axis] for axis in "xyz"], axis=-1))


def painting(pliant, blenders, folder):
    """Weights, colours, groups and materials painted in Blender, as numbers and as selections."""
    for blender in blenders:
        job = {"do": "paint", "path": str(folder / "painted")}
        version, (result,) = ask(blender, [job], folder)
        names = NAMES[min(int(version.split(".")[0]), 4)]
        places, weights = np.array(result["vertices"]), np.array(result["weights"])
        for ending in result["written"]:
            path = folder / f"painted.{ending}"
            values, vertex = painted_values(pliant, path, places)
            maps = [name for name in values if name.strip("_") in ["WEIGHT", "tip"]]
            assert maps or "WEIGHT" not in names[ending], (ending, list(values))
            for name in maps:
                expected = weights if name != "tip" else weights * (weights > 0.5)
                np.testing.assert_allclose(values[name], expected[vertex], atol=NEAR, err_msg=name)
            for name in names[ending]:
                held(pliant, folder, path, name)
            print(f"Blender {version} painted {ending}: maps {maps}, selections {names[ending]}")


def held(pliant, folder, path, name):
    """What is chosen by name stays, and the other end falls."""
    scene, run = folder / "held.toml", folder / "held"
    scene.write_text(HELD.format(file=path.name, name=name))
    subprocess.run([pliant, "simulate", scene, "--out", run, "--quiet"], check=True)
    frames = read_pc2(run / "animation.pc2")
    moved = np.linalg.norm(frames[-1] - frames[0], axis=1)
    x = frames[0][:, 0]
    assert moved[x > 0.6].max() < NEAR, (path.name, name, moved[x > 0.6].max())
    assert moved[x < -0.9].min() > 0.01, (path.name, name, moved[x < -0.9].min())


def main(pliant, *blenders):
    blenders = [found for blender in blenders if (found := shutil.which(blender))]
    assert blenders, "expected a blender, or a Python that has bpy"
    for check in [simulated, enriched, painting]:
        with tempfile.TemporaryDirectory() as folder:
            check(pliant, blenders, Path(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
