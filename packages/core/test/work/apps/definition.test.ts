import { expect, test } from '@jest/globals'
import { findApp, type ReleaseFacts, readAppDefinition } from '../../../src/adapters.ts'
import type { Problem } from '../../../src/index.ts'

const refusalOf = (value: unknown): string => {
  try {
    readAppDefinition(typeof value === 'string' ? value : JSON.stringify(value))
  } catch (error) {
    return (error as Problem).message
  }
  return 'taken'
}

const web = (more: object) => ({ version: 1, processes: { web: { command: 'node a.js', ...more } } })

test('The file of the design is read whole, with its defaults', () => {
  const read = readAppDefinition(
    JSON.stringify({
      version: 1,
      app: 'shop',
      build: { type: 'node', command: 'npm ci && npm run build' },
      processes: {
        web: { command: 'node server.js', health: { path: '/up', timeout_s: 30 }, count: 2 },
        worker: { command: 'node worker.js', roll: 'replace' },
      },
      release: 'npm run migrate',
      static: { folder: 'public', fallback: 'index.html' },
    }),
  )
  expect(read.processes?.web).toEqual({
    command: 'node server.js',
    health: { path: '/up', timeout_s: 30 },
    count: 2,
  })
  expect(read.processes?.worker).toMatchObject({ count: 1, roll: 'replace' })
  expect(read.stop).toEqual({ signal: 'SIGTERM', grace_s: 30 })
})

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`A${index}`, '']))
const LONG = 'x'.repeat(4097)

test.each([
  ['{', 'it is not JSON'],
  [[], 'expected an object'],
  [{}, 'version: expected the number 1'],
  [{ version: 2 }, 'version: expected the number 1'],
  [{ version: 1, proceses: {} }, 'proceses: not known; did you mean processes?'],
  [{ version: 1, zzzzzzzz: 1 }, 'zzzzzzzz: not known'],
  [{ version: 1, volumes: { a: 'data' } }, 'volumes.a: expected an absolute path of plain words'],
  [{ version: 1, volumes: { a: '/data/../etc' } }, 'volumes.a: expected an absolute path'],
  [{ version: 1, volumes: { a: '/data/.ssh' } }, 'volumes.a: expected an absolute path'],
  [{ version: 1, volumes: { a: '/data/x:y' } }, 'volumes.a: expected an absolute path'],
  [{ version: 1, volumes: { a: '/data/x y' } }, 'volumes.a: expected an absolute path'],
  [{ version: 1, volumes: { a: '/data/%n' } }, 'volumes.a: expected an absolute path'],
  [{ version: 1, volumes: { a: '/data/x\nUser=root' } }, 'volumes.a: expected an absolute path'],
  [{ version: 1, volumes: { a: `/${'x'.repeat(65)}` } }, 'volumes.a: expected an absolute path'],
  [{ version: 1, volumes: { a: '/a/b/c/d/e/f/g/h/i' } }, 'volumes.a: expected an absolute path'],
  [{ version: 1, volumes: { '../a': '/data' } }, 'volumes.../a: expected a name of a-z'],
  [{ version: 1, volumes: { a: '/data', b: '/data/b' } }, 'volumes: expected volumes of which none lies in'],
  [{ version: 1, volumes: { a: '/data', b: '/data' } }, 'volumes: expected volumes of which none lies in'],
  [{ version: 1, build: { typ: 'node' } }, 'build.typ: not known; did you mean type?'],
  [{ version: 1, build: { file: '../Dockerfile' } }, 'build.file: expected a path below'],
  [{ version: 1, build: { image: '--privileged' } }, 'build.image: expected the name of an image'],
  [{ version: 1, build: { args: { 'A B': 'x' } } }, 'build.args.A B: expected the name of an argument'],
  [{ version: 1, build: { args: { A: 'x\ny' } } }, 'build.args.A: expected one line'],
  [{ version: 1, build: { args: { A: 1 } } }, 'build.args.A: expected one line'],
  [{ version: 1, build: { args: many(65) } }, 'build.args: expected at most 64 arguments'],
  [{ version: 1, build: { target: '--help' } }, 'build.target: expected the name of a stage'],
  [{ version: 1, build: { type: 'nod' } }, 'build.type: expected one of script'],
  [{ version: 1, build: { command: 'a\nb' } }, 'build.command: expected a command'],
  [{ version: 1, build: { env: ['A B'] } }, 'build.env.0: expected the name of a variable'],
  [{ version: 1, build: { env: 'A' } }, 'build.env: expected a list of at most 100 entries'],
  [{ version: 1, build: { timeout_s: 0 } }, 'build.timeout_s: expected a whole number from 1 to 86400'],
  [{ version: 1, links: 'api' }, 'links: expected a list of at most 16 entries'],
  [{ version: 1, links: ['Api'] }, 'links.0: expected the name of an application'],
  [{ version: 1, links: ['api', 'api'] }, 'links: expected names that differ'],
  [{ version: 1, stop: { gracs_s: 1 } }, 'stop.gracs_s: not known; did you mean grace_s?'],
  [{ version: 1, stop: { grace_s: 601 } }, 'stop.grace_s: expected a whole number from 1 to 600'],
  [{ version: 1, stop: { signal: 'SIGKILL' } }, 'stop.signal: expected one of SIGTERM'],
  [{ version: 1, static: { folder: '../up' } }, 'static.folder: expected a path below'],
  [{ version: 1, static: { folder: '.git' } }, 'static.folder: expected a path below'],
  [{ version: 1, processes: {} }, 'processes: expected 1 to 16 processes'],
  [{ version: 1, processes: { Web: { command: 'x' } } }, 'processes.Web: expected a name'],
  [web({ command: LONG }), '.command: expected a command of 1 to 4096'],
  [web({ command: 'a\0b' }), 'processes.web.command: expected a command'],
  [web({ memory: '1T' }), 'processes.web.memory: expected megabytes or gigabytes, such as 512M'],
  [web({ memory: '0M' }), 'processes.web.memory: expected megabytes'],
  [web({ cpus: 0 }), 'processes.web.cpus: expected a number of processors from 0.01 to 64'],
  [web({ port: 0 }), 'processes.web.port: expected a whole number from 1 to 65535'],
  [web({ capabilities: ['SYS_ADMIN'] }), 'processes.web.capabilities'],
  [web({ counts: 2 }), 'processes.web.counts: not known; did you mean count?'],
  [web({ count: 11 }), 'processes.web.count: expected a whole number from 1 to 10'],
  [web({ count: 1.5 }), 'processes.web.count: expected a whole number'],
  [web({ roll: 'over' }), 'processes.web.roll: expected one of beside, replace'],
  [web({ health: { pth: '/' } }), 'processes.web.health.pth: not known; did you mean path?'],
  [web({ health: { path: 'up' } }), 'processes.web.health.path: expected a path'],
  [web({ health: { timeout_s: 0 } }), 'processes.web.health.timeout_s: expected a whole number'],
])('svc.json of row %# is refused in words', (value, words) => {
  expect(refusalOf(value)).toContain(words)
})

