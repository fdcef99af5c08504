//! Tests of `scatter`: against the naive version over element sizes, orders and signs, and at the
//! edges of the slices.
#![allow(clippy::cast_possible_truncation)]

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::*;
use crate::naive;

fn strided_agrees_with_the_oracle(src: &[u8], dst: &[u8], plan: &Strided<'_>) {
    let expected = naive::scatter(src, dst, plan);
    let mut out = dst.to_vec();
    let result = scatter(src, &mut out, plan);
    assert_eq!(result.is_ok(), expected.is_some(), "{plan:?}");
    assert!(out == expected.unwrap_or(dst.to_vec()), "{plan:?}");
}

fn orthogonal_agrees_with_the_oracle(src: &[u8], dst: &[u8], plan: &Orthogonal<'_>) {
    let offsets = (plan.src_offset, plan.dst_offset);
    let expected = naive::orthogonal(src, dst, plan.element_size, offsets, plan.axes);
    let mut out = dst.to_vec();
    let result = gather_lists(src, &mut out, plan);
    assert_eq!(result.is_ok(), expected.is_some(), "{plan:?}");
    assert!(out == expected.unwrap_or(dst.to_vec()), "{plan:?}");
}

/// The byte strides of a packed box whose dimensions are stored in `order`, the slowest first.
fn strides(shape: &[usize], order: &[usize], element_size: usize) -> Vec<isize> {
    let mut strides = vec![0; shape.len()];
    let mut step = element_size as isize;
    for &dim in order.iter().rev() {
        strides[dim] = step;
        step *= shape[dim] as isize;
    }
    strides
}

#[test]
fn every_transposition_of_every_element_size() {
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    for element_size in naive::cases([1, 2, 3, 4, 5, 8, 12, 16, 17, 130], 3) {
        for shape in naive::cases([[3, 5, 7], [1, 17, 33], [2, 1, 40], [20, 16, 1]], 2) {
            let len = shape.iter().product::<usize>() * element_size;
            let src = naive::bytes(len, element_size as u32);
            for order in orders {
                let (from, to) =
                    (strides(&shape, &[0, 1, 2], element_size), strides(&shape, &order, element_size));
                let dim = |idx| Dim { count: shape[idx], src_stride: from[idx], dst_stride: to[idx] };
                let dims = [dim(0), dim(1), dim(2)];
                let plan = Strided { element_size, src_offset: 0, dst_offset: 0, dims: &dims };
                strided_agrees_with_the_oracle(&src, &vec![0xee; len], &plan);
            }
        }
    }
}

#[test]
fn copies_a_chunk_into_a_larger_output() {
    // 2 × 3 elements of a 4 × 4 chunk, rows reversed, every second column of a 3 × 8 output.
    let src: Vec<u8> = (0..16).collect();
    let mut dst = [0xee; 24];
    let dims =
        [Dim { count: 2, src_stride: -4, dst_stride: 8 }, Dim { count: 3, src_stride: 1, dst_stride: 2 }];
    scatter(&src, &mut dst, &Strided { element_size: 1, src_offset: 9, dst_offset: 8, dims: &dims }).unwrap();
    let e = 0xee;
    assert_eq!(dst[8..], [9, e, 10, e, 11, e, e, e, 5, e, 6, e, 7, e, e, e]);
    assert_eq!(dst[..8], [e; 8]);
}

#[test]
fn no_dimension_means_one_element_and_an_empty_one_means_none() {
    let (src, dst) = ([1, 2, 3, 4], [0; 4]);
    strided_agrees_with_the_oracle(
        &src,
        &dst,
        &Strided { element_size: 2, src_offset: 2, dst_offset: 0, dims: &[] },
    );
    let nothing = [
        Dim { count: 0, src_stride: 1, dst_stride: 1 },
        Dim { count: usize::MAX, src_stride: 1, dst_stride: 1 },
    ];
    let plan = Strided { element_size: 2, src_offset: 90, dst_offset: 90, dims: &nothing };
    assert_eq!(scatter(&src, &mut [], &plan), Ok(()));
}

