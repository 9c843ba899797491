//! Numbers that know their derivatives with respect to eight points: forward differentiation of
//! what is short, rare and tedious to differentiate by hand.

use std::ops::{Add, Mul, Neg, Sub};

use glam::DVec3;

/// Points that a number may depend on.
pub(super) const POINTS: usize = 8;

/// A number with its derivatives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Dual {
    pub value: f64,
    pub slopes: [DVec3; POINTS],
}

/// Three of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DualVec(pub [Dual; 3]);

impl Dual {
    /// f of this number, given f and f′ there.
    pub fn map(self, (value, slope): (f64, f64)) -> Dual {
        Dual { value, slopes: self.slopes.map(|s| s * slope) }
    }

    pub fn recip(self) -> Dual {
        let inverse = 1.0 / self.value;
        self.map((inverse, -inverse * inverse))
    }

    pub fn sqrt(self) -> Dual {
        let root = self.value.sqrt();
        self.map((root, 0.5 / root))
    }

    fn with(self, other: Dual, value: f64, [a, b]: [f64; 2]) -> Dual {
        let slopes = std::array::from_fn(|k| self.slopes[k] * a + other.slopes[k] * b);
        Dual { value, slopes }
    }
}

impl Add for Dual {
    type Output = Dual;
    fn add(self, other: Dual) -> Dual {
        self.with(other, self.value + other.value, [1.0, 1.0])
    }
}

impl Sub for Dual {
    type Output = Dual;
    fn sub(self, other: Dual) -> Dual {
        self.with(other, self.value - other.value, [1.0, -1.0])
    }
}

impl Mul for Dual {
    type Output = Dual;
    fn mul(self, other: Dual) -> Dual {
        self.with(other, self.value * other.value, [other.value, self.value])
    }
}

impl Neg for Dual {
    type Output = Dual;
    fn neg(self) -> Dual {
        self.map((-self.value, -1.0))
    }
}

impl DualVec {
    /// The k-th of the points, at x.
    pub fn point(k: usize, x: DVec3) -> DualVec {
        DualVec(std::array::from_fn(|axis| {
            let mut slopes = [DVec3::ZERO; POINTS];
            slopes[k][axis] = 1.0;
            Dual { value: x[axis], slopes }
        }))
    }

    pub fn dot(self, other: DualVec) -> Dual {
        let ([a, b, c], [p, q, r]) = (self.0, other.0);
        a * p + b * q + c * r
    }

    pub fn cross(self, other: DualVec) -> DualVec {
        let ([a, b, c], [p, q, r]) = (self.0, other.0);
        DualVec([b * r - c * q, c * p - a * r, a * q - b * p])
    }

    pub fn times(self, factor: Dual) -> DualVec {
        DualVec(self.0.map(|x| x * factor))
    }

    pub fn times_number(self, factor: f64) -> DualVec {
        DualVec(self.0.map(|x| x.map((factor * x.value, factor))))
    }

    /// Of length 1; a length of zero makes it no number.
    pub fn unit(self) -> DualVec {
        self.times(self.dot(self).sqrt().recip())
    }
}

impl Add for DualVec {
    type Output = DualVec;
    fn add(self, other: DualVec) -> DualVec {
        DualVec(std::array::from_fn(|k| self.0[k] + other.0[k]))
    }
}

impl Sub for DualVec {
    type Output = DualVec;
    fn sub(self, other: DualVec) -> DualVec {
        DualVec(std::array::from_fn(|k| self.0[k] - other.0[k]))
    }
}
