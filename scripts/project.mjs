// Functions of the two commands for a fresh checkout. They run on the machine's own Node (20 or newer) before
// anything is installed: plain JavaScript, no packages.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the checkout. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)))

const modules = join(root, 'node_modules')

/** The Node 24 that the lock installs: the code runs on it, with any version on the machine. */
export const node = join(modules, '.bin', process.platform === 'win32' ? 'node.cmd' : 'node')

/** The environment of every child process, with the project's own tools first in PATH. */
export const env = { ...process.env, PATH: `${join(modules, '.bin')}${delimiter}${process.env.PATH}` }

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages
  } catch {
    return undefined
  }
}

/**
 * Returns whether `installed` (npm's record of node_modules) satisfies `locked`. An optional package may be
 * absent: it belongs to another platform. A workspace's record must name the same dependencies.
 */
export function satisfies(installed, locked) {
  if (!installed || !locked) return false
  return Object.entries(locked).every(([path, wanted]) => {
    if (path === '') return true
    const found = installed[path]
    if (!found) return wanted.optional === true || wanted.devOptional === true
    return (
      found.version === wanted.version &&
      found.integrity === wanted.integrity &&
      JSON.stringify(found.dependencies) === JSON.stringify(wanted.dependencies)
    )
  })
}

/** Runs `npm ci` unless node_modules satisfies the lock. Returns whether it installed. Exits on failure. */
export function ensureInstalled() {
  const locked = readPackages(join(root, 'package-lock.json'))
  const installed = readPackages(join(modules, '.package-lock.json'))
  if (existsSync(node) && satisfies(installed, locked)) return false
  console.error('Installing dependencies (npm ci) …')
  const npm = process.env.npm_execpath
  const [command, first] = npm ? [process.execPath, [npm]] : ['npm', []]
  const { status } = spawnSync(command, [...first, 'ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  })
  if (status !== 0) {
    console.error('npm ci failed: see its messages above.')
    process.exit(status ?? 1)
  }
  if (!existsSync(node)) {
    console.error(
      'The install brought no Node 24: are install scripts switched off (npm config get ignore-scripts)?',
    )
    process.exit(1)
  }
  return true
}

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP']
// One Ctrl-C arrives twice, from the terminal and from npm: within this time both count as one.
const SAME_SIGNAL_MS = 400

function passOn(child) {
  const last = {}
  const pass = (signal) => {
    const now = Date.now()
    if (now - (last[signal] ?? 0) > SAME_SIGNAL_MS) child.kill(signal)
    last[signal] = now
  }
  for (const signal of FORWARDED) process.on(signal, pass)
  return () => {
    for (const signal of FORWARDED) process.off(signal, pass)
  }
}

/**
 * Runs the project's Node to its end and passes signals on. Returns the exit code (128 + number if a signal
 * ended it). `alone` gives the child a process group of its own and no standard input, so that one Ctrl-C
 * reaches it once. `environment` has variables beside this process's.
 */
export function runNode(args, { alone = false, environment, onMessage } = {}) {
  const input = alone ? 'ignore' : 'inherit'
  const stdio = [input, 'inherit', 'inherit', ...(onMessage ? ['ipc'] : [])]
  const child = spawn(node, args, { cwd: root, env: { ...env, ...environment }, stdio, detached: alone })
  if (onMessage) child.on('message', (message) => onMessage(message, child))
  const stop = passOn(child)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      stop()
      resolve(code ?? 128 + (constants.signals[signal] ?? 0))
    })
  })
}
