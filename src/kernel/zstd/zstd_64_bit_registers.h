/*
 * Makes the decoder of zstd 1.5 keep its bits in registers of 64 bits in WebAssembly. zstd takes the
 * size of a pointer, which is 32 bits there, for that of a register, and would fill a register twice as
 * often as it must. .cargo/config.toml includes this file before each of zstd's files.
 *
 * It is not for machines with registers of 32 bits. It is not for the encoder, whose Huffman coder keeps
 * its bits in a size_t. It needs HUF_DISABLE_FAST_DECODE, because that decoder does so too.
 *
 * With 64 bits zstd omits one check: whether a pointer within 256 kB of the end of the address space may
 * wrap around. The maximum of the memory keeps all pointers away from there.
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

/* Where bitstream.h says size_t it means its register. */
#define size_t U64
#define MEM_readLEST MEM_readLE64
#define MEM_writeLEST MEM_writeLE64
#include "common/bitstream.h"
#undef size_t
#undef MEM_readLEST
#undef MEM_writeLEST

#endif
