/*
 * Has zstd's decoder (1.5) keep its bits in registers of 64 bits where pointers have 32, as in wasm: it takes the size of a pointer for
 * that of a register, and fills a register twice as often then as it has to. Included before each of zstd's files (.cargo/config.toml).
 *
 * Not for a machine whose registers have 32 bits; not for the encoder, whose Huffman coder keeps its bits in a size_t; and not without
 * HUF_DISABLE_FAST_DECODE: that decoder does so too.
 * The one check that zstd leaves out "with 64 bits" is that a pointer may wrap around less than 256 kB before the end of the address
 * space: the memory's maximum keeps it from there.
 */
#ifndef ZSTD_64_BIT_REGISTERS
#define ZSTD_64_BIT_REGISTERS
#include <stddef.h>

#include "common/mem.h"
#define IS_FILE(name) (__builtin_strcmp(__FILE_NAME__, name) == 0)
#define MEM_64bits() (IS_FILE("zstd_decompress_block.c") || IS_FILE("huf_decompress.c"))
#define MEM_32bits() (!MEM_64bits())

#include "common/bits.h"
#include "common/compiler.h"
#include "common/debug.h"
#include "common/error_private.h"

/* What bitstream.h says of size_t it means of its register. */
#define size_t U64
#define MEM_readLEST MEM_readLE64
#define MEM_writeLEST MEM_writeLE64
#include "common/bitstream.h"
#undef size_t
#undef MEM_readLEST
#undef MEM_writeLEST

#endif
