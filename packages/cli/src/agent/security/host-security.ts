import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock, Log } from '@svc/core'
import { ROLLED_BACK, type SecuritySettings } from '@svc/core/adapters'
import { changedFiles, putFiles, Refused, type Survey, survey, sysctlOfNow } from './apply.ts'
import { Attempt, type AttemptMarker, type SecurityDocument } from './attempt.ts'
import { confirmed } from './confirmation.ts'
import {
  canChangeTables,
  checkTable,
  hasChain,
  hasPickup,
  loadTable,
  tableOfNow,
  writeTable,
} from './firewall-table.ts'
import { hostFiles } from './host-files.ts'
import { type KeptDocument, keepDocument, keptDocument } from './kept-document.ts'
import { readSettings, sameSettings } from './read-document.ts'
import { type SecurityHost, securityHost } from './security-host.ts'
import { startUndoTimer } from './undo-timer.ts'

/** How long connections from before the firewall go on: long enough for each to say something. */
const PICKUP_SECONDS = 3600

/** A document to be applied, with the time that there is for it to be confirmed. */
export interface Asked extends SecurityDocument {
  readonly job?: AttemptMarker['job']
  readonly rollbackSeconds: number
}

/** Parts that the security of a host works with. */
export interface HostSecurityParts {
  readonly stateDir: string
  /** The folder that stands for `/`. */
  readonly root: string
  readonly clock: Clock
  readonly log: Log
  /** Asks the control plane for an answer over a new connection; undefined when there was one. */
  readonly confirm: (signal: AbortSignal) => Promise<string | undefined>
}

/** The end of an attempt: undefined when it is kept, else the error, which tells whether all is as before. */
export type ApplyEnd = string | undefined

/**
 * The firewall and hardening of this host. An attempt is written down before it begins and undone unless the
 * control plane is reached behind it; a timer beside the agent undoes it if the agent does not live to.
 */
export class HostSecurity {
  readonly #parts: HostSecurityParts
  readonly #host: SecurityHost
  #turn: Promise<unknown> = Promise.resolve()

  constructor(parts: HostSecurityParts) {
    this.#parts = parts
    this.#host = securityHost(parts, parts.root)
  }

  /** Whether this host has the tools for a firewall. */
  isAble(): Promise<boolean> {
    return canChangeTables()
  }

