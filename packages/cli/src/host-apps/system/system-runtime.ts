import { mkdirSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { type Log, systemClock } from '@svc/core'
import { type AppRelease, type HostApps, WEB_PROCESS } from '@svc/core/adapters'
import type { AppsRecord } from '../apps-file.ts'
import { AppData } from '../data/app-data.ts'
import type { Databases } from '../data/databases.ts'
import { openDatabases } from '../data/engines.ts'
import type { Generation } from '../generation.ts'
import { isWell } from '../health.ts'
import type { Runtime } from '../runtime.ts'
import type { Slot, SlotParts } from '../slot.ts'
import type { Task, TaskFault } from '../task.ts'
import { filledFolders } from '../volumes.ts'
import { AppImages } from './app-images.ts'
import { type AppUser, admitUser, appUserName, idsOf } from './app-user.ts'
import { Builds } from './builds.ts'
import { Caddy } from './caddy.ts'
import { Domains } from './domains.ts'
import { LeftoverUnits } from './leftover-units.ts'
import { SocketTable } from './listening.ts'
import { installPackages } from './packages.ts'
import { SYSTEM } from './places.ts'
import { ServiceChecks } from './service-health.ts'
import { type Links, linkRoutes, linksOf, serviceRoutes } from './service-routes.ts'
import { StablePorts } from './stable-ports.ts'
import { Switch } from './switch.ts'
import { serviceAddress, type Way } from './switch-rules.ts'
import { Systemctl } from './systemctl.ts'
import { type UnitHost, UnitSlot } from './unit-slot.ts'
import { runUnitTask, type TaskAs } from './unit-task.ts'
import { appOfUnit, builtFolder, placesOf, stateFolder, taskName, VOLUMES } from './unit-text.ts'

/** Inputs of the runtime of a host with systemd. */
export interface SystemRuntimeParts {
  readonly record: AppsRecord
  readonly aliveMs: number
  readonly log: Log
  /** Returns the command that serves the files of a release. */
  readonly siteCommand: (site: NonNullable<AppRelease['static']>) => string
}

/** Between two looks at sockets and output: an instance that ended leaves the rules within this time. */
const LOOK_MS = 250
/** The time after a look at sockets until the next one, in times of its own: many take long to read. */
const REST = 5
const LOOKS_A_STATE = 8
const LOOKS_A_CHECK = 20
/** Checks in a row that fail before an instance gets no more visitors. */
const MAX_FAILED = 2
/** The user of the proxy, where there is one. */
const PROXY_USER = 'caddy'

/** Each instance is a unit of systemd, and rules of the kernel lead visitors to it. */
export class SystemRuntime implements Runtime, UnitHost {
  readonly outlives = true
  readonly frontPort = 0
  readonly domains: Domains
  readonly databases: Databases
  readonly data: AppData
  readonly systemctl = new Systemctl()
  readonly images: AppImages
  readonly builds: Builds
  readonly install = installPackages
  readonly #parts: SystemRuntimeParts
  readonly #switch: Switch
  readonly #users = new Map<string, AppUser>()
  readonly #ports: StablePorts
  readonly #live = new Map<string, Generation>()
  /** The applications that each one reaches, by its live release and by one that is about to be. */
  readonly #links = new Map<string, Links>()
  /** All places that have a port, whichever release they are of. */
  readonly #placed = new Set<UnitSlot>()
  readonly #tended = new Set<UnitSlot>()
  readonly #failed = new Map<UnitSlot, number>()
  readonly #checks = new ServiceChecks()
  /** The units of tasks that somebody waits for. */
  readonly #tasks = new Set<string>()
  readonly #leftovers: LeftoverUnits
  readonly #leaving = new AbortController()
  #looks = 0
  #restsUntil = 0
  #ticker: NodeJS.Timeout | undefined
  #isLooking = false

  private constructor(parts: SystemRuntimeParts, guests: readonly number[], databases: Databases) {
    this.#parts = parts
    this.databases = databases
    this.data = new AppData(databases, systemClock)
    this.#ports = new StablePorts(parts.record.current.apps, parts.log)
    const portsOf = (app: string) => this.#ports.of(app)
    this.images = new AppImages((app) => this.userOf(app))
    this.builds = new Builds({
      userOf: (app) => this.userOf(app),
      run: (as, signal) => this.#run(as, signal),
    })
    this.domains = new Domains({ record: parts.record, caddy: new Caddy(), portsOf })
    const isLive = (app: string) => this.#live.has(app)
    this.#leftovers = new LeftoverUnits({ systemctl: this.systemctl, log: parts.log, isLive })
    this.#switch = new Switch(guests, (err) => parts.log.error({ err }, 'the rules of the applications'))
  }

  static async open(parts: SystemRuntimeParts): Promise<SystemRuntime> {
    for (const folder of ['apps', 'state', 'units'])
      mkdirSync(`${SYSTEM.state}/${folder}`, { recursive: true, mode: 0o711 })
    mkdirSync(SYSTEM.transient, { recursive: true })
    const proxy = await idsOf(PROXY_USER)
    const databases = await openDatabases(SYSTEM.state, parts.log)
    return new SystemRuntime(parts, [0, ...(proxy === undefined ? [] : [proxy.uid])], databases)
  }

  get aliveMs(): number {
    return this.#parts.aliveMs
  }

  adapt({ static: site, ...release }: AppRelease): AppRelease {
    if (site === undefined) return release
    const web = { command: this.#parts.siteCommand(site), count: 1 }
    return { ...release, processes: { ...release.processes, [WEB_PROCESS]: web } }
  }

  async admit(app: string, release?: AppRelease): Promise<void> {
    this.#users.set(app, await admitUser(app))
    await this.#ports.admit(app, release)
    const links = linksOf([release, this.#live.get(app)?.release])
    if (isDeepStrictEqual(links, this.#links.get(app) ?? linksOf([]))) return
    this.#links.set(app, links)
    for (const each of this.#users.keys()) this.#remember(each)
    if (this.#ticker !== undefined) await this.#switch.apply()
  }

  userOf(app: string): AppUser {
    const user = this.#users.get(app)
    if (user === undefined) throw new Error(`${app} was not admitted`)
    return user
  }

  portsOf(app: string): Pick<HostApps['apps'][string], 'port' | 'ports'> {
    const { [WEB_PROCESS]: port, ...ports } = Object.fromEntries(this.#ports.of(app))
    return { ...(port && { port }), ...(Object.keys(ports).length > 0 && { ports }) }
  }

  slot(parts: SlotParts): Slot {
    return new UnitSlot(parts, this)
  }

  run(task: Task, signal: AbortSignal, isLeft = false): Promise<TaskFault> {
    const user = this.userOf(task.app)
    const lines = placesOf(user.name, task.volumes)
    return this.#run(
      { task: { ...task, folder: builtFolder(task.app, task.sha) }, user, lines },
      signal,
      isLeft,
    )
  }

  async #run(as: TaskAs, signal: AbortSignal, isLeft = false): Promise<TaskFault> {
    const unit = taskName(as.task)
    this.#tasks.add(unit)
    try {
      const { systemctl } = this
      const leaving = this.#leaving.signal
      return await runUnitTask({ ...as, systemctl, isLeft, leaving }, signal)
    } finally {
      this.#tasks.delete(unit)
    }
  }

  dataOf(app: string): readonly string[] {
    const user = appUserName(app)
    return filledFolders([`${VOLUMES}/${user}`, stateFolder(user)])
  }

  cleared(unit: string): Promise<void> {
    return this.#leftovers.clear((each) => each === unit)
  }

  async placed(slot: UnitSlot): Promise<void> {
    if (slot.ports.length === 0) return
    this.#placed.add(slot)
    await this.#lead(slot.parts.app)
  }

  tend(slot: UnitSlot): void {
    this.#tended.add(slot)
  }

  untend(slot: UnitSlot): void {
    this.#tended.delete(slot)
    this.#placed.delete(slot)
    this.#failed.delete(slot)
  }

  async route(app: string, live: Generation | undefined): Promise<void> {
    const before = this.#live.get(app)
    if (live === undefined) this.#live.delete(app)
    else this.#live.set(app, live)
    try {
      await this.#lead(app)
    } catch (error) {
      if (before !== undefined) this.#live.set(app, before)
      throw error
    }
  }

  /** Until everything is resumed the rules of before stand: nobody is turned away for a restart. */
  async ready(): Promise<void> {
    await this.#sweep()
    this.#ticker = setInterval(() => void this.#look(), LOOK_MS)
    for (const app of this.#users.keys()) this.#remember(app)
    await this.#switch.apply()
    this.#switch.watch()
  }

  async forget(app: string): Promise<void> {
    await this.#leftovers.clear((unit) => appOfUnit(unit) === app)
    this.#links.delete(app)
    this.#switch.set(app, undefined)
    await this.#switch.apply()
    await this.images.forget(app)
    await this.#ports.forget(app)
  }

  hostOf(process: string): string {
    return serviceAddress(process)
  }

  addressOf(app: string): string {
    return `port ${this.#ports.of(app).get(WEB_PROCESS)} of this host, for root and the proxy`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#leaving.abort()
    this.domains[Symbol.dispose]()
    clearInterval(this.#ticker)
    this.#leftovers[Symbol.dispose]()
    this.databases[Symbol.dispose]()
    this.#switch[Symbol.dispose]()
    for (const slot of this.#tended) slot.look()
    await this.#ports[Symbol.asyncDispose]()
  }

  #remember(app: string): void {
    const ports = this.#ports.of(app)
    const user = this.#users.get(app)
    if (ports.size === 0 || user === undefined) return
    const live = this.#live.get(app)?.slots ?? []
    const placed = [...this.#placed].filter(({ parts }) => parts.app === app)
    const ways = this.#waysTo(app)
    const { names: links, isBoxed } = this.#links.get(app) ?? linksOf([])
    const linkedTo = isBoxed ? links.map((name) => ({ name, ways: this.#waysTo(name) })) : []
    const names = [...serviceRoutes(live, placed), ...linkRoutes(linkedTo)]
    const all = [...placed.flatMap(({ ports }) => ports), ...this.#leftovers.portsOf(app)]
    const linked = this.#linkedTo(app).flatMap((name) => this.#users.get(name)?.uid ?? [])
    this.#switch.set(app, { uid: user.uid, ways, all, names, linked })
  }

  #waysTo(app: string): readonly Way[] {
    const live = this.#live.get(app)?.slots ?? []
    return [...this.#ports.of(app)].map(([process, port]) => {
      const up = live.filter((slot) => slot.isUp && slot.parts.process === process)
      return { port, instances: up.flatMap((slot) => slot.port ?? []) }
    })
  }

  /** The applications that reach this one. */
  #linkedTo(app: string): readonly string[] {
    return [...this.#links].flatMap(([name, { names }]) => (names.includes(app) ? [name] : []))
  }

  async #lead(app: string): Promise<void> {
    for (const each of [app, ...this.#linkedTo(app)]) this.#remember(each)
    if (this.#ticker !== undefined) await this.#switch.apply()
  }

  async #sweep(): Promise<void> {
    await this.#leftovers.sweep(new Set([...[...this.#tended].map(({ unit }) => unit), ...this.#tasks]))
    await this.builds.sweep()
    await this.images.sweep(new Set([...this.#users.values()].map(({ name }) => name)))
  }

  async #look(): Promise<void> {
    if (this.#isLooking || this.#tended.size === 0 || performance.now() < this.#restsUntil) return
    this.#isLooking = true
    try {
      this.#looks += 1
      const slots = [...this.#tended]
      const units = slots.map(({ unit }) => unit)
      const states = this.#looks % LOOKS_A_STATE === 0 ? await this.systemctl.show(units) : undefined
      if (this.#looks % LOOKS_A_CHECK === 0) await Promise.all(slots.map((slot) => this.#check(slot)))
      this.#checks.tick(slots)
      const began = performance.now()
      const sockets = new SocketTable()
      this.#restsUntil = performance.now() + REST * (performance.now() - began)
      for (const slot of slots) {
        slot.look()
        const { restarts } = slot
        slot.see(sockets, states?.get(slot.unit))
        if (slot.restarts > restarts) slot.say('[svc] it ended, and was started again')
      }
      for (const app of this.#live.keys()) this.#remember(app)
      await this.#switch.apply()
    } catch (err) {
      this.#parts.log.error({ err }, 'the applications could not be looked after')
    } finally {
      this.#isLooking = false
    }
  }

  async #check(slot: UnitSlot): Promise<void> {
    const { health } = slot.definition
    if (slot.port === undefined || health?.path === undefined) return
    const failed = (await isWell(slot.port, health.path)) ? 0 : (this.#failed.get(slot) ?? 0) + 1
    this.#failed.set(slot, failed)
    if (failed === MAX_FAILED) slot.say(`[svc] ${health.path} failed twice: it gets no more visitors`)
    if (failed === 0 || failed >= MAX_FAILED) slot.judge(failed === 0)
  }
}
