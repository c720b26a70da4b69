//! The standard normal distribution.

use crate::exact::{natural_logarithm, power_of_two};

/// Φ(x), the probability of a value up to `x`, to about 1e-15.
///
/// The continued fraction and the power series of \[A&S\] 26.2.14 and 26.2.11.
pub fn cdf(x: f64) -> f64 {
    let far = x.abs();
    // The power is infinite beyond 37.6, where the probability is below 1e-308.
    let density = 1.0 / (power_of_two(far * far / 2.0 * std::f64::consts::LOG2_E) * SQRT_2_PI);
    if far < 2.5 {
        // x + x³/3 + x⁵/(3·5) + …
        let (mut term, mut sum, mut odd) = (far, far, 3.0);
        while term > sum * 1e-17 {
            term *= far * far / odd;
            sum += term;
            odd += 2.0;
        }
        let between = density * sum;
        return if x < 0.0 { 0.5 - between } else { 0.5 + between };
    }
    // 1/(x + 1/(x + 2/(x + 3/(x + …))))
    let tail = density / (1..TERMS).rev().fold(far, |below, k| far + f64::from(k) / below);
    if x < 0.0 { tail } else { 1.0 - tail }
}

/// The value that a standard normal variable does not exceed with probability `p`; infinite for 0 and 1.
///
/// M. J. Wichura, "Algorithm AS 241: The percentage points of the normal distribution", Applied Statistics 37 (1988),
/// PPND16: to about 1e-16.
///
/// # Panics
/// If `p` is no probability.
pub fn quantile(p: f64) -> f64 {
    assert!((0.0..=1.0).contains(&p), "{p} is no probability");
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180_625 - q * q;
        return q * ratio(&CENTRE, r);
    }
    let tail = if q < 0.0 { p } else { 1.0 - p };
    if tail == 0.0 {
        return if q < 0.0 { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    let r = (-natural_logarithm(tail)).sqrt();
    let far = if r <= 5.0 { ratio(&MIDDLE, r - 1.6) } else { ratio(&TAIL, r - 5.0) };
    if q < 0.0 { -far } else { far }
}

/// A quotient of two polynomials, coefficients from the constant on.
fn ratio(of: &[[f64; 8]; 2], x: f64) -> f64 {
    let [above, below] = of.map(|coefficients| coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c));
    above / below
}

const SQRT_2_PI: f64 = 2.506_628_274_631_000_5;
/// Beyond 2.5 the fraction is exact with so many terms.
const TERMS: u32 = 120;

#[rustfmt::skip]
const CENTRE: [[f64; 8]; 2] = [
    [
        3.387_132_872_796_366_5, 1.331_416_678_917_843_8e2, 1.971_590_950_306_551_3e3, 1.373_169_376_550_946e4,
        4.592_195_393_154_987e4, 6.726_577_092_700_87e4, 3.343_057_558_358_813e4, 2.509_080_928_730_122_7e3,
    ],
    [
        1.0, 4.231_333_070_160_091e1, 6.871_870_074_920_579e2, 5.394_196_021_424_751e3,
        2.121_379_430_158_659_7e4, 3.930_789_580_009_271e4, 2.872_908_573_572_194_3e4, 5.226_495_278_852_854e3,
    ],
];
#[rustfmt::skip]
const MIDDLE: [[f64; 8]; 2] = [
    [
        1.423_437_110_749_683_5, 4.630_337_846_156_546, 5.769_497_221_460_691, 3.647_848_324_763_204_5,
        1.270_458_252_452_368_4, 2.417_807_251_774_506e-1, 2.272_384_498_926_918_4e-2, 7.745_450_142_783_414e-4,
    ],
    [
        1.0, 2.053_191_626_637_759, 1.676_384_830_183_803_8, 6.897_673_349_851e-1,
        1.481_039_764_274_800_8e-1, 1.519_866_656_361_645_7e-2, 5.475_938_084_995_345e-4, 1.050_750_071_644_416_9e-9,
    ],
];
#[rustfmt::skip]
const TAIL: [[f64; 8]; 2] = [
    [
        6.657_904_643_501_103, 5.463_784_911_164_114, 1.784_826_539_917_291_3, 2.965_605_718_285_048_7e-1,
        2.653_218_952_657_612_4e-2, 1.242_660_947_388_078_4e-3, 2.711_555_568_743_487_6e-5, 2.010_334_399_292_288_1e-7,
    ],
    [
        1.0, 5.998_322_065_558_88e-1, 1.369_298_809_227_358e-1, 1.487_536_129_085_061_5e-2,
        7.868_691_311_456_133e-4, 1.846_318_317_510_054_8e-5, 1.421_511_758_316_446e-7, 2.044_263_103_389_939_8e-15,
    ],
];

#[cfg(test)]
mod tests {
    use super::*;

    /// `norm.cdf` of scipy, on both sides of the change from series to fraction.
    #[test]
    fn probabilities_are_those_of_scipy() {
        let known = [
            (-8.5, 9.479_534_822_203_25e-18),
            (-3.0, 0.001_349_898_031_630_093_3),
            (-2.5, 0.006_209_665_325_776_132),
            (-2.4999, 0.006_211_418_374_944_587),
            (-0.3, 0.382_088_577_811_047_4),
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_542_9),
            (2.6, 0.995_338_811_976_281_3),
            (6.0, 0.999_999_999_013_412_3),
        ];
        for (x, p) in known {
            assert!((cdf(x) - p).abs() <= 1e-12 * p, "{x}: {} instead of {p}", cdf(x));
        }
        assert_eq!((cdf(-50.0), cdf(50.0), cdf(f64::NEG_INFINITY)), (0.0, 1.0, 0.0));
    }

    /// `norm.ppf` of scipy, in each of the three ranges.
    #[test]
    fn quantiles_are_those_of_scipy() {
        let known = [
            (1e-300, -37.047_096_299_361_2),
            (1e-20, -9.262_340_089_798_409),
            (1e-5, -4.264_890_793_922_825),
            (0.025, -1.959_963_984_540_054_5),
            (0.07, -1.475_791_028_179_170_6),
            (0.3, -0.524_400_512_708_040_9),
            (0.5, 0.0),
            (0.8, 0.841_621_233_572_914_3),
            (0.999_999, 4.753_424_308_817_087),
        ];
        for (p, x) in known {
            assert!((quantile(p) - x).abs() <= 1e-13 * x.abs().max(1.0), "{p}: {} instead of {x}", quantile(p));
        }
        assert_eq!((quantile(0.0), quantile(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
    }
}
