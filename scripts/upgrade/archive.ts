import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'

/** The same files give the same bytes at every packing. */
const SAME = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--format=gnu']
const LARGEST = 1 << 30
/** A window over the whole archive: the databases of a cluster share most of their pages. */
const WINDOW = 28

/** Writes all files of a folder as one, compressed. */
export function pack(folder: string, file: string): void {
  const tar = execFileSync('tar', [...SAME, '-C', folder, '-c', '.'], { maxBuffer: LARGEST })
  const params = {
    [constants.BROTLI_PARAM_LARGE_WINDOW]: 1,
    [constants.BROTLI_PARAM_LGWIN]: WINDOW,
    [constants.BROTLI_PARAM_SIZE_HINT]: tar.length,
  }
  writeFileSync(file, brotliCompressSync(tar, { params }))
}

/** Writes the files of an archive into a folder, with the modes that they had. */
export function unpack(file: string, folder: string): void {
  mkdirSync(folder, { recursive: true })
  const params = { [constants.BROTLI_DECODER_PARAM_LARGE_WINDOW]: 1 }
  const tar = brotliDecompressSync(readFileSync(file), { params })
  execFileSync('tar', ['-x', '-p', '--no-same-owner', '-C', folder], { input: tar, maxBuffer: LARGEST })
}
