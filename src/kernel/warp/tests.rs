//! Tests of warping: each step against a twin that looks at every element there is.
#![allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, clippy::cast_sign_loss)]

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::*;

const LISTS: [&[f64]; 5] = [
    &[0.0, 1.0, 2.0, 3.0],
    &[3.0, 1.5, 1.0, -7.0],
    &[-10.0, 0.0, 0.5, 100.0, 101.0],
    &[5.0, 4.0],
    &[0.0, 90.0, 180.0, 270.0],
];

/// Piece by piece: half of the first distance before the first centre, and of the last one behind
/// the last.
fn index_twin(values: &[f64], coordinate: f64) -> Option<f64> {
    let count = values.len();
    let reach =
        |at: usize| if at == 0 { values[1] - values[0] } else { values[count - 1] - values[count - 2] };
    for at in 0..count - 1 {
        let share = (coordinate - values[at]) / (values[at + 1] - values[at]);
        if (0.0..=1.0).contains(&share) {
            return Some(at as f64 + share);
        }
    }
    let before = (coordinate - values[0]) / reach(0);
    if (-0.5..=0.0).contains(&before) {
        return Some(before);
    }
    let behind = (coordinate - values[count - 1]) / reach(count - 1);
    (0.0..=0.5).contains(&behind).then(|| (count - 1) as f64 + behind)
}

fn same(a: Option<f64>, b: Option<f64>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() < 1e-9,
        (a, b) => a.is_none() && b.is_none(),
    }
}

#[test]
fn coordinates_have_the_index_of_the_twin() {
    for values in LISTS {
        let axis = Axis::listed(values.to_vec()).unwrap();
        for step in -400..1500 {
            let coordinate = f64::from(step) * 0.25 + 0.01;
            let (found, expected) = (axis.index(coordinate), index_twin(values, coordinate));
            assert!(same(found, expected), "{coordinate} in {values:?}: {found:?}, not {expected:?}");
        }
    }
    let even = Axis::even(3.0, -0.5, 9);
    let listed: Vec<f64> = (0..9).map(|at| 3.0 - 0.5 * f64::from(at)).collect();
    for step in -50..50 {
        let coordinate = f64::from(step) * 0.1 + 0.01;
        assert!(same(even.index(coordinate), index_twin(&listed, coordinate)), "{coordinate}");
    }
    assert!(Axis::listed(vec![1.0]).is_none());
    assert!(Axis::listed(vec![1.0, 1.0]).is_none());
    assert!(Axis::listed(vec![1.0, 2.0, 1.5]).is_none());
    assert!(Axis::listed(vec![1.0, f64::NAN, 2.0]).is_none());
}

#[test]
fn longitudes_wrap_and_latitudes_reach_the_poles() {
    let west_first = Axis::even(-180.0, 2.5, 144).of_longitude();
    let greenwich_first = Axis::even(1.25, 2.5, 144).of_longitude();
    assert!(west_first.wraps() && greenwich_first.wraps());
    for longitude in -720..720 {
        let longitude = f64::from(longitude) + 0.3;
        let expected = |start: f64| {
            let index = ((longitude - start) / 2.5).rem_euclid(144.0);
            if index > 143.5 { index - 144.0 } else { index }
        };
        assert!(same(west_first.index(longitude), Some(expected(-180.0))), "{longitude}");
        assert!(same(greenwich_first.index(longitude), Some(expected(1.25))), "{longitude}");
    }
    let part = Axis::even(350.0, 5.0, 6).of_longitude();
    assert!(!part.wraps());
    assert!(
        same(part.index(0.0), Some(2.0)) && same(part.index(-10.0), Some(0.0)) && part.index(20.0).is_none()
    );
    let twice = Axis::even(0.0, 1.0, 361).of_longitude();
    assert!(!twice.wraps() && same(twice.index(-0.25), Some(359.75)) && same(twice.index(360.0), Some(0.0)));
    // A Gaussian grid ends before the pole, a part of the globe too.
    let gauss = Axis::listed(vec![88.5, 85.7, 82.9, -82.9, -85.7, -88.5]).unwrap().of_latitude();
    assert!(same(gauss.index(90.0), Some(-0.5)) && same(gauss.index(-90.0), Some(5.5)));
    assert!(gauss.index(90.1).is_none());
    let europe = Axis::even(70.0, -1.0, 30).of_latitude();
    assert!(europe.index(71.0).is_none() && europe.index(-80.0).is_none());
}

#[test]
fn turned_grids_are_turned_back() {
    let affine = [2.0, 1.0, 10.0, -1.0, 3.0, 20.0];
    for (column, row) in [(0.0, 0.0), (3.4, 1.0), (-0.5, 2.4), (4.4, -0.4)] {
        let [a, b, c, d, e, f] = affine;
        let point = [a * column + b * row + c, d * column + e * row + f];
        let source = Source::Turned { affine, size: [5, 3], is_globe: false };
        let [x, y] = source.index(point, &mut 0);
        assert!((x - column).abs() < 1e-9 && (y - row).abs() < 1e-9);
    }
    let globe = Source::Turned { affine: [1.0, 0.1, 175.0, 0.0, 1.0, 0.0], size: [20, 3], is_globe: true };
    assert!((globe.index([-175.0, 0.0], &mut 0)[0] - 10.0).abs() < 1e-9);
    assert!(globe.index([0.0, 0.0], &mut 0)[0].is_nan());
}

