import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type AppProcess, isVisited } from '@svc/core/adapters'
import { givePort, keepPort, takePort } from '../free-port.ts'
import { answers, becomesHealthy, staysAlive } from '../health.ts'
import type { Slot, SlotParts } from '../slot.ts'
import type { AppUser } from './app-user.ts'
import { containerName, containerUnitText } from './container-text.ts'
import { listensInside, SocketTable } from './listening.ts'
import { OutputSpool } from './output-spool.ts'
import { SYSTEM } from './places.ts'
import { askService, becomesWell, type Check } from './service-health.ts'
import { isRemembered, type Systemctl, type UnitState } from './systemctl.ts'
import { writeUnitFiles } from './unit-files.ts'
import { LOOK_MS, RUNNING, UnitLife } from './unit-life.ts'
import { builtFolder, placesOf, unitFolder, unitName, unitText } from './unit-text.ts'

/** The parts of the host that units share. */
export interface UnitHost {
  readonly systemctl: Systemctl
  readonly aliveMs: number
  /** The user of an application that was admitted. */
  userOf(app: string): AppUser
  /** Ends a unit of this name that is left over. */
  cleared(unit: string): Promise<void>
  /** Guards the port of an instance that is about to start. */
  placed(slot: UnitSlot): Promise<void>
  /** Looks after a unit from now on: output, state, health. */
  tend(slot: UnitSlot): void
  untend(slot: UnitSlot): void
}

const LAST_LINES = 50

/** The place of an instance that systemd keeps running as a unit of its own. */
export class UnitSlot implements Slot {
  readonly parts: SlotParts
  readonly unit: string
  readonly #host: UnitHost
  readonly #last: string[] = []
  #spool: OutputSpool | undefined
  #port: number | undefined
  /** Ports of 127.0.0.1, by those of the container that others of the application reach. */
  #reached: ReadonlyMap<number, number> = new Map()
  #state: UnitState | undefined
  #isHealthy = false
  #isSeen = false

  constructor(parts: SlotParts, host: UnitHost) {
    this.parts = parts
    this.#host = host
    this.unit = unitName(parts)
  }

  get user(): AppUser {
    return this.#host.userOf(this.parts.app)
  }

  get definition(): AppProcess {
    return this.parts.definition
  }

  get isUp(): boolean {
    return this.#isHealthy && this.#isSeen
  }

  get pid(): number | undefined {
    return this.#state?.pid || undefined
  }

  get port(): number | undefined {
    return this.#port
  }

  /** Ports of 127.0.0.1, by those of the container at which other services reach it. */
  get reached(): ReadonlyMap<number, number> {
    return this.#reached
  }

