"""Animations to and from other programs: glTF, USD, caches and sequences, compared frame by frame."""

import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pygltflib
import trimesh
from pxr import Gf, Sdf, Usd, UsdGeom, UsdUtils, Vt

FRAMES, FPS = 9, 24


def cloth(cells=6):
    """A square of quads, each a polygon of its own in the OBJ file; bent and moved over time."""
    side = np.linspace(-0.5, 0.5, cells + 1)
    grid = np.stack(np.meshgrid(side, side, indexing="ij"), axis=-1).reshape(-1, 2)
    rest = np.stack([grid[:, 0], np.zeros(len(grid)), grid[:, 1]], axis=-1).astype(np.float32)
    corner = lambda i, j: i * (cells + 1) + j
    quads = [
        [corner(i, j), corner(i, j + 1), corner(i + 1, j + 1), corner(i + 1, j)]
        for i in range(cells)
        for j in range(cells)
    ]
    frames = []
    for frame in range(FRAMES):
        bent = rest.copy()
        bent[:, 1] = frame * 0.1 * rest[:, 0] ** 2
        bent[:, 2] += 0.05 * frame
        frames.append(bent)
    return rest, np.array(quads), np.array(frames)


def write_input(folder, rest, quads, frames):
    """An OBJ file with colours, and a PC2 cache."""
    colors = np.round(np.abs(rest) * 2 * 255) / 255
    rows = [f"v {x} {y} {z} {r} {g} {b}" for (x, y, z), (r, g, b) in zip(rest.tolist(), colors.tolist())]
    rows += ["f " + " ".join(str(v + 1) for v in quad) for quad in quads]
    (folder / "rest.obj").write_text("\n".join(rows) + "\n")
    header = struct.pack("<12siiffi", b"POINTCACHE2\0", 1, len(rest), 0.0, 1.0, len(frames))
    (folder / "walk.pc2").write_bytes(header + frames.astype("<f4").tobytes())
    return colors


def convert(pliant, *arguments):
    subprocess.run([pliant, "convert", "--quiet", *map(str, arguments)], check=True)


def read_pc2(path):
    data = Path(path).read_bytes()
    _, _, points, _, _, samples = struct.unpack("<12siiffi", data[:32])
    return np.frombuffer(data, "<f4", offset=32).reshape(samples, points, 3)


def accessor(gltf, index, blob):
    """The array behind an accessor, with its claims checked."""
    entry = gltf.accessors[index]
    view = gltf.bufferViews[entry.bufferView]
    kind = {pygltflib.FLOAT: "<f4", pygltflib.UNSIGNED_INT: "<u4", pygltflib.UNSIGNED_BYTE: "u1"}
    kind = np.dtype(kind[entry.componentType])
    width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}[entry.type]
    assert view.byteOffset % 4 == 0 and view.byteOffset + view.byteLength <= len(blob)
    values = np.frombuffer(blob, kind, entry.count * width, view.byteOffset)
    values = values.reshape(entry.count, width)
    if entry.min:
        np.testing.assert_array_equal(values.min(axis=0), np.array(entry.min, kind))
        np.testing.assert_array_equal(values.max(axis=0), np.array(entry.max, kind))
    return values


def check_gltf(path, rest, triangles, frames, colors):
    gltf = pygltflib.GLTF2().load(str(path))
    blob = gltf.binary_blob() or path.with_name(gltf.buffers[0].uri).read_bytes()
    assert len(blob) >= gltf.buffers[0].byteLength
    (primitive,) = gltf.meshes[0].primitives
    base = accessor(gltf, primitive.attributes.POSITION, blob)
    np.testing.assert_array_equal(base, rest)
    np.testing.assert_allclose(accessor(gltf, primitive.attributes.COLOR_0, blob), colors, atol=1e-7)
    assert accessor(gltf, primitive.indices, blob).size == 3 * triangles
    targets = np.array([accessor(gltf, t["POSITION"], blob) for t in primitive.targets])
    (animation,) = gltf.animations
    (channel,), (sampler,) = animation.channels, animation.samplers
    assert (channel.target.node, channel.target.path) == (0, "weights")
    times = accessor(gltf, sampler.input, blob).ravel()
    np.testing.assert_allclose(times, np.arange(len(frames)) / FPS, rtol=1e-6)
    weights = accessor(gltf, sampler.output, blob).reshape(len(times), len(targets))
    np.testing.assert_allclose(base + np.tensordot(weights, targets, 1), frames, atol=1e-7)