fn sample_twin(
    values: &[f32],
    [columns, rows]: [usize; 2],
    wraps: bool,
    method: Method,
    at: Position,
) -> f32 {
    let value = |column: f64, row: f64| {
        let column =
            if wraps { column.rem_euclid(columns as f64) } else { column.clamp(0.0, columns as f64 - 1.0) };
        values[row.clamp(0.0, rows as f64 - 1.0) as usize * columns + column as usize]
    };
    let [column, row] = at;
    let nearest = value((column + 0.5).floor(), (row + 0.5).floor());
    if method == Method::Nearest {
        return nearest;
    }
    let (left, top) = (column.floor(), row.floor());
    let (right, bottom) =
        (if column > left { left + 1.0 } else { left }, if row > top { top + 1.0 } else { top });
    let four = [value(left, top), value(right, top), value(left, bottom), value(right, bottom)];
    if four.iter().any(|value| value.is_nan()) {
        return nearest;
    }
    let [a, b, c, d] = four.map(f64::from);
    let (u, v) = (column - left, row - top);
    ((a * (1.0 - u) + b * u) * (1.0 - v) + (c * (1.0 - u) + d * u) * v) as f32
}

#[test]
fn values_are_those_of_the_twin() {
    let size = [7, 5];
    let mut whole: Vec<f32> = (0..35_u8).map(|at| f32::from(at.wrapping_mul(37))).collect();
    whole[10] = f32::NAN;
    whole[11] = f32::NAN;
    for wraps in [false, true] {
        for start in 0..7 {
            // A window of all columns that begins anywhere, if it may.
            let start = if wraps { start } else { 0 };
            let columns = (0..7).map(|at| (start + at) % 7);
            let rows = (0..5).flat_map(|row| columns.clone().map(move |column| row * 7 + column));
            let values: Vec<f32> = rows.map(|at| whole[at]).collect();
            let window = Window { values: &values, start: [start, 0], size, whole: size, wraps };
            for method in [Method::Nearest, Method::Linear] {
                for step in 0..4000 {
                    let at = [f64::from(step % 71) * 0.1 - 0.5, f64::from(step % 51) * 0.1 - 0.5];
                    let mut found = [0.0];
                    sample(&window, method, &[at], &mut found);
                    let expected = sample_twin(&whole, size, wraps, method, at);
                    let is_same = found[0] == expected || (found[0].is_nan() && expected.is_nan());
                    assert!(is_same || (found[0] - expected).abs() < 1e-3, "{at:?}: {found:?} {expected}");
                }
            }
        }
    }
    let window = Window { values: &[1.0], start: [3, 3], size: [1, 1], whole: size, wraps: false };
    let mut found = [0.0; 3];
    sample(&window, Method::Nearest, &[[3.0, 3.0], NOWHERE, [2.0, 3.0]], &mut found);
    assert!(found[0] == 1.0 && found[1].is_nan() && found[2].is_nan());
}

/// A grid in longitude and latitude as a curvilinear one, in every way to turn it.
fn lonlat(west: f64, south: f64, step: f64, [columns, rows]: [usize; 2]) -> (Vec<f64>, Vec<f64>) {
    let indices = (0..rows).flat_map(|row| (0..columns).map(move |column| (column as f64, row as f64)));
    indices.map(|(column, row)| (west + column * step, south + row * step)).unzip()
}

#[test]
fn curvilinear_grids_give_the_index_of_a_grid_that_is_straight() {
    for (west, south) in [(-20.0, -10.0), (170.0, 30.0), (350.0, -60.0)] {
        let size = [40, 30];
        let (longitudes, latitudes) = lonlat(west, south, 0.5, size);
        let grid = Curvilinear::new(&longitudes, &latitudes, size[0], size[1]).unwrap();
        let mut last = 0;
        for step in 0..2000 {
            let (column, row) = (f64::from(step % 97) * 0.4, f64::from(step % 73) * 0.4);
            for turn in [0.0, 360.0, -360.0] {
                let point = [west + column * 0.5 + turn, south + row * 0.5];
                let [x, y] = grid.index(point, &mut last);
                // Sides are great circles here, and parallels there: they differ by less than a
                // hundredth of an element.
                assert!(
                    (x - column).abs() < 0.01 && (y - row).abs() < 0.01,
                    "{point:?}: {x} {y} for {column} {row}"
                );
            }
        }
        assert!(grid.index([west + 60.0, south], &mut last)[0].is_nan());
        assert!(grid.index([west, south + 90.0], &mut last)[0].is_nan());
    }
}