#[test]
fn one_byte_too_far_on_either_side_is_refused() {
    let good = Strided {
        element_size: 4,
        src_offset: 4,
        dst_offset: 12,
        dims: &[Dim { count: 4, src_stride: 4, dst_stride: -4 }],
    };
    let (src, dst) = (naive::bytes(20, 1), vec![0; 16]);
    strided_agrees_with_the_oracle(&src, &dst, &good);
    assert_eq!(scatter(&src, &mut dst.clone(), &good), Ok(()));
    assert_eq!(scatter(&src[..19], &mut dst.clone(), &good), Err(OutOfBounds));
    assert_eq!(scatter(&src, &mut dst.clone()[..15], &good), Err(OutOfBounds));
    for (src_offset, dst_offset) in [(5, 12), (4, 11), (4, 13), (usize::MAX, 12), (4, usize::MAX)] {
        let plan = Strided { src_offset, dst_offset, ..good };
        assert_eq!(scatter(&src, &mut dst.clone(), &plan), Err(OutOfBounds), "{plan:?}");
    }
}

#[test]
fn sums_that_overflow_are_refused() {
    let (most, least) = (isize::MAX, isize::MIN);
    for (src_stride, dst_stride) in [(most, 1), (least, 1), (1, most), (1, least)] {
        let dim = Dim { count: usize::MAX, src_stride, dst_stride };
        let plan = Strided { element_size: 1, src_offset: 1, dst_offset: 1, dims: &[dim; 40] };
        assert_eq!(scatter(&[0; 9], &mut [0; 9], &plan), Err(OutOfBounds));
    }
}

#[test]
fn lists_on_either_side() {
    let src = naive::bytes(6 * 10 * 4, 8);
    let (rows, columns, back) = ([5, 0, 3, 3], [9, 2, 4], [2, 0, 1]);
    for element_size in [1, 2, 4] {
        let size = element_size as isize;
        let rows = CopyAxis {
            count: 4,
            src: AxisSteps::List { indices: &rows, stride: 10 * size },
            dst: AxisSteps::Stride(3 * size),
        };
        let columns = CopyAxis {
            count: 3,
            src: AxisSteps::List { indices: &columns, stride: size },
            dst: AxisSteps::List { indices: &back, stride: size },
        };
        let plain = CopyAxis::strided(3, -2 * size, size);
        for axes in [[rows, columns], [columns, rows], [rows, plain], [plain, rows]] {
            let plan = Orthogonal { element_size, src_offset: 6 * element_size, dst_offset: 0, axes: &axes };
            orthogonal_agrees_with_the_oracle(&src, &vec![0xee; 4 * 3 * element_size], &plan);
        }
    }
}

#[test]
fn a_list_that_reaches_outside_or_has_another_length_is_refused() {
    let axis = |indices, count| CopyAxis {
        count,
        src: AxisSteps::List { indices, stride: 1 },
        dst: AxisSteps::Stride(1),
    };
    let run = |axis| {
        let plan = Orthogonal { element_size: 1, src_offset: 0, dst_offset: 0, axes: &[axis] };
        gather_lists(&[1, 2, 3], &mut [0; 3], &plan)
    };
    assert_eq!(run(axis(&[0, 2, 1], 3)), Ok(()));
    assert_eq!(run(axis(&[0, 3, 1], 3)), Err(OutOfBounds));
    assert_eq!(run(axis(&[0, u32::MAX, 1], 3)), Err(OutOfBounds));
    assert_eq!(run(axis(&[0, 1], 3)), Err(OutOfBounds));
    assert_eq!(run(axis(&[0, 1, 2], 2)), Err(OutOfBounds));
    assert_eq!(run(axis(&[], 0)), Ok(()));
}