def check_usd(path, rest, quads, frames, colors):
    stage = Usd.Stage.Open(str(path))
    assert UsdGeom.GetStageMetersPerUnit(stage) == 1.0
    assert UsdGeom.GetStageUpAxis(stage) == UsdGeom.Tokens.y
    assert stage.GetTimeCodesPerSecond() == FPS
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (0, len(frames) - 1)
    mesh = UsdGeom.Mesh(stage.GetDefaultPrim())
    np.testing.assert_array_equal(mesh.GetFaceVertexCountsAttr().Get(), [4] * len(quads))
    np.testing.assert_array_equal(mesh.GetFaceVertexIndicesAttr().Get(), quads.ravel())
    np.testing.assert_array_equal(mesh.GetPointsAttr().Get(), rest)
    np.testing.assert_allclose(mesh.GetDisplayColorAttr().Get(), colors, atol=1e-7)
    for index, frame in enumerate(frames):
        np.testing.assert_array_equal(mesh.GetPointsAttr().Get(index), frame)


def check_mdd(path, frames):
    data = Path(path).read_bytes()
    count, points = struct.unpack(">ii", data[:8])
    assert (count, points) == frames.shape[:2]
    np.testing.assert_allclose(np.frombuffer(data, ">f4", count, 8), np.arange(count) / FPS, rtol=1e-6)
    stored = np.frombuffer(data, ">f4", offset=8 + 4 * count)
    np.testing.assert_array_equal(stored.reshape(frames.shape), frames)


def ours_in_theirs(pliant, folder):
    """What we write, in every animated format and as sequences."""
    rest, quads, frames = cloth()
    colors = write_input(folder, rest, quads, frames)
    source = f"{folder}/rest.obj+{folder}/walk.pc2"
    for name in ["walk.glb", "walk.gltf", "walk.usda", "walk.mdd", "f/*.ply", "f/*.obj", "f/*.stl"]:
        convert(pliant, source, folder / "out" / name if "*" in name else folder / name, "--fps", FPS)
    for name in ["walk.glb", "walk.gltf"]:
        check_gltf(folder / name, rest, 2 * len(quads), frames, colors)
    check_usd(folder / "walk.usda", rest, quads, frames, colors)
    check_mdd(folder / "walk.mdd", frames)
    for index, frame in enumerate(frames):
        for ending in ["ply", "obj", "stl"]:
            path = folder / "out" / "f" / f"{index:04}.{ending}"
            mesh = trimesh.load(path, process=False, force="mesh")
            if ending == "stl":
                np.testing.assert_allclose(mesh.bounds, [frame.min(axis=0), frame.max(axis=0)], atol=1e-6)
                continue
            np.testing.assert_allclose(mesh.vertices, frame, atol=1e-6)
            found = mesh.visual.vertex_colors[:, :3] / 255
            np.testing.assert_allclose(found, colors, atol=1e-6, err_msg=ending)
    static = trimesh.load(folder / "walk.glb", process=False, force="mesh")
    np.testing.assert_allclose(static.vertices, rest, atol=1e-6)
    # And back again, through every format, to the same bytes or nearly so.
    for name in ["walk.glb", "walk.gltf", "walk.usda", "walk.mdd"]:
        convert(pliant, folder / name, folder / "again.pc2")
        np.testing.assert_allclose(read_pc2(folder / "again.pc2"), frames, atol=1e-7, err_msg=name)