/** The facts of a release with these files. */
function facts(files: Readonly<Record<string, string>>): ReleaseFacts {
  const names = Object.keys(files)
  return {
    names: new Set(names.filter((name) => !name.includes('/'))),
    hasPublicIndex: names.includes('public/index.html'),
    text: (name) => files[name],
  }
}

const START = JSON.stringify({ scripts: { start: 'node .' } })
const planOf = (files: Readonly<Record<string, string>>) => findApp(facts(files), 'shop')

test.each<[Record<string, string>, string, string]>([
  [{ 'deploy.sh': '', Dockerfile: '', 'package.json': START }, 'script', 'deploy.sh'],
  [{ Procfile: 'web: node a.js', 'package.json': START }, 'processes', 'Procfile: web'],
  [{ 'package.json': START, 'index.html': '' }, 'processes', 'package.json: node'],
  [{ 'package.json': '{}', 'index.html': '' }, 'static', 'index.html'],
  [{ 'public/index.html': '' }, 'static', 'public/index.html'],
  [{ 'README.md': '' }, 'files', 'no file says how to run it'],
])('%j is found to be %s', (files, type, why) => {
  const plan = planOf(files)
  expect(plan.type).toBe(type)
  expect(plan.why).toContain(why)
})

test.each(['compose.yaml', 'docker-compose.yml'])('%s comes before a Dockerfile', (name) => {
  const plan = planOf({ [name]: '', Dockerfile: '', Procfile: 'web: x' })
  expect(plan).toMatchObject({ type: 'compose', compose: { file: name } })
})

