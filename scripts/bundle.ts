import { build } from 'esbuild'

const root = new URL('..', import.meta.url).pathname

/** Finds its WebAssembly and its first data folder, 20 MB, beside itself. */
const OUTSIDE = ['@electric-sql/pglite']

// Packages of the older kind say `require`, for modules of Node.js too.
const REQUIRE = `import { createRequire as requireFrom } from 'node:module'
const require = requireFrom(import.meta.url)`

/**
 * Makes programs and what they stand on, from the sources, so that no old build can get in: `programs` are
 * sources by the names of what they become in `outdir`. Split, so that each part is loaded when it is needed.
 * Gives the sources that went in.
 */
export async function bundle(
  programs: Readonly<Record<string, string>>,
  outdir: string,
): Promise<readonly string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    // A thread of its own is started from a file of its own.
    entryPoints: { ...programs, 'thread-watch-worker': 'packages/cli/src/thread-watch-worker.ts' },
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    conditions: ['svc-source'],
    external: OUTSIDE,
    banner: { js: REQUIRE },
    // The ORM goes by names of classes, and who reads a trace by those of functions. Minifying gained
    // nothing.
    keepNames: true,
    metafile: true,
    logLevel: 'warning',
  })
  return Object.keys(metafile.inputs)
}
