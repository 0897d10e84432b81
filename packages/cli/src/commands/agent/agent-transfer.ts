import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Log } from '@svc/core'
import { Problem } from '@svc/core/client'
import { AGENT_TIMING } from '../../agent/agent-options.ts'
import { handlerFolders } from '../../agent/run/handler-folders.ts'
import type { HandlerUser } from '../../agent/run/handler-user.ts'
import { type Moved, moveRelease } from '../../agent/transfer/dialler.ts'
import { TransferListener } from '../../agent/transfer/listener.ts'
import { tlsIdentity } from '../../agent/transfer/self-signed.ts'
import type { TransferSide } from '../../agent/transfer/transfer-side.ts'
import { AgentApi } from '../../agent/wire/agent-api.ts'
import { HttpClient } from '../../connect/http-client.ts'
import { checkedKey, keptLicenseKeyOf } from '../../connect/license-key.ts'
import type { CommandRun, Handler } from '../../program/command-run.ts'
import { facts } from '../../terminal/render.ts'
import { openSmallLog } from '../../terminal/small-log.ts'
import { wholeNumber } from '../number-option.ts'
import { transferKeyInput } from '../transfer-keys/transfer-key-input.ts'
import { handlerUserOf, KEY_SHOWN, planeUrl, stateFolder } from './agent-run.ts'

/** Flags of every `svc agent transfer …`. */
export interface SideOptions {
  readonly stateDir?: string
  readonly handlerUser?: string
  readonly app?: string
}

/** Flags of `svc agent transfer listen`. */
export interface ListenOptions extends SideOptions {
  readonly host?: string
  readonly port?: string
  readonly keep?: boolean
}

const folderOf = ({ io, options }: CommandRun<SideOptions>): string =>
  resolve(io.cwd, options.stateDir ?? stateFolder(io))

/** Prints the pin of the TLS key of this host, which is made when there is none. */
export const showPin: Handler<SideOptions> = async (run) => {
  const { pin } = await tlsIdentity(folderOf(run))
  run.print({ pin }, (page) => facts([['pin', pin]], page))
}

interface Opened extends Disposable {
  readonly side: TransferSide
  readonly log: Log
  /** The user that files are read and written as; absent: the own one. */
  readonly user: HandlerUser | undefined
}

async function opened(run: CommandRun<SideOptions>): Promise<Opened> {
  const { io, clock, options } = run
  const stateDir = folderOf(run)
  const log = openSmallLog(io, clock, 'info')
  const key = await keptLicenseKeyOf(io, options, () => log.warn({}, KEY_SHOWN))
  const licenseKey = checkedKey(key ?? '')
  const user = await handlerUserOf(io, options)
  const limits = { timeoutMs: AGENT_TIMING.requestTimeoutMs, environment: io.env }
  const http = new HttpClient({ url: planeUrl(io, options.url) }, limits)
  const fingerprint = await fingerprintIn(stateDir)
  const side: TransferSide = {
    api: new AgentApi(http, { licenseKey, fingerprint }, AGENT_TIMING, clock),
    clock,
    fingerprint,
    appsDir: handlerFolders({ stateDir, handlerUser: user }).apps,
  }
  return { side, log, user, [Symbol.dispose]: () => http[Symbol.dispose]() }
}

async function fingerprintIn(stateDir: string): Promise<string> {
  const path = join(stateDir, 'agent.json')
  try {
    const { fingerprint } = JSON.parse(await readFile(path, 'utf8')) as { fingerprint?: unknown }
    if (typeof fingerprint === 'string') return fingerprint
  } catch {}
  throw new Problem('not-found', {
    detail: `${path} is not the memory of an agent: name the state folder of this host's agent with --state-dir`,
  })
}

/**
 * Goes on as the user that owns the applications, for good: everything that root alone may read was read
 * before, and the kernel lets no process of that user look into this one.
 */
function become(user: HandlerUser | undefined): void {
  if (user === undefined) return
  process.setgroups?.([])
  process.setgid?.(user.gid)
  process.setuid?.(user.uid)
}

const movedFacts = (moved: object): [string, string][] =>
  Object.entries(moved).map(([name, value]) => [name, String(value)])

/** Waits for a host that has a transfer key. */
export const listenForTransfer: Handler<ListenOptions> = async (run) => {
  using parts = await opened(run)
  const { host = '127.0.0.1', port, keep } = run.options
  const identity = await tlsIdentity(folderOf(run))
  become(parts.user)
  const ended = Promise.withResolvers<object | undefined>()
  const onMoved = (moved: object) => {
    if (keep !== true) ended.resolve(moved)
  }
  const undo = run.io.onStop(() => ended.resolve(undefined))
  try {
    const listening = { ...parts, identity, onMoved }
    await using listener = await TransferListener.start(listening, host, wholeNumber('--port', port) ?? 0)
    run.hint(`Listening on ${host}:${listener.port} with the TLS key ${identity.pin}`)
    const moved = await ended.promise
    if (moved !== undefined) run.print(moved, (page) => facts(movedFacts(moved), page))
  } finally {
    undo()
  }
}

/** Connects to a host that listens. */
export const runTransfer: Handler<SideOptions> = async (run) => {
  const address = addressOf(run.arg(0))
  using parts = await opened(run)
  const key = await transferKeyInput(run.io)
  become(parts.user)
  const stop = new AbortController()
  const undo = run.io.onStop(() => stop.abort())
  try {
    const { app } = run.options
    const moved: Moved = await moveRelease({ ...parts, address, key, app, signal: stop.signal })
    run.print(moved, (page) => facts(movedFacts(moved), page))
  } finally {
    undo()
  }
}

function addressOf(text: string): { host: string; port: number } {
  const [, host = '', port] = /^(.+):(\d{1,5})$/.exec(text) ?? []
  const number = Number(port)
  if (host !== '' && number > 0 && number < 65_536)
    return { host: host.replace(/^\[|\]$/g, ''), port: number }
  throw new Problem('invalid-input', {
    detail: 'the other host is HOST:PORT, as svc agent transfer listen says it',
  })
}