test('The file says which service of which compose file answers visitors, and which do besides', () => {
  const build = { type: 'compose', file: 'deploy/compose.yaml', service: 'front' }
  const files = (more: object) => ({ ...svc({ build, ...more }), 'deploy/compose.yaml': '' })
  expect(planOf(files({ release: 'x' }))).toMatchObject({
    type: 'compose',
    compose: { file: 'deploy/compose.yaml', service: 'front' },
    release: 'x',
  })
  const more = files({ processes: { api: { http: true }, admin: { http: true, port: 9000 } } })
  expect(planOf(more)).toMatchObject({ processes: {}, compose: { visited: { api: undefined, admin: 9000 } } })
  for (const [processes, why] of [
    [{ web: { http: true } }, 'build.service names the service that is web'],
    [{ api: { port: 1 } }, 'processes.api says "http": true and a port alone'],
    [{ api: { http: true, count: 2 } }, 'processes.api says "http": true and a port alone'],
    [{ api: { http: true, command: 'x' } }, 'processes.api.command mean nothing for the type compose'],
  ] as const)
    expect(() => planOf(files({ processes }))).toThrow(why)
  expect(() => planOf(svc({ build }))).toThrow('there is no deploy/compose.yaml')
  expect(() => planOf(svc({ build: { type: 'files', service: 'x' } }))).toThrow('build.service mean nothing')
})

const svc = (value: object) => ({ 'svc.json': JSON.stringify({ version: 1, ...value }) })

test.each<[Record<string, string>, object]>([
  [
    { Dockerfile: '', Procfile: 'web: x' },
    { image: { file: 'Dockerfile' }, processes: { web: { count: 1 } } },
  ],
  [
    { ...svc({ build: { type: 'dockerfile', file: 'docker/web' } }), 'docker/web': '' },
    { image: { file: 'docker/web' } },
  ],
  [
    { ...svc({ processes: { web: { port: 80 } } }), Dockerfile: '', 'package.json': START },
    { image: { file: 'Dockerfile' }, processes: { web: { port: 80 } } },
  ],
  [
    { ...svc({ build: { type: 'dockerfile', target: 'run', args: { VERSION: '1.2' } } }), Dockerfile: '' },
    { image: { file: 'Dockerfile', target: 'run', args: { VERSION: '1.2' } } },
  ],
  [
    svc({ build: { type: 'image', image: 'nginx:1.27' }, release: 'x' }),
    { image: { name: 'nginx:1.27' }, release: 'x' },
  ],
])('%j runs in containers', (files, plan) => {
  expect(planOf(files)).toMatchObject({ type: 'containers', build: [], ...plan })
})

const VENV_BUILD = [
  'python3 -m venv .venv',
  expect.stringMatching(/^\.venv\/bin\/pip install .* -r requirements\.txt$/),
]
const first = (command: string) => `export PATH="$PWD/.venv/bin:$PATH"; ${command}`

test.each<[Record<string, string>, object]>([
  [
    {
      ...svc({
        build: { type: 'python' },
        processes: { web: { command: 'gunicorn a:app', count: 2 } },
        release: 'python migrate.py',
        cron: [{ name: 'tick', schedule: '@daily', command: 'python tick.py' }],
      }),
      'requirements.txt': '',
      '.python-version': '3.11\n',
    },
    {
      build: VENV_BUILD,
      processes: { web: { command: first('gunicorn a:app'), count: 2 } },
      release: first('python migrate.py'),
      cron: [expect.objectContaining({ command: first('python tick.py') })],
      python: { version: '3.11' },
    },
  ],
  [
    {
      ...svc({ build: { type: 'python' } }),
      'pyproject.toml': '',
      Procfile: 'web: python app.py',
      'package.json': START,
    },
    {
      build: ['python3 -m venv .venv', expect.stringMatching(/ \.$/)],
      processes: { web: { command: first('python app.py') } },
      node: undefined,
    },
  ],
  [
    svc({ build: { type: 'python' }, processes: { web: { command: 'python3 app.py' } } }),
    { build: [], processes: { web: { command: 'python3 app.py' } }, python: { version: undefined } },
  ],
  [
    {
      ...svc({ build: { type: 'python', command: 'make' }, processes: { web: { command: 'x' } } }),
      'requirements.txt': '',
    },
    { build: ['make'], processes: { web: { command: first('x') } } },
  ],
])('%j is a program of Python', (files, plan) => {
  expect(planOf(files)).toMatchObject({ type: 'processes', ...plan })
})

test('A program of Python says what runs', () => {
  expect(() => planOf(svc({ build: { type: 'python' } }))).toThrow('add processes, or a Procfile')
})

