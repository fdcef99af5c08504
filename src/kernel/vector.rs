//! Sixteen bytes in a register, with the vector operations that the shuffle kernels need.
//!
//! One type with three implementations: WebAssembly `simd128`, x86-64 SSE2 (which every x86-64
//! has), and plain integers for other targets and for WebAssembly without `simd128`. It has only
//! the operations that a kernel uses.
#![allow(unsafe_code)]

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use core::arch::wasm32 as arch;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64 as arch;

/// The bytes of one vector.
pub(super) const WIDTH: usize = 16;

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
type Register = arch::v128;
#[cfg(target_arch = "x86_64")]
type Register = arch::__m128i;
#[cfg(not(any(all(target_arch = "wasm32", target_feature = "simd128"), target_arch = "x86_64")))]
type Register = [u8; WIDTH];

/// Sixteen bytes. Byte 0 is at the lowest address.
#[derive(Clone, Copy)]
pub(super) struct Vector(Register);

impl Vector {
    #[inline(always)]
    pub(super) fn load(bytes: &[u8; WIDTH]) -> Self {
        // SAFETY: `Register` is 16 plain bytes on every target, every bit pattern is valid, and the
        // read is unaligned.
        Self(unsafe { core::ptr::read_unaligned(bytes.as_ptr().cast::<Register>()) })
    }

    #[inline(always)]
    pub(super) fn store(self, bytes: &mut [u8; WIDTH]) {
        // SAFETY: the same sixteen bytes, exclusively borrowed; the write is unaligned.
        unsafe { core::ptr::write_unaligned(bytes.as_mut_ptr().cast::<Register>(), self.0) }
    }
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
impl Vector {
    /// `a0 b0 a1 b1 … a7 b7`
    #[inline(always)]
    pub(super) fn zip_low(self, other: Self) -> Self {
        Self(arch::i8x16_shuffle::<0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23>(self.0, other.0))
    }

    /// `a8 b8 a9 b9 … a15 b15`
    #[inline(always)]
    pub(super) fn zip_high(self, other: Self) -> Self {
        Self(arch::i8x16_shuffle::<8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31>(
            self.0, other.0,
        ))
    }

    /// `a0 a2 … a14 b0 b2 … b14`
    #[inline(always)]
    pub(super) fn even(self, other: Self) -> Self {
        Self(arch::i8x16_shuffle::<0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30>(
            self.0, other.0,
        ))
    }

    /// `a1 a3 … a15 b1 b3 … b15`
    #[inline(always)]
    pub(super) fn odd(self, other: Self) -> Self {
        Self(arch::i8x16_shuffle::<1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31>(
            self.0, other.0,
        ))
    }

    /// Swaps the bits of `self` under `mask << SHIFT` with those of `other` under `mask`. `mask`
    /// must not move a bit out of its byte.
    #[inline(always)]
    pub(super) fn swap_bits<const SHIFT: u32>(self, other: Self, mask: u8) -> (Self, Self) {
        let shifted = arch::u64x2_shr(self.0, SHIFT);
        let moved = arch::v128_and(arch::v128_xor(shifted, other.0), arch::u8x16_splat(mask));
        let back = arch::u64x2_shl(moved, SHIFT);
        (Self(arch::v128_xor(self.0, back)), Self(arch::v128_xor(other.0, moved)))
    }
}

#[cfg(target_arch = "x86_64")]
impl Vector {
    /// `a0 b0 a1 b1 … a7 b7`
    #[inline(always)]
    pub(super) fn zip_low(self, other: Self) -> Self {
        // SAFETY: every x86-64 has SSE2, which is the only condition of these functions.
        Self(unsafe { arch::_mm_unpacklo_epi8(self.0, other.0) })
    }

    /// `a8 b8 a9 b9 … a15 b15`
    #[inline(always)]
    pub(super) fn zip_high(self, other: Self) -> Self {
        // SAFETY: every x86-64 has SSE2.
        Self(unsafe { arch::_mm_unpackhi_epi8(self.0, other.0) })
    }

    /// `a0 a2 … a14 b0 b2 … b14`
    #[inline(always)]
    pub(super) fn even(self, other: Self) -> Self {
        // SAFETY: every x86-64 has SSE2.
        Self(unsafe {
            let low = arch::_mm_set1_epi16(0x00ff);
            arch::_mm_packus_epi16(arch::_mm_and_si128(self.0, low), arch::_mm_and_si128(other.0, low))
        })
    }

    /// `a1 a3 … a15 b1 b3 … b15`
    #[inline(always)]
    pub(super) fn odd(self, other: Self) -> Self {
        // SAFETY: every x86-64 has SSE2.
        Self(unsafe {
            arch::_mm_packus_epi16(arch::_mm_srli_epi16::<8>(self.0), arch::_mm_srli_epi16::<8>(other.0))
        })
    }

    /// Swaps the bits of `self` under `mask << SHIFT` with those of `other` under `mask`. `mask`
    /// must not move a bit out of its byte.
    #[inline(always)]
    pub(super) fn swap_bits<const SHIFT: i32>(self, other: Self, mask: u8) -> (Self, Self) {
        // SAFETY: every x86-64 has SSE2.
        unsafe {
            let mask = arch::_mm_set1_epi8(mask.cast_signed());
            let shifted = arch::_mm_srli_epi64::<SHIFT>(self.0);
            let moved = arch::_mm_and_si128(arch::_mm_xor_si128(shifted, other.0), mask);
            let back = arch::_mm_slli_epi64::<SHIFT>(moved);
            (Self(arch::_mm_xor_si128(self.0, back)), Self(arch::_mm_xor_si128(other.0, moved)))
        }
    }
}

#[cfg(not(any(all(target_arch = "wasm32", target_feature = "simd128"), target_arch = "x86_64")))]
impl Vector {
    /// `a0 b0 a1 b1 … a7 b7`
    #[inline(always)]
    pub(super) fn zip_low(self, other: Self) -> Self {
        Self(core::array::from_fn(|idx| if idx % 2 == 0 { self.0[idx / 2] } else { other.0[idx / 2] }))
    }

    /// `a8 b8 a9 b9 … a15 b15`
    #[inline(always)]
    pub(super) fn zip_high(self, other: Self) -> Self {
        Self(core::array::from_fn(
            |idx| if idx % 2 == 0 { self.0[8 + idx / 2] } else { other.0[8 + idx / 2] },
        ))
    }

    /// `a0 a2 … a14 b0 b2 … b14`
    #[inline(always)]
    pub(super) fn even(self, other: Self) -> Self {
        Self(core::array::from_fn(|idx| if idx < 8 { self.0[2 * idx] } else { other.0[2 * idx - WIDTH] }))
    }

    /// `a1 a3 … a15 b1 b3 … b15`
    #[inline(always)]
    pub(super) fn odd(self, other: Self) -> Self {
        Self(core::array::from_fn(
            |idx| if idx < 8 { self.0[2 * idx + 1] } else { other.0[2 * idx + 1 - WIDTH] },
        ))
    }

    /// Swaps the bits of `self` under `mask << SHIFT` with those of `other` under `mask`. `mask`
    /// must not move a bit out of its byte.
    #[inline(always)]
    pub(super) fn swap_bits<const SHIFT: u32>(self, other: Self, mask: u8) -> (Self, Self) {
        let (first, second) = (u128::from_le_bytes(self.0), u128::from_le_bytes(other.0));
        let moved = ((first >> SHIFT) ^ second) & u128::from_le_bytes([mask; WIDTH]);
        (Self((first ^ (moved << SHIFT)).to_le_bytes()), Self((second ^ moved).to_le_bytes()))
    }
}
