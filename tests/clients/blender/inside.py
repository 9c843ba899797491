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


# -- writing ----------------------------------------------------------------------------------


def weight_of(p):
    """What is painted everywhere: from 0 at one end to 1 at the other."""
    return 0.5 * (p[0] + 1.0)


def painted_bar():
    """A bar of quads from -1 to 1 along x, painted in every way that a user may."""
    places, quads, number = [], [], {}

    def corner(x, y, z):
        if (x, y, z) not in number:
            number[x, y, z] = len(places)
            places.append((x / 4 - 1, y / 4 - 0.125, z / 4 - 0.125))
        return number[x, y, z]

    ring = [(0, 0), (1, 0), (1, 1), (0, 1)]
    for x in range(8):
        for (a, b), (c, d) in zip(ring, ring[1:] + ring[:1]):
            quads.append([corner(x, a, b), corner(x + 1, a, b), corner(x + 1, c, d), corner(x, c, d)])
    quads.append([corner(0, a, b) for a, b in ring])
    quads.append([corner(8, a, b) for a, b in reversed(ring)])
    mesh = bpy.data.meshes.new("bar")
    mesh.from_pydata(places, [], quads)
    thing = bpy.data.objects.new("bar", mesh)
    bpy.context.scene.collection.objects.link(thing)
    weights = [weight_of(p) for p in places]
    mesh.attributes.new("_WEIGHT", "FLOAT", "POINT").data.foreach_set("value", weights)
    color = mesh.color_attributes.new("Col", "FLOAT_COLOR", "POINT")
    # Red is 0 or 1, which is the same in every colour space.
    reds = [[float(w > 0.5), 0.0, 0.0, 1.0] for w in weights]
    color.data.foreach_set("color", [value for red in reds for value in red])
    mesh.color_attributes.active_color = color
    group = thing.vertex_groups.new(name="tip")
    for vertex, weight in enumerate(weights):
        if weight > 0.5:
            group.add([vertex], weight, "REPLACE")
    for name in ["base", "end"]:
        material = bpy.data.materials.new(name)
        material.use_nodes = True
        # Exporters only look at colours that a material uses.
        node = material.node_tree.nodes.new("ShaderNodeVertexColor")
        node.layer_name = "Col"
        shader = material.node_tree.nodes["Principled BSDF"]
        material.node_tree.links.new(node.outputs["Color"], shader.inputs["Base Color"])
        mesh.materials.append(material)
    for face in mesh.polygons:
        face.material_index = int(sum(places[v][0] for v in face.vertices) > 0.0)
    return places


def write_painted(job):
    """Exports the bar in every format that this Blender has; returns which, and its vertices."""
    places = painted_bar()
    written = []
    exports = [
        ("export_scene.gltf", "glb", {"export_attributes": True, "export_format": "GLB"}),
        ("wm.obj_export", "obj", {"export_colors": True, "export_vertex_groups": True}),
        ("wm.ply_export", "ply", {"export_attributes": True, "forward_axis": "NEGATIVE_Z", "up_axis": "Y"}),
        ("export_mesh.ply", "ply", {"axis_forward": "-Z", "axis_up": "Y"}),
        ("wm.usd_export", "usda", {"convert_orientation": True}),
    ]
    for operator, ending, options in exports:
        if has(operator):
            run(operator, filepath=f"{job['path']}.{ending}", **options)
            written.append(ending)
    vertices = [(x, z, -y) for x, y, z in places]
    return {"written": written, "vertices": vertices, "weights": [weight_of(p) for p in places]}


JOBS = {"cache": read_cache, "gltf": read_gltf, "usd": read_usd, "paint": write_painted}


def main(path):
    with open(path) as file:
        jobs = json.load(file)
    for job in jobs:
        start(job.get("fps", 24))
        result = JOBS[job["do"]](job)
        with open(job["result"], "w") as file:
            json.dump({"version": bpy.app.version_string, "result": result}, file)


main(sys.argv[-1])
