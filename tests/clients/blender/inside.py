"""Runs inside of Blender, or with its Python module `bpy`: does what a list of jobs says.

The list is the last argument, a JSON file. A job that reads gets where every vertex of the scene is at
some frames, in pliant's axes; one that writes paints a mesh and exports it.
"""

import json
import sys

import bpy
import numpy

# Debian's Blender 3.4 asks for a name that its NumPy no longer has.
if "bool" not in numpy.__dict__:
    numpy.bool = bool


def start(fps=24):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = fps


def has(operator):
    """Whether this Blender was built with it."""
    group, name = operator.split(".")
    try:
        getattr(getattr(bpy.ops, group), name).get_rna_type()
    except (KeyError, RuntimeError):
        return False
    return True


def run(operator, **options):
    """Calls an operator with those of the options that this version knows."""
    group, name = operator.split(".")
    call = getattr(getattr(bpy.ops, group), name)
    known = {p.identifier for p in call.get_rna_type().properties}
    result = call(**{key: value for key, value in options.items() if key in known})
    assert result == {"FINISHED"}, (operator, result)


# -- reading ----------------------------------------------------------------------------------


def meshes():
    return [thing for thing in bpy.context.scene.objects if thing.type == "MESH"]


def vertices_of(thing):
    """After modifiers and shape keys, y up as in our files."""
    seen = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = seen.to_mesh()
    world = [seen.matrix_world @ vertex.co for vertex in mesh.vertices]
    seen.to_mesh_clear()
    return [(p.x, p.z, -p.y) for p in world]


def poses(frames):
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found.append([p for thing in meshes() for p in vertices_of(thing)])
    faces = [list(face.vertices) for thing in meshes() for face in thing.data.polygons]
    return {"frames": found, "faces": faces}


def read_cache(job):
    run("wm.obj_import", filepath=job["mesh"])
    (thing,) = meshes()
    cache = thing.modifiers.new("cache", "MESH_CACHE")
    cache.cache_format = job["format"]
    cache.filepath = job["path"]
    return poses(job["frames"])


def read_gltf(job):
    run("import_scene.gltf", filepath=job["path"])
    return poses(job["frames"])


def read_usd(job):
    if not has("wm.usd_import"):
        return None
    run("wm.usd_import", filepath=job["path"])
    return poses(job["frames"])


JOBS = {"cache": read_cache, "gltf": read_gltf, "usd": read_usd}


def main(path):
    with open(path) as file:
        jobs = json.load(file)
    for job in jobs:
        start(job.get("fps", 24))
        result = JOBS[job["do"]](job)
        with open(job["result"], "w") as file:
            json.dump({"version": bpy.app.version_string, "result": result}, file)


main(sys.argv[-1])