def theirs_from_usd(pliant, folder):
    """A stage in centimetres, z up, with transforms and points that move, as USD itself has it."""
    path = folder / "stage.usda"
    stage = Usd.Stage.CreateNew(str(path))
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(stage, 0.01)
    stage.SetTimeCodesPerSecond(FPS)
    stage.SetStartTimeCode(1)
    stage.SetEndTimeCode(FRAMES)
    top = UsdGeom.Xform.Define(stage, "/top")
    top.AddTranslateOp().Set(Gf.Vec3d(10, 20, 30))
    turn = top.AddRotateXYZOp()
    orient = top.AddOrientOp(UsdGeom.XformOp.PrecisionDouble)
    for time in [1, FRAMES]:
        turn.Set(Gf.Vec3f(10 * time, 5, -3 * time), time)
        angle = Gf.Rotation(Gf.Vec3d(1, 2, 3), 20.0 * time)
        orient.Set(angle.GetQuat(), time)
    part = UsdGeom.Xform.Define(stage, "/top/part")
    part.AddTransformOp().Set(Gf.Matrix4d(Gf.Rotation(Gf.Vec3d(0, 1, 0), 35.0), Gf.Vec3d(1, 0, -2)))
    part.AddScaleOp(opSuffix="pivoted").Set(Gf.Vec3f(1, 2, 0.5))
    rest, quads, frames = cloth(3)
    for name in ["/top/left", "/top/part/right"]:
        mesh = UsdGeom.Mesh.Define(stage, name)
        mesh.CreateFaceVertexCountsAttr([4] * len(quads))
        mesh.CreateFaceVertexIndicesAttr(quads.ravel().tolist())
        points = mesh.CreatePointsAttr()
        for index, frame in enumerate(frames[::2]):
            points.Set([Gf.Vec3f(*map(float, p)) for p in frame], 1 + 2 * index)
    weight = UsdGeom.PrimvarsAPI(mesh).CreatePrimvar(
        "weight", Sdf.ValueTypeNames.FloatArray, UsdGeom.Tokens.vertex
    )
    weight.Set([1.0] * len(rest))
    stage.Save()
    meshes = [UsdGeom.Mesh(prim) for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh)]
    convert(pliant, path, folder / "stage.pc2")
    found = read_pc2(folder / "stage.pc2")
    assert found.shape == (FRAMES, 2 * len(rest), 3), found.shape
    for index in range(FRAMES):
        time = Usd.TimeCode(1 + index)
        expected = []
        for mesh in meshes:
            world = np.array(mesh.ComputeLocalToWorldTransform(time))
            points = np.array(mesh.GetPointsAttr().Get(time), dtype=float)
            expected.append(points @ world[:3, :3] + world[3, :3])
        x, y, z = np.concatenate(expected).T * 0.01
        np.testing.assert_allclose(found[index], np.stack([x, z, -y], axis=-1), atol=1e-6)
    # Twice as fine: between samples everything is linear, or on the shortest arc.
    convert(pliant, path, folder / "fine.pc2", "--fps", 2 * FPS)
    assert len(read_pc2(folder / "fine.pc2")) == 2 * FRAMES - 1
    # The binary form, also in an archive, has the same numbers.
    stage.Export(str(folder / "stage.usdc"))
    assert UsdUtils.CreateNewUsdzPackage(str(folder / "stage.usdc"), str(folder / "stage.usdz"))
    for name in ["stage.usdc", "stage.usdz"]:
        convert(pliant, folder / name, folder / "binary.pc2")
        np.testing.assert_array_equal(read_pc2(folder / "binary.pc2"), found, err_msg=name)
        convert(pliant, folder / name, folder / "binary.usda", "--frames", "0..0")
        convert(pliant, folder / "stage.usda", folder / "text.usda", "--frames", "0..0")
        texts = [(folder / n).read_text() for n in ["binary.usda", "text.usda"]]
        assert texts[0].replace("binary", "text") == texts[1], name
    # What usdcat does.
    Usd.Stage.Open(str(folder / "stage.usdc")).Flatten().Export(str(folder / "flat.usda"))
    convert(pliant, folder / "flat.usda", folder / "flat.pc2")
    np.testing.assert_allclose(read_pc2(folder / "flat.pc2"), found, atol=1e-6)