#[test]
fn points_are_copied_by_their_pairs() {
    for element_size in [1, 2, 3, 4, 8, 16] {
        let src = naive::bytes(5 * element_size, 4);
        let mut dst = vec![0; 4 * element_size];
        scatter_points(&src, &mut dst, element_size, &[(4, 0), (0, 2), (4, 3)]).unwrap();
        let element = |idx: usize| &src[idx * element_size..][..element_size];
        assert_eq!(dst, [element(4), &vec![0; element_size], element(0), element(4)].concat());
        for pair in [(5, 0), (0, 4), (u32::MAX, 0), (0, u32::MAX)] {
            assert_eq!(scatter_points(&src, &mut dst, element_size, &[pair]), Err(OutOfBounds));
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod properties {
    use proptest::prelude::*;

    use super::*;

    /// Dimensions of a source box and of a destination box: permuted, cropped, with steps and
    /// flips.
    #[derive(Clone, Debug)]
    struct Case {
        shape: Vec<usize>,
        element_size: usize,
        orders: (Vec<usize>, Vec<usize>),
        steps: Vec<(bool, bool)>,
        lists: Vec<[Option<Vec<u32>>; 2]>,
    }

    fn case() -> impl Strategy<Value = Case> {
        prop::collection::vec(1usize..20, 1..5).prop_flat_map(|mut shape| {
            while shape.iter().product::<usize>() > 4000 {
                shape.pop();
            }
            let order = Just((0..shape.len()).collect::<Vec<_>>()).prop_shuffle();
            let lists: Vec<_> = shape.iter().map(|&count| lists(count)).collect();
            let steps = prop::collection::vec(any::<(bool, bool)>(), shape.len());
            (Just(shape), 1usize..20, (order.clone(), order), steps, lists).prop_map(
                |(shape, element_size, orders, steps, lists)| Case {
                    shape,
                    element_size,
                    orders,
                    steps,
                    lists,
                },
            )
        })
    }

    /// Any positions in the source, but a permutation in the destination, where repeats are
    /// undefined.
    fn lists(count: usize) -> impl Strategy<Value = [Option<Vec<u32>>; 2]> {
        let anywhere = prop::collection::vec(0..count as u32, count);
        let permuted = Just((0..count as u32).collect::<Vec<_>>()).prop_shuffle();
        let sometimes = |list| prop::option::weighted(0.3, list);
        (sometimes(anywhere.boxed()), sometimes(permuted.boxed())).prop_map(|(src, dst)| [src, dst])
    }

    impl Case {
        fn dims(&self) -> (Vec<Dim>, usize, usize) {
            let from = strides(&self.shape, &self.orders.0, self.element_size);
            let to = strides(&self.shape, &self.orders.1, self.element_size);
            let (mut dims, mut offsets) = (Vec::new(), (0, 0));
            for (idx, &count) in self.shape.iter().enumerate() {
                let flip = |stride: isize, flipped: bool, offset: &mut usize| {
                    *offset += if flipped { stride as usize * (count - 1) } else { 0 };
                    if flipped { -stride } else { stride }
                };
                let src_stride = flip(from[idx], self.steps[idx].0, &mut offsets.0);
                let dst_stride = flip(to[idx], self.steps[idx].1, &mut offsets.1);
                dims.push(Dim { count, src_stride, dst_stride });
            }
            (dims, offsets.0, offsets.1)
        }
    }

    fn walk(list: Option<&[u32]>, stride: isize) -> AxisSteps<'_> {
        list.map_or(AxisSteps::Stride(stride), |indices| AxisSteps::List { indices, stride })
    }

    proptest! {
        #[test]
        fn strided_agrees(case in case(), cut in 0usize..2) {
            let (dims, src_offset, dst_offset) = case.dims();
            let len = case.shape.iter().product::<usize>() * case.element_size;
            let (src, dst) = (naive::bytes(len - cut, 1), vec![0xee; len]);
            let plan = Strided { element_size: case.element_size, src_offset, dst_offset, dims: &dims };
            strided_agrees_with_the_oracle(&src, &dst, &plan);
        }

        #[test]
        fn orthogonal_agrees(case in case()) {
            let (dims, src_offset, dst_offset) = case.dims();
            let len = case.shape.iter().product::<usize>() * case.element_size;
            let (src, dst) = (naive::bytes(len, 1), vec![0xee; len]);
            let axes: Vec<CopyAxis<'_>> = dims.iter().zip(&case.lists).map(|(dim, [src, dst])| CopyAxis {
                count: dim.count,
                src: walk(src.as_deref(), dim.src_stride),
                dst: walk(dst.as_deref(), dim.dst_stride),
            }).collect();
            let plan = Orthogonal { element_size: case.element_size, src_offset, dst_offset, axes: &axes };
            orthogonal_agrees_with_the_oracle(&src, &dst, &plan);
        }

        #[test]
        fn wild_plans_are_refused_or_right(
            dims in prop::collection::vec((0usize..6, -9isize..9, 1isize..9), 0..4),
            offsets in (0usize..40, 0usize..40),
            element_size in 1usize..5,
        ) {
            let dims: Vec<Dim> = dims.into_iter().enumerate().map(|(idx, (count, src_stride, dst_stride))| {
                // Destination elements never overlap: each dimension's step exceeds the dimensions
                // before it.
                Dim { count, src_stride, dst_stride: (dst_stride + 4) * 60isize.pow(idx as u32) }
            }).collect();
            let (src, dst) = (naive::bytes(60, 1), vec![0xee; 9000]);
            let plan = Strided { element_size, src_offset: offsets.0, dst_offset: offsets.1, dims: &dims };
            if dims.iter().all(|dim| dim.count > 0) {
                strided_agrees_with_the_oracle(&src, &dst, &plan);
            }
        }
    }
}
