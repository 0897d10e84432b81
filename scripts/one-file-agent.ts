import { chmodSync, readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { licensesOf, REQUIRE } from './bundle.ts'

const root = join(import.meta.dirname, '..')
const cli = join(root, 'packages/cli')

/**
 * Loads each module of Node.js when it is first used. An `import` reads all that a module offers, and so
 * loads the modules behind it: importing `node:http` alone costs 13 MB. The names stand on a prototype, since
 * each import would otherwise copy them all.
 */
const lateNode: Plugin = {
  name: 'late-node',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[a-z_:/]+$/ }, ({ path, kind }) =>
      kind === 'import-statement' && isBuiltin(path) ? { path, namespace: 'late-node' } : undefined,
    )
    onLoad({ filter: /./, namespace: 'late-node' }, ({ path }) => {
      const names = Object.keys(process.getBuiltinModule(path) as object)
      const getters = names.map((name) => `get ${JSON.stringify(name)}() { return load().${name} },`)
      const load = `let loaded\nconst load = () => (loaded ??= require(${JSON.stringify(path)}))`
      return {
        contents: `${load}\nmodule.exports = Object.create({\n${getters.join('\n')}\n})`,
        loader: 'js',
      }
    })
  },
}

/** Returns the files that the agent ships, by their path in the package of the command. */
function shippedFiles(): Readonly<Record<string, string>> {
  const { version, engines } = JSON.parse(readFileSync(join(cli, 'package.json'), 'utf8')) as Record<
    string,
    object
  >
  const folders = ['handlers', 'systemd'].flatMap((folder) =>
    readdirSync(join(cli, folder)).map((name) => `${folder}/${name}`),
  )
  const texts = folders.map((path) => [path, readFileSync(join(cli, path), 'utf8')])
  return { 'package.json': JSON.stringify({ version, engines }), ...Object.fromEntries(texts) }
}

// The shebang of the file, with the flags of Node.js that the unit has. `-S` lets `env` take several
// arguments.
function shebang(unit: string): string {
  const flags = /^ExecStart=\S+((?: --\S+)+) /m.exec(unit.replaceAll(/ \\\n +/g, ' '))?.[1]
  if (flags === undefined) throw new Error('the unit of the agent gives Node.js no flags')
  return `#!/usr/bin/env -S node${flags}`
}

/** Writes the host agent with all that it needs but Node.js into one file, with the licenses at its end. */
export async function writeOneFileAgent(outfile: string): Promise<void> {
  const shipped = shippedFiles()
  const options: BuildOptions = {
    absWorkingDir: root,
    entryPoints: [join(cli, 'src/agent-bin.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    conditions: ['svc-source'],
    define: { SVC_SHIPPED: JSON.stringify(shipped) },
    plugins: [lateNode],
    banner: { js: `${shebang(shipped['systemd/svc-agent.service'] ?? '')}\n${REQUIRE}` },
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    logLevel: 'warning',
  }
  const { metafile } = await build({ ...options, metafile: true, write: false })
  const licenses = licensesOf(Object.keys(metafile.inputs)).replaceAll('*/', '* /')
  await build({ ...options, footer: { js: `/*\n${licenses}\n*/` } })
  chmodSync(outfile, 0o755)
}