  /** The document that was applied last and confirmed. */
  kept(): Promise<KeptDocument | undefined> {
    return keptDocument(this.#host)
  }

  /**
   * Undoes attempts of an earlier agent that nobody confirmed. Returns those; each is forgotten by `forget`
   * once it was reported.
   */
  recover(): Promise<readonly Attempt[]> {
    return this.#inTurn(async () => {
      const undone: Attempt[] = []
      for (const { stage, attempt } of await Attempt.left(this.#host)) {
        if (stage === 'kept') await this.#keep(attempt)
        else if (await this.#undo(attempt)) undone.push(attempt)
      }
      return undone
    })
  }

  /** Applies the kept document again where the host has lost it, as after a start. */
  restore(): Promise<void> {
    return this.#inTurn(() => this.#restore())
  }

  /**
   * Looks after the rules: they come back if somebody took them, and the rules for the first hour go in time.
   */
  tend(): Promise<void> {
    return this.#inTurn(async () => {
      const kept = await this.kept()
      if (kept === undefined) return
      const isOver = kept.pickupUntil <= this.#now()
      if (isOver && (await hasPickup())) await this.#load(readSettings(kept.settings), false)
      else await this.#restore()
    })
  }

  /** Applies a document and keeps it only if the control plane is reached behind it. Never throws. */
  apply(asked: Asked, say: (line: string) => void, signal: AbortSignal): Promise<ApplyEnd> {
    return this.#inTurn(async () => {
      try {
        return await this.#apply(asked, say, signal)
      } catch (error) {
        return error instanceof Refused ? `refused: ${error.message}` : (error as Error).message
      }
    })
  }

  async #apply(asked: Asked, say: (line: string) => void, signal: AbortSignal): Promise<ApplyEnd> {
    const settings = sameSettings(asked)
    await mkdir(this.#host.folder, { recursive: true, mode: 0o700 })
    const found = await survey(this.#host, settings, asked.force)
    await this.#check(settings, found)
    const attempt = await this.#begin(asked, settings, found)
    const seconds = Math.max(1, attempt.marker.deadline - this.#now())
    const timer = await startUndoTimer(attempt.path('pending'), seconds, found.hasSystemd).catch(
      (error: Error) => error,
    )
    if (timer instanceof Error) {
      await attempt.forget()
      throw timer
    }
    const why = await this.#change(attempt, settings, found, say, signal)
    if (why === undefined && (await attempt.keep())) {
      await timer.stop()
      await this.#keep(attempt)
      say(`revision ${asked.revision} is confirmed`)
      return undefined
    }
    say(`undoing revision ${asked.revision}: ${why ?? LATE}`)
    const isUndone = await this.#undo(attempt)
    await timer.stop()
    if (!isUndone) return `not undone yet: ${why ?? LATE}`
    await attempt.forget()
    return `${ROLLED_BACK} ${why ?? LATE}`
  }

  /** Lets nft check the rules before anything is written down. */
  async #check(settings: SecuritySettings, { sshPorts }: Survey): Promise<void> {
    const file = join(this.#host.folder, 'check.json')
    await rm(file, { force: true })
    await writeTable(file, settings, { sshPorts, pickup: true })
    await checkTable(file).catch((error: Error) => {
      throw new Refused(error.message)
    })
    await rm(file)
  }

  async #begin(asked: Asked, settings: SecuritySettings, { changes, hasSystemd }: Survey): Promise<Attempt> {
    const { revision, sha256, force, job, rollbackSeconds } = asked
    const deadline = Math.ceil(this.#now()) + rollbackSeconds
    return Attempt.begin(this.#host, {
      marker: { revision, sha256, settings, force, deadline, ...(job && { job }) },
      table: await tableOfNow(),
      files: changes.length > 0 ? hostFiles(settings) : [],
      sysctl: await sysctlOfNow(this.#host, changes),
      hasSystemd,
    })
  }

  /** Makes the change and waits until it is confirmed; returns why it cannot stay. */
  async #change(
    attempt: Attempt,
    settings: SecuritySettings,
    found: Survey,
    say: (line: string) => void,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    try {
      const file = attempt.file('new.json')
      await writeTable(file, settings, { sshPorts: found.sshPorts, pickup: true })
      await loadTable(file)
      say(settings.firewall.enabled ? 'the firewall is up' : 'the firewall is off')
      await putFiles(this.#host, found, settings, say)
      const why = await confirmed(this.#parts, attempt.marker.deadline, signal)
      if (why !== undefined) return why
      return settings.firewall.enabled && !(await hasChain())
        ? 'somebody else took the rules away'
        : undefined
    } catch (error) {
      return (error as Error).message
    }
  }

  async #keep(attempt: Attempt): Promise<void> {
    const { revision, sha256, settings, force } = attempt.marker
    const pickupUntil = this.#now() + PICKUP_SECONDS
    await keepDocument(this.#host, { revision, sha256, settings, force, pickupUntil })
    await attempt.forget()
  }

  async #undo(attempt: Attempt): Promise<boolean> {
    const wrong = await attempt.undo()
    const { revision } = attempt.marker
    if (wrong === undefined) this.#parts.log.warn({ revision }, 'unconfirmed security settings were undone')
    else this.#parts.log.error({ revision, wrong }, 'unconfirmed security settings could not be undone')
    return wrong === undefined
  }

  async #restore(): Promise<void> {
    const kept = await this.kept()
    if (kept === undefined) return
    const settings = readSettings(kept.settings)
    if (settings.firewall.enabled !== (await hasChain())) {
      await this.#load(settings, true)
      await keepDocument(this.#host, { ...kept, pickupUntil: this.#now() + PICKUP_SECONDS })
      this.#parts.log.info({ revision: kept.revision }, 'the kept firewall is applied again')
    }
    if ((await changedFiles(this.#host, settings)).length === 0) return
    const say = (what: string) => this.#parts.log.info({ revision: kept.revision, what }, 'security settings')
    await putFiles(this.#host, await survey(this.#host, settings, true), settings, say)
  }

  async #load(settings: SecuritySettings, pickup: boolean): Promise<void> {
    const { sshPorts } = await survey(this.#host, settings, true)
    const file = join(this.#host.folder, 'load.json')
    await rm(file, { force: true })
    await writeTable(file, settings, { sshPorts, pickup })
    await loadTable(file)
    await rm(file)
  }

  #now(): number {
    return this.#parts.clock.now().getTime() / 1000
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#turn.then(work, work)
    this.#turn = next.catch(() => {})
    return next
  }
}

const LATE = 'it was not confirmed in time'
