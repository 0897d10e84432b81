import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build, type Plugin } from 'esbuild'

const root = new URL('..', import.meta.url).pathname

/**
 * Packages that stay outside: PGlite reads its WebAssembly and first data folder from its own folder;
 * Playwright has files of its own; the other two are read as text, for pages.
 */
const OUTSIDE = [
  '@electric-sql/pglite',
  '@electric-sql/pglite-prepopulatedfs',
  '@mozilla/readability',
  'playwright-core',
  'turndown',
]

/** Start of a bundle: CommonJS packages call `require`, also for modules of Node.js. */
export const REQUIRE =
  "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url)"

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
    // The ORM uses the names of classes, and readers of stack traces the names of functions. Minifying gained
    // nothing.
    keepNames: true,
    metafile: true,
    logLevel: 'warning',
  })
  return Object.keys(metafile.inputs)
}

/** Leaves everything that a program loads later in its own file. */
const laterApart: Plugin = {
  name: 'later-apart',
  setup({ onResolve }) {
    onResolve({ filter: /./ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    )
  },
}

/**
 * Puts the parts that a bundled program begins with into its own file, since each file takes a millisecond.
 * Other parts keep theirs, so these must hold no state.
 */
export async function beginAtOnce(program: string): Promise<void> {
  const options = { format: 'esm', platform: 'node', target: 'node22', logLevel: 'warning' } as const
  const plugins = [laterApart]
  await build({
    ...options,
    // Comments name parts by their paths from here, so that no temporary folder stands in them.
    absWorkingDir: dirname(program),
    entryPoints: [program],
    outfile: program,
    allowOverwrite: true,
    bundle: true,
    plugins,
  })
}

/** Returns the licenses of the packages that these files belong to: every copy must include them. */
export function licensesOf(files: readonly string[]): string {
  const folders = files.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0])
  return [...new Set(folders)]
    .filter((each) => each !== undefined)
    .sort()
    .map((each) => {
      const path = join(root, each)
      const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))
      const texts = readdirSync(path).filter((file) => /^(licen[sc]e|notice)/i.test(file))
      const said = texts.sort().map((text) => readFileSync(join(path, text), 'utf8').trim())
      return [`${name} ${version} (${license})`, ...said].join('\n\n')
    })
    .join(`\n\n${'-'.repeat(80)}\n\n`)
}
