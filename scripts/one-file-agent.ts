import { chmodSync, readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { licensesOf, REQUIRE } from './bundle.ts'

const root = join(import.meta.dirname, '..')
const cli = join(root, 'packages/cli')
const core = join(root, 'packages/core/src')

/**
 * Loads each module of Node.js when it is first used. An `import` reads all that a module offers, and so
 * loads the modules behind it: importing `node:http` alone costs 13 MB. The names stand on a prototype, since
 * each import would otherwise copy them all.
 */
const lateNode: Plugin = {
  name: 'late-node',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[a-z0-9_:/]+$/ }, ({ path, kind }) =>
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

const BARRELS: Readonly<Record<string, string>> = {
  '@svc/core': 'index',
  '@svc/core/adapters': 'adapters',
  '@svc/core/client': 'client',
}

/** Returns the file of each name that a list of public names exports, with its name there. */
function homesIn(list: string): ReadonlyMap<string, { readonly own: string; readonly file: string }> {
  const text = readFileSync(join(core, `${list}.ts`), 'utf8')
  const exported = [...text.matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)'/gm)]
  const homes = exported.flatMap(([, names = '', file = '']) =>
    names.split(',').map((each) => {
      const [own = '', name = own] = each.trim().replace('type ', '').split(' as ')
      return [name, { own, file: join(core, file) }] as const
    }),
  )
  return new Map(homes)
}

/**
 * Takes each name of the core from the file that declares it. A list of public names would start all that
 * anything in the agent needs, such as schemas of applications, in an agent that waits for work.
 */
const pastLists: Plugin = {
  name: 'past-lists',
  setup({ onLoad }) {
    const homes = new Map(Object.entries(BARRELS).map(([name, list]) => [name, homesIn(list)]))
    onLoad({ filter: /\/packages\/cli\/src\/.*\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll(
        /^import \{([^}]*)\} from '(@svc\/core(?:\/adapters|\/client)?)'$/gm,
        (_, names: string, list: string) =>
          names
            .split(',')
            .map((each) => each.trim())
            .filter((each) => each !== '' && !each.startsWith('type '))
            .map((each) => {
              const [name = '', as = name] = each.split(' as ')
              const home = homes.get(list)?.get(name)
              if (home === undefined) throw new Error(`${path}: ${list} does not export ${name}`)
              return `import { ${home.own} as ${as} } from ${JSON.stringify(home.file)}`
            })
            .join('; '),
      ),
      loader: 'ts',
    }))
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

const shipped = shippedFiles()
const OPTIONS: BuildOptions = {
  absWorkingDir: root,
  entryPoints: [join(cli, 'src/agent-bin.ts')],
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  conditions: ['svc-source'],
  define: { SVC_SHIPPED: JSON.stringify(shipped) },
  plugins: [lateNode, pastLists],
  banner: { js: `${shebang(shipped['systemd/svc-agent.service'] ?? '')}\n${REQUIRE}` },
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  logLevel: 'warning',
}

/** Returns every file of the agent, with the files that it imports when it is started itself. */
export async function filesOfAgent(): Promise<ReadonlyMap<string, readonly string[]>> {
  const { metafile } = await build({ ...OPTIONS, outfile: 'svc-agent.mjs', metafile: true, write: false })
  const files = Object.entries(metafile.inputs).map(([file, { imports }]) => {
    const started = imports.filter(({ kind }) => kind !== 'dynamic-import').map(({ path }) => path)
    return [file, started] as const
  })
  return new Map(files)
}

/** Writes the host agent with all that it needs but Node.js into one file, with the licenses at its end. */
export async function writeOneFileAgent(outfile: string): Promise<void> {
  const licenses = licensesOf([...(await filesOfAgent()).keys()]).replaceAll('*/', '* /')
  await build({ ...OPTIONS, outfile, footer: { js: `/*\n${licenses}\n*/` } })
  chmodSync(outfile, 0o755)
}