#[test]
fn a_grid_over_the_pole_has_no_hole_and_no_seam() {
    // Columns and rows of a plane that touches the pole.
    let side = 41;
    let coordinate = |at: usize| (at as f64 - 20.0) * 0.02;
    let (mut longitudes, mut latitudes) = (Vec::new(), Vec::new());
    for row in 0..side {
        for column in 0..side {
            let (x, y) = (coordinate(column), coordinate(row));
            longitudes.push(y.atan2(x).to_degrees());
            latitudes.push(1_f64.atan2(x.hypot(y)).to_degrees());
        }
    }
    let grid = Curvilinear::new(&longitudes, &latitudes, side, side).unwrap();
    let mut last = 0;
    for row in 0..400 {
        for column in 0..400 {
            let (x, y) = (f64::from(column) * 0.1, f64::from(row) * 0.1);
            let (east, north) = ((x - 20.0) * 0.02, (y - 20.0) * 0.02);
            let at = [north.atan2(east).to_degrees(), 1_f64.atan2(east.hypot(north)).to_degrees()];
            let [found_x, found_y] = grid.index(at, &mut last);
            assert!(
                (found_x - x).abs() < 5e-3 && (found_y - y).abs() < 5e-3,
                "{at:?}: {found_x} {found_y} for {x} {y}"
            );
        }
    }
    assert!(grid.index([0.0, -90.0], &mut last)[0].is_nan());
    assert!((grid.index([123.0, 90.0], &mut last)[0] - 20.0).abs() < 1e-4);
}

#[test]
fn a_grid_of_the_whole_globe_is_found_up_to_its_poles() {
    for (south, rows) in [(-90.0, 361), (-89.75, 360)] {
        let size = [720, rows];
        let (longitudes, latitudes) = lonlat(0.25, south, 0.5, size);
        let grid = Curvilinear::new(&longitudes, &latitudes, size[0], size[1]).unwrap();
        let mut last = 0;
        for step in 0..20_000 {
            let longitude = f64::from(step % 719) * 0.5 + 0.6;
            let latitude = -89.7 + f64::from(step % 359) * 0.5 + 0.01;
            let [x, y] = grid.index([longitude, latitude], &mut last);
            let (column, row) = ((longitude - 0.25) / 0.5, (latitude - south) / 0.5);
            let seam = (x - column).abs().min((x - column + 720.0).abs()) < 0.51 && column > 719.0;
            let is_near = (x - column).abs() < 0.01 && (y - row).abs() < 0.01;
            assert!(is_near || seam, "{longitude} {latitude}: {x} {y} for {column} {row}");
        }
        for latitude in [89.99, -89.99, 90.0, -90.0] {
            assert!(!grid.index([77.0, latitude], &mut last)[1].is_nan(), "{latitude}");
        }
    }
}

#[test]
fn what_has_no_coordinates_leaves_a_hole() {
    let (mut longitudes, latitudes) = lonlat(0.0, 0.0, 1.0, [10, 10]);
    longitudes[44] = f64::NAN;
    let grid = Curvilinear::new(&longitudes, &latitudes, 10, 10).unwrap();
    assert!(grid.index([4.2, 4.2], &mut 0)[0].is_nan());
    assert!((grid.index([6.2, 4.2], &mut 0)[0] - 6.2).abs() < 0.01);
    assert!(Curvilinear::new(&[0.0], &[0.0], 1, 1).is_none());
    assert!(Curvilinear::new(&longitudes, &latitudes, 9, 10).is_none());
}

#[test]
fn pixels_lie_between_the_corners_of_their_cell() {
    let plane = Corners::Plane([[0.0, 10.0], [8.0, 10.0], [0.0, 2.0], [8.0, 2.0]]);
    let cells = [Cell { start: [2, 0], size: [4, 2], corners: plane }];
    let source = Source::Axes { x: Axis::even(0.0, 1.0, 20), y: Axis::even(0.0, 1.0, 20) };
    let mut positions = vec![[7.0; 2]; 16];
    locate(&cells, 8, &source, &mut positions);
    assert_eq!(positions[2..6], [[1.0, 8.0], [3.0, 8.0], [5.0, 8.0], [7.0, 8.0]]);
    assert_eq!(positions[10..12], [[1.0, 4.0], [3.0, 4.0]]);
    assert!(positions[0][0].is_nan() && positions[6][0].is_nan());
    // Around the pole: the middle of four points of one parallel is the pole.
    let point = |longitude: f64| {
        let (sin, cos) = longitude.to_radians().sin_cos();
        [0.1 * cos, 0.1 * sin, 1.0]
    };
    let corners = Corners::Sphere([point(0.0), point(90.0), point(270.0), point(180.0)]);
    let cell = Cell { start: [0, 0], size: [1, 1], corners };
    assert!((cell.point(0, 0)[1] - 90.0).abs() < 1e-9);
}
