import type { AppRelease, BuildOrder, HostApps, HostImage, ImageOrder, ScriptOrder } from '@svc/core/adapters'
import type { AppData } from './data/app-data.ts'
import type { Databases } from './data/databases.ts'
import type { Generation, Say } from './generation.ts'
import type { Slot, SlotParts } from './slot.ts'
import type { Domains } from './system/domains.ts'
import type { Task, TaskFault } from './task.ts'

/** Images of applications whose processes are containers. */
export interface Images {
  /** Builds the image of a release, or pulls one. @throws Problem `conflict` in words */
  image(order: ImageOrder, say: Say, signal: AbortSignal): Promise<HostImage>
  /** Removes what belongs to releases that are gone. `before` was live until now. */
  tidy(app: string, live: AppRelease, before: AppRelease | undefined): Promise<void>
}

/** Builds of applications, each by a user of its own. */
export interface Builder {
  /** Builds a release; one that is there is left as it is. @throws Problem `conflict` in words */
  build(order: BuildOrder, say: Say, signal: AbortSignal): Promise<void>
  /** Runs a script of an application that runs nothing. Returns why it did not end well. */
  script(order: ScriptOrder, say: Say, signal: AbortSignal): Promise<TaskFault>
  /** Removes releases whose files are gone, but the live one. */
  tidy(app: string, live: string): Promise<void>
  /** Removes everything of an application that was built. */
  forget(app: string): Promise<void>
}

/** The way in which a host keeps instances running and leads visitors to them. */
export interface Runtime extends AsyncDisposable {
  /** Whether instances go on when the supervisor ends. */
  readonly outlives: boolean
  /** The port of a front for all applications; 0 without one. */
  readonly frontPort: number
  /** The domains of applications; undefined on a host without a proxy. */
  readonly domains: Domains | undefined
  /** The databases of applications; undefined on a host without servers of them. */
  readonly databases: Databases | undefined
  /** The data of applications on its way to backups and back; undefined where handlers reach it. */
  readonly data: AppData | undefined
  /** The images of applications; undefined where no containers are run. */
  readonly images: Images | undefined
  /** The builds of applications; undefined where they are the handlers' own. */
  readonly builds: Builder | undefined
  /** Installs Debian packages; undefined where nothing is root's. */
  readonly install: ((names: readonly string[], say: Say) => Promise<void>) | undefined
  /** Returns the release as this host carries it out. */
  adapt(release: AppRelease): AppRelease
  /** Makes an application's place on the host, for this release. It may be there already. */
  admit(app: string, release?: AppRelease): Promise<void>
  /** Returns the place of an instance. Nothing is started. */
  slot(parts: SlotParts): Slot
  /** Runs a task to its end. `isLeft`: an earlier supervisor has started it. Returns its fault, if any. */
  run(task: Task, signal: AbortSignal, isLeft?: boolean): Promise<TaskFault>
  /**
   * Leads new visitors of an application to this release from now on; undefined: they are told that it is
   * stopped.
   */
  route(app: string, live: Generation | undefined): Promise<void>
  /** Called once, when all applications of the record are resumed. */
  ready(): Promise<void>
  /** Removes an application's place. */
  forget(app: string): Promise<void>
  /** The folders with data of an application, which outlive it. */
  dataOf(app: string): readonly string[]
  /** The ports of an application that stay its own, as the record has them; none where it has none. */
  portsOf(app: string): Pick<HostApps['apps'][string], 'port' | 'ports'>
  /** The address at which containers of an application reach one of its services. */
  hostOf(process: string): string
  /** The address for visitors, in words. */
  addressOf(app: string): string
}