  /** All its ports of 127.0.0.1. */
  get ports(): readonly number[] {
    return [...(this.#port === undefined ? [] : [this.#port]), ...this.#reached.values()]
  }

  get restarts(): number {
    return this.#state?.restarts ?? 0
  }

  get open(): number {
    return this.#port === undefined ? 0 : SocketTable.recent().connectionsTo(this.#port)
  }

  get lastLines(): readonly string[] {
    this.#spool?.look()
    return this.#last
  }

  async begin(signal: AbortSignal): Promise<string | undefined> {
    await this.#place()
    const fault = (await this.#started(() => this.#introduced())) ?? (await this.#begun(signal))
    this.#isHealthy = fault === undefined
    this.#isSeen = this.#isHealthy
    return fault
  }

  async keep(isFresh: boolean): Promise<void> {
    if (isFresh) await this.#resume()
    this.#enable()
    this.#host.tend(this)
  }

  /**
   * Starts the unit. systemd remembers one that has ended for as long as it finds a part of it, such as its
   * control group: that one is read from a file, and loses what it was told before.
   */
  async #introduced(): Promise<void> {
    const { systemctl } = this.#host
    try {
      await systemctl.introduce(this.unit, this.#text())
    } catch (error) {
      if (!isRemembered(error)) throw error
      rmSync(join(SYSTEM.told, this.unit), { force: true })
      this.#write()
      await systemctl.reload()
      await systemctl.start(this.unit)
    }
  }

  #write(): void {
    const file = join(SYSTEM.units, this.unit)
    if (!existsSync(file)) writeFileSync(file, this.#text(), { mode: 0o644 })
  }

  /** Lets systemd start the unit with the machine from now on. */
  #enable(): void {
    const file = join(SYSTEM.units, this.unit)
    const link = join(SYSTEM.wants, this.unit)
    mkdirSync(SYSTEM.wants, { recursive: true })
    this.#write()
    if (!existsSync(link)) symlinkSync(file, link)
  }

  async stop(graceMs = this.parts.stop.grace_s * 1000): Promise<void> {
    this.#host.untend(this)
    rmSync(join(SYSTEM.wants, this.unit), { force: true })
    await this.#host.systemctl.stop(this.unit, graceMs)
    this.#isHealthy = false
    this.#spool?.[Symbol.dispose]()
    this.#spool = undefined
    removeUnit(this.unit)
    await this.#host.systemctl.reload()
    await this.#host.systemctl.forget(this.unit)
    for (const port of this.ports) givePort(port)
  }

  /** Reads the output that came. */
  look(): void {
    this.#spool?.look()
  }

  /** Takes a look at the sockets of the host, and the state of the unit if that was asked for. */
  see(sockets: SocketTable, state: UnitState | undefined): void {
    if (state !== undefined) this.#state = state
    this.#isSeen =
      this.#port === undefined
        ? RUNNING.has(this.#state?.active ?? '')
        : sockets.isHeldBy(this.#port, this.user.uid) && this.#listensInside()
  }

  /** podman holds the port of a container from its start on, so that its own network is looked at as well. */
  #listensInside(): boolean {
    const { container } = this.parts
    if (container?.port === undefined || this.#state === undefined) return true
    return listensInside(this.#state.pid, container.port)
  }

  /** Takes the judgement of a health check. */
  judge(isHealthy: boolean): void {
    this.#isHealthy = isHealthy
  }

  /** Says a line of the instance's log. */
  say(line: string): void {
    this.#last.push(line)
    if (this.#last.length > LAST_LINES) this.#last.shift()
    this.parts.onLine(line)
  }

  async #place(): Promise<void> {
    const { stop, volumes, process, definition, container, env, hosts, sockets } = this.parts
    const { user } = this
    const folder = unitFolder(this.unit)
    await this.#host.cleared(this.unit)
    this.#port = isVisited(process, definition) ? await takePort() : undefined
    const inner = (container?.service?.ports ?? []).filter(
      (port) => this.#port === undefined || port !== container?.port,
    )
    this.#reached = new Map(await Promise.all(inner.map(async (port) => [port, await takePort()] as const)))
    const { command, capabilities } = definition
    const name = containerName(this.parts)
    const run = { folder, user, command, capabilities, env, stop, volumes, container, name, hosts, sockets }
    writeUnitFiles({ ...run, port: this.#port, reached: this.#reached, isKept: true })
    this.#spool = new OutputSpool(join(folder, 'output'), (line) => this.say(line))
    await this.#host.placed(this)
  }

  /** The text of the unit's file. */
  #text(): string {
    const { app, sha, stop, volumes, process, number, release, definition, container } = this.parts
    const { name: user } = this.user
    const choices = {
      ...{ app, process, number, release, user, stop },
      ...{ memory: definition.memory, cpus: definition.cpus },
      folder: builtFolder(app, sha),
      lines: placesOf(user, volumes),
    }
    return (container === undefined ? unitText : containerUnitText)(choices)
  }

  /** Starts the unit. Returns why it does not start: podman says so at once. */
  async #started(start: () => Promise<void>): Promise<string | undefined> {
    const { systemctl } = this.#host
    try {
      await start()
      return undefined
    } catch (error) {
      if (this.parts.container !== undefined) return 'podman could not start its container'
      // A program that has failed before systemd saw it begin is one that began: its end says more.
      const state = (await systemctl.show([this.unit])).get(this.unit)
      if (state?.hasRun) return undefined
      throw error
    }
  }

  /** Whether systemd keeps the unit, or will: one without a file was switched to a moment ago. */
  async #isKnown(): Promise<boolean> {
    if (existsSync(join(SYSTEM.units, this.unit))) return true
    const state = (await this.#host.systemctl.show([this.unit])).get(this.unit)
    return state !== undefined && state.active !== 'inactive'
  }

  /** Finds the instance that an earlier supervisor started, or starts one. */
  async #resume(): Promise<void> {
    const folder = unitFolder(this.unit)
    const { systemctl } = this.#host
    if (existsSync(join(folder, 'port')) && (await this.#isKnown())) {
      const port = Number(readFileSync(join(folder, 'port'), 'utf8'))
      this.#port = port === 0 ? undefined : port
      this.#reached = reachedIn(folder)
      for (const each of this.ports) keepPort(each)
      await this.#host.placed(this)
      this.#spool = new OutputSpool(join(folder, 'output'), (line) => this.say(line))
    } else {
      await this.#place()
      this.#enable()
      await systemctl.reload()
    }
    // One that does not start is tried again by systemd, and stands in the way of no other.
    const start = () => systemctl.start(this.unit)
    await this.#started(start).catch((error: Error) => this.say(`[svc] ${error.message}`))
    // One that listens is healthy until it is found to be otherwise.
    this.#isHealthy = true
    const states = await systemctl.show([this.unit])
    this.see(new SocketTable(), states.get(this.unit))
  }

  /** Asks a service whether it is well. Returns its fault. */
  ask(check: Check): Promise<string | undefined> {
    return askService(this.user, containerName(this.parts), check)
  }

  /** A service that listens has begun before its time. */
  #lives(life: UnitLife, signal: AbortSignal, over: AbortSignal): Promise<string | undefined> {
    const ports = this.parts.container?.service?.ports ?? []
    return Promise.race([listens(life, ports, over), staysAlive(life, this.#host.aliveMs, signal)])
  }

  async #begun(signal: AbortSignal): Promise<string | undefined> {
    const over = new AbortController()
    const life = new UnitLife(this.unit, this.#host.systemctl, over.signal)
    const port = this.#port
    try {
      const { check } = this.parts.container?.service ?? {}
      if (check === undefined && port === undefined) return await this.#lives(life, signal, over.signal)
      const fault =
        check === undefined
          ? await becomesHealthy(life, port ?? 0, this.definition.health, signal)
          : await becomesWell(life, () => this.ask(check), check, signal)
      if (fault !== undefined || port === undefined) return fault
      // One that listens at both addresses may have begun to between the two questions.
      if (life.host !== '127.0.0.1' && !(await answers(port)))
        return `it listens at ::1 alone: let it listen at 127.0.0.1, or at all addresses`
      if (new SocketTable().isHeldBy(port, this.user.uid)) return undefined
      return `port ${port} is another program's`
    } finally {
      over.abort()
      this.#state = life.state
      this.#spool?.look()
    }
  }
}

/** Resolves when a program in a container listens at one of these ports; never for none. */
async function listens(life: UnitLife, ports: readonly number[], over: AbortSignal): Promise<undefined> {
  while (ports.length > 0 && !over.aborted) {
    const { state } = life
    if (state !== undefined && ports.some((port) => listensInside(state.pid, port))) return
    await pause(LOOK_MS)
  }
  return new Promise(() => {})
}

/** Reads the ports that a service is reached at; units of before have none. */
function reachedIn(folder: string): ReadonlyMap<number, number> {
  const path = join(folder, 'reached')
  return new Map(existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as [number, number][]) : [])
}

/** Removes the files of a unit that has ended. */
export function removeUnit(unit: string): void {
  rmSync(join(SYSTEM.wants, unit), { force: true })
  for (const folder of [SYSTEM.units, SYSTEM.transient, SYSTEM.told])
    rmSync(join(folder, unit), { force: true })
  rmSync(unitFolder(unit), { recursive: true, force: true })
}
