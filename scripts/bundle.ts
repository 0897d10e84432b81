import { build } from 'esbuild'

const root = new URL('..', import.meta.url).pathname

/** Packages that stay outside: PGlite reads its WebAssembly and first data folder from its own folder. */
const OUTSIDE = ['@electric-sql/pglite', '@electric-sql/pglite-prepopulatedfs']

// CommonJS packages call `require`, also for modules of Node.js.
const REQUIRE = `import { createRequire as requireFrom } from 'node:module'
const require = requireFrom(import.meta.url)`

/**
 * Bundles programs and their dependencies from the sources, so that no old build can get in. `programs` maps
 * names in `outdir` to sources. The bundle is split, so that each part is loaded only when it is needed.
 * Returns the paths of the bundled sources.
 */
export async function bundle(
  programs: Readonly<Record<string, string>>,
  outdir: string,
): Promise<readonly string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    // A worker thread starts from its own file.
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
    // The ORM uses the names of classes, and readers of stack traces those of functions. Minifying gained
    // nothing.
    keepNames: true,
    metafile: true,
    logLevel: 'warning',
  })
  return Object.keys(metafile.inputs)
}
