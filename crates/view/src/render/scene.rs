//! What is to be seen: objects with materials, a ground, a background.

use glam::DVec3;

/// Vertex positions in any of the layouts the other rooms keep them in \[m\].
#[derive(Clone, Copy, Debug)]
pub enum Positions<'a> {
    /// Single precision, as animation files hold them.
    Single(&'a [[f32; 3]]),
    /// Double precision, as meshes and states hold them.
    Double(&'a [DVec3]),
}

impl Positions<'_> {
    /// Number of vertices.
    pub fn len(&self) -> usize {
        match self {
            Positions::Single(p) => p.len(),
            Positions::Double(p) => p.len(),
        }
    }

    /// Whether there is no vertex.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A vertex; `None` beyond the last one.
    pub fn get(&self, index: usize) -> Option<DVec3> {
        match self {
            Positions::Single(p) => {
                p.get(index).map(|&[x, y, z]| DVec3::new(x.into(), y.into(), z.into()))
            }
            Positions::Double(p) => p.get(index).copied(),
        }
    }

    /// All vertices in order.
    pub fn iter(&self) -> impl Iterator<Item = DVec3> {
        (0..self.len()).filter_map(|i| self.get(i))
    }
}

impl<'a> From<&'a [[f32; 3]]> for Positions<'a> {
    fn from(positions: &'a [[f32; 3]]) -> Self {
        Positions::Single(positions)
    }
}

impl<'a> From<&'a [DVec3]> for Positions<'a> {
    fn from(positions: &'a [DVec3]) -> Self {
        Positions::Double(positions)
    }
}

/// How a surface answers light. Colours are sRGB in 0..=1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Colour of the surface in white light (sRGB, 0..=1).
    pub colour: [f32; 3],
    /// 0 = chalk, 1 = polished.
    pub gloss: f32,
    /// 0 = opaque, 1 = light bleeds around edges and through thin parts.
    pub translucency: f32,
}

impl Material {
    /// Glossy and translucent.
    pub const JELLY: Material =
        Material { colour: [0.87, 0.19, 0.26], gloss: 0.85, translucency: 0.9 };
    /// Soft light, a little oily.
    pub const SKIN: Material =
        Material { colour: [0.87, 0.66, 0.56], gloss: 0.4, translucency: 0.55 };
    /// Matt, thin.
    pub const CLOTH: Material =
        Material { colour: [0.24, 0.45, 0.70], gloss: 0.12, translucency: 0.3 };
    /// Matt and opaque, for colliders and bones.
    pub const PLASTER: Material =
        Material { colour: [0.80, 0.79, 0.77], gloss: 0.15, translucency: 0.0 };

    /// The same material in another sRGB colour.
    pub const fn coloured(self, colour: [f32; 3]) -> Material {
        Material { colour, ..self }
    }
}

/// A triangle mesh to be drawn. Both sides of a triangle are visible.
#[derive(Clone, Copy, Debug)]
pub struct Object<'a> {
    /// Vertices \[m\].
    pub positions: Positions<'a>,
    /// Corners of the triangles, counter-clockwise seen from outside. A triangle with an index
    /// out of range or a position that is not finite is left out.
    pub triangles: &'a [[u32; 3]],
    /// How the surface answers light.
    pub material: Material,
    /// One sRGB colour per vertex in place of the material's, if there are as many as vertices.
    pub colours: Option<&'a [[f32; 3]]>,
    /// Numbers of triangles shown in red, for diagnosis.
    pub highlighted: &'a [u32],
    /// Whether edges are drawn over the surface.
    pub wireframe: bool,
}

impl<'a> Object<'a> {
    /// An object in plain material, without overlays.
    pub fn new(
        positions: impl Into<Positions<'a>>,
        triangles: &'a [[u32; 3]],
        material: Material,
    ) -> Self {
        Object {
            positions: positions.into(),
            triangles,
            material,
            colours: None,
            highlighted: &[],
            wireframe: false,
        }
    }
}

/// A horizontal floor, seen from above only, that fades into the background.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// Its y coordinate \[m\].
    pub height: f64,
    /// sRGB colour in 0..=1.
    pub colour: [f32; 3],
    /// Distance of the lines of a faint grid \[m\]; 0 = no grid.
    pub grid: f64,
}

impl Ground {
    /// A plain light floor.
    pub const fn at(height: f64) -> Ground {
        Ground { height, colour: [0.90, 0.905, 0.91], grid: 0.0 }
    }
}

/// A vertical gradient behind everything, in sRGB 0..=1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Background {
    /// Colour at the top of the picture.
    pub top: [f32; 3],
    /// Colour at the bottom of the picture.
    pub bottom: [f32; 3],
}

impl Default for Background {
    fn default() -> Self {
        Background { top: [0.80, 0.85, 0.90], bottom: [0.95, 0.955, 0.96] }
    }
}

/// All that is to be drawn.
#[derive(Clone, Debug, Default)]
pub struct Scene<'a> {
    /// The meshes.
    pub objects: Vec<Object<'a>>,
    /// The floor, if there is one.
    pub ground: Option<Ground>,
    /// What is seen where nothing else is.
    pub background: Background,
    /// Direction towards the key light; `None` is over the viewer's left shoulder.
    pub light: Option<DVec3>,
}