def theirs_packed(pliant, folder):
    """All that a binary layer packs: long lists of integers, tables of numbers, halves, and more."""
    rng = np.random.default_rng(7)
    side = 60
    rest, quads, _ = cloth(side)
    stage = Usd.Stage.CreateNew(str(folder / "packed.usdc"))
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    mesh = UsdGeom.Mesh.Define(stage, "/mesh")
    order = rng.permutation(len(quads))
    mesh.CreateFaceVertexCountsAttr([4] * len(quads))
    mesh.CreateFaceVertexIndicesAttr(quads[order].ravel().tolist())
    mesh.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(rest))
    primvars = UsdGeom.PrimvarsAPI(mesh)
    count = len(rest)
    values = {
        # Floats that are integers, that are few, that are any; and other types.
        "whole": ("FloatArray", np.arange(count) % 50 - 20.0),
        "few": ("FloatArray", rng.choice([0.1, 0.25, -3.5], count).astype(np.float32)),
        "any": ("FloatArray", rng.random(count).astype(np.float32)),
        "half": ("HalfArray", rng.random(count).astype(np.float16)),
        "double": ("DoubleArray", rng.random(count).astype(np.float32).astype(float)),
        "int": ("IntArray", rng.integers(-(2**20), 2**20, count)),
        "uint": ("UIntArray", rng.integers(0, 2**24, count)),
        "long": ("Int64Array", rng.integers(-(2**23), 2**23, count)),
        "flow": ("Float3Array", rng.random((count, 3)).astype(np.float32)),
    }
    for name, (kind, numbers) in values.items():
        primvar = primvars.CreatePrimvar(name, getattr(Sdf.ValueTypeNames, kind), UsdGeom.Tokens.vertex)
        plain = [Gf.Vec3f(*map(float, row)) for row in numbers] if name == "flow" else numbers.tolist()
        primvar.Set(plain)
    stage.Save()
    convert(pliant, folder / "packed.usdc", folder / "packed.ply")
    copy = trimesh.load(folder / "packed.ply", process=False)
    np.testing.assert_allclose(copy.vertices, rest, atol=1e-7)
    assert len(copy.faces) == 2 * len(quads)
    raw = copy.metadata["_ply_raw"]["vertex"]["data"]
    for name, (_, numbers) in values.items():
        found = np.ravel(raw[name]) if name != "flow" else np.stack([np.ravel(raw[f"flow_{c}"]) for c in "xyz"], 1)
        np.testing.assert_allclose(found, numbers, rtol=1e-7, err_msg=name)


def theirs_from_trimesh(pliant, folder):
    """Scenes with placed nodes as glTF, and meshes with attributes, as trimesh writes them."""
    scene = trimesh.Scene()
    scene.add_geometry(trimesh.creation.box([1, 2, 3]), node_name="box", geom_name="box")
    turned = trimesh.transformations.rotation_matrix(0.7, [1, 1, 0], [0.1, 0.2, 0.3])
    ball = trimesh.creation.icosphere(subdivisions=2)
    scene.add_geometry(ball, node_name="ball", geom_name="ball", transform=turned)
    expected = np.concatenate([g.vertices for g in scene.dump()])
    for name in ["scene.glb", "scene.gltf"]:
        if name.endswith("glb"):
            scene.export(folder / name)
        else:
            for part, data in scene.export(file_type="gltf").items():
                (folder / (name if part == "model.gltf" else part)).write_bytes(data)
        convert(pliant, folder / name, folder / "scene.ply")
        found = trimesh.load(folder / "scene.ply", process=False).vertices
        sort = lambda points: points[np.lexsort(np.round(points, 4).T)]
        np.testing.assert_allclose(sort(np.array(found)), sort(expected), atol=1e-5, err_msg=name)
    ball.vertex_attributes["heat"] = np.linspace(0, 1, len(ball.vertices)).astype(np.float32)
    for name, options in [
        ("ball.ply", {"encoding": "ascii"}),
        ("ball.ply", {"encoding": "binary"}),
        ("ball.stl", {}),
        ("ball.off", {}),
        ("ball.obj", {}),
    ]:
        ball.export(folder / name, **options)
        convert(pliant, folder / name, folder / "copy.ply")
        copy = trimesh.load(folder / "copy.ply", process=False)
        np.testing.assert_allclose(copy.volume, ball.volume, rtol=1e-5, err_msg=name)
        assert len(copy.vertices) == len(ball.vertices), name
        if name == "ball.ply":
            heat = copy.metadata["_ply_raw"]["vertex"]["data"]["heat"]
            np.testing.assert_allclose(np.ravel(heat), ball.vertex_attributes["heat"], atol=1e-6)


def main(pliant):
    for check in [ours_in_theirs, theirs_from_usd, theirs_packed, theirs_from_trimesh]:
        with tempfile.TemporaryDirectory() as folder:
            check(pliant, Path(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