test.each<[Record<string, string>, string]>([
  [svc({ build: { type: 'dockerfile' } }), 'there is no Dockerfile'],
  [svc({ build: { type: 'image' } }), 'add build.image'],
  [
    { ...svc({ build: { type: 'dockerfile', command: 'make' } }), Dockerfile: '' },
    'build.command mean nothing',
  ],
  [{ ...svc({ build: { type: 'dockerfile', image: 'a' } }), Dockerfile: '' }, 'build.image mean nothing'],
  [
    {
      ...svc({ build: { type: 'node' }, processes: { web: { command: 'x', port: 80 } } }),
      'package.json': START,
    },
    'processes.web.port mean nothing for the type processes',
  ],
  [{ ...svc({ processes: { web: {} } }), 'package.json': START }, 'processes.web has no command'],
])('%j is no container, and says why', (files, words) => {
  expect(() => planOf(files)).toThrow(words)
})

test.each<[object, Record<string, string>, readonly string[]]>([
  [{ scripts: { start: 'x' } }, {}, []],
  [{ scripts: { start: 'x' } }, { 'package-lock.json': '' }, []],
  [{ scripts: { start: 'x' }, dependencies: { a: '1' } }, {}, ['npm install']],
  [
    { scripts: { start: 'x', build: 'y' }, dependencies: { a: '1' } },
    { 'package-lock.json': '' },
    ['npm ci', 'npm run build'],
  ],
  [{ scripts: { start: 'x', build: 'y' } }, {}, ['npm run build']],
])('%j is built by the commands it needs', (manifest, more, build) => {
  expect(planOf({ 'package.json': JSON.stringify(manifest), ...more }).build).toEqual(build)
})

test('svc.json names processes, their release command and their build beside a package.json', () => {
  const given = {
    app: 'store',
    build: { command: 'make' },
    release: 'make migrate',
    ...web({ count: 3 }),
  }
  const plan = planOf({ 'svc.json': JSON.stringify(given), 'package.json': START })
  expect(plan).toMatchObject({ type: 'processes', build: ['make'], release: 'make migrate' })
  expect(plan.processes.web).toMatchObject({ command: 'node a.js', count: 3 })
  expect(plan.notes).toEqual(['svc.json names store; it is deployed as shop'])
})

test('A Procfile brings its release command; a line that is none is refused', () => {
  const plan = planOf({ Procfile: '# all\nrelease: make db\nweb: node a.js\nworker: node w.js\n' })
  expect(plan.release).toBe('make db')
  expect(Object.keys(plan.processes)).toEqual(['web', 'worker'])
  expect(() => planOf({ Procfile: 'Web node a.js' })).toThrow('a line of the Procfile is not NAME: COMMAND')
})

test.each<[object, Record<string, string>, string]>([
  [{ version: 1, build: { type: 'node' } }, {}, 'there is no package.json'],
  [{ version: 1, build: { type: 'node' } }, { 'package.json': '{}' }, 'has no script start'],
  [{ version: 1, build: { type: 'script' } }, {}, 'there is no deploy.sh'],
  [{ version: 1, build: { type: 'files' } }, { 'deploy.sh': '' }, 'says files, and there is a deploy.sh'],
  [{ version: 1, build: { type: 'procfile' } }, {}, 'there is no Procfile'],
  [{ ...web({}), build: { type: 'static' } }, {}, 'processes mean nothing for the type static'],
  [{ version: 1, build: { type: 'files', env: ['A'] } }, {}, 'build.env mean nothing for the type files'],
  [{ version: 1, volumes: { a: '/data' } }, { 'index.html': '' }, 'volumes mean nothing for the type static'],
  [{ ...web({}), volumes: { a: '/usr' } }, {}, 'volumes.a: /usr is of the system, take one such as /data/a'],
  [{ ...web({}), volumes: { a: '/etc/a' } }, {}, 'volumes.a: /etc/a is of the system'],
  [{ version: 1, release: 'x' }, { 'index.html': '' }, 'release mean nothing for the type static'],
])('svc.json %j without what it needs is refused', (given, files, words) => {
  expect(() => planOf({ 'svc.json': JSON.stringify(given), ...files })).toThrow(words)
})

test('Processes of an application with a volume replace each other, unless they say beside', () => {
  const rolls = (given: object, files: Record<string, string> = {}) =>
    Object.values(planOf({ 'svc.json': JSON.stringify(given), ...files }).processes).map(({ roll }) => roll)
  const volumes = { a: '/data/a' }
  expect(rolls({ ...web({}), volumes })).toEqual(['replace'])
  expect(rolls({ ...web({ roll: 'beside' }), volumes })).toEqual(['beside'])
  expect(rolls({ ...web({}), volumes: {} })).toEqual([undefined])
  expect(rolls({ version: 1, volumes }, { 'package.json': START })).toEqual(['replace'])
  expect(planOf({ 'svc.json': JSON.stringify({ ...web({}), volumes }) }).volumes).toEqual(volumes)
})
