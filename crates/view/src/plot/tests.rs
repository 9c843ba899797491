//! Sentences about figures.

use proptest::prelude::*;

use super::*;

fn wave(name: &str, phase: f64) -> Series {
    let x: Vec<f64> = (0..400).map(|i| f64::from(i) * 0.025).collect();
    let y = x.iter().map(|t| (t + phase).sin()).collect();
    Series::new(name, x, y)
}

fn panel(series: Vec<Series>) -> Panel {
    Panel {
        title: "Angle".into(),
        x_label: "time [s]".into(),
        y_label: "angle [°]".into(),
        log_x: false,
        log_y: false,
        series,
    }
}

fn figure(panels: Vec<Panel>) -> Figure {
    Figure { title: "Two & more".into(), panels, columns: 0 }
}

#[test]
fn the_same_figure_gives_the_same_bytes_with_real_text() {
    let figure = figure(vec![panel(vec![wave("one", 0.0), wave("two <3", 1.0)])]);
    let svg = figure.svg().unwrap();
    assert_eq!(svg, figure.clone().svg().unwrap());
    for text in ["Two &amp; more", "Angle", "time [s]", "angle [°]", "one", "two &lt;3"] {
        assert!(svg.contains(&format!(">{text}</text>")), "{text} is missing");
    }
    assert_eq!(figure.picture(1.0).unwrap(), figure.picture(1.0).unwrap());
}

#[test]
fn panels_with_the_same_runs_share_one_legend() {
    let count = |figure: &Figure| figure.svg().unwrap().matches(">one</text>").count();
    let both = || vec![wave("one", 0.0), wave("two", 1.0)];
    assert_eq!(count(&figure(vec![panel(both()), panel(both())])), 1);
    assert_eq!(count(&figure(vec![panel(both()), panel(vec![wave("one", 0.0)])])), 2);
}

#[test]
fn a_line_is_painted_where_its_values_are() {
    let y_of = |y: f64| {
        let flat = Series::new("", vec![0.0, 1.0], vec![y, y]);
        let marks = Series::new("", vec![0.0, f64::NAN, 0.0], vec![0.0, 0.0, 10.0]);
        let picture = figure(vec![panel(vec![flat, marks])]).picture(1.0).unwrap();
        let blue = |row: usize| {
            let at = 3 * row * picture.width;
            let pixels = picture.rgb[at..at + 3 * picture.width].chunks(3);
            pixels.filter(|c| c[0] < 60 && c[2] > 140).count()
        };
        (0..picture.height).max_by_key(|&row| blue(row)).unwrap() as f64
    };
    let (low, middle, high) = (y_of(2.0), y_of(5.0), y_of(8.0));
    assert!(high < middle && middle < low);
    assert!(((low - middle) - (middle - high)).abs() <= 2.0);
}

#[test]
fn lines_and_legends_do_not_cover_each_other() {
    // Everything left of and above the frame is free of curves: they stay inside it.
    let svg = figure(vec![panel(vec![wave("one", 0.0)])]).svg().unwrap();
    let legend = svg.find(">one</text>").unwrap();
    let curve = svg.rfind("<polyline").unwrap();
    assert!(legend < curve);
    let number = |text: &str| text.parse::<f32>().unwrap();
    let label_y = svg[..legend].rfind(" y=\"").map(|i| &svg[i + 4..]).unwrap();
    let label_y = number(&label_y[..label_y.find('"').unwrap()]);
    let points = &svg[curve..];
    let points = &points[points.find("points=\"").unwrap() + 8..];
    let points = &points[..points.find('"').unwrap()];
    assert!(points.split(' ').all(|p| number(p.split_once(',').unwrap().1) > label_y + 5.0));
}

#[test]
fn series_of_unequal_lengths_and_empty_figures_are_refused() {
    let uneven = Series::new("uneven", vec![1.0, 2.0], vec![1.0]);
    let error = figure(vec![panel(vec![uneven])]).svg().unwrap_err();
    assert!(matches!(error, Error::SeriesLength { x: 2, y: 1, .. }), "{error}");
    assert!(matches!(figure(vec![]).svg(), Err(Error::Empty { .. })));
    let good = figure(vec![panel(vec![])]);
    for scale in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e9] {
        assert!(matches!(good.picture(scale), Err(Error::Size { .. })), "{scale}");
    }
}

#[test]
fn charts_without_data_say_so() {
    let nothing = Series::new("void", vec![0.0, 1.0], vec![f64::NAN, f64::INFINITY]);
    for series in [vec![], vec![nothing], vec![Series::default()]] {
        assert!(figure(vec![panel(series)]).svg().unwrap().contains(">no data</text>"));
    }
    let negative = Series::new("", vec![0.0], vec![-9e77]);
    let svg = figure(vec![Panel { log_y: true, ..panel(vec![negative]) }]).svg().unwrap();
    assert!(svg.contains(">no data</text>") && !svg.contains("inf"));
}

fn wild() -> impl Strategy<Value = f64> {
    prop_oneof![3 => -10.0..10.0f64, 2 => any::<f64>(), 1 => Just(0.0), 1 => Just(f64::MAX)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn no_data_makes_a_figure_panic_or_leave_the_page(
        points in prop::collection::vec((wild(), wild()), 0..40),
        log_y: bool,
        columns in 0..5usize,
        title in ".{0,20}",
    ) {
        let (x, y) = points.into_iter().unzip();
        let mut chart = panel(vec![Series::new(title.clone(), x, y)]);
        chart.log_y = log_y;
        let figure = Figure { title, panels: vec![chart.clone(), chart], columns };
        let svg = figure.svg().unwrap();
        prop_assert!(!svg.contains("NaN") || figure.title.contains("NaN"));
        prop_assert!(!svg.contains("inf") || figure.title.contains("inf"));
        let picture = figure.picture(0.5).unwrap();
        let size = layout::drawing(&figure).unwrap();
        for shape in &size.shapes {
            if let draw::Shape::Line { points, .. } = shape {
                for p in points {
                    prop_assert!(p[0] >= 0.0 && p[0] <= size.width && p[1] >= 0.0 && p[1] <= size.height, "{p:?}");
                }
            }
        }
        prop_assert!(picture.width > 0);
    }
}

#[test]
fn a_power_law_is_a_straight_line_between_logarithmic_axes() {
    let x: Vec<f64> = (0..12).map(|k| 1e-3 * 2f64.powi(k)).collect();
    let squares = Series::new("x²", x.clone(), x.iter().map(|x| x * x).collect());
    let chart = Panel { log_x: true, log_y: true, ..panel(vec![squares]) };
    let svg = figure(vec![chart]).svg().unwrap();
    // The first line is that of the legend; the curve is the one with a point for every x.
    let lines = svg.split("points=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let line = lines.max_by_key(|line| line.split_whitespace().count()).unwrap();
    let points: Vec<[f64; 2]> = line
        .split_whitespace()
        .map(|p| p.split_once(',').unwrap())
        .map(|(x, y)| [x.parse().unwrap(), y.parse().unwrap()])
        .collect();
    let slope = |a: [f64; 2], b: [f64; 2]| (b[1] - a[1]) / (b[0] - a[0]);
    let first = slope(points[0], points[1]);
    assert!(points.windows(2).all(|p| (slope(p[0], p[1]) / first - 1.0).abs() < 0.02), "{svg}");
}
