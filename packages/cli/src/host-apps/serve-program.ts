import { mkdirSync } from 'node:fs'
import { systemClock } from '@svc/core'
import { lockFolder } from '@svc/core/adapters'
import type { Io } from '../terminal/io.ts'
import { openSmallLog } from '../terminal/small-log.ts'
import { type AppsRecord, readAppsFile } from './apps-file.ts'
import { hostVariables, runtimeFolder } from './apps-folder.ts'
import { statusOf } from './control-client.ts'
import { openControl } from './control-server.ts'
import type { FindApp } from './front.ts'
import { endLeftovers, MARK } from './leftovers.ts'
import { ProcessRuntime } from './process-runtime.ts'
import { siteCommandOf } from './site-program.ts'
import { TIMING } from './slot.ts'
import { Supervisor } from './supervisor.ts'
import { isSystemHost, SYSTEM } from './system/places.ts'
import { SystemRuntime } from './system/system-runtime.ts'

/** Choices of a supervisor. */
export interface ServeChoices {
  /** Time that a process without a port has to live to count as healthy; undefined: the usual one. */
  readonly aliveMs: number | undefined
  /** The port of the front of a trial; undefined: any. */
  readonly port: number | undefined
  /** Whether it starts only where applications were kept running before. */
  readonly resume?: boolean | undefined
}

/** One supervisor a folder: the lock is its own until it has ended what cannot go on alone. */
async function openSupervisor(io: Io, apps: string, { aliveMs: given, port }: ServeChoices) {
  const isSystem = isSystemHost(apps)
  const runtime = isSystem ? SYSTEM.state : runtimeFolder(apps)
  mkdirSync(runtime, { recursive: true, mode: isSystem ? 0o711 : 0o700 })
  const stack = new AsyncDisposableStack()
  stack.use(await lockFolder(runtime, 'it keeps the applications there running'))
  if (!isSystem) await endLeftovers(runtime)
  const aliveMs = given ?? TIMING.aliveMs
  const host = hostVariables(io.env)
  const openProcesses = (record: AppsRecord, find: FindApp) =>
    ProcessRuntime.open(
      {
        record,
        apps,
        host,
        mark: { [MARK]: runtime },
        timing: { ...TIMING, aliveMs },
        frontPort: port,
      },
      find,
    )
  const openUnits = (record: AppsRecord) => {
    const log = openSmallLog(io, systemClock, 'info')
    return SystemRuntime.open({ record, aliveMs, log, siteCommand: siteCommandOf(io.self) })
  }
  const record = await readAppsFile(runtime)
  const open = isSystem ? openUnits : openProcesses
  const supervisor = stack.use(await Supervisor.open({ apps, runtime, clock: systemClock, record, open }))
  return { parts: supervisor, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

/** Keeps the applications of a folder running until it is asked to end. */
export async function serve(io: Io, apps: string, choices: ServeChoices): Promise<number> {
  if ((await statusOf(apps)) !== undefined) return 0
  // An agent asks for applications that were there; a folder without any needs no process.
  if (choices.resume && Object.keys((await readAppsFile(runtimeFolder(apps)))?.apps ?? {}).length === 0)
    return 0
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
  const undoStop = io.onStop(() => ask())
  const undoParent = io.onParentGone(() => ask())
  try {
    await using supervisor = await openSupervisor(io, apps, choices)
    await using _control = isSystemHost(apps)
      ? await openControl(SYSTEM.control, 0o660, supervisor.parts)
      : await openControl(runtimeFolder(apps), 0o600, supervisor.parts)
    await asked
    return 0
  } finally {
    undoStop()
    undoParent()
  }
}
